'use strict';
// Reads all state of one environment (state.cjs).

const {apply} = Reflect;
const {relative} = require('path');
const {types} = require('util');
const registered = require('./registered.cjs');
const {JEST, MAX_ELEMENTS, accessor, attempt, brief, className, count, datum, digest, exported, functionText, getOwnPropertyDescriptor,
  importedValues, isMock, isNode, isObject, keysOf, kindOfFunction, literal, mockOf, ownKeys, storeState} = require('./values.cjs');

const MAX_OBJECTS = 20000;
const MAX_DEPTH = 40;
const MAX_IMPORTED = 2000;
const MAX_IMPORT_DEPTH = 3;
// Objects of tests may have other methods than these.
const {entries: mapEntries} = Map.prototype;
const {values: setValues} = Set.prototype;
const {getTime} = Date.prototype;
const getterOf = (prototype, key) => getOwnPropertyDescriptor(prototype, key).get;
const mapSize = getterOf(Map.prototype, 'size');
const setSize = getterOf(Set.prototype, 'size');
const sourceOf = getterOf(RegExp.prototype, 'source');

const {cwd, chdir} = process; // tests may replace those of their own process
const began = attempt(() => cwd());
const isName = /^[A-Za-z_$][\w$]*$/;
// Listeners of these are the runner's own.
const RUNNER_EVENTS = ['uncaughtException', 'unhandledRejection'];

/** Capture walks everything once. */
class Capture {
  constructor(state) {
    this.state = state;
    this.places = new Map(); // by name: {entries, roots}
    this.seen = new Map(); // objects met, and where
    this.walked = new Set(); // those of them whose properties were visited
    this.met = new Map(); // objects of imported modules, and where
    this.objects = 0;
    this.cut = false;
  }

  all() {
    // Names that a test can use come first: what it declares and imports, and globals.
    const isTests = ({file}) => file === this.state.test;
    for (const scope of this.state.scopes) if (isTests(scope)) this.scope(scope);
    this.globals();
    for (const scope of this.state.scopes) if (!isTests(scope)) this.scope(scope);
    this.replaced();
    this.extended();
    this.directory();
    this.environment();
    this.spied();
    this.modules();
    for (const {name, path, text} of this.state.unfinished ? this.state.unfinished.pending() : []) this.place(name).entries.set(path, {text, token: text});
    for (const {name, path, text, token, ...more} of registered.all(this.state)) this.place(name, more).entries.set(path, {text, token});
    return {places: this.places, objects: this.objects, cut: this.cut};
  }

  scope({prefix, variables, imports}) {
    for (const name of ownKeys(imports)) this.imported(prefix, name, ...imports[name]);
    for (const name of ownKeys(variables)) {
      const [get, set] = variables[name];
      let value;
      try {
        value = get();
      } catch {
        continue; // not initialised yet
      }
      if (name === 'module.exports' && isObject(value) && this.seen.has(value)) continue;
      this.root(`var ${prefix} ${name}`, prefix, name, value, {set});
    }
  }

  place(name, more = {}) {
    if (!this.places.has(name)) this.places.set(name, {entries: new Map(), ...more});
    return this.places.get(name);
  }

  root(name, owner, path, value, more) {
    const place = this.place(name, {...more, value, kind: 'root'});
    this.visit(place, owner, path, value, 0);
  }

  /** imported looks for mocks in a module that a file has imported. */
  imported(prefix, variable, get, names) {
    for (const {path, value} of importedValues(variable, attempt(get), names)) this.mocksBelow(prefix, path, value, 0);
  }

  mocksBelow(owner, path, value, depth) {
    if (this.met.has(value) || this.seen.has(value) || this.met.size > MAX_IMPORTED || value === this.state.global || types.isProxy(value)) return;
    this.met.set(value, path);
    if (typeof value === 'function' && isMock(value)) {
      this.seen.set(value, path);
      this.mock(owner, path, value);
    }
    if (depth === MAX_IMPORT_DEPTH) return;
    for (const key of keysOf(value)) {
      if (typeof key !== 'string' || /^(mock|_isMock|_protoImpl|getMock|constructor$|caller$|arguments$)/.test(key)) continue;
      const item = exported(value, key);
      if (isObject(item)) this.mocksBelow(owner, `${path}${accessor(key)}`, item, depth + 1);
    }
  }

