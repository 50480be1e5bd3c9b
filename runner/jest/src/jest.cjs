'use strict';
// The project's own Jest, used through its packages. Everything that can be kept between questions
// is made once: configuration, haste map, resolver. Modules and environments are new for each file.

const {existsSync, mkdirSync} = require('fs');
const path = require('path');
const {createRequire} = require('module');
const current = require('./current.cjs');
const {Refusal} = require('./tree.cjs');
const {install} = require('./observer.cjs');
const {Transforms} = require('./transforms.cjs');

const PACKAGES = ['jest-cli', '@jest/core', 'jest-config', 'jest-runner', 'jest-runtime', 'react-scripts'];

/** Setup says that Jest cannot be used as the project is. */
class Setup extends Error {}

/** Packages finds Jest's packages, as Jest's own code would. */
class Packages {
  constructor(cwd, jest) {
    this.bases = [];
    const project = createRequire(path.join(cwd, 'package.json'));
    if (jest) this.add(path.join(jest, 'package.json'));
    for (const name of ['jest', 'jest-cli', 'react-scripts', '@jest/core']) {
      const found = attempt(() => project.resolve(`${name}/package.json`));
      if (found) this.add(found);
    }
    if (!this.bases.length) throw new Setup(`Jest is not installed in ${cwd}: install the project's dependencies`);
    this.version = require(this.bases[0]).version;
    for (const name of PACKAGES) {
      const found = attempt(() => this.resolve(`${name}/package.json`));
      if (found) this.add(found);
    }
  }

  add(manifest) {
    if (!this.bases.includes(manifest)) this.bases.push(manifest);
  }

  resolve(name) {
    for (const base of this.bases) {
      const found = attempt(() => createRequire(base).resolve(name));
      if (found) return found;
    }
    throw new Setup(`Jest's package ${name} is not installed`);
  }

  folder(name) {
    return path.dirname(this.resolve(`${name}/package.json`));
  }

  load(name) {
    return require(this.resolve(name));
  }
}

class Jest {
  static async open({cwd, root, args, cache, transforms, variant, real, jest, observe}) {
    const it = new Jest();
    it.cwd = cwd;
    it.root = root;
    it.packages = new Packages(cwd, jest);
    it.version = it.packages.load('@jest/core/package.json').version;
    it.major = parseInt(it.version, 10);
    await it.configure(args, cache, real);
    await it.createContexts();
    if (transforms) new Transforms(transforms, it.version, root, variant).install(await it.transformer());
    if (observe) await it.observe();
    return it;
  }

  /** configure reads the configuration as Jest's command does. */
  async configure(args, cache, real) {
    const argv = await this.parse(args);
    Object.assign(argv, {ci: true, runInBand: true, watch: false, watchAll: false, watchman: false, coverage: false,
      collectCoverage: false, notify: false, updateSnapshot: false, bail: 0});
    if (cache) argv.cacheDirectory = cache;
    const projects = [].concat(argv.projects || [], argv.project || []);
    if (!projects.length) projects.push(this.cwd);
    const {globalConfig, configs} = await this.packages.load('jest-config').readConfigs(argv, projects);
    this.globalConfig = Object.freeze({...globalConfig, bail: 0, ci: true, collectCoverage: false, detectLeaks: false,
      detectOpenHandles: false, logHeapUsage: false, maxWorkers: 1, notify: false, randomize: false, reporters: [],
      runInBand: true, updateSnapshot: 'none', watch: false, watchAll: false});
    this.configs = configs.map(config => this.adapt(config, real));
  }

  async parse(args) {
    const cli = this.packages.load('jest-cli');
    // The function has moved; where it is not exported, it is in a file of its own.
    const build = ['run.js', 'cli/index.js'].map(file => path.join(this.packages.folder('jest-cli'), 'build', file))
      .reduce((found, file) => found || attempt(() => require(file).buildArgv), cli.buildArgv);
    if (!build) throw new Setup(`jest-cli ${this.version} does not parse arguments for others`);
    return {...await build(args)};
  }

  /** adapt puts our test runner in front of the project's. */
  adapt(config, real) {
    const key = config.id || config.name || '';
    const runner = {path: this.runnerOf(config)};
    runner.kind = kindOf(runner.path);
    current.runners.set(key, runner);
    if (!current.runners.has('')) current.runners.set('', runner);
    const patterns = list => real ? list.concat(list.filter(p => p.includes(config.rootDir)).map(p => p.split(config.rootDir).join(real))) : list;
    return Object.freeze({...config, detectLeaks: false, detectOpenHandles: false,
      testRunner: require.resolve('./testrunner.cjs'),
      transformIgnorePatterns: [...patterns(config.transformIgnorePatterns || []), `^${escape(__dirname)}`],
      modulePathIgnorePatterns: patterns(config.modulePathIgnorePatterns || []),
      unmockedModulePathPatterns: config.unmockedModulePathPatterns && patterns(config.unmockedModulePathPatterns)});
  }

