'use strict';
// What tests share with the process beyond their own environment. A process that answers one order
// after the other restores it between them, and reports what it cannot restore.

const {getOwnPropertyDescriptor, ownKeys, defineProperty, deleteProperty} = Reflect;

const MODULES = ['assert', 'async_hooks', 'buffer', 'child_process', 'cluster', 'crypto', 'dgram', 'diagnostics_channel', 'dns', 'dns/promises', 'events', 'fs',
  'fs/promises', 'http', 'http2', 'https', 'module', 'net', 'os', 'path', 'perf_hooks', 'querystring', 'readline', 'stream', 'stream/promises', 'string_decoder',
  'timers', 'timers/promises', 'tls', 'tty', 'url', 'util', 'v8', 'vm', 'worker_threads', 'zlib'];
const CACHES = ['_cache', '_pathCache']; // of Node's loader: they grow whenever Jest loads a part of itself
const TURNS = 20; // of the event loop, in which handles may still close
const PRUNE = 10000; // timers after which those that are over are forgotten
const {keyFor} = Symbol;
const originalImmediate = setImmediate;

const isOwner = value => value !== null && (typeof value === 'object' || typeof value === 'function') && value !== globalThis;

/** modules are those that this version of Node has. */
const modules = () => MODULES.map(name => attempt(() => require(name))).filter(isOwner);

/**
 * owners lists the objects that belong to the process: its modules, the objects in them and what
 * these hold, and the functions and classes of globals and modules.
 */
function owners() {
  const found = new Set();
  const addFunction = value => {
    found.add(value);
    const proto = getOwnPropertyDescriptor(value, 'prototype');
    if (proto && isOwner(proto.value)) found.add(proto.value);
  };
  const addMembers = (owner, depth) => {
    for (const key of ownKeys(owner)) {
      const value = valueOf(owner, key);
      if (!isOwner(value) || CACHES.includes(key)) continue;
      if (typeof value === 'function') addFunction(value);
      else if (!found.has(value)) {
        found.add(value);
        if (depth > 1) addMembers(value, depth - 1);
      }
    }
  };
  for (const key of ownKeys(globalThis)) {
    const {value} = getOwnPropertyDescriptor(globalThis, key);
    if (typeof value === 'function') addFunction(value);
  }
  const all = modules();
  for (const module of all) found.add(module);
  for (const module of all) addMembers(module, 2);
  return [...found];
}

/** isSetting reports whether a property hides a value that tests can replace. */
const isSetting = ({get, set, enumerable}) => Boolean(get && set && enumerable);

/** valueOf is what a property holds. Getters that may warn or load something are not called. */
function valueOf(owner, key) {
  const descriptor = getOwnPropertyDescriptor(owner, key);
  return isSetting(descriptor) ? attempt(() => owner[key]) : descriptor.value;
}

/** Settings remembers the values behind the accessors of modules, such as http.globalAgent. */
class Settings {
  constructor() {
    this.known = [];
    for (const module of modules()) {
      for (const key of ownKeys(module)) {
        if (isSetting(getOwnPropertyDescriptor(module, key))) this.known.push([module, key, module[key]]);
      }
    }
  }

  /** restore sets them back, and returns the names of those that cannot be. */
  restore() {
    return this.known.filter(([module, key, was]) => {
      if (Object.is(module[key], was)) return false;
      attempt(() => { module[key] = was; });
      return !Object.is(module[key], was);
    }).map(([, key]) => `property ${String(key)}`);
  }
}

/** Properties remembers the properties of objects. */
class Properties {
  constructor(objects) {
    this.known = objects.map(owner => [owner, new Map(ownKeys(owner).map(key => [key, getOwnPropertyDescriptor(owner, key)]))]);
  }

  /** restore makes the objects what they were, and returns the names that cannot be restored. */
  restore() {
    const left = [];
    for (const [owner, properties] of this.known) {
      for (const key of ownKeys(owner)) {
        if (!properties.has(key) && !deleteProperty(owner, key)) left.push(`property ${String(key)}`);
      }
      for (const [key, was] of properties) {
        const now = getOwnPropertyDescriptor(owner, key);
        if (now && same(now, was)) continue;
        if (!defineProperty(owner, key, was)) left.push(`property ${String(key)}`);
      }
    }
    return left;
  }
}

const same = (a, b) => Object.is(a.value, b.value) && a.get === b.get && a.set === b.set && a.writable === b.writable;

/** Timers knows the timers that run. Tests of Node's own environment get these functions. */
class Timers {
  constructor() {
    this.running = new Set();
    const modules = [globalThis, require('timers')];
    for (const name of ['setTimeout', 'setInterval']) {
      const original = globalThis[name];
      const timers = this;
      const wrapped = {[name](...args) {
        const timer = original.apply(this, args);
        timers.add(timer);
        return timer;
      }}[name];
      for (const key of ownKeys(original)) {
        if (key !== 'prototype') defineProperty(wrapped, key, getOwnPropertyDescriptor(original, key));
      }
      for (const module of modules) module[name] = wrapped;
    }
    this.clear = clearTimeout;
  }

  add(timer) {
    this.running.add(timer);
    if (this.running.size % PRUNE === 0) for (const t of this.running) if (t._destroyed) this.running.delete(t);
  }

  /** stop ends the timers that are left. */
  stop() {
    for (const timer of this.running) if (!timer._destroyed) this.clear.call(globalThis, timer);
    this.running.clear();
  }
}

