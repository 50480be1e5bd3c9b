'use strict';
// Lists the calls by which a test file may reset state: functions without required parameters, with
// names such as reset or clear, in what its variables and imports hold. It also lists the imports that
// hold the same object as a variable of another file. It calls no code of the project except getters by
// which a module exports.

const {builtinModules} = require('module');
const {MAX_ELEMENTS, accessor, attempt, datum, exported, getPrototypeOf, importedValues, isMock, isObject, keysOf, types} = require('./values.cjs');

const {apply} = Reflect;
const {toString} = Function.prototype;
const MAX_CALLS = 100;
const MAX_PROTOTYPES = 20;

/** ResetCalls looks at one test file. */
class ResetCalls {
  /** names is the pattern of the names of functions. */
  constructor(state, names) {
    this.state = state;
    this.names = names;
    this.modules = new Set([...state.modules().values()].map(module => datum(module, 'exports')));
    this.found = []; // {block, path}
    this.same = []; // {block, path, file, variable}
    this.holders = holders(state);
    this.known = new Set();
    this.block = []; // the titles of the describe blocks that are looked at
  }

  all() {
    for (const {file, block, variables, imports} of this.state.scopes) {
      if (file !== this.state.test) continue;
      this.block = block;
      for (const name of keysOf(imports)) this.imported(name, ...imports[name]);
      for (const name of keysOf(variables)) if (name !== 'module.exports') this.value(name, name, attempt(variables[name][0]));
    }
    return {calls: this.found, same: this.same};
  }

  imported(variable, get, names, from) {
    const module = attempt(get);
    if (types.isProxy(module) || from === '@jest/globals' || builtinModules.includes(from.replace(/^node:/, ''))) return;
    for (const {path, name, value} of importedValues(variable, module, names)) {
      this.value(path, name, value);
      this.held(path, value);
      if (types.isProxy(value)) continue;
      const isModule = this.modules.has(value) || types.isModuleNamespaceObject(value);
      for (const key of keysOf(value).slice(0, MAX_ELEMENTS)) {
        if (!isName(key)) continue;
        if (isModule) this.methods(`${path}${accessor(key)}`, exported(value, key));
        this.held(`${path}${accessor(key)}`, exported(value, key));
      }
    }
  }

  held(path, value) {
    const holder = isObject(value) && this.holders.get(value);
    if (holder && this.same.length < MAX_CALLS) this.same.push({block: this.block, path, ...holder});
  }

  value(path, name, value) {
    if (!/^_*[A-Z]/.test(name)) this.call(path, name, value); // no class, and no component
    this.methods(path, value);
  }

  methods(path, value) {
    if (!isObject(value) || types.isProxy(value) || isMock(value) || value === this.state.global || this.state.owners.has(value)) return;
    const met = new Set(); // names: a class may replace what it inherits
    let at = value;
    for (let n = 0; n < MAX_PROTOTYPES && isObject(at) && !types.isProxy(at) && !isBuiltin(at); n++, at = getPrototypeOf(at)) {
      const keys = Array.isArray(at) || ArrayBuffer.isView(at) ? [] : keysOf(at).slice(0, MAX_ELEMENTS);
      for (const key of keys) {
        if (!isName(key) || !this.names.test(key) || met.has(key)) continue;
        met.add(key);
        this.call(`${path}${accessor(key)}`, key, exported(at, key));
      }
    }
  }

  call(path, name, fn) {
    const known = JSON.stringify([this.block, path]);
    if (typeof fn !== 'function' || !this.names.test(name) || this.found.length === MAX_CALLS || this.known.has(known)) return;
    if (types.isProxy(fn) || isMock(fn) || datum(fn, 'length') !== 0) return;
    this.known.add(known);
    this.found.push({block: this.block, path});
  }
}

/** holders are the variables of modules other than the test file, by the object that they hold. */
function holders({scopes, test}) {
  const found = new Map();
  for (const {file, block, variables} of scopes) {
    if (file === test || block.length) continue;
    for (const variable of keysOf(variables)) {
      const value = variable === 'module.exports' ? undefined : attempt(variables[variable][0]);
      if (isObject(value) && !types.isProxy(value) && !found.has(value)) found.set(value, {file, variable});
    }
  }
  return found;
}

const isName = key => typeof key === 'string' && /^[A-Za-z_$][\w$]*$/.test(key) && key !== 'constructor' && key !== 'prototype';

/** isBuiltin: the prototype of a class of the language, such as Object.prototype or Map.prototype. */
function isBuiltin(prototype) {
  const constructor = datum(prototype, 'constructor');
  return typeof constructor === 'function' && !types.isProxy(constructor) && /\{\s*\[native code\]\s*\}$/.test(apply(toString, constructor, []));
}

module.exports = {ResetCalls};
