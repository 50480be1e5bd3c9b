'use strict';
// The runner that Jest calls with all test files. It answers odfix's questions: each file of an
// order runs by the project's own runner, in this process, one after the other.

const path = require('path');
const { createRequire } = require('module');

const channel = require('./channel.cjs');
const session = require('./session.cjs');

module.exports = class Runner {
  constructor(globalConfig, context) {
    this.globalConfig = globalConfig;
    this.context = context || {};
    this.isSerial = true;
  }

  async runTests(tests, watcher, onStart, onResult, onFailure, options) {
    const files = byName(tests);
    const queue = [];
    let wake = () => {};
    channel.listen((type, r) => {
      if (type === 'T') return channel.send('t', channel.str('the test does not give way; Node has no stacks of it'));
      queue.push(commandOf(type, r));
      wake();
    });
    channel.send(
      'h', channel.i64(1), channel.str(process.version), channel.i64(process.pid),
      channel.list([`jest ${session.version}`].map(channel.str)),
    );
    for (;;) {
      while (queue.length === 0) await new Promise((resolve) => (wake = resolve));
      const command = queue.shift();
      if (!command) {
        session.ended = true;
        return;
      }
      await this[command.kind](command, files, watcher);
    }
  }

  async discover({ names }, files, watcher) {
    for (const name of names.length > 0 ? names : files.keys()) {
      const test = files.get(name);
      const visit = new session.Visit(name, 0, true);
      const failure = test ? await this.visit(visit, test, watcher) : { message: 'Jest does not find this test file' };
      const nodes = visit.nodes || [];
      const problem = failure ? failure.message : nodes.length > 0 ? '' : 'it has no tests';
      channel.send(
        'd', channel.str(name), channel.str('jest'), channel.str(problem), channel.u8(0),
        channel.list(nodes.map((n) => Buffer.concat([channel.u8(n.kind.charCodeAt(0)), channel.str(n.name), channel.u8(n.flags)]))),
      );
    }
    channel.send('.', channel.i64(-1), channel.i64(0));
  }

  async run({ id, switches, ids }, files, watcher) {
    session.switches = switches;
    const visits = visitsOf(ids, files);
    const gone = ids.filter((t) => fileOf(t, files) === undefined);
    if (gone.length > 0) return channel.refuse(id, 'Jest does not find the files of these tests', gone, true);
    for (const visit of visits) {
      const failure = await this.visit(visit, files.get(visit.file), watcher);
      if (visit.refusal) {
        return channel.refuse(id, visit.refusal.reason, visit.refusal.tests, visit.refusal.gone);
      }
      if (visit.done < visit.ids.length) {
        visit.failed(failure || { type: 'Error', message: 'Jest ran the file and gave this test no outcome', stack: '' });
      }
    }
    channel.send('.', channel.i64(id), channel.i64(ids.length));
  }

  /** Runs a file by the project's runner; returns why the file as a whole failed, or null. */
  async visit(visit, test, watcher) {
    session.visit = visit;
    let failure = null;
    const failed = (e) => {
      failure = e && e.testExecError ? ofFile(e) : e && e.testResults ? null : channel.failureOf(e);
    };
    try {
      await this.inner(test, watcher, failed);
    } catch (e) {
      failure = channel.failureOf(e);
    } finally {
      session.visit = null;
    }
    return failure;
  }

  async inner(test, watcher, failed) {
    const own = session.original(test.context.config);
    const loaded = createRequire(path.join(test.context.config.rootDir, 'package.json'))(resolveRunner(own));
    const Inner = loaded.default || loaded;
    const runner = new Inner(this.globalConfig, this.context);
    const result = (r) => {
      if (r && r.testExecError) failed(r);
    };
    if (runner.supportsEventEmitters && typeof runner.on === 'function') {
      const off = [
        runner.on('test-file-success', ([, r]) => result(r)),
        runner.on('test-file-failure', ([, e]) => failed(e)),
      ];
      try {
        await runner.runTests([test], watcher, { serial: true });
      } finally {
        off.forEach((f) => typeof f === 'function' && f());
      }
      return;
    }
    await runner.runTests([test], watcher, async () => {}, async (_, r) => result(r), async (_, e) => failed(e), { serial: true });
  }
};

function ofFile(result) {
  const e = result.testExecError;
  const message = channel.plain(result.failureMessage || e.message || String(e));
  return { type: e.type || e.name || 'Error', message, stack: channel.plain(e.stack || '') };
}

/** Older versions name the default runner by its package, newer ones by its file. */
function resolveRunner(own) {
  try {
    return own.require.resolve(own.runner);
  } catch (_) {
    return own.runner;
  }
}

function commandOf(type, r) {
  switch (type) {
    case 'D':
      return { kind: 'discover', names: r.list() };
    case 'R':
      return { kind: 'run', id: r.i64(), switches: r.str(), ids: r.list() };
    default:
      return null; // Q: quit
  }
}

/**
 * Test files by the names that ids begin with. Where several projects of the configuration run
 * one file, each but the first has its project's name behind the file's.
 */
function byName(tests) {
  const files = new Map();
  for (const test of tests) {
    const file = session.relative(test.path);
    let name = file;
    if (files.has(file)) name = `${file} [${session.displayName(test.context.config) || test.context.config.rootDir}]`;
    for (let n = 2; files.has(name); n++) name = `${file} [${n}]`;
    files.set(name, test);
  }
  return files;
}

/** The file of a test id. Both the path and the names of tests may have a '#'. */
function fileOf(id, files) {
  for (let at = id.indexOf('#'); at >= 0; at = id.indexOf('#', at + 1)) {
    if (files.has(id.slice(0, at))) return id.slice(0, at);
  }
  return undefined;
}

/** An order as visits of files. A test that runs again begins a visit of its own. */
function visitsOf(ids, files) {
  const visits = [];
  ids.forEach((id, position) => {
    const file = fileOf(id, files);
    let last = visits[visits.length - 1];
    if (!last || last.file !== file || last.has(id)) visits.push((last = new session.Visit(file, position)));
    last.add(id);
  });
  return visits;
}