/**
 * Hooks ends what tests subscribe to in diagnostics_channel and async_hooks. Neither module lists its
 * subscribers, so the methods that add them are watched.
 */
class Hooks {
  constructor() {
    this.undo = [];
    const channels = attempt(() => require('diagnostics_channel'));
    if (channels) this.watchChannels(channels);
    this.watchAsync(require('async_hooks'));
    this.undo.length = 0;
  }

  /** watchChannels: a channel changes its prototype when it gets its first subscriber. */
  watchChannels({channel}) {
    const example = channel('odfix');
    const subscriber = () => {};
    for (let turn = 0; turn < 2; turn++) {
      const prototype = Object.getPrototypeOf(example);
      watch(prototype, 'subscribe', (at, what) => this.undo.push(() => at.unsubscribe(what)));
      watch(prototype, 'bindStore', (at, store) => this.undo.push(() => at.unbindStore(store)));
      example.subscribe(subscriber);
    }
    while (example.unsubscribe(subscriber));
  }

  /** watchAsync: the hook that Node itself enables for AsyncLocalStorage stays. */
  watchAsync({createHook, AsyncLocalStorage}) {
    const own = new Set();
    let isStarting = true;
    watch(Object.getPrototypeOf(createHook({})), 'enable', hook => {
      if (isStarting) own.add(hook);
      else if (!own.has(hook)) this.undo.push(() => hook.disable());
    });
    if (AsyncLocalStorage) new AsyncLocalStorage().run(0, () => {});
    isStarting = false;
  }

  end() {
    for (const undo of this.undo.splice(0)) attempt(undo);
  }
}

/** watch calls a function before each call of a method, if there is such a method. */
function watch(prototype, name, called) {
  const {value: original} = getOwnPropertyDescriptor(prototype, name) || {};
  if (typeof original !== 'function') return;
  prototype[name] = {[name](...args) {
    called(this, ...args);
    return original.apply(this, args);
  }}[name];
}

/**
 * isDispatcher recognises the property of the global object in which Node's fetch keeps its
 * connections from its first call on. It cannot be deleted.
 */
const isDispatcher = key => typeof key === 'symbol' && /^undici\.globalDispatcher\./.test(keyFor(key) || '');

/** renewDispatchers closes these connections. The next order finds new ones. */
async function renewDispatchers() {
  for (const key of ownKeys(globalThis).filter(isDispatcher)) {
    const {value} = getOwnPropertyDescriptor(globalThis, key);
    try {
      globalThis[key] = new value.constructor();
      await value.destroy();
    } catch {
      // what it keeps open counts as left
    }
  }
}

/** Realm is what an order finds in the process, and is to leave there. */
class Realm {
  constructor() {
    this.timers = new Timers();
    this.hooks = new Hooks();
    this.properties = new Properties(owners());
    this.settings = new Settings();
  }

  /** remember takes what is there before an order. */
  remember() {
    this.before = this.look();
  }

  look() {
    return {env: {...process.env}, cwd: process.cwd(), umask: process.umask(), globals: new Set(ownKeys(globalThis)), listeners: listeners(), resources: resources()};
  }

  /**
   * restore returns what is left that cannot be restored. What Jest itself adds while it runs its
   * first file belongs to the process.
   */
  async restore(isFirst) {
    this.timers.stop();
    this.hooks.end();
    await renewDispatchers();
    const left = await this.open(); // what closes itself still changes properties
    left.push(...this.properties.restore(), ...this.settings.restore());
    const {env, cwd, umask} = this.before;
    for (const key of Object.keys(process.env)) if (!(key in env)) delete process.env[key];
    for (const key of Object.keys(env)) if (process.env[key] !== env[key]) process.env[key] = env[key];
    if (process.cwd() !== cwd) process.chdir(cwd);
    if (process.umask() !== umask) process.umask(umask);
    if (!isFirst) {
      for (const key of ownKeys(globalThis)) {
        if (!this.before.globals.has(key) && !isDispatcher(key) && !deleteProperty(globalThis, key)) left.push(`global ${String(key)}`);
      }
      left.push(...more('listener', this.before.listeners, listeners()));
    }
    return left;
  }

  /** open lists servers, sockets, children and the like that do not close by themselves. */
  async open() {
    let found = [];
    for (let turn = 0; turn < TURNS; turn++) {
      found = more('open', this.before.resources, resources());
      if (!found.length) break;
      await new Promise(resolve => originalImmediate(resolve));
    }
    return found;
  }
}

/** listeners counts the listeners of the process, by event. */
function listeners() {
  const counts = new Map();
  for (const event of process.eventNames()) counts.set(String(event), process.listenerCount(event));
  return counts;
}

/** resources counts what keeps the process alive, by kind. Timers are stopped otherwise. */
function resources() {
  const counts = new Map();
  const kinds = process.getActiveResourcesInfo ? process.getActiveResourcesInfo() : process._getActiveHandles().map(h => h.constructor.name);
  for (const kind of kinds) if (!/^(Timeout|Immediate|FSReqCallback|FSReqPromise|CloseReq)$/.test(kind)) counts.set(kind, (counts.get(kind) || 0) + 1);
  return counts;
}

const more = (what, before, now) => [...now].filter(([name, n]) => n > (before.get(name) || 0)).map(([name]) => `${what} ${name}`);

function attempt(f) {
  try {
    return f();
  } catch {
    return undefined;
  }
}

module.exports = {Realm};