  /** spied finds spies on what is in no variable of the project. */
  spied() {
    for (const spy of this.state.spies) {
      const {object, key} = spy;
      const now = getOwnPropertyDescriptor(object, key);
      if (!now || now.value === spy.descriptor.value || this.walked.has(object) || this.state.owners.has(object)) continue;
      const at = this.met.get(object) || className(object);
      const path = `${at}${accessor(key)}`;
      this.place(`spy ${path}`, {kind: 'spy', spy, now}).entries.set(path, {text: 'a spy', token: `object ${this.state.number(now.value)}`});
    }
  }

  modules() {
    const {root} = this.state;
    for (const [file, module] of this.state.modules()) {
      if (!file.startsWith(`${root}/`) || /[\\/]node_modules[\\/]/.test(file)) continue;
      const name = file.slice(root.length + 1);
      this.place(`module ${name}`, {kind: 'module', module}).entries.set(name, {text: 'loaded', token: `object ${this.state.number(module)}`});
    }
  }

  globals() {
    const {global, own, baseline, source} = this.state;
    // One object may have several names: the one that the test file uses comes first.
    const isUsed = key => typeof key === 'string' && source.includes(key);
    const keys = ownKeys(global);
    for (const key of [...keys.filter(isUsed), ...keys.filter(key => !isUsed(key))]) {
      if (typeof key !== 'string' || JEST.has(key) || baseline.has(`builtin ${key}`) || own.has(key)) continue;
      const descriptor = getOwnPropertyDescriptor(global, key);
      if (!descriptor || !('value' in descriptor)) continue;
      this.root(`global ${key}`, 'global', key, descriptor.value, {holder: [global, key]});
    }
  }

  /** replaced finds what is there instead of the environment's own. */
  replaced() {
    for (const [name, {owner, key, descriptor}] of this.state.baseline) {
      const now = getOwnPropertyDescriptor(owner, key);
      if (now && now.value === descriptor.value && now.get === descriptor.get && now.set === descriptor.set) continue;
      const path = name.slice(name.indexOf(' ') + 1);
      const place = this.place(name, {kind: 'builtin', originally: {path, text: 'as the environment has it'}});
      if (!now) place.entries.set(path, {text: 'deleted', token: 'deleted'});
      else if ('value' in now) this.visit(place, 'global', path, now.value, 0);
      else place.entries.set(path, {text: 'getter', token: `getter ${now.get ? this.state.number(now.get) : 0}`});
    }
  }

  /** extended finds what was added to objects of the environment. */
  extended() {
    const {objects, baseline} = this.state;
    for (const [of, object] of objects) {
      for (const key of ownKeys(object)) {
        const name = `builtin ${of}.${String(key)}`;
        if (!isName.test(String(key)) || baseline.has(name) || of === 'process') continue;
        const descriptor = getOwnPropertyDescriptor(object, key);
        const place = this.place(name, {kind: 'builtin'});
        if ('value' in descriptor) this.visit(place, 'global', `${of}.${key}`, descriptor.value, 0);
        else place.entries.set(`${of}.${key}`, {text: 'getter', token: `getter ${descriptor.get ? this.state.number(descriptor.get) : 0}`});
      }
    }
  }

  /** directory is the folder in which the process works, if it is no longer that in which it began. */
  directory() {
    const {root} = this.state;
    const path = attempt(() => cwd());
    if (path === began || !began) return;
    const from = folder => relative(root, folder) || '.';
    const text = typeof path === 'string' ? from(path) : 'a folder that was removed';
    const originally = {path: 'process.cwd()', text: from(began)};
    this.place('directory cwd', {kind: 'directory', originally}).entries.set(originally.path, {text: brief(text), token: text});
  }

