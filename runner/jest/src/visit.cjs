'use strict';
// One test file in one question: a look at its tests, or a run of some of them.

const path = require('path');
const {Body} = require('./wire.cjs');
const {arrange, name, Refusal} = require('./tree.cjs');
const failures = require('./failure.cjs');
const {Observer} = require('./observer.cjs');

const now = process.hrtime.bigint;

/** Look collects the tree of a file and runs nothing. */
class Look {
  constructor(file) {
    this.file = file;
    this.tree = null;
    this.errors = [];
  }

  /** The runner has collected root. It runs what is returned. */
  collected(root) {
    this.tree = name(root, this.file);
    return {...root, children: []};
  }

  started() {}
  ran() {}
  finished() {}
  hook() {}
  setUp() {}
  restored() {}
  over() {}
  failedOutside(error) {
    this.errors.push(error);
  }
}

/** Run runs tests of a file, and sends a frame when one starts and when one has finished. */
class Run {
  constructor(out, file, ids, base) {
    this.out = out;
    this.file = file;
    this.ids = ids;
    this.base = base; // position of the first one in the whole order
    this.next = 0; // how many have been reported
    this.began = new Map(); // by index: when
    this.results = new Map(); // by index: those that wait for an earlier one
    this.sent = -1; // the last index whose start was sent
    this.outside = [];
    this.refusal = null;
    this.indexes = new Map();
    this.observation = null; // {places, files, restore, resets, root} in a process that observes
    this.observer = null;
  }

  /** observe is called with the environment of the file. */
  observe(environment, runtime, file) {
    if (!this.observation) return;
    const {places, files, restore, resets, root} = this.observation;
    const inside = restore && restore.before >= this.base && restore.before < this.base + this.ids.length;
    this.observer = new Observer(this.out, places, environment, runtime, {files, root, resets, restore: inside ? restore : null,
      test: path.relative(root, file).split(path.sep).join('/')});
  }

  /** restored is the id of the test before which state is restored. */
  restored() {
    const restore = this.observer && this.observer.restore;
    return restore ? this.ids[restore.before - this.base] : undefined;
  }

  /** A beforeAll of that test is over. */
  setUp() {
    if (this.observer) this.observer.setUp();
  }

  /** A beforeAll or afterAll begins. */
  hook() {
    if (this.observer) this.observer.hook();
  }

  /** The file's tests and hooks are over. */
  over() {
    if (this.observer) this.observer.end(this.base + Math.max(0, this.next - 1));
  }

  collected(root, rules) {
    name(root, this.file);
    try {
      const arranged = arrange(root, this.ids, rules);
      this.ids.forEach((id, i) => this.indexes.set(id, i));
      if (this.observer) this.observer.begin(this.base);
      return arranged;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.refusal = error;
      return {...root, children: []};
    }
  }

  /**
   * text is the code of the test, where the runner knows it. A runner that can wait waits for the
   * promise that is returned, if any, before the test runs.
   */
  started(id, text = '', canWait = false) {
    const i = this.indexes.get(id);
    if (i === undefined || this.began.has(i)) return undefined;
    if (!this.observer) return this.begin(i);
    const {restore} = this.observation;
    const restores = restore !== null && restore.before > 0 && restore.before === this.base + i;
    this.observer.texts.set(this.base + i, text);
    const wait = restores && canWait ? this.observer.settled() : undefined;
    const begin = () => {
      this.observer.before(this.base + i, restores);
      this.begin(i);
    };
    return wait ? wait.then(begin) : begin();
  }

  begin(i) {
    this.began.set(i, now());
    if (i === this.next) this.sendStart(i);
  }

  /** The function of a test is over, and its afterEach has not begun. A promise is to be waited for. */
  ran() {
    return this.observer ? this.observer.settled() : undefined;
  }

  sendStart(i) {
    if (this.sent === i) return;
    this.sent = i;
    this.out.send(new Body(0x73 /* s */).i64(this.base + i).str(this.ids[i]));
  }

  /** outcome is p, f or s; errors is what was thrown. */
  finished(id, outcome, errors = []) {
    const i = this.indexes.get(id);
    if (i === undefined || i < this.next || this.results.has(i)) return;
    const began = this.began.get(i);
    const nanos = began === undefined ? 0n : now() - began;
    if (this.observer && began !== undefined) this.observer.after(this.base + i);
    this.result(i, {outcome, nanos, failure: errors.length ? failures.describe(errors) : null});
  }

  result(i, result) {
    this.results.set(i, result);
    while (this.results.has(this.next)) this.report(this.next);
    if (this.began.has(this.next)) this.sendStart(this.next);
  }

  report(i) {
    const {outcome, nanos, failure} = this.results.get(i);
    if (this.began.has(i) && outcome !== 's') this.sendStart(i);
    const {type, message, stack} = failure || {type: '', message: '', stack: ''};
    this.out.send(new Body(0x66 /* f */).i64(this.base + i).str(this.ids[i]).u8(outcome.charCodeAt(0))
      .i64(nanos).str(type).str(message).str(stack));
    this.results.delete(i);
    this.next++;
  }

  /** late is the test that failed after its end, if it is known. */
  failedOutside(error, late) {
    this.outside.push({error, late});
  }

  /** The file could not be run: that is the outcome of each of its tests. */
  broken(error) {
    const failure = {...failures.describe([error]), type: 'Test suite failed to run'};
    for (let i = this.next; i < this.ids.length; i++) {
      if (!this.results.has(i)) this.result(i, {outcome: 'f', nanos: 0n, failure});
    }
  }

  /** end reports failures that belong to no test, and returns the tests without a result. */
  end() {
    for (const {error, late} of this.outside) {
      const {type, message: said, stack} = failures.describe([error]);
      const message = late ? `${late} failed after its end: ${said}` : said;
      this.out.send(new Body(0x63 /* c */).i64(this.base + Math.max(0, this.next - 1)).str(this.file).str(type).str(message).str(stack));
    }
    return this.ids.slice(this.next);
  }
}

module.exports = {Look, Run};
