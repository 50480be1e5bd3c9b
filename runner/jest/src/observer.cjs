'use strict';
// Observes a run: what each test leaves changed, as the frames l, g, p, m and r of the protocol.

const {readFileSync} = require('fs');
const {Body} = require('./wire.cjs');
const {State, changes, fingerprint, printOf} = require('./state.cjs');
const {Instrument, SCOPE} = require('./instrument.cjs');
const {Memory} = require('./memory.cjs');
const {ResetCalls} = require('./resetcalls.cjs');
const {Unfinished} = require('./unfinished.cjs');
const {isFile} = require('./files.cjs');

const now = process.hrtime.bigint;
const states = new WeakMap(); // from an environment to its State
const runtimes = new WeakSet();

/**
 * install makes every environment of this process observable: its code is instrumented, and what
 * it holds by itself is known before code of the project runs in it.
 */
function install({Runtime, transformer, parse, root, major}) {
  const instrument = new Instrument(parse, root);
  const isOwn = file => file.startsWith(root) && !/[\\/]node_modules[\\/]/.test(file) && /\.[cm]?[jt]sx?$/.test(file);
  const short = file => file.slice(root.length + 1).split('\\').join('/');
  const instrumented = (file, result) => result && typeof result.code === 'string' && isOwn(file) ?
    {...result, code: instrument.code(short(file), result.code)} : result;

  // Before version 25, transform returns a compiled script.
  const make = major < 25 ? 'transformSource' : 'transform';
  wrap(transformer, make, (original, self, args) => instrumented(args[0], original.apply(self, args)));
  if (transformer.transformAsync) {
    wrap(transformer, 'transformAsync', async (original, self, args) => instrumented(args[0], await original.apply(self, args)));
  }
  for (const name of ['requireModule', 'unstable_importModule', 'requireInternalModule']) {
    if (!Runtime.prototype[name]) continue;
    wrap(Runtime.prototype, name, (original, self, args) => {
      if (!runtimes.has(self)) {
        runtimes.add(self);
        prepare(self._environment, self, root);
      }
      return original.apply(self, args);
    });
  }
}

function wrap(object, name, around) {
  const original = object[name];
  object[name] = function (...args) {
    return around(original, this, args);
  };
}

/** prepare takes note of what an environment holds before the project's code. */
function prepare(environment, runtime, root) {
  if (!environment || !environment.global || states.has(environment)) return;
  const state = new State(environment, runtime, root);
  states.set(environment, state);
  Object.defineProperty(environment.global, Symbol.for(SCOPE), {configurable: true, enumerable: false, writable: true,
    value: (file, block, variables, imports) => state.add(file, block, variables, imports)});
}

/** Places numbers the places that were announced in this process. */
class Places {
  constructor(out) {
    this.out = out;
    this.numbers = new Map();
  }

  number(name) {
    if (!this.numbers.has(name)) {
      const n = this.numbers.size;
      this.numbers.set(name, n);
      this.out.send(new Body(0x6c /* l */).u32(n).str(name).u8(1));
    }
    return this.numbers.get(name);
  }
}

/** mentions says whether the last part of a place's name stands in a text: get of "mock global api.get". */
function mentions(text, place) {
  const word = lastWord(place);
  if (!word || !text) return false;
  return new RegExp(`(^|[^\\w$])${word.replace(/[$-]/g, '\\$&')}($|[^\\w$])`).test(text);
}

