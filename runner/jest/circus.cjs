'use strict';
// jest-circus: its events are the way in. At run_start all tests are declared and none has begun.

const channel = require('./channel.cjs');
const session = require('./session.cjs');
const { prepare } = require('./arrange.cjs');

/** Since Jest 26, children holds tests and blocks in order; before, tests of a block came first. */
const modern = {
  children: (block) => block.children,
  isTest: (node) => node.type === 'test',
  title: (node) => node.name,
  isDisabled: (node) => node.disabled,
  set(block, kept) {
    block.children = kept;
    block.tests = kept.filter((c) => c.type === 'test');
  },
};

const old = {
  children: (block) => joined(block),
  isTest: (node) => node.children === undefined,
  title: (node) => node.name,
  isDisabled: (node) => node.disabled,
  set(block, kept) {
    block.tests = kept.filter(old.isTest);
    block.children = kept.filter((c) => !old.isTest(c));
  },
};

function joined(block) {
  const all = [];
  for (let i = 0; i < block.tests.length; i++) all.push(block.tests[i]);
  for (let i = 0; i < block.children.length; i++) all.push(block.children[i]);
  return all;
}

module.exports = function arrangeCircus(environment, visit) {
  const before = environment.handleTestEvent;
  let ids = null;

  environment.handleTestEvent = async function handleTestEvent(event, state) {
    if (event.name === 'run_start') begin(state);
    if (ids) report(event);
    if (before) await before.call(this, event, state);
  };

  function begin(state) {
    const root = state.rootDescribeBlock;
    const tree = hasTypes(root) ? modern : old;
    const skipped = disabledBy(state);
    ids = prepare(root, { ...tree, isDisabled: skipped }, visit, session.namer(visit.file));
    if (!ids) return tree.set(root, []);
    for (const test of ids.keys()) {
      // A concurrent test would begin before all others, whatever the order.
      if (test.concurrent) test.concurrent = false;
    }
  }

  function report(event) {
    const id = event.test && ids.get(event.test);
    if (id === undefined || !visit.has(id)) return;
    switch (event.name) {
      case 'test_fn_start':
        return visit.started(id);
      case 'test_skip':
      case 'test_todo':
        return visit.finished(id, 's', 0, null);
      case 'test_done':
        return done(id, event.test);
      default:
    }
  }

  function done(id, test) {
    const errors = test.errors;
    if (errors.length === 0) return visit.finished(id, 'p', test.duration || 0, null);
    // An error is the value thrown, or that and the place of the call.
    const first = errors[0] && typeof errors[0].length === 'number' && typeof errors[0] === 'object' ? errors[0] : [errors[0]];
    const failure = channel.failureOf(first[0] || first[1]);
    if (errors.length > 1) failure.message += `\n(and ${errors.length - 1} more)`;
    visit.finished(id, 'f', test.duration || 0, failure);
  }
};

function hasTypes(block) {
  if (block.tests === undefined) return true;
  for (let i = 0; i < block.children.length; i++) {
    if (block.children[i].type === 'test') return true;
    if (block.children[i].type === 'describeBlock') return hasTypes(block.children[i]) || block.tests.length === 0;
  }
  return block.tests.length === 0;
}

/** Whether the project's own run skips a test: by its mode, or since others are focused. */
function disabledBy(state) {
  const pattern = state.testNamePattern;
  return (test) => {
    if (test.mode === 'skip' || test.mode === 'todo') return true;
    if (state.hasFocusedTests && test.mode !== 'only') return true;
    return Boolean(pattern && !pattern.test(fullName(test)));
  };
}

function fullName(test) {
  const names = [test.name];
  for (let p = test.parent; p && p.parent; p = p.parent) names.unshift(p.name);
  return names.join(' ');
}
