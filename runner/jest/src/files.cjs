'use strict';
// The files of the working copy, as places: "file archive/letter.txt". Files belong to the process,
// and not to one environment. Tests may replace the functions of fs, so that they are taken early.

const {readdirSync, lstatSync, readlinkSync, readFileSync, writeFileSync, mkdirSync, rmSync, unlinkSync, rmdirSync, symlinkSync, chmodSync} = require('fs');
const {createHash} = require('crypto');
const path = require('path');

const MAX_FILES = 5000;
const MAX_HASHED = 64 * 1024; // bytes of one file: larger ones differ where their time does
const MAX_HASHED_IN_ALL = 8 * 1024 * 1024;
const MAX_KEPT = 4 * 1024 * 1024; // bytes of a file that can be restored
const LEFT_OUT = new Set(['node_modules', '.git', '.hg']);
const KIND = 'file ';

class Files {
  constructor(root, cache) {
    this.root = root;
    this.cache = cache; // Jest's own
    this.hashed = 0;
    this.tooMany = false;
    this.known = new Map(); // by path: what was there at the last look
    this.kept = new Map(); // by path: a function that restores it
    this.known = this.look();
  }

  /** look lists what is there: {text, token, stamp} by path. */
  look() {
    const found = new Map();
    this.tooMany = this.tooMany || !this.below('', found);
    return this.tooMany ? new Map() : found;
  }

  below(folder, found) {
    for (const entry of attempt(() => readdirSync(path.join(this.root, folder), {withFileTypes: true})) || []) {
      if (LEFT_OUT.has(entry.name) || path.join(this.root, folder, entry.name) === this.cache) continue;
      if (found.size >= MAX_FILES) return false;
      const name = folder ? `${folder}/${entry.name}` : entry.name;
      const at = attempt(() => this.entry(name));
      if (!at) continue;
      found.set(name, at);
      if (entry.isDirectory() && !this.below(name, found)) return false;
    }
    return true;
  }

  entry(name) {
    const file = path.join(this.root, name);
    const stat = lstatSync(file);
    if (stat.isDirectory()) return {text: 'a folder', token: 'folder'};
    if (stat.isSymbolicLink()) return {text: 'a link', token: `link ${readlinkSync(file)}`};
    const stamp = `${stat.size} ${stat.mtimeMs} ${stat.ino}`;
    const before = this.known.get(name);
    if (before && before.stamp === stamp) return before;
    const text = `${stat.size} bytes`;
    if (!stat.isFile() || stat.size > MAX_HASHED || this.hashed + stat.size > MAX_HASHED_IN_ALL) return {text, token: stamp, stamp};
    this.hashed += stat.size;
    return {text, token: createHash('sha1').update(readFileSync(file)).digest('hex'), stamp};
  }

  /** changes are what differs since the last look, as {place, path, before, after, was, is}. */
  changes() {
    const before = this.known;
    const after = this.look();
    if (this.tooMany) return [];
    this.known = after;
    const found = [];
    const add = (name, was, is) => found.push({place: KIND + name, path: name, before: was ? was.text : 'absent',
      after: is ? is.text + (was && was.text === is.text ? ' (other ones)' : '') : 'absent', was: was ? was.token : '', is: is ? is.token : ''});
    for (const [name, is] of after) {
      const was = before.get(name);
      if (!was || was.token !== is.token) add(name, was, is);
    }
    for (const [name, was] of before) if (!after.has(name)) add(name, was, undefined);
    return found;
  }

  /** remember keeps what the places hold now. Other places are left alone. */
  remember(places) {
    this.kept.clear();
    for (const place of places) {
      if (!place.startsWith(KIND)) continue;
      const name = place.slice(KIND.length);
      const file = path.join(this.root, name);
      if (path.relative(this.root, file).startsWith('..')) continue;
      this.kept.set(place, {token: this.token(name), restore: this.restorer(file)});
    }
  }

  token(name) {
    const at = attempt(() => this.entry(name));
    return at ? at.token : '';
  }

  restorer(file) {
    const stat = attempt(() => lstatSync(file));
    if (!stat) return () => remove(file);
    if (stat.isDirectory()) {
      return () => {
        const now = attempt(() => lstatSync(file));
        if (now && !now.isDirectory()) remove(file);
        mkdirSync(file, {recursive: true});
      };
    }
    if (stat.isSymbolicLink()) {
      const target = readlinkSync(file);
      return () => {
        remove(file);
        symlinkSync(target, file);
      };
    }
    if (stat.size > MAX_KEPT) return () => { throw new Error('the file is too large'); };
    const content = readFileSync(file);
    return () => {
      const now = attempt(() => lstatSync(file));
      if (now && !now.isFile()) remove(file);
      mkdirSync(path.dirname(file), {recursive: true});
      writeFileSync(file, content);
      chmodSync(file, stat.mode & 0o777);
    };
  }

  /** restore returns the results for these places, as {name, how, problem} of the protocol. */
  restore(places) {
    const results = [];
    for (const place of places) {
      if (!place.startsWith(KIND)) continue;
      const name = place.slice(KIND.length);
      const kept = this.kept.get(place);
      if (!kept) {
        results.push({name: place, how: 'x', problem: 'it is outside of the project'});
      } else if (this.token(name) === kept.token) {
        results.push({name: place, how: 's', problem: ''});
      } else {
        const error = failure(kept.restore);
        const done = !error && this.token(name) === kept.token;
        results.push({name: place, how: done ? 'b' : 'x', problem: done ? '' : error || 'it still holds something else'});
      }
    }
    this.known = this.look();
    return results;
  }
}

function remove(file) {
  if (rmSync) return rmSync(file, {recursive: true, force: true});
  // Before Node 14.
  const stat = attempt(() => lstatSync(file));
  if (!stat) return undefined;
  if (!stat.isDirectory()) return unlinkSync(file);
  for (const name of readdirSync(file)) remove(path.join(file, name));
  return rmdirSync(file);
}

function failure(f) {
  try {
    f();
    return '';
  } catch (error) {
    return String(error && error.message || 'it cannot be written');
  }
}

function attempt(f) {
  try {
    return f();
  } catch {
    return undefined;
  }
}

module.exports = {Files, isFile: place => place.startsWith(KIND)};