function lastWord(place) {
  if (place.startsWith('document ')) return 'document';
  const path = place.replace(/^.* /, '').replace(/(\[\d+\])+$/, '');
  // The extension of a file is no part of its name.
  const name = /^(file|module) /.test(place) ? path.replace(/^.*\//, '').replace(/\.\w+$/, '') : path;
  const found = /[\w$-]+$/.exec(name);
  return found ? found[0] : '';
}

function source(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

// Bounds of one report: the rest is left out, and the report says so.
const MAX_CHANGES_OF_PLACE = 100;
const MAX_CHANGES = 2000;

/** Observer observes one file of an order. */
class Observer {
  /**
   * files are those of the working copy. restore names the places to restore before a test of this file, or is
   * null. resets is the pattern of the names of functions that reset state, or null.
   */
  constructor(out, places, environment, runtime, {files, restore, resets, root, test}) {
    prepare(environment, runtime, root);
    this.out = out;
    this.places = places;
    this.files = files;
    this.state = states.get(environment);
    this.state.test = test;
    this.state.source = source(`${root}/${test}`);
    this.state.unfinished = new Unfinished(root, test);
    this.last = null;
    this.texts = new Map(); // by position: the code of a test
    this.changed = new Set(); // places that some segment of the file has changed
    this.hooks = false;
    this.began = false;
    this.restore = restore;
    this.resets = resets;
    this.memory = restore ? new Memory(this.state, restore.places) : null;
  }

  /** The tests are collected, and nothing has run. */
  begin(position) {
    this.last = this.state.capture();
    if (this.memory) this.memory.remember(this.last, true);
    this.segment('b', position); // the file's own code may have written files
  }

  /** hook: a beforeAll or afterAll runs, whose changes belong to no single test. */
  hook() {
    this.hooks = true;
  }

  /** A beforeAll of the test to restore before is over: what it has set is no pollution. */
  setUp() {
    if (this.memory && !this.began) this.memory.remember(this.state.capture(), true);
  }

  /** A test begins at this position. */
  before(position, restores) {
    if (this.hooks) this.segment('b', position);
    this.hooks = false;
    this.began = true;
    if (restores && this.memory) this.restored();
    this.state.unfinished.begin();
  }

  /** settled waits for what tests have begun, if that is to be restored; or it returns undefined. */
  settled() {
    return this.restore && this.restore.before > 0 ? this.state.unfinished.settled(this.restore.places) : undefined;
  }

  restored() {
    const results = [...this.memory.restore(), ...this.files.restore(this.restore.places), ...this.state.unfinished.restored(this.restore.places)];
    const body = new Body(0x72 /* r */).u32(results.length);
    for (const {name, how, problem} of results) body.str(name).u8(how.charCodeAt(0)).str(problem);
    this.out.send(body);
    this.last = this.state.capture();
  }

  /** The test at this position is over, with its afterEach. */
  after(position) {
    this.state.unfinished.end();
    this.segment('t', position);
    this.hooks = false;
  }

  /** The file is over. */
  end(position) {
    if (this.hooks) this.segment('a', position);
    for (const [at, text] of this.texts) this.mentioned(at, text);
    this.calls(position);
  }

  /** calls reports what the file can call to reset state, and what it imports. By now hooks have set its variables. */
  calls(position) {
    if (!this.resets) return;
    const {calls, same} = new ResetCalls(this.state, this.resets).all();
    if (!calls.length && !same.length) return;
    const body = new Body(0x6d /* m */).i64(position).u32(calls.length);
    for (const {block, path} of calls) body.strs(block).str(path);
    body.u32(same.length);
    for (const {block, path, file, variable} of same) body.strs(block).str(path).str(file).str(variable);
    this.out.send(body);
  }

  /** mentioned reports as read the places whose names stand in the code of a test. */
  mentioned(position, text) {
    const numbers = [...this.changed].filter(place => mentions(text, place)).map(place => this.places.number(place));
    if (!numbers.length) return;
    const body = new Body(0x67 /* g */).u8(0x74 /* t */).i64(position).u32(numbers.length);
    for (const n of numbers) body.u32(n);
    this.out.send(body.u32(0).u32(0).u32(0).u32(0));
  }

  segment(kind, position) {
    const start = now();
    const capture = this.state.capture();
    if (this.memory) this.memory.remember(capture, false);
    const files = this.files.changes();
    const found = [...changes(this.last, capture), ...files];
    const names = [...new Set(found.map(change => change.place))];
    const numbers = names.map(name => this.places.number(name));
    for (const name of names) this.changed.add(name);
    const body = new Body(0x67 /* g */).u8(kind.charCodeAt(0)).i64(position).u32(0).u32(numbers.length);
    for (const n of numbers) body.u32(n);
    body.u32(0).u32(0).u32(numbers.length);
    names.forEach((name, i) => {
      const file = isFile(name) && files.find(change => change.place === name);
      const [was, is] = file ? [printOf(file.was), printOf(file.is)] : [fingerprint(this.last.places.get(name)), fingerprint(capture.places.get(name))];
      body.u32(numbers[i]).u8(0x76 /* v */).i64(was).i64(is).u32(0);
    });
    this.out.send(body);
    this.last = capture;
    this.report(kind, position, capture, found, Number(now() - start) / 1000);
  }

  /** A module that is loaded when it is first needed is no difference to report. */
  report(kind, position, capture, found, micros) {
    const {list, cut} = bounded(found.filter(change => !change.place.startsWith('module ')));
    const body = new Body(0x70 /* p */).u8(kind.charCodeAt(0)).i64(position).u32(capture.objects).u32(capture.places.size)
      .u8(capture.cut || cut ? 1 : 0).i64(micros).u32(list.length);
    for (const {place, path, before, after} of list) body.str(place).str(path).str(before).str(after).u8(0).str('').u32(0);
    this.out.send(body);
  }
}

function bounded(found) {
  const of = new Map(); // how many changes a place has so far
  const list = found.filter(({place}) => {
    of.set(place, (of.get(place) || 0) + 1);
    return of.get(place) <= MAX_CHANGES_OF_PLACE;
  }).slice(0, MAX_CHANGES);
  return {list, cut: list.length < found.length};
}

module.exports = {install, Observer, Places};
