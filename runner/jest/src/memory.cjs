'use strict';
// Remembers what places hold, and restores it.

const {goBack} = require('./capture.cjs');
const {isFile} = require('./files.cjs');
const {isUnfinished} = require('./unfinished.cjs');
const {restoreMock} = require('./registered.cjs');
const {fingerprint} = require('./state.cjs');
const {isMock, isNode, isObject, mockOf, attempt, defineProperty, deleteProperty, ownKeys, storeState, types} = require('./values.cjs');

const MAX_OBJECTS = 20000;
const {apply, getOwnPropertyDescriptor} = Reflect;
const mapSet = Map.prototype.set;
const mapClear = Map.prototype.clear;
const setAdd = Set.prototype.add;
const setClear = Set.prototype.clear;
const {getTime, setTime} = Date.prototype;

class Memory {
  constructor(state, names) {
    this.state = state;
    this.names = names.filter(name => !isFile(name) && !isUnfinished(name));
    this.known = new Map(); // by name: what it held and how to restore that
    this.problems = new Map(); // by name: why it could not be remembered
  }

  /**
   * remember takes what is there now. A place that is not there has nothing to remember at the
   * beginning; a variable of a module that is loaded later is remembered when it is first seen.
   */
  remember(capture, first) {
    if (first) this.known.clear();
    for (const name of this.names) {
      if (this.known.has(name)) continue;
      // An earlier file may have replaced it in a module of Node, or changed the directory.
      const place = /^(core|directory) /.test(name) ? undefined : capture.places.get(name);
      if (!place && (!first || /^(var|mock) /.test(name))) continue;
      this.known.set(name, {print: fingerprint(place), restore: this.restorer(name, place)});
    }
  }

  /** restore returns the results, as {name, how, problem} of the protocol. */
  restore() {
    const before = this.state.capture();
    const wanted = this.names.filter(name => this.known.has(name) && fingerprint(before.places.get(name)) !== this.known.get(name).print);
    for (const name of wanted) {
      try {
        this.known.get(name).restore(before.places.get(name));
      } catch (error) {
        this.problems.set(name, String(attempt(() => error.message) || 'it cannot be written'));
      }
    }
    const after = wanted.length ? this.state.capture() : before;
    return this.names.map(name => {
      if (!this.known.has(name)) return {name, how: 'x', problem: 'it was not there before the test'};
      if (!wanted.includes(name)) return {name, how: 's', problem: ''};
      if (fingerprint(after.places.get(name)) === this.known.get(name).print) return {name, how: 'b', problem: ''};
      return {name, how: 'x', problem: this.problems.get(name) || 'it still holds something else'};
    });
  }

  /** restorer is a function that gives the place what it holds now. */
  restorer(name, place) {
    const {global} = this.state;
    const [kind, ...rest] = name.split(' ');
    const key = rest.join(' ');
    switch (kind) {
      case 'var':
        return this.root(place, value => {
          if (place.set) place.set(value);
        });
      case 'global': {
        const descriptor = getOwnPropertyDescriptor(global, key);
        if (!place) return () => deleteProperty(global, key);
        return this.root(place, () => defineProperty(global, key, descriptor));
      }
      case 'builtin':
      case 'core': {
        const object = this.state.objects.get(key.slice(0, key.lastIndexOf('.')));
        if (object && !this.state.baseline.has(name)) return extension(object, key.slice(key.lastIndexOf('.') + 1));
        const {owner, key: property, descriptor} = this.state.baseline.get(name) || {};
        if (!owner) return unable('the environment does not have it');
        const now = place ? getOwnPropertyDescriptor(owner, property) : descriptor;
        return () => {
          if (now) defineProperty(owner, property, now);
          else deleteProperty(owner, property);
        };
      }
      case 'mock':
        return this.mock(place.fn);
      case 'spy':
        return now => {
          if (!place && now) defineProperty(now.spy.object, now.spy.key, now.spy.descriptor);
          else if (place) defineProperty(place.spy.object, place.spy.key, place.now);
        };
      case 'module':
        return this.module(place, key);
      case 'mocked':
        return now => restoreMock(this.state.runtime, place, now);
      case 'nock':
        return place ? unable('nock cannot register interceptors again') : now => now.nock.cleanAll();
      case 'env':
        return () => {
          if (place) global.process.env[key] = place.text;
          else delete global.process.env[key];
        };
      case 'directory':
        return goBack;
      case 'storage': {
        const storage = global[`${rest[0]}Storage`];
        const item = rest.slice(1).join(' ');
        return () => {
          if (place) storage.setItem(item, place.text);
          else storage.removeItem(item);
        };
      }
      case 'document':
        return rest.length > 1 ? this.attribute(rest[0], rest.slice(1).join(' '), place) : this.document(key, place ? place.text : '');
      case 'listeners':
        return rest[0] === 'process' ? processListeners(global.process, rest.slice(1).join(' ')) : elementListeners(place);
    }
    return unable('odfix cannot restore this kind of state');
  }

  /** root restores a variable and every object that can be reached from it. */
  root(place, put) {
    const {value} = place;
    const contents = reachable(value, this.state);
    const mocks = contents.mocks.map(fn => this.mock(fn));
    return () => {
      put(value);
      for (const restore of contents.restorers) restore();
      for (const restore of mocks) restore();
    };
  }

