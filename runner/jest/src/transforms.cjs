'use strict';
// Keeps what Jest's transformers made of a file, for the other processes of the same job. Jest keeps
// it too, but loads the whole transformer (Babel, TypeScript) to find its own copy. That takes
// more than a third of the time of a process with few tests. A copy is used only for the same file,
// content, options and configuration. The folder is new in each job, so that neither Babel's
// configuration nor a package differs.

const {createHash} = require('crypto');
const {mkdirSync, readFileSync, renameSync, writeFileSync} = require('fs');
const path = require('path');

const {parse, stringify} = JSON;
const {pid} = process;
const METHODS = ['transformSource', 'transformSourceAsync'];

class Transforms {
  constructor(folder, version) {
    this.folder = folder;
    this.fixed = [version, process.version, process.env.NODE_ENV || '', process.env.BABEL_ENV || ''];
    this.configs = new WeakMap(); // digests of configurations
    mkdirSync(folder, {recursive: true});
  }

  /** install wraps the methods of Jest's ScriptTransformer that transform a file. */
  install(transformer) {
    const transforms = this;
    for (const method of METHODS) {
      const original = transformer[method];
      if (!original) continue;
      const isAsync = method.endsWith('Async');
      transformer[method] = function (file, content, ...options) {
        const key = transforms.keyOf(this._config, method, file, content, options);
        const known = key && transforms.read(key, content);
        if (known) return isAsync ? Promise.resolve(known) : known;
        const made = original.call(this, file, content, ...options);
        if (!isAsync) return transforms.keep(key, made);
        return made.then(result => transforms.keep(key, result));
      };
    }
  }

  /** keyOf names the copy; '' where none is kept. */
  keyOf(config, ...of) {
    if (!config || !config.cache) return '';
    let digest = this.configs.get(config);
    if (!digest) {
      digest = sum(stringify(config, (_, value) => value instanceof RegExp ? `${value}` : value));
      this.configs.set(config, digest);
    }
    return sum(stringify([this.fixed, digest, of]));
  }

  read(key, content) {
    try {
      const {result, original} = parse(readFileSync(path.join(this.folder, key), 'utf8'));
      return original ? {...result, originalCode: content} : result;
    } catch {
      return undefined; // nobody has made it yet
    }
  }

  keep(key, made) {
    if (!key || !made || typeof made.code !== 'string') return made;
    const {originalCode, ...result} = made;
    try {
      const file = path.join(this.folder, key);
      writeFileSync(`${file}.${pid}`, stringify({result, original: originalCode !== undefined}));
      renameSync(`${file}.${pid}`, file);
    } catch {
      // The next process transforms the file again.
    }
    return made;
  }
}

const sum = text => createHash('sha256').update(text).digest('hex');

module.exports = {Transforms};
