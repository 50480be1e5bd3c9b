'use strict';
// The modules of Node, which tests share with the process: what a test replaces in them stays
// replaced for the next file, and for the next order.

const {getOwnPropertyDescriptor, ownKeys, defineProperty} = Reflect;

const NAMES = ['fs', 'fs/promises', 'path', 'os', 'child_process', 'http', 'https', 'net', 'crypto', 'util', 'dns', 'timers'];

/** properties lists them as {name, owner, key, descriptor}. */
function properties() {
  const list = [];
  for (const name of NAMES) {
    const owner = require(name);
    for (const key of ownKeys(owner)) {
      if (typeof key === 'string') list.push({name: `core ${name}.${key}`, owner, key, descriptor: getOwnPropertyDescriptor(owner, key)});
    }
  }
  return list;
}

const original = properties();

/** reset restores every property that was replaced. */
function reset() {
  for (const {owner, key, descriptor} of original) {
    const now = getOwnPropertyDescriptor(owner, key);
    const same = now && now.value === descriptor.value && now.get === descriptor.get && now.set === descriptor.set;
    if (!same && (!now || now.configurable || now.writable)) defineProperty(owner, key, descriptor);
  }
}

module.exports = {original, reset};
