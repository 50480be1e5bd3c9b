'use strict';
// jest-jasmine2, the default before Jest 27. It puts a global "jasmine" into the environment before
// it loads the test file; its execute() is called when all tests are declared.

const channel = require('./channel.cjs');
const session = require('./session.cjs');
const { prepare } = require('./arrange.cjs');

const tree = {
  children: (node) => node.children,
  isTest: (node) => node.children === undefined,
  title: (node) => node.description,
  set(node, kept) {
    node.children = kept;
  },
};

module.exports = function arrangeJasmine(environment, visit) {
  let jasmine;
  Object.defineProperty(environment.global, 'jasmine', {
    configurable: true,
    enumerable: true,
    get: () => jasmine,
    set(value) {
      jasmine = value;
      if (value && value.getEnv && !value.odfix) {
        Object.defineProperty(value, 'odfix', { value: true });
        replace(value.getEnv(), visit);
      }
    },
  });
};

function replace(env, visit) {
  const execute = env.execute;
  const focused = new Set();
  for (const name of ['fit', 'fdescribe']) {
    const declare = env[name];
    env[name] = (...args) => {
      const made = declare.apply(env, args);
      focused.add(made);
      return made;
    };
  }
  const isDisabled = (spec, above) =>
    Boolean(spec.markedPending || spec.markedTodo || above.some((suite) => suite.markedPending)) ||
    (focused.size > 0 && ![spec, ...above].some((node) => focused.has(node)));
  env.execute = function (runnables, top) {
    const root = top || env.topSuite();
    const ids = prepare(root, { ...tree, isDisabled }, visit, session.namer(visit.file));
    if (!ids) tree.set(root, []);
    else env.addReporter(reporter(ids, visit));
    return execute.call(env, runnables, top);
  };
}

function reporter(ids, visit) {
  const byId = new Map();
  const begun = new Map();
  for (const [spec, id] of ids) byId.set(spec.id, id);
  return {
    specStarted(result) {
      const id = byId.get(result.id);
      if (id === undefined || !visit.has(id)) return;
      begun.set(id, process.hrtime());
      visit.started(id);
    },
    specDone(result) {
      const id = byId.get(result.id);
      if (id === undefined || !visit.has(id)) return;
      if (result.status !== 'passed' && result.status !== 'failed') return visit.finished(id, 's', 0, null);
      const [s, ns] = process.hrtime(begun.get(id) || process.hrtime());
      const failed = result.failedExpectations;
      const failure = result.status === 'failed' ? failureOf(failed) : null;
      visit.finished(id, failure ? 'f' : 'p', s * 1e3 + ns / 1e6, failure);
    },
  };
}

function failureOf(failed) {
  const first = failed[0] || {};
  const failure = first.error ? channel.failureOf(first.error) : channel.failureOf(first);
  if (!failure.message) failure.message = channel.plain(String(first.message || ''));
  if (failed.length > 1) failure.message += `\n(and ${failed.length - 1} more)`;
  return failure;
}
