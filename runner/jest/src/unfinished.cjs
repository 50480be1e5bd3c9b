'use strict';
// Work that a test has begun and does not wait for: promises that it has made and that are not settled at its end.
// Each belongs to the line of the project's code that the test ran when it was made.

const {createHook} = require('async_hooks');
const {readFileSync} = require('fs');
const {inspect, types} = require('util');
const {attempt, brief} = require('./values.cjs');

const MAX_PROMISES = 5000; // of one test
const MAX_LEFT = 200; // of one file
const FRAMES = 100;
const WAIT = 5000; // milliseconds until what is not settled counts as what never will be
const KIND = 'unfinished ';

class Unfinished {
  /** root is the folder of the project's files, test the test file in it. */
  constructor(root, test) {
    this.root = root;
    this.test = test;
    this.made = []; // of the running test: {promise, trace}
    this.full = false; // too many of them are not settled, and no more are kept
    this.left = []; // of earlier tests: {name, promise}
    this.names = new Map(); // by file and line
    this.waited = new Set(); // names
    this.hook = createHook({init: (id, type, trigger, resource) => {
      if (type === 'PROMISE') this.note(resource);
    }});
  }

  /** A test begins. */
  begin() {
    this.made = [];
    this.full = false;
    this.hook.enable();
  }

  note(resource) {
    const promise = types.isPromise(resource) ? resource : resource.promise; // before version 16 of Node
    if (!promise || this.full) return;
    if (this.made.length === MAX_PROMISES) {
      this.made = this.made.filter(each => isPending(each.promise));
      this.full = this.made.length > MAX_PROMISES / 2;
    }
    const trace = {};
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = FRAMES;
    Error.captureStackTrace(trace, this.note);
    Error.stackTraceLimit = limit;
    this.made.push({promise, trace});
  }

  /** The test is over, with its hooks. */
  end() {
    this.hook.disable();
    for (const {promise, trace} of this.made) {
      if (this.left.length === MAX_LEFT) break;
      const name = isPending(promise) ? this.nameOf(String(attempt(() => trace.stack) || '')) : '';
      if (name) this.left.push({name, promise});
    }
    this.made = [];
  }

  /** pending is what is still not settled, as {name, path, text} of state. */
  pending() {
    this.left = this.left.filter(({promise}) => isPending(promise));
    return [...new Set(this.left.map(({name}) => name))].map(name => ({name, path: this.describe(name), text: 'a promise that is not settled'}));
  }

  /** settled waits until nothing of these names is pending, for some time at most. It returns undefined if nothing is. */
  settled(names) {
    const lines = names.filter(isUnfinished).map(lineOf);
    const waits = this.left.filter(({name, promise}) => lines.includes(lineOf(name)) && isPending(promise));
    if (!waits.length) return undefined;
    for (const {name} of waits) this.waited.add(lineOf(name));
    let timer;
    const end = new Promise(resolve => {
      timer = setTimeout(resolve, WAIT);
    });
    return Promise.race([Promise.allSettled(waits.map(({promise}) => promise)), end]).then(() => {
      clearTimeout(timer);
      return new Promise(setImmediate); // what waits for the same promises goes first
    });
  }

  /** restored says what has become of these names, as {name, how, problem} of the protocol. */
  restored(names) {
    const pending = new Set(this.pending().map(({name}) => lineOf(name)));
    return names.filter(isUnfinished).map(name => {
      const line = lineOf(name);
      if (!pending.has(line)) return {name, how: this.waited.has(line) ? 'b' : 's', problem: ''};
      return {name, how: 'x', problem: this.waited.has(line) ? `it was not settled after ${WAIT / 1000} s` : 'this test runner does not wait for it'};
    });
  }

  /** nameOf is the outermost place of the test file in a stack, or else of another file of the project. */
  nameOf(stack) {
    const own = [];
    for (const line of stack.split('\n')) {
      const found = /^\s*at (?:async )?(?:.*? \()?(?:file:\/\/)?(\/.*):(\d+):(\d+)\)?$/.exec(line);
      if (!found || !found[1].startsWith(`${this.root}/`) || /[\\/]node_modules[\\/]/.test(found[1])) continue;
      own.push({file: found[1].slice(this.root.length + 1), line: found[2], column: found[3]});
    }
    const last = own.filter(({file}) => file === this.test).pop() || own.pop();
    if (!last) return '';
    const at = `${last.file}:${last.line}`;
    if (!this.names.has(at)) this.names.set(at, `${KIND}${at}:${last.column}`);
    return this.names.get(at);
  }

  /** describe is the source line of a place, for people. */
  describe(name) {
    const [, file, line] = /^\w+ (.*):(\d+):\d+$/.exec(name);
    const text = attempt(() => readFileSync(`${this.root}/${file}`, 'utf8').split('\n')[line - 1].trim()) || '';
    return `what line ${line} of ${file} begins (${brief(text)})`;
  }
}

/** isPending runs no code of a class of promises. */
function isPending(promise) {
  const text = attempt(() => inspect(promise, {customInspect: false, showProxy: false, depth: 0, maxStringLength: 0}));
  return /^[^{]*\{\s*<pending>/.test(text || '');
}

const isUnfinished = name => name.startsWith(KIND);
const lineOf = name => name.replace(/:\d+$/, '');

module.exports = {Unfinished, isUnfinished};
