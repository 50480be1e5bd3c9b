'use strict';
// What tests of a file can share: variables of modules and describe blocks, mocks, globals, and
// what the environment holds. A place is one such piece of state, and has a name of one line:
//
//   var src/a.js count            a variable of a module
//   var a.test.js [outer] count   a variable of a describe block
//   mock src/a.js api.get         calls and implementation of a mock function, by its access path,
//                                 unless Jest clears them before each test (clearMocks, resetMocks)
//   global chrome                 a global that the environment does not have by itself
//   builtin console.log           a function or value of the environment that was replaced, or added to one of its objects
//   core fs.readFile              the same for a module of Node
//   env NAME, storage local KEY, document body, document title, document cookie, document location,
//   document body class           an attribute of the body, or of the documentElement
//   listeners document click, listeners process exit
//   directory cwd                 the working directory of the process
//   spy a.test.js axios.get       a method of a package that is replaced by a spy
//   module src/a.js               whether a module of the project is loaded
//   mocked src/a.js               whether jest.mock or jest.doMock has registered a mock of a module
//   nock interceptors             what nock answers instead of a server
//   unfinished a.test.js:7:12     promises that a test makes there and that are not settled at its end

const {createHash} = require('crypto');
const core = require('./core.cjs');
const {Capture} = require('./capture.cjs');
const {JEST, MAX_ELEMENTS, attempt, defineProperty, getOwnPropertyDescriptor, isObject, ownKeys, valueOf} = require('./values.cjs');

const {apply} = Reflect;
const BUILTIN_OBJECTS = ['console', 'Math', 'JSON', 'Date', 'Object', 'Array', 'String', 'Number', 'Promise', 'Reflect', 'Symbol',
  'Array.prototype', 'String.prototype', 'Object.prototype', 'Number.prototype', 'Date.prototype', 'Function.prototype',
  'process', 'performance', 'navigator', 'Element.prototype', 'HTMLElement.prototype', 'Storage.prototype', 'URL'];

/** State is what one environment holds. */
class State {
  constructor(environment, runtime, root) {
    this.global = environment.global;
    this.mocker = environment.moduleMocker;
    this.runtime = runtime;
    this.root = root;
    // restoreMocks clears neither: it gives back what spies have replaced, and resets no mock.
    const {clearMocks, resetMocks} = attempt(() => runtime._config) || {};
    this.clearsCalls = Boolean(clearMocks || resetMocks);
    this.clearsAnswers = Boolean(resetMocks);
    this.test = ''; // the test file
    this.source = ''; // its text
    this.unfinished = null; // what tests have begun and do not wait for
    this.spies = []; // {object, key, descriptor}: what jest.spyOn has replaced
    this.scopes = [];
    this.numbers = new WeakMap(); // functions and objects that are compared by identity
    this.count = 0;
    this.own = new Set(ownKeys(this.global));
    this.objects = this.builtinObjects();
    this.baseline = this.builtins();
    this.owners = new Set([...this.baseline.values()].map(property => property.owner));
    this.watchSpies();
  }

  /** watchSpies keeps what jest.spyOn replaces: an object of a package is in no variable of the project. */
  watchSpies() {
    const {mocker, spies} = this;
    const spyOn = mocker && mocker.spyOn;
    if (typeof spyOn !== 'function') return;
    mocker.spyOn = function (object, key, ...rest) {
      const descriptor = isObject(object) ? attempt(() => getOwnPropertyDescriptor(object, key)) : undefined;
      const spy = apply(spyOn, this, [object, key, ...rest]);
      if (descriptor && 'value' in descriptor && descriptor.value !== spy && !rest.length && spies.length < MAX_ELEMENTS) spies.push({object, key, descriptor});
      return spy;
    };
  }

  /** modules is Jest's registry of modules, by path. */
  modules() {
    const {runtime} = this;
    return attempt(() => runtime._moduleRegistry || runtime.registries.moduleRegistry) || new Map();
  }

  /** add registers the variables of a module or a describe block. */
  add(file, block, variables, imports = {}) {
    const prefix = block.length ? `${file} [${block.join(' \u203a ')}]` : file;
    // A module that is loaded again (jest.resetModules) replaces what was there.
    this.scopes = this.scopes.filter(scope => scope.prefix !== prefix);
    this.scopes.push({prefix, file, block, variables, imports});
  }

  number(value) {
    if (!this.numbers.has(value)) this.numbers.set(value, ++this.count);
    return this.numbers.get(value);
  }

  /** builtinObjects are the objects of the environment that tests are likely to change, by name. */
  builtinObjects() {
    const found = BUILTIN_OBJECTS.map(name => [name, name.split('.').reduce((at, key) => valueOf(at, key), this.global)]);
    return new Map(found.filter(([, object]) => isObject(object)));
  }

  /** builtins reads the properties whose replacement is a change, by name. */
  builtins() {
    const all = new Map();
    const put = (name, owner, key) => {
      const descriptor = getOwnPropertyDescriptor(owner, key);
      if (descriptor) all.set(name, {owner, key, descriptor});
    };
    for (const key of this.own) if (typeof key === 'string' && !JEST.has(key) && !/^(__coverage__|\d+)$/.test(key)) put(`builtin ${key}`, this.global, key);
    for (const [name, object] of this.objects) {
      for (const key of ownKeys(object)) if (typeof key === 'string' && !isMoving(name, key)) put(`builtin ${name}.${key}`, object, key);
    }
    for (const property of core.original) all.set(property.name, property);
    return all;
  }

  /** capture is the content of every place. */
  capture() {
    return new Capture(this).all();
  }
}

/**
 * changes lists what differs between two captures: {place, path, before, after, fresh}. A variable
 * that was not there before is no change: its module was loaded meanwhile.
 */
function changes(before, after) {
  const found = [];
  for (const [name, place] of after.places) {
    const old = before.places.get(name);
    const appears = !old && /^(var|mock) /.test(name);
    if (appears) continue;
    for (const [path, {text, token}] of place.entries) {
      const was = old && old.entries.get(path);
      if (was && was.token === token) continue;
      const other = was && was.text === text ? ' (another one)' : '';
      const {path: replaced, text: original} = place.originally || {};
      found.push({place: name, path, before: was ? was.text : replaced === path ? original : 'absent', after: text + other});
    }
    if (old) for (const [path, {text}] of old.entries) if (!place.entries.has(path)) found.push({place: name, path, before: text, after: 'absent'});
  }
  for (const [name, place] of before.places) {
    if (after.places.has(name) || /^mock /.test(name)) continue;
    for (const [path, {text}] of place.entries) found.push({place: name, path, before: text, after: place.originally ? place.originally.text : 'absent'});
  }
  return found;
}

/** fingerprint is a number for the content of a place. 0 stands for a place that is not there. */
function fingerprint(place) {
  if (!place) return 0n;
  let text = '';
  for (const [path, {token}] of place.entries) text += `${path}\n${token}\n`;
  return printOf(text);
}

/** printOf is a number for a text. 0 stands for none. */
function printOf(text) {
  return text ? createHash('sha1').update(text).digest().readBigInt64BE(0) : 0n;
}

/** isMoving names what changes by itself. */
const isMoving = (object, key) => object === 'process' ? !/^(cwd|exit|nextTick|hrtime|uptime|memoryUsage|platform|argv|version|on|once|emit|stdout|stderr|env|chdir|kill|umask)$/.test(key)
  : object === 'RegExp';

module.exports = {State, changes, fingerprint, printOf};