  /** runnerOf is the file of the runner that the project's configuration and environment choose. */
  runnerOf(config) {
    if (process.env.JEST_CIRCUS === '1') return this.packages.resolve('jest-circus/runner');
    if (process.env.JEST_JASMINE === '1') return this.packages.resolve('jest-jasmine2');
    const {testRunner} = config;
    if (path.isAbsolute(testRunner)) return testRunner;
    return this.packages.resolve(testRunner === 'jasmine2' ? 'jest-jasmine2' : testRunner);
  }

  async createContexts() {
    const runtime = this.packages.load('jest-runtime');
    const Runtime = runtime.default || runtime;
    const {SearchSource} = this.packages.load('@jest/core');
    this.contexts = [];
    this.leftOut = []; // why projects of the configuration are not used
    for (const config of this.configs) {
      const problem = this.problemOf(config);
      if (problem) {
        this.leftOut.push(problem);
        continue;
      }
      mkdirSync(config.cacheDirectory, {recursive: true});
      const context = await Runtime.createContext(config, {console, maxWorkers: 1, watch: false, watchman: false});
      this.contexts.push({context, config, search: new SearchSource(context), label: labelOf(config), runner: this.testRunner(config)});
    }
    if (!this.contexts.length) throw new Setup(this.leftOut.join('; '));
  }

  /** forget drops what Jest knows of which files there are. */
  forget() {
    const Runtime = interop(this.packages.load('jest-runtime'));
    const Resolver = interop(attempt(() => this.packages.load('jest-resolve')) || {});
    if (Resolver.clearDefaultResolverCache) Resolver.clearDefaultResolverCache();
    for (const {context, config} of this.contexts) context.resolver = Runtime.createResolver(config, context.moduleMap);
  }

  /** transformer is the prototype of Jest's ScriptTransformer. It loads no transformer of the project. */
  async transformer() {
    const {createScriptTransformer, ScriptTransformer} = this.packages.load('@jest/transform');
    if (!createScriptTransformer) return ScriptTransformer.prototype;
    return Object.getPrototypeOf(await createScriptTransformer({...this.configs[0], transform: []}));
  }

  /** observe makes the environments of this process observable. */
  async observe() {
    const transformer = await this.transformer();
    const transform = createRequire(this.packages.resolve('@jest/transform/package.json'));
    const {parse} = createRequire(transform.resolve('@babel/core'))('@babel/parser');
    install({Runtime: interop(this.packages.load('jest-runtime')), transformer, root: this.root, major: this.major,
      parse: (code, plugins = ['jsx']) => parse(code, {sourceType: 'unambiguous', allowReturnOutsideFunction: true, plugins})});
  }

  /** problemOf says why the tests of a configured project cannot be ordered; '' where they can. */
  problemOf(config) {
    const {kind, path: runner} = current.runners.get(config.id || config.name || '');
    const label = labelOf(config);
    if (!this.runnerClass(config)) return `the project ${label} uses the runner ${config.runner}; odfix orders tests of jest-runner only`;
    if (kind === 'unknown') return `the project ${label} uses the testRunner ${runner}, which is neither jest-circus nor jest-jasmine2`;
    return '';
  }

  /** runnerClass runs whole files. The project's own is used where it extends Jest's. */
  runnerClass(config) {
    const base = interop(this.packages.load('jest-runner'));
    if (!config.runner || config.runner === 'jest-runner') return base;
    const own = interop(attempt(() => require(config.runner)) || {});
    return own === base || (typeof own === 'function' && (own.prototype instanceof base || own.name === base.name)) ? own : null;
  }

  testRunner(config) {
    return new (this.runnerClass(config))(this.globalConfig, {});
  }

  /** files lists the project's test files in the order in which Jest would run them. */
  async files() {
    const tests = [];
    for (const {context, search, config} of this.contexts) {
      const found = this.major >= 30 ?
        await search.getTestPaths(this.globalConfig, config, undefined, undefined) :
        await search.getTestPaths(this.globalConfig, undefined);
      tests.push(...found.tests);
    }
    const Sequencer = interop(require(this.globalConfig.testSequencer));
    const contexts = this.contexts.map(c => c.context);
    const sorted = await new Sequencer({contexts, globalConfig: this.globalConfig}).sort(tests);
    return sorted.map(test => this.nameOf(test.path, test.context));
  }

