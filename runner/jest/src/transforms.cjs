'use strict';
// Keeps what Jest's transformers made of a file, for the other processes of the same job. Jest
// keeps it too, but loads the whole transformer (Babel, TypeScript) to find its own copy. That
// takes more than a third of the time of a process with few tests. A copy is used only for the same
// file, content, options and configuration. The folder is new in each job, so that neither Babel's
// configuration nor a package differs. All working copies of the project share it: a transformer of
// TypeScript that checks types takes seconds for a file. Transformers may also read other files, so
// copies in which files that others import are replaced share nothing with those in which they are
// not.

const {createHash} = require('crypto');
const {existsSync, mkdirSync, readFileSync, renameSync, writeFileSync} = require('fs');
const path = require('path');

const {parse, stringify} = JSON;
const {pid} = process;
const METHODS = ['transformSource', 'transformSourceAsync'];

class Transforms {
  /** root is the working copy of the process. variant is a file that names what is replaced in it. */
  constructor(folder, version, root, variant) {
    this.folder = folder;
    this.root = root;
    this.variant = variant;
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
      const {id, name, ...rest} = config; // those of the configuration are made of its folder
      digest = sum(this.anywhere(stringify(rest, (_, value) => value instanceof RegExp ? `${value}` : value)));
      this.configs.set(config, digest);
    }
    return sum(this.anywhere(stringify([this.fixed, this.replaced(), digest, of])));
  }

  /** replaced names the files that are replaced in the working copy; '' where there are none. */
  replaced() {
    try {
      return this.variant ? readFileSync(this.variant, 'utf8') : '';
    } catch {
      return '';
    }
  }

  /** anywhere is a text without the working copy in which it was made. */
  anywhere(text) {
    return moved(text, inside(this.root), '<root>');
  }

  read(key, content) {
    try {
      const {root, result, original} = parse(readFileSync(path.join(this.folder, key), 'utf8'));
      if (root !== this.root) {
        result.code = moved(result.code, root, this.root);
        if (result.sourceMapPath) result.sourceMapPath = this.ownMap(result.sourceMapPath, root);
      }
      return original ? {...result, originalCode: content} : result;
    } catch {
      return undefined; // nobody has made it yet
    }
  }

  /** ownMap is a source map that leads to the files of this working copy. */
  ownMap(file, root) {
    const own = `${file}.${sum(this.root).slice(0, 16)}`;
    if (!existsSync(own)) replace(own, moved(readFileSync(file, 'utf8'), inside(root), inside(this.root)));
    return own;
  }

  keep(key, made) {
    if (!key || !made || typeof made.code !== 'string') return made;
    const {originalCode, ...result} = made;
    try {
      replace(path.join(this.folder, key), stringify({root: this.root, result, original: originalCode !== undefined}));
    } catch {
      // The next process transforms the file again.
    }
    return made;
  }
}

/** moved is a text with another folder instead of one. A longer name of a folder is another one. */
const moved = (text, from, to) => text.split(from).reduce((done, rest) => done + (/^[\w.-]/.test(rest) ? from : to) + rest);

/** inside is a path as it stands in JSON. */
const inside = root => stringify(root).slice(1, -1);

/** replace writes a file such that a reader sees all of it, or what was there before. */
function replace(file, text) {
  writeFileSync(`${file}.${pid}`, text);
  renameSync(`${file}.${pid}`, file);
}

const sum = text => createHash('sha256').update(text).digest('hex');

module.exports = {Transforms};