  environment() {
    const {global} = this.state;
    const put = (name, path, text, more) => this.place(name, {kind: 'text', text, ...more}).entries.set(path, {text: brief(text), token: digest(text)});
    const env = attempt(() => global.process.env);
    if (env) for (const key of Object.keys(env)) put(`env ${key}`, `process.env.${key}`, String(env[key]));
    for (const which of ['local', 'session']) {
      const storage = attempt(() => global[`${which}Storage`]);
      if (!storage || typeof storage.key !== 'function') continue;
      for (let i = 0; i < storage.length; i++) {
        const key = storage.key(i);
        put(`storage ${which} ${key}`, `${which}Storage.getItem(${JSON.stringify(key)})`, String(storage.getItem(key)));
      }
    }
    const document = attempt(() => global.document);
    if (document && document.nodeType === 9) {
      if (document.head) put('document head', 'document.head.innerHTML', document.head.innerHTML);
      if (document.body) put('document body', 'document.body.innerHTML', document.body.innerHTML);
      for (const [name, element] of [['documentElement', document.documentElement], ['body', document.body]]) {
        for (const {name: attribute, value} of Array.from(attempt(() => element.attributes) || [])) {
          put(`document ${name} ${attribute}`, `document.${name}.getAttribute(${JSON.stringify(attribute)})`, value);
        }
      }
      put('document title', 'document.title', document.title);
      put('document cookie', 'document.cookie', document.cookie);
      put('document location', 'location.href', String(document.location && document.location.href));
      for (const [name, target] of [['document', document], ['window', global]]) this.listeners(name, target);
    }
    const {process} = global;
    for (const event of attempt(() => process.eventNames()) || []) {
      if (typeof event !== 'string' || RUNNER_EVENTS.includes(event)) continue;
      const list = process.rawListeners(event);
      this.place(`listeners process ${event}`, {kind: 'listeners'}).entries.set(`process.listeners(${JSON.stringify(event)})`,
        {text: count(list.length, 'listener'), token: list.map(l => this.state.number(l)).join()});
    }
  }

  /** jsdom keeps listeners in an internal object, not in the one that tests see. */
  listeners(name, target) {
    for (const symbol of Object.getOwnPropertySymbols(target)) {
      const listeners = attempt(() => target[symbol]._eventListeners);
      if (!listeners) continue;
      for (const event of Object.keys(listeners)) {
        const list = listeners[event];
        if (!list.length) continue;
        this.place(`listeners ${name} ${event}`, {kind: 'listeners', list}).entries.set(`${name} listeners of ${event}`,
          {text: count(list.length, 'listener'), token: list.map(l => this.state.number(l.callback || l)).join()});
      }
      return;
    }
  }

  visit(place, owner, path, value, depth) {
    if (!isObject(value)) {
      place.entries.set(path, {text: brief(literal(value)), token: digest(literal(value))});
      return;
    }
    const met = this.seen.get(value);
    if (met !== undefined) {
      place.entries.set(path, {text: typeof value === 'function' ? kindOfFunction(value) : `the object at ${met}`, token: `object ${this.state.number(value)}`});
      return;
    }
    if (this.objects >= MAX_OBJECTS || depth > MAX_DEPTH) {
      this.cut = true;
      return;
    }
    this.objects++;
    this.seen.set(value, path);
    this.walked.add(value);
    if (typeof value === 'function') this.aFunction(place, owner, path, value, depth);
    else this.anObject(place, owner, path, value, depth);
    const kept = storeState(value);
    if (isObject(kept)) this.visit(place, owner, `${path}.getState()`, kept, depth + 1);
  }

  aFunction(place, owner, path, value, depth) {
    place.entries.set(path, {text: kindOfFunction(value), token: `function ${this.state.number(value)}`});
    if (isMock(value)) this.mock(owner, path, value);
    for (const key of keysOf(value)) {
      if (/^(length|name|prototype|arguments|caller|mock.*|_isMockFunction|_protoImpl|getMock.*|withImplementation)$/.test(String(key))) continue;
      this.property(place, owner, path, value, key, depth);
    }
    const prototype = datum(value, 'prototype');
    if (isObject(prototype) && !types.isProxy(prototype) && ownKeys(prototype).length > 1 && !this.seen.has(prototype)) {
      this.seen.set(prototype, `${path}.prototype`);
      this.walked.add(prototype);
      for (const key of ownKeys(prototype)) if (key !== 'constructor') this.property(place, owner, `${path}.prototype`, prototype, key, depth);
    }
  }

