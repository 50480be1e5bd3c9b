'use strict';
// What a test has begun and does not wait for: promises that it has made and that are not settled at
// its end. Each belongs to the line of the project's code that the test ran when it was made.

const {createHook} = require('async_hooks');
const {readFileSync} = require('fs');
const {inspect, types} = require('util');
const {attempt, brief} = require('./values.cjs');

const MAX_PROMISES = 5000; // of one test
const MAX_LEFT = 20; // of one name
const MAX_NAMES = 200; // of one file
const FRAMES = 100;
const WAIT = 5000; // milliseconds until what is not settled counts as what never will be
const KIND = 'unfinished ';
// What Babel and TypeScript put into a file whose async functions they write in an older language.
const HELPER = new RegExp('^(new )?(Object\\.|_)?(asyncGeneratorStep|asyncToGenerator|next|throw|tryCatch|invoke|maybeInvokeDelegate' +
  '|step|verb|fulfilled|rejected|adopt|__awaiter|__generator)\\b|Generator\\b');

class Unfinished {
  /** root is the folder of the project's files, test the test file in it. */
  constructor(root, test) {
    this.root = root;
    this.test = test;
    this.made = []; // of the running test: {promise, trace}
    this.full = false; // too many of them are not settled, and no more are kept
    this.left = []; // of earlier tests: {name, promise}
    this.names = new Map(); // by file and line
    this.waited = new Set(); // files and lines
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
    this.left = this.left.filter(({promise}) => isPending(promise));
    const counts = new Map();
    for (const {name} of this.left) counts.set(name, (counts.get(name) || 0) + 1);
    for (const {name, promise} of this.named()) {
      const n = counts.get(name) || 0;
      if (n === MAX_LEFT || n === 0 && counts.size === MAX_NAMES) continue;
      counts.set(name, n + 1);
      this.left.push({name, promise});
    }
    this.made = [];
  }

  /** named are the promises of the running test that are not settled, with their names. */
  named() {
    return this.made.filter(({promise}) => isPending(promise))
      .map(({promise, trace}) => ({name: this.nameOf(String(attempt(() => trace.stack) || '')), promise})).filter(({name}) => name);
  }

  /** pending is what is still not settled, as {name, path, text} of state. */
  pending() {
    this.left = this.left.filter(({promise}) => isPending(promise));
    return [...new Set(this.left.map(({name}) => name))].map(name => ({name, path: this.describe(name), text: 'a promise that is not settled'}));
  }

  /** settled waits until nothing of these names is pending, for some time at most; or it returns undefined. */
  settled(names) {
    const lines = names.filter(isUnfinished).map(lineOf);
    if (!lines.length) return undefined;
    const waits = [...this.left, ...this.named()].filter(({name, promise}) => lines.includes(lineOf(name)) && isPending(promise));
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

  /** nameOf is the name for a stack: where the code of the test was, or else other code of the project. */
  nameOf(stack) {
    const own = [];
    for (const line of stack.split('\n')) {
      if (/^\s*at Generator\.next \(<anonymous>\)/.test(line)) own.push({isHelper: true});
      const found = /^\s*at (?:async )?(?:(.*?) \()?(?:file:\/\/)?(\/.*):(\d+):(\d+)\)?$/.exec(line);
      if (!found || !found[2].startsWith(`${this.root}/`) || /[\\/]node_modules[\\/]/.test(found[2])) continue;
      own.push({file: found[2].slice(this.root.length + 1), line: found[3], column: found[4], isHelper: HELPER.test(found[1] || '')});
    }
    const code = own.filter(({isHelper}) => !isHelper);
    const file = code.some(each => each.file === this.test) ? this.test : (code[code.length - 1] || {}).file;
    const inFile = own.filter(each => each.file === file || !each.file);
    // What called the helpers of an older language is not the code of the test, but what made them of it.
    const first = inFile.findIndex(({isHelper}) => !isHelper);
    const end = inFile.findIndex(({isHelper}, at) => isHelper && at > first);
    const last = inFile.slice(0, end < 0 ? inFile.length : end).pop();
    if (!last || first < 0) return '';
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

/** isPending runs no code of a class of promises, except a getter of its tag. */
function isPending(promise) {
  const text = attempt(() => inspect(promise, {customInspect: false, showProxy: false, depth: 0, maxStringLength: 0}));
  return /^[^{]*\{\s*<pending>/.test(text || '');
}

const isUnfinished = name => name.startsWith(KIND);
const lineOf = name => name.replace(/:\d+$/, '');

module.exports = {Unfinished, isUnfinished};
