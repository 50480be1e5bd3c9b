'use strict';
// Frames of docs/harness-protocol.md. Everything is captured before code of the project is loaded,
// because tests share fs and Buffer with the harness and may replace their functions.

const fs = require('fs');

const writeSync = fs.writeSync;
const {apply} = Reflect;
const {alloc, allocUnsafe, byteLength, concat} = Buffer;
const {write, writeUInt8, writeUInt32BE, writeBigInt64BE, copy, subarray} = Buffer.prototype;
const {readUInt8, readUInt32BE, readBigInt64BE, utf8Slice} = Buffer.prototype;
const {wait, compareExchange, store, notify} = Atomics;
const toBigInt = BigInt;
const round = Math.round;
const makeString = String;

const EVENTS = 4;
const MAX_FRAME = 16 * 1024 * 1024;
const MAX_MESSAGE = 16 * 1024;
const MAX_STACK = 64 * 1024;

/** Body collects the fields of one frame. */
class Body {
  constructor(type) {
    this.bytes = allocUnsafe(256);
    this.length = 4;
    this.u8(type);
  }

  room(n) {
    if (this.length + n <= this.bytes.length) return;
    const larger = allocUnsafe((this.length + n) * 2);
    apply(copy, this.bytes, [larger, 0, 0, this.length]);
    this.bytes = larger;
  }

  u8(v) {
    this.room(1);
    this.length = apply(writeUInt8, this.bytes, [v & 255, this.length]);
    return this;
  }

  u32(v) {
    this.room(4);
    this.length = apply(writeUInt32BE, this.bytes, [v >>> 0, this.length]);
    return this;
  }

  i64(v) {
    this.room(8);
    const n = typeof v === 'bigint' ? v : toBigInt(round(v));
    this.length = apply(writeBigInt64BE, this.bytes, [n, this.length]);
    return this;
  }

  str(s) {
    s = makeString(s);
    const n = apply(byteLength, null, [s]);
    this.u32(n).room(n);
    apply(write, this.bytes, [s, this.length, n, 'utf8']);
    this.length += n;
    return this;
  }

  strs(list) {
    this.u32(list.length);
    for (let i = 0; i < list.length; i++) this.str(list[i]);
    return this;
  }

  frame() {
    if (this.length - 4 > MAX_FRAME) throw new Error(`a frame of ${this.length - 4} bytes is too long`);
    apply(writeUInt32BE, this.bytes, [this.length - 4, 0]);
    return apply(subarray, this.bytes, [0, this.length]);
  }
}

/** Fields reads the fields of one frame's body. */
class Fields {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  get more() {
    return this.at < this.bytes.length;
  }

  u8() {
    return apply(readUInt8, this.bytes, [this.at++]);
  }

  u32() {
    this.at += 4;
    return apply(readUInt32BE, this.bytes, [this.at - 4]);
  }

  i64() {
    this.at += 8;
    return apply(readBigInt64BE, this.bytes, [this.at - 8]);
  }

  str() {
    const n = this.u32();
    if (this.at + n > this.bytes.length) throw new RangeError('a string reaches beyond its frame');
    this.at += n;
    return apply(utf8Slice, this.bytes, [this.at - n, this.at]);
  }

  strs() {
    const list = [];
    for (let n = this.u32(); n > 0; n--) list.push(this.str());
    return list;
  }
}

/** Frames cuts a stream of bytes into frames. */
class Frames {
  constructor() {
    this.rest = alloc(0);
  }

  /** Adds bytes and returns the frames that are complete, as {type, body}. */
  add(chunk) {
    this.rest = this.rest.length ? concat([this.rest, chunk]) : chunk;
    const found = [];
    while (this.rest.length >= 5) {
      const n = this.rest.readUInt32BE(0);
      if (n < 1 || n > MAX_FRAME) throw new Error(`a command frame of ${n} bytes`);
      if (this.rest.length < 4 + n) break;
      found.push({type: String.fromCharCode(this.rest[4]), body: this.rest.subarray(5, 4 + n)});
      this.rest = this.rest.subarray(4 + n);
    }
    return found;
  }
}

/**
 * Output writes frames to the descriptor for events, each whole: a lock keeps the frames of the
 * two threads apart. Writes are synchronous, so that what is sent is sent even if the process ends.
 */
class Output {
  constructor(shared) {
    this.lock = new Int32Array(shared || new SharedArrayBuffer(4));
  }

  get shared() {
    return this.lock.buffer;
  }

  send(body) {
    const bytes = body.frame();
    while (compareExchange(this.lock, 0, 0, 1) !== 0) wait(this.lock, 0, 1, 10);
    try {
      this.writeAll(bytes);
    } finally {
      store(this.lock, 0, 0);
      notify(this.lock, 0, 1);
    }
  }

  writeAll(bytes) {
    for (let at = 0; at < bytes.length; ) {
      try {
        at += writeSync(EVENTS, bytes, at, bytes.length - at);
      } catch (error) {
        if (error.code !== 'EAGAIN') throw error;
        wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
      }
    }
  }
}

module.exports = {Body, Fields, Frames, Output, MAX_MESSAGE, MAX_STACK};
