'use strict';
// The commands of odfix and the answers to them.

const {realpathSync} = require('fs');
const path = require('path');
const v8 = require('v8');
const vm = require('vm');
const {Worker} = require('worker_threads');
const {Body, Fields, Output} = require('./wire.cjs');
const {flatten, split, Refusal} = require('./tree.cjs');
const {Look, Run} = require('./visit.cjs');
const {Jest, Setup} = require('./jest.cjs');
const current = require('./current.cjs');
const core = require('./core.cjs');
const {Places} = require('./observer.cjs');
const {Files} = require('./files.cjs');
const {Realm} = require('./realm.cjs');
const {attempt} = require('./values.cjs');
const failures = require('./failure.cjs');

const BROKEN = 3; // exit status where the harness itself cannot work
const GROWTH = 96 * 1024 * 1024; // bytes after which garbage is collected
const {exit} = process;
const {memoryUsage} = process;
const residentSize = memoryUsage.rss || (() => memoryUsage().rss); // Node 14.17 has no rss
const {getHeapStatistics} = v8;
const printError = text => process.stderr.write(`${text}\n`);

/** used is what the heap and the buffers take, garbage included. */
function used() {
  const {used_heap_size: heap, external_memory: external} = getHeapStatistics();
  return heap + (external || 0);
}

class Harness {
  constructor(env, cwd) {
    // Jest knows files by their real paths.
    const root = realpathSync(env.ODFIX_ROOT || cwd);
    this.settings = {cwd, root, args: JSON.parse(env.ODFIX_JEST_ARGS || '[]'), cache: env.ODFIX_CACHE, transforms: env.ODFIX_TRANSFORMS, variant: env.ODFIX_VARIANT,
      real: env.ODFIX_REAL, jest: env.ODFIX_JEST, observe: env.ODFIX_OBSERVE === '1', reuse: env.ODFIX_REUSE === '1',
      resets: env.ODFIX_RESETS ? new RegExp(env.ODFIX_RESETS, 'i') : null};
    this.out = new Output();
    this.places = new Places(this.out);
    this.kept = 0; // bytes after the last collection of garbage
    this.realm = null; // in a process that answers one order after the other
    this.left = []; // what orders left in the process
    this.orders = 0;
    this.commands = [];
    this.wake = null;
    this.run = null; // the Run of the order under way
    // Tests and their children are not to see how odfix starts Jest.
    for (const name of Object.keys(env)) if (name.startsWith('ODFIX_')) delete env[name];
  }

  async start() {
    this.watchExit();
    this.listen();
    try {
      this.jest = await Jest.open(this.settings);
      if (this.settings.reuse) this.realm = new Realm();
      Object.defineProperty(globalThis, Symbol.for('odfix.on'), {configurable: true, value: current.isOn});
      this.hello();
      this.listener.postMessage('started');
      for (;;) await this.obey(await this.nextCommand());
    } catch (error) {
      this.unusable(error);
    }
  }

  /** list prints the project's test files, in the order in which Jest would run them, and ends. */
  async list() {
    try {
      const jest = await Jest.open(this.settings);
      const answer = JSON.stringify({files: await jest.files(), leftOut: jest.leftOut});
      process.stdout.write(`\nodfix-files ${answer}\n`, () => exit.call(process, 0));
    } catch (error) {
      this.unusable(error);
    }
  }

  unusable(error) {
    printError(error instanceof Setup ? error.message : `odfix cannot use the project's Jest: ${error && error.stack || error}`);
    exit.call(process, BROKEN);
  }

  /** watchExit reports who ends the process. */
  watchExit() {
    process.exit = code => {
      this.exiting(`process.exit(${code === undefined ? '' : code}) called`, new Error('x').stack);
      return exit.call(process, code);
    };
    process.on('uncaughtExceptionMonitor', error => {
      const {type, message, stack} = failures.describe([error]);
      this.exiting(`uncaught exception: ${type}: ${message.split('\n')[0]}`, stack);
    });
  }

  exiting(how, stack) {
    const position = this.run ? this.run.base + Math.min(this.run.next, this.run.ids.length - 1) : -1;
    const lines = String(stack || '').split('\n').slice(1).filter(line => !line.includes(__filename));
    this.out.send(new Body(0x78 /* x */).i64(position).str([how, ...lines].join('\n')));
  }

  listen() {
    const worker = new Worker(path.join(__dirname, 'listener.cjs'),
      {workerData: {lock: this.out.shared}, env: {}, execArgv: [], stdin: false});
    worker.on('message', command => {
      this.commands.push(command);
      if (this.wake) this.wake();
    });
    this.listener = worker;
    worker.on('error', error => {
      printError(`odfix's connection broke: ${error.message}`);
      exit.call(process, BROKEN);
    });
  }

