'use strict';
// jest-circus: the collected tree is arranged when the run starts, before the first hook.

const {FLAGS, items} = require('./tree.cjs');

/** attach passes the events of jest-circus to the environment, in addition to its own handler. */
function attach(visit, environment) {
  const handler = new Handler(visit, environment);
  const own = environment.handleTestEvent;
  environment.handleTestEvent = function (event, state) {
    const wait = handler.handle(event, state);
    const next = () => own ? own.call(environment, event, state) : undefined;
    return wait ? wait.then(next) : next();
  };
}

class Handler {
  constructor(visit, environment) {
    this.visit = visit;
    this.environment = environment;
    this.ids = new Map(); // from the runner's test to its id
    this.said = new Map(); // from a test to the outcome that was reported
    this.eager = new Set(); // tests of test.concurrent, before version 28
    this.around = new Set(); // the blocks around the test before which state is restored
    this.inConcurrent = false;
    this.done = null; // the test that is done once the other handlers have seen the event
  }

  /** handle returns a promise if the runner is to wait. */
  handle(event, state) {
    if (event.name === 'test_retry' && this.done && this.done.test === event.test) this.done = null;
    if (this.done) this.settle();
    switch (event.name) {
      case 'setup':
        this.markConcurrent();
        break;
      case 'add_test':
        if (this.inConcurrent) this.eager.add(last(testsOf(state.currentDescribeBlock)));
        break;
      case 'run_start':
        this.arrange(state);
        break;
      case 'test_start':
        if (this.ids.has(event.test) && !this.disabled(event.test, state)) {
          return this.visit.started(this.ids.get(event.test), textOf(event.test.fn), isAwaited(event.test.parent));
        }
        break;
      case 'test_fn_success':
      case 'test_fn_failure':
        return this.ids.has(event.test) && isAwaited(event.test.parent) ? this.visit.ran() : undefined;
      case 'test_done':
      case 'test_skip':
      case 'test_todo':
        this.done = event;
        this.retries = parseInt(this.environment.global[Symbol.for('RETRY_TIMES')], 10) || 0;
        break;
      case 'hook_start':
        if (/All$/.test(event.hook.type)) this.visit.hook();
        break;
      case 'hook_success':
        if (event.hook.type === 'beforeAll' && this.around.has(event.hook.parent)) this.visit.setUp();
        break;
      case 'run_finish':
        this.finish(state);
        break;
    }
    return undefined;
  }

  /** The functions of test.concurrent start while the file is loaded in versions before 28. */
  markConcurrent() {
    const {test} = this.environment.global;
    if (!test || !test.concurrent || /add_test|_addTest|concurrent: true/.test(String(test.concurrent))) return;
    const handler = this;
    const wrap = original => function (...args) {
      handler.inConcurrent = true;
      try {
        return original.apply(this, args);
      } finally {
        handler.inConcurrent = false;
      }
    };
    const wrapped = Object.assign(wrap(test.concurrent), test.concurrent);
    if (wrapped.only) wrapped.only = wrap(wrapped.only);
    test.concurrent = wrapped;
  }

  arrange(state) {
    const testsFirst = isTestsFirst(state.rootDescribeBlock);
    const root = this.read(state.rootDescribeBlock, state, testsFirst, false);
    const arranged = this.visit.collected(root, {testsFirst, eagerConcurrent: this.eager.size > 0});
    this.write(arranged, testsFirst);
  }

  read(block, state, testsFirst, skipped) {
    skipped = skipped || block.mode === 'skip';
    const own = testsFirst ? [...items(block.tests), ...items(block.children)] : items(block.children);
    const children = own.map(child => isBlock(child) ?
      this.read(child, state, testsFirst, skipped) :
      {name: child.name, flags: this.flags(child, state, skipped), native: child});
    return {name: block.name, flags: skipped ? FLAGS.disabled : 0, children, native: block};
  }

  flags(test, state, skipped) {
    let flags = 0;
    if (skipped || this.disabled(test, state)) flags |= FLAGS.disabled;
    if (test.concurrent || this.eager.has(test)) flags |= FLAGS.concurrent;
    if (test.mode === 'todo') flags |= FLAGS.todo;
    if (test.mode === 'only') flags |= FLAGS.only;
    if (test.failing) flags |= FLAGS.failing;
    return flags;
  }

  disabled(test, state) {
    for (let block = test.parent; block; block = block.parent) if (block.mode === 'skip') return true;
    return test.mode === 'skip' || test.mode === 'todo' || (state.hasFocusedTests && test.mode !== 'only');
  }

  /** write makes the runner's blocks hold what the arranged tree holds. */
  write(group, testsFirst) {
    const block = group.native;
    const natives = group.children.map(child => child.native);
    if (testsFirst) {
      block.children = natives.filter(isBlock);
      block.tests = natives.filter(child => !isBlock(child));
    } else {
      block.children = natives;
      if (block.tests) block.tests = natives.filter(child => !isBlock(child));
    }
    for (const child of group.children) {
      if (child.children) {
        this.write(child, testsFirst);
      } else {
        this.ids.set(child.native, child.id);
        if (child.id === this.visit.restored()) for (let at = child.native.parent; at; at = at.parent) this.around.add(at);
      }
    }
  }

  /** settle reports a test that is done, unless it runs again because it failed. */
  settle() {
    const {test} = this.done;
    this.done = null;
    if (test.errors.length && (test.invocations || 1) <= this.retries) return;
    this.report(test);
  }

  report(test) {
    if (!this.ids.has(test)) return;
    const outcome = test.status === 'skip' || test.status === 'todo' ? 's' : test.errors.length ? 'f' : 'p';
    if (!this.said.has(test)) this.said.set(test, outcome);
    this.visit.finished(this.ids.get(test), outcome, test.errors);
  }

  finish(state) {
    for (const test of this.ids.keys()) this.report(test);
    this.visit.over();
    for (const error of items(state.unhandledErrors)) this.visit.failedOutside(error);
    // From version 30, what fails after the end of a test counts as a failure of the test that began it.
    for (const [test, outcome] of this.said) if (outcome === 'p' && test.errors.length) this.visit.failedOutside(test.errors[0], this.ids.get(test));
  }
}

const last = list => list[list.length - 1];
const isBlock = child => child.type ? child.type === 'describeBlock' : Array.isArray(child.hooks);
const testsOf = block => items(block.tests || block.children).filter(child => !isBlock(child));

/** textOf is the code of a test, as far as it is a function of the project's. */
function textOf(fn) {
  try {
    return Function.prototype.toString.call(fn);
  } catch {
    return '';
  }
}

/** Before version 26, blocks and tests of a block stand in lists of their own. */
function isTestsFirst(block) {
  if (block.type) return false;
  return Array.isArray(block.tests) && !items(block.children).some(child => child.type);
}

/** From version 26, when blocks have a type, the runner waits for its handlers. */
const isAwaited = block => Boolean(block.type);

module.exports = {attach};