  /** mock takes what Jest does not clear before the next test. */
  mock(owner, path, fn) {
    const {mocker, number, clearsCalls, clearsAnswers} = this.state;
    const {calls, config, isOwn} = mockOf(mocker, fn);
    if (isOwn && clearsAnswers) return;
    const place = this.place(`mock ${owner} ${path}`, {kind: 'mock', fn});
    if (!isOwn || !clearsCalls) place.entries.set(`${path}.mock.calls`, {text: count(calls.length || 0, 'call'), token: `${calls.length || 0}`});
    const implementation = config && config.mockImpl;
    place.entries.set(`${path} implementation`, {text: implementation ? functionText(implementation) : 'none',
      token: implementation ? `function ${apply(number, this.state, [implementation])}` : 'none'});
    const queue = config ? (config.specificMockImpls || []).length + (config.specificReturnValues || []).length : 0;
    place.entries.set(`${path} once`, {text: `${count(queue, 'answer')} for one call`, token: `${queue}`});
  }

  anObject(place, owner, path, value, depth) {
    if (value === this.state.global || types.isProxy(value) || types.isPromise(value) || types.isModuleNamespaceObject(value)) return;
    if (isNode(value)) {
      place.entries.set(path, {text: 'a node of the document', token: `object ${this.state.number(value)}`});
      return;
    }
    if (types.isDate(value)) return this.set(place, path, `Date ${apply(getTime, value, [])}`);
    if (types.isRegExp(value)) return this.set(place, path, `/${apply(sourceOf, value, [])}/ at ${String(datum(value, 'lastIndex'))}`);
    if (ArrayBuffer.isView(value) || types.isAnyArrayBuffer(value)) {
      const bytes = ArrayBuffer.isView(value) ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : Buffer.from(value);
      return this.set(place, path, `${bytes.length} bytes ${digest(bytes)}`);
    }
    if (types.isMap(value)) {
      let i = 0;
      this.set(place, `${path}.size`, String(apply(mapSize, value, [])));
      for (const [key, item] of apply(mapEntries, value, [])) {
        if (i++ >= MAX_ELEMENTS) break;
        this.visit(place, owner, `${path}.get(${isObject(key) ? `key ${i}` : literal(key)})`, item, depth + 1);
      }
      return;
    }
    if (types.isSet(value)) {
      let i = 0;
      this.set(place, `${path}.size`, String(apply(setSize, value, [])));
      for (const item of apply(setValues, value, [])) if (i++ < MAX_ELEMENTS) this.visit(place, owner, `${path} element ${i}`, item, depth + 1);
      return;
    }
    const isArray = Array.isArray(value);
    this.set(place, isArray ? `${path}.length` : path, isArray ? String(value.length) : `an object of ${className(value)}`);
    let n = 0;
    for (const key of ownKeys(value)) {
      if (isArray && key === 'length') continue;
      if (n++ >= MAX_ELEMENTS) {
        this.cut = true;
        break;
      }
      this.property(place, owner, path, value, key, depth);
    }
  }

  property(place, owner, path, value, key, depth) {
    const descriptor = attempt(() => getOwnPropertyDescriptor(value, key));
    if (!descriptor) return;
    const at = `${path}${accessor(key)}`;
    if ('value' in descriptor) this.visit(place, owner, at, descriptor.value, depth + 1);
    else place.entries.set(at, {text: 'getter', token: `getter ${descriptor.get ? this.state.number(descriptor.get) : 0}`});
  }

  set(place, path, text) {
    place.entries.set(path, {text: brief(text), token: text});
  }
}

/** goBack returns to the folder in which the process began. */
const goBack = () => chdir(began);

module.exports = {Capture, goBack};
