'use strict';
// A stand-in for odfix: starts the harness, sends commands and reads events.

const path = require('path');
const {spawn} = require('child_process');
const {Body, Fields, Frames} = require('../src/wire.cjs');

const MAIN = path.join(__dirname, '..', 'main.cjs');
const LIMIT = 120000; // milliseconds for one answer

const EVENTS = {
  h: f => ({version: f.i64(), node: f.str(), pid: f.i64(), frameworks: f.strs()}),
  d: f => {
    const seen = {file: f.str(), framework: f.str(), problem: f.str(), fixed: f.u8(), nodes: []};
    for (let n = f.u32(); n > 0; n--) seen.nodes.push({kind: String.fromCharCode(f.u8()), name: f.str(), flags: f.u8()});
    return seen;
  },
  s: f => ({position: Number(f.i64()), id: f.str()}),
  f: f => ({position: Number(f.i64()), id: f.str(), outcome: String.fromCharCode(f.u8()), nanos: Number(f.i64()), error: f.str(), message: f.str(), stack: f.str()}),
  c: f => ({position: Number(f.i64()), file: f.str(), error: f.str(), message: f.str(), stack: f.str()}),
  e: f => ({id: Number(f.i64()), reason: f.str(), ids: f.strs(), gone: f.u8() === 1}),
  x: f => ({position: Number(f.i64()), how: f.str()}),
  t: f => ({text: f.str()}),
  l: f => ({place: f.u32(), name: f.str(), flags: f.u8()}),
  g: f => {
    const numbers = () => Array.from({length: f.u32()}, () => f.u32());
    return {kind: String.fromCharCode(f.u8()), position: Number(f.i64()), read: numbers(), written: numbers(), initRead: numbers(), initWritten: numbers(),
      values: Array.from({length: f.u32()}, () => ({place: f.u32(), how: String.fromCharCode(f.u8()), before: f.i64(), after: f.i64(), earlier: f.u32()}))};
  },
  p: f => ({kind: String.fromCharCode(f.u8()), position: Number(f.i64()), objects: f.u32(), roots: f.u32(), cut: f.u8(), micros: Number(f.i64()),
    changes: Array.from({length: f.u32()}, () => ({place: f.str(), path: f.str(), before: f.str(), after: f.str(), fresh: f.u8(), line: f.str(), also: f.strs()}))}),
  m: f => ({position: Number(f.i64()), calls: Array.from({length: f.u32()}, () => ({block: f.strs(), path: f.str()})),
    same: Array.from({length: f.u32()}, () => ({block: f.strs(), path: f.str(), file: f.str(), variable: f.str()}))}),
  b: f => ({micros: Number(f.i64())}),
  r: f => ({places: Array.from({length: f.u32()}, () => ({name: f.str(), how: String.fromCharCode(f.u8()), problem: f.str()}))}),
  '.': f => ({id: Number(f.i64()), positions: Number(f.i64()), rss: Number(f.i64()), left: f.more ? f.strs() : []}),
};

class Client {
  constructor(cwd, {root = cwd, args = [], env = {}} = {}) {
    const {NODE_TEST_CONTEXT, ...outer} = process.env;
    this.child = spawn(process.execPath, [MAIN], {
      cwd,
      env: {...outer, NODE_ENV: 'test', ODFIX_ROOT: root, ODFIX_JEST_ARGS: JSON.stringify(args), ODFIX_CACHE: path.join(cwd, '.cache'), ...env},
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
    });
    this.printed = '';
    for (const stream of [this.child.stdout, this.child.stderr]) stream.on('data', chunk => { this.printed += chunk; });
    this.events = [];
    this.waiting = null;
    const frames = new Frames();
    this.child.stdio[4].on('data', chunk => {
      for (const {type, body} of frames.add(chunk)) {
        const decode = EVENTS[type];
        if (!decode) throw new Error(`unknown event ${type}`);
        this.events.push({type, ...decode(new Fields(body))});
      }
      if (this.waiting) this.waiting();
    });
    this.child.stdio[3].on('error', () => {});
    this.ended = new Promise(resolve => this.child.on('exit', (code, signal) => {
      this.exit = {code, signal};
      if (this.waiting) this.waiting();
      resolve(this.exit);
    }));
  }

  send(body) {
    this.child.stdio[3].write(body.frame());
  }

  /** until returns the events up to the first of one of the types, or to the end of the process. */
  async until(types) {
    const end = Date.now() + LIMIT;
    const found = [];
    for (;;) {
      while (this.events.length) {
        const event = this.events.shift();
        if (event.type !== 'b' || types.includes('b')) found.push(event);
        if (types.includes(event.type)) return found;
      }
      if (this.exit) return found;
      if (Date.now() > end) throw new Error(`no answer; it printed:\n${this.printed}`);
      await new Promise(resolve => {
        this.waiting = resolve;
        setTimeout(resolve, 1000).unref();
      });
    }
  }

  async hello() {
    const [hello] = await this.until('h');
    if (!hello) throw new Error(`no hello; it printed:\n${this.printed}`);
    return hello;
  }

  async discover(files = []) {
    this.send(new Body(0x44).strs(files));
    return (await this.until('.e')).filter(e => e.type === 'd');
  }

  /** ask sends an order and waits for nothing. */
  ask(ids, {id = 1, switches = '', places, before = 0} = {}) {
    const body = new Body(0x52).i64(id).str(switches).strs(ids);
    if (places) body.strs(places).i64(before);
    this.send(body);
  }

  order(ids, options) {
    this.ask(ids, options);
    return this.until('.e');
  }

  /** forget says that there are other files than before. */
  forget() {
    this.send(new Body(0x46));
  }

  stacks() {
    this.send(new Body(0x54));
    return this.until('t');
  }

  async quit() {
    this.send(new Body(0x51));
    const timer = setTimeout(() => this.child.kill('SIGKILL'), 20000);
    await this.ended;
    clearTimeout(timer);
    return this.exit;
  }
}

/** ids of the tests that a discovery found. */
const tests = seen => seen.flatMap(d => d.nodes.filter(n => n.kind === 't').map(n => n.name));

/** summary of the events of an order, short enough to compare. */
const outcomes = events => events.filter(e => e.type === 'f').map(e => `${e.id.replace(/^[^#]*#/, '')} ${e.outcome}`);

module.exports = {Client, tests, outcomes};
