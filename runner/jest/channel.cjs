'use strict';
// The frames of docs/harness-protocol.md, over two inherited file descriptors. Everything that is
// needed later is taken from the globals now, before code of the project runs.

const { writeSync } = require('fs');
const { Socket } = require('net');

const { alloc, from, concat } = Buffer;
const { wait } = Atomics;
const exit = process.exit.bind(process);

const COMMANDS = 3;
const EVENTS = 4;
const MAX_FRAME = 16 << 20;
const MAX_MESSAGE = 16 << 10;
const MAX_STACK = 64 << 10;

const sleeper = new Int32Array(new SharedArrayBuffer(4));

function u8(n) {
  return from([n]);
}

function u32(n) {
  const b = alloc(4);
  b.writeUInt32BE(n);
  return b;
}

function i64(n) {
  const b = alloc(8);
  b.writeBigInt64BE(BigInt(Math.round(n)));
  return b;
}

function str(text) {
  const b = from(String(text), 'utf8');
  return concat([u32(b.length), b]);
}

function list(items) {
  return concat([u32(items.length), ...items]);
}

/** Writes one frame. It returns when the frame is in the pipe, so that no exit can lose it. */
function send(type, ...fields) {
  const body = concat([from(type, 'latin1'), ...fields]);
  const frame = concat([u32(body.length), body]);
  for (let at = 0; at < frame.length; ) {
    try {
      at += writeSync(EVENTS, frame, at, frame.length - at);
    } catch (e) {
      if (e.code !== 'EAGAIN') exit(1); // Nobody reads any more.
      wait(sleeper, 0, 0, 1);
    }
  }
}

function refuse(id, reason, tests, gone) {
  send('e', i64(id), str(reason), list(tests.map(str)), u8(gone ? 1 : 0));
}

function started(position, id) {
  send('s', i64(position), str(id));
}

/** outcome is 'p', 'f' or 's'; failure is null or { type, message, stack }. */
function finished(position, id, outcome, millis, failure) {
  const f = failure || { type: '', message: '', stack: '' };
  send(
    'f', i64(position), str(id), from(outcome, 'latin1'), i64(millis * 1e6),
    str(f.type), str(f.message.slice(0, MAX_MESSAGE)), str(f.stack.slice(0, MAX_STACK)),
  );
}

/** What a thrown value says. Its getters are the project's, and may throw. */
function failureOf(thrown) {
  const read = (key) => {
    try {
      const v = thrown[key];
      return typeof v === 'string' ? v : '';
    } catch (_) {
      return '';
    }
  };
  if (thrown === null || (typeof thrown !== 'object' && typeof thrown !== 'function')) {
    return { type: 'thrown value', message: String(thrown), stack: '' };
  }
  const stack = read('stack');
  return { type: read('name') || 'Error', message: plain(read('message') || stack), stack: plain(stack) };
}

/** Text without the escapes that colour it. */
function plain(text) {
  return text.replace(/\u001b\[[0-9;]*m/g, '');
}

/** Calls handle(type, reader) for each command, in order. The end of commands ends the process. */
function listen(handle) {
  let rest = alloc(0);
  // Not a stream of the file system: its blocked read would keep the process from ending.
  const input = new Socket({ fd: COMMANDS, readable: true, writable: false });
  input.on('data', (chunk) => {
    rest = concat([rest, chunk]);
    while (rest.length >= 4) {
      const length = rest.readUInt32BE(0);
      if (length < 1 || length > MAX_FRAME) exit(1);
      if (rest.length < 4 + length) return;
      const frame = rest.subarray(4, 4 + length);
      rest = rest.subarray(4 + length);
      handle(String.fromCharCode(frame[0]), reader(frame));
    }
  });
  input.on('error', () => exit(1));
  input.on('end', () => exit(0));
}

function reader(frame) {
  let at = 1;
  const r = {
    u32: () => {
      at += 4;
      return frame.readUInt32BE(at - 4);
    },
    i64: () => {
      at += 8;
      return Number(frame.readBigInt64BE(at - 8));
    },
    str: () => {
      const n = r.u32();
      at += n;
      return frame.toString('utf8', at - n, at);
    },
    list: () => {
      const out = [];
      for (let n = r.u32(); n > 0; n--) out.push(r.str());
      return out;
    },
  };
  return r;
}

module.exports = { u8, u32, i64, str, list, send, refuse, started, finished, failureOf, plain, listen, exit };
