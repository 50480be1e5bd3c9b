'use strict';
// What odfix's Go side does, for tests: starts the harness and asks it.

const { spawn } = require('child_process');
const path = require('path');

const main = path.join(__dirname, '..', 'main.cjs');

class Client {
  constructor(dir, options = {}) {
    this.process = spawn(process.execPath, [main], {
      cwd: dir,
      env: {
        ...process.env, NODE_ENV: undefined, NODE_TEST_CONTEXT: undefined, ODFIX_ROOT: options.root || dir,
        ODFIX_JEST_ARGS: JSON.stringify(options.args || []), ODFIX_CACHE: path.join(dir, 'node_modules', '.cache-of-jest'),
      },
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    });
    this.errors = '';
    this.process.stderr.on('data', (d) => (this.errors += d));
    this.frames = [];
    this.waiting = null;
    this.ended = new Promise((resolve) => {
      this.process.on('exit', (code) => {
        this.code = code;
        this.push({ type: 'exit', code });
        resolve(code);
      });
    });
    this.process.stdio[3].on('error', () => {});
    let rest = Buffer.alloc(0);
    this.process.stdio[4].on('data', (chunk) => {
      rest = Buffer.concat([rest, chunk]);
      while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32BE(0)) {
        const n = rest.readUInt32BE(0);
        this.push(decode(rest.subarray(4, 4 + n)));
        rest = rest.subarray(4 + n);
      }
    });
  }

  push(frame) {
    this.frames.push(frame);
    if (this.waiting) this.waiting();
  }

  /** The frames up to one of the types. */
  async until(...types) {
    const out = [];
    for (;;) {
      while (this.frames.length === 0) await new Promise((resolve) => (this.waiting = resolve));
      const frame = this.frames.shift();
      out.push(frame);
      if (types.includes(frame.type)) return out;
      if (frame.type === 'exit') throw new Error(`the process ended with ${frame.code}\n${this.errors}`);
    }
  }

  write(type, ...fields) {
    const body = Buffer.concat([Buffer.from(type), ...fields]);
    this.process.stdio[3].write(Buffer.concat([u32(body.length), body]));
  }

  async hello() {
    return (await this.until('h', 'e')).pop();
  }

  async discover(files = []) {
    this.write('D', list(files));
    return (await this.until('.')).filter((f) => f.type === 'd');
  }

  ask(order, switches = '') {
    this.write('R', i64(7), str(switches), list(order));
  }

  /** Runs an order; the answer has outcomes by position, or the refusal. */
  async run(order, switches = '') {
    this.ask(order, switches);
    const frames = await this.until('.', 'e', 'exit');
    const last = frames[frames.length - 1];
    return {
      refused: last.type === 'e' ? last : null,
      exited: last.type === 'exit' ? frames.find((f) => f.type === 'x') || {} : null,
      outcomes: frames.filter((f) => f.type === 'f').map((f) => f.outcome).join(''),
      finished: frames.filter((f) => f.type === 'f'),
      started: frames.filter((f) => f.type === 's').map((f) => f.id),
    };
  }

  async quit() {
    this.write('Q');
    return this.ended;
  }

  kill() {
    this.process.kill('SIGKILL');
  }
}

const u32 = (n) => {
  const b = Buffer.alloc(4);
  b.writeUInt32BE(n);
  return b;
};
const i64 = (n) => {
  const b = Buffer.alloc(8);
  b.writeBigInt64BE(BigInt(n));
  return b;
};
const str = (s) => Buffer.concat([u32(Buffer.byteLength(s)), Buffer.from(s)]);
const list = (items) => Buffer.concat([u32(items.length), ...items.map(str)]);

function decode(frame) {
  let at = 1;
  const n32 = () => frame.readUInt32BE((at += 4) - 4);
  const n64 = () => Number(frame.readBigInt64BE((at += 8) - 8));
  const n8 = () => frame[at++];
  const text = () => {
    const n = n32();
    return frame.toString('utf8', at, (at += n));
  };
  const many = (one) => Array.from({ length: n32() }, one);
  const type = String.fromCharCode(frame[0]);
  switch (type) {
    case 'h':
      return { type, version: n64(), node: text(), pid: n64(), frameworks: many(text) };
    case 's':
      return { type, position: n64(), id: text() };
    case 'f':
      return { type, position: n64(), id: text(), outcome: String.fromCharCode(n8()), nanos: n64(), failure: text(), message: text(), stack: text() };
    case 'e':
      return { type, id: n64(), reason: text(), tests: many(text), gone: n8() === 1 };
    case 'x':
      return { type, position: n64(), how: text() };
    case 'd':
      return {
        type, file: text(), framework: text(), problem: text(), fixed: n8(),
        nodes: many(() => ({ kind: String.fromCharCode(n8()), name: text(), flags: n8() })),
      };
    default:
      return { type };
  }
}

module.exports = { Client };