  /** nameOf is the name of a file in ids. A file of several projects has the project's name, too. */
  nameOf(file, context) {
    const name = path.relative(this.root, file).split(path.sep).join('/');
    const holders = this.holders(file);
    const at = holders.findIndex(c => c.context === context);
    return at > 0 ? `${name} [${holders[at].label}]` : name;
  }

  holders(file) {
    return this.contexts.filter(c => c.search.isTestFilePath(file));
  }

  /** find is the file and the project of a name in ids. */
  find(name) {
    const plain = path.join(this.root, name);
    if (existsSync(plain)) {
      const [first] = this.holders(plain);
      if (first) return {path: plain, ...first};
    }
    const match = /^(.*) \[([^\]]*)\]$/.exec(name);
    if (match) {
      const file = path.join(this.root, match[1]);
      const held = existsSync(file) && this.holders(file).find((c, i) => i > 0 && c.label === match[2]);
      if (held) return {path: file, ...held};
    }
    throw new Refusal(`${name} is no test file of the project`, [], true);
  }

  /** frameworkOf names the framework that runs the tests of a project. */
  frameworkOf(config) {
    return current.runners.get(config.id || config.name || '').kind;
  }

  /** run has Jest run one file for the visit. It returns Jest's result, or throws what Jest threw. */
  async run(target, visit) {
    await this.globalHooks('globalSetup', target.config);
    current.visit = visit;
    try {
      return await this.runFile(target);
    } finally {
      current.visit = null;
    }
  }

  runFile({path: file, context, runner}) {
    const test = {context, duration: undefined, path: file};
    const watcher = {isInterrupted: () => false, isWatchMode: () => false, on() {}, off() {}, removeListener() {}, state: {interrupted: false}};
    return new Promise((resolve, reject) => {
      const success = (_, result) => resolve(result);
      const failure = (_, error) => reject(error);
      if (runner.supportsEventEmitters) {
        const stop = [runner.on('test-file-success', ([t, result]) => { stop.forEach(s => s()); success(t, result); }),
          runner.on('test-file-failure', ([t, error]) => { stop.forEach(s => s()); failure(t, error); })];
        runner.runTests([test], watcher, {serial: true}).catch(reject);
      } else {
        runner.runTests([test], watcher, async () => {}, async (t, r) => success(t, r), async (t, e) => failure(t, e), {serial: true}).catch(reject);
      }
    });
  }

  /** globalHooks runs globalSetup or globalTeardown once, for the whole run and the project. */
  async globalHooks(which, config) {
    this.hooksRun = this.hooksRun || {globalSetup: new Map(), globalTeardown: new Map()};
    const done = this.hooksRun[which];
    const wanted = [];
    if (this.globalConfig[which]) wanted.push([this.globalConfig[which], this.configs[0]]);
    if (config[which] && config[which] !== this.globalConfig[which]) wanted.push([config[which], config]);
    for (const [file, owner] of wanted) {
      if (done.has(file)) continue;
      done.set(file, owner);
      await this.callHook(file, owner);
    }
  }

  async callHook(file, config) {
    const {createScriptTransformer} = this.packages.load('@jest/transform');
    if (createScriptTransformer) {
      const transformer = await createScriptTransformer(config);
      const hook = await transformer.requireAndTranspileModule(file);
      return interop(hook)(this.globalConfig, config);
    }
    // Before version 27 the function of @jest/core that calls a hook is a file of its own.
    const test = {context: {config}, path: file};
    return interop(require(path.join(this.packages.folder('@jest/core'), 'build/runGlobalHook.js')))({allTests: [test], globalConfig: this.globalConfig,
      moduleName: this.globalConfig.globalSetup === file ? 'globalSetup' : 'globalTeardown'});
  }

  async tearDown() {
    if (!this.hooksRun) return;
    for (const owner of new Set(this.hooksRun.globalSetup.values())) await this.globalHooks('globalTeardown', owner);
  }
}

const interop = module => (module && module.default ? module.default : module);
const escape = text => text.replace(/[-[\]{}()*+?.,\\^$|#\s]/g, '\\$&');

/** kindOf reads the package from the path of a runner. */
function kindOf(runner) {
  const inside = runner.split(/[\\/]node_modules[\\/]/).pop();
  const name = /(?:^|[\\/])(jest-circus|jest-jasmine2)(?:[\\/]|$)/.exec(inside);
  return name ? name[1] : 'unknown';
}

function labelOf(config) {
  const {displayName} = config;
  if (!displayName) return path.basename(config.rootDir);
  return typeof displayName === 'string' ? displayName : displayName.name;
}

function attempt(f) {
  try {
    return f();
  } catch {
    return undefined;
  }
}

module.exports = {Jest, Setup};
