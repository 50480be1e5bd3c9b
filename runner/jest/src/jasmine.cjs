'use strict';
// jest-jasmine2: the tree of suites and specs is arranged when jasmine's environment executes it.

const path = require('path');
const {FLAGS, items} = require('./tree.cjs');

/** attach takes hold of jasmine's environment when the runner creates it. */
function attach(visit, environment, runtime) {
  const {requireInternalModule} = runtime;
  runtime.requireInternalModule = function (from, ...rest) {
    const module = requireInternalModule.call(this, from, ...rest);
    if (rest[0] !== undefined || path.basename(String(from)) !== 'jasmineLight.js') return module;
    return {...module, create(...args) {
      const jasmine = module.create(...args);
      hold(jasmine.getEnv(), visit);
      return jasmine;
    }};
  };
}

function hold(env, visit) {
  const ids = new Map(); // from the id of a spec to the test's
  const focused = new Set();
  const filtered = new Map();
  for (const name of ['fit', 'fdescribe']) {
    const define = env[name];
    env[name] = function (...args) {
      const made = define.apply(this, args);
      if (made) focused.add(made);
      return made;
    };
  }
  // Jasmine asks the filter once for each spec, and test.concurrent asks once more: afterwards, or
  // before in version 24, with what is no spec yet.
  let filter = env.specFilter;
  let early = 0;
  const counting = spec => {
    if (spec.id === undefined) {
      early = 1;
    } else {
      filtered.set(spec, (filtered.get(spec) || 0) + 1 + early);
      early = 0;
    }
    return filter(spec);
  };
  Object.defineProperty(env, 'specFilter', {configurable: true, get: () => counting, set: f => { filter = f; }});

  const {execute} = env;
  env.execute = function (runnables, tree) {
    const top = tree || env.topSuite();
    const reader = new Reader(focused, filtered);
    const root = reader.read(top, false);
    const concurrent = [...filtered.values()].some(n => n > 1);
    write(visit.collected(root, {eagerConcurrent: concurrent}), ids);
    return execute.call(this, runnables, tree);
  };
  env.addReporter({
    jasmineStarted() {},
    suiteStarted: () => visit.hook(),
    suiteDone: () => visit.hook(),
    specStarted(result) {
      if (ids.has(result.id) && !ids.get(result.id).disabled) visit.started(ids.get(result.id).id);
    },
    specDone(result) {
      if (!ids.has(result.id)) return;
      const outcome = result.status === 'failed' ? 'f' : result.status === 'passed' ? 'p' : 's';
      const errors = items(result.failedExpectations || []).map(e => e.error || {name: 'Error', message: e.message, stack: e.stack});
      visit.finished(ids.get(result.id).id, outcome, outcome === 'f' ? errors : []);
    },
    jasmineDone: () => visit.over(),
  });
}

class Reader {
  constructor(focused, filtered) {
    this.focused = focused;
    this.filtered = filtered;
    this.inner = new Set(); // suites that hold something focused: only that runs
    for (const node of focused) for (let s = node.parentSuite; s; s = s.parentSuite) this.inner.add(s);
  }

  read(suite, enabled) {
    enabled = enabled || (this.focused.has(suite) && !this.inner.has(suite));
    const children = items(suite.children).map(child => child.children ?
      this.read(child, enabled) :
      {name: child.description, flags: this.flags(child, enabled), native: child});
    return {name: suite.description, flags: suite.markedPending ? FLAGS.disabled : 0, children, native: suite};
  }

  flags(spec, enabled) {
    const todo = Boolean(spec.markedTodo);
    const only = this.focused.has(spec);
    let flags = todo ? FLAGS.todo | FLAGS.disabled : 0;
    if (only) flags |= FLAGS.only;
    if (spec.disabled || spec.markedPending || (this.focused.size && !enabled && !only)) flags |= FLAGS.disabled;
    if (this.filtered.get(spec) > 1) flags |= FLAGS.concurrent;
    return flags;
  }
}

function write(group, ids) {
  group.native.children = group.children.map(child => child.native);
  for (const child of group.children) {
    if (child.children) write(child, ids);
    else ids.set(child.native.id, {id: child.id, disabled: (child.flags & FLAGS.disabled) !== 0});
  }
}

module.exports = {attach};