  async nextCommand() {
    while (!this.commands.length) await new Promise(resolve => { this.wake = resolve; });
    const {type, body} = this.commands.shift();
    return {type, fields: new Fields(Buffer.from(body))};
  }

  hello() {
    const kinds = new Set(this.jest.contexts.map(({config}) => this.jest.frameworkOf(config)));
    this.out.send(new Body(0x68 /* h */).i64(1).str(process.version).i64(process.pid).strs([`jest ${this.jest.version}`, ...kinds]));
  }

  async obey({type, fields}) {
    switch (type) {
      case 'D':
        return this.discover(fields.strs());
      case 'R':
        return this.order(fields);
      case 'F':
        return this.jest.forget();
      case 'Q':
        await this.jest.tearDown();
        return exit.call(process, 0);
    }
  }

  async discover(files) {
    if (!files.length) files = await this.jest.files();
    for (const file of files) this.out.send(await this.look(file));
    this.complete(-1, files.length);
  }

  /** look is the frame that describes one file. */
  async look(file) {
    const visit = new Look(file);
    let problem = '';
    let framework = 'none';
    try {
      const target = this.jest.find(file);
      framework = this.jest.frameworkOf(target.config);
      await this.jest.run(target, visit);
      if (!visit.tree) problem = 'Jest loaded no tests of the file';
      else if (!flatten(visit.tree).some(node => node.kind === 't')) problem = 'Your test suite must contain at least one test.';
    } catch (error) {
      const {message} = failures.describe([error]);
      problem = error instanceof Refusal || error instanceof Setup ? error.message : `Test suite failed to run: ${message}`;
    }
    const nodes = problem ? [] : flatten(visit.tree);
    const body = new Body(0x64 /* d */).str(file).str(framework).str(problem).u8(0).u32(nodes.length);
    for (const {kind, name, flags} of nodes) body.u8(kind.charCodeAt(0)).str(name).u8(flags);
    return body;
  }

  async order(fields) {
    const id = fields.i64();
    current.switches = fields.str();
    const ids = fields.strs();
    const restore = fields.more ? {places: fields.strs(), before: Number(fields.i64())} : null;
    const cwd = process.cwd();
    const {root, cache, observe, resets} = this.settings;
    const observation = observe ? {places: this.places, files: new Files(root, cache), restore, resets, root} : null;
    if (observation && restore) observation.files.remember(restore.places);
    if (this.realm) this.realm.remember();
    try {
      if (restore && !this.settings.observe) throw new Refusal('this process was not started to observe state (ODFIX_OBSERVE=1)', ids);
      const visits = split(ids).map(visit => ({...visit, target: this.target(visit)}));
      let base = 0;
      for (const {target, file, ids} of visits) {
        const run = new Run(this.out, file, ids, base);
        run.observation = observation;
        await this.visit(target, run);
        base += ids.length;
      }
      if (observation && observation.files.tooMany) this.note('The project has so many files that what tests write is not observed.');
      await this.restore(cwd);
      this.complete(id, base);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      await this.restore(cwd);
      this.out.send(new Body(0x65 /* e */).i64(id).str(error.message).strs(error.ids).u8(error.gone ? 1 : 0));
    }
  }

  note(text) {
    this.out.send(new Body(0x6e /* n */).str(text));
  }

  /** restore makes the process what it was before the order, as far as that is possible. */
  async restore(cwd) {
    this.run = null;
    core.reset();
    if (attempt(() => process.cwd()) !== cwd) process.chdir(cwd); // the folder may be gone
    if (this.realm) this.left.push(...await this.realm.restore(this.orders === 0));
    this.orders++;
  }

  target({file, ids}) {
    try {
      return this.jest.find(file);
    } catch (error) {
      if (error instanceof Refusal) error.ids = ids;
      throw error;
    }
  }

  async visit(target, run) {
    this.run = run;
    let result = null;
    try {
      result = await this.jest.run(target, run);
    } catch (error) {
      if (error instanceof Setup) throw new Refusal(error.message, run.ids);
      if (!run.refusal) run.broken(error);
    }
    if (run.refusal) throw run.refusal;
    if (result && result.testExecError && !run.outside.length) {
      if (run.next < run.ids.length) run.broken(result.testExecError);
      else run.failedOutside(result.testExecError);
    }
    const missing = run.end();
    if (missing.length) throw new Refusal('Jest ended the file without results for these tests', missing);
  }

  /** collectGarbage frees the environments of earlier files. V8 itself waits until memory is short. */
  collectGarbage() {
    if (used() < this.kept + GROWTH) return;
    v8.setFlagsFromString('--expose-gc');
    vm.runInNewContext('gc')();
    this.kept = used();
  }

  complete(id, positions) {
    this.collectGarbage();
    this.out.send(new Body(0x2e /* . */).i64(id).i64(positions).i64(residentSize()).strs(this.left.splice(0)));
  }
}

module.exports = {Harness};