  mock(fn) {
    const {mocker} = this.state;
    const {state, config} = mockOf(mocker, fn);
    const hadState = mocker._mockState.has(fn);
    const keptState = copyOf(state);
    const keptConfig = config && copyOf(config);
    return () => {
      if (hadState) mocker._mockState.set(fn, copyOf(keptState));
      else mocker._mockState.delete(fn);
      if (keptConfig) mocker._mockConfigRegistry.set(fn, copyOf(keptConfig));
      else mocker._mockConfigRegistry.delete(fn);
    };
  }

  /** module restores whether a module is loaded. */
  module(place, name) {
    const {state} = this;
    const file = `${state.root}/${name}`;
    const loaded = place && place.module;
    return () => {
      if (loaded) state.modules().set(file, loaded);
      else state.modules().delete(file);
    };
  }

  /** attribute restores one of the document's element or body. */
  attribute(element, name, place) {
    const {document} = this.state.global;
    return () => {
      if (place) document[element].setAttribute(name, place.text);
      else document[element].removeAttribute(name);
    };
  }

  document(what, text) {
    const {document} = this.state.global;
    if (what === 'head' || what === 'body') return () => { document[what].innerHTML = text; };
    if (what === 'location') return () => this.state.global.history.replaceState(null, '', text);
    if (what === 'title') return () => { document.title = text; };
    return () => {
      for (const cookie of document.cookie.split('; ')) document.cookie = `${cookie.split('=')[0]}=; expires=Thu, 01 Jan 1970 00:00:00 GMT`;
      for (const cookie of text.split('; ')) if (cookie) document.cookie = cookie;
    };
  }
}

function unable(problem) {
  return () => {
    throw new Error(problem);
  };
}

/** copyOf copies an object of Jest's mocker, and the arrays in it. */
function copyOf(object) {
  const copy = Object.assign(Object.create(Object.getPrototypeOf(object)), object);
  for (const key of Object.keys(copy)) if (Array.isArray(copy[key])) copy[key] = apply(Array.prototype.slice, copy[key], []);
  return copy;
}

function processListeners(process, event) {
  const kept = process.rawListeners(event);
  return () => {
    for (const listener of process.rawListeners(event)) if (!kept.includes(listener)) process.removeListener(event, listener);
    for (const listener of kept) if (!process.rawListeners(event).includes(listener)) process.on(event, listener);
  };
}

function elementListeners(place) {
  if (!place) return now => now.list.splice(0, now.list.length);
  const kept = [...place.list];
  return () => place.list.splice(0, place.list.length, ...kept);
}

/** reachable remembers the contents of all objects below a value. */
function reachable(value, state) {
  const seen = new Set();
  const mocks = [];
  const restorers = [];
  const open = [value];
  while (open.length && seen.size < MAX_OBJECTS) {
    const object = open.pop();
    if (!isObject(object) || seen.has(object) || object === state.global || types.isProxy(object) || types.isPromise(object)) continue;
    if (isNode(object)) continue;
    seen.add(object);
    if (isMock(object)) mocks.push(object);
    for (const inner of contents(object, restorers)) open.push(inner);
    const kept = storeState(object);
    if (isObject(kept)) {
      open.push(kept);
      restorers.push(() => {
        if (storeState(object) !== kept) object.setState(kept, true);
      });
    }
  }
  return {mocks, restorers};
}

/** contents adds what restores one object, and returns what it holds. */
function contents(object, restorers) {
  const inner = [];
  if (types.isMap(object)) {
    const entries = [...Map.prototype.entries.call(object)];
    restorers.push(() => {
      apply(mapClear, object, []);
      for (const [k, v] of entries) apply(mapSet, object, [k, v]);
    });
    for (const [k, v] of entries) inner.push(k, v);
  } else if (types.isSet(object)) {
    const items = [...Set.prototype.values.call(object)];
    restorers.push(() => {
      apply(setClear, object, []);
      for (const item of items) apply(setAdd, object, [item]);
    });
    inner.push(...items);
  } else if (types.isDate(object)) {
    const time = apply(getTime, object, []);
    restorers.push(() => apply(setTime, object, [time]));
  } else if (ArrayBuffer.isView(object)) {
    const bytes = new Uint8Array(object.buffer, object.byteOffset, object.byteLength);
    const kept = Uint8Array.from(bytes);
    restorers.push(() => bytes.set(kept));
    return inner;
  }
  const kept = new Map();
  for (const key of ownKeys(object)) {
    const descriptor = attempt(() => getOwnPropertyDescriptor(object, key));
    if (!descriptor) continue;
    kept.set(key, descriptor);
    if ('value' in descriptor) inner.push(descriptor.value);
  }
  restorers.push(() => restoreProperties(object, kept));
  return inner;
}

/** extension gives an object of the environment the property that it has now, or takes it away. */
function extension(object, key) {
  const now = getOwnPropertyDescriptor(object, key);
  return () => {
    if (now) defineProperty(object, key, now);
    else deleteProperty(object, key);
  };
}

function restoreProperties(object, kept) {
  for (const key of ownKeys(object)) if (!kept.has(key)) deleteProperty(object, key);
  for (const [key, descriptor] of kept) {
    const now = getOwnPropertyDescriptor(object, key);
    if (!now || now.value !== descriptor.value || now.get !== descriptor.get || now.set !== descriptor.set) defineProperty(object, key, descriptor);
  }
}

module.exports = {Memory};
