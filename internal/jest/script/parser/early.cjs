// What runs before the first test of a file: code outside of functions, and functions that it
// calls.
'use strict';

const { calledName, hooks, tests } = require('./kinds.cjs');
const { functionsIn, parameters } = require('./names.cjs');
const { children, isFunction, isType } = require('./syntax.cjs');

// early are the names that code uses while the file is loaded and its tests are declared: not in
// functions, except for those that are called at once, or that calls take. The functions of tests
// and hooks run later.
function early({ program, at }) {
  const out = [];
  const functions = functionsIn(program.body, new Map());
  const called = new Set();
  const walk = (node, key, parent, hidden) => {
    if (isType(node)) return;
    if (isFunction(node)) {
      if (!isUsed(key, parent)) return;
      hidden = new Set([...hidden, ...parameters(node)]);
    }
    const name = calledName(node);
    for (const known of runBy(node, name).map((r) => functions.get(r.name))) {
      if (!known || called.has(known)) continue;
      called.add(known);
      walk(known, 'callee', node, new Set());
    }
    if (/^(JSX)?Identifier$/.test(node.type) && !isLabel(key, parent) && !hidden.has(node.name)) {
      out.push({ name: node.name, at: at(node.start) });
    }
    const later = tests.has(name) || hooks.has(name);
    for (const [k, child] of children(node)) if (!later || !isFunction(child)) walk(child, k, node, hidden);
  };
  walk(program, '', null, new Set());
  return out;
}

// isUsed reports whether what stands there is called, or given to a call.
function isUsed(key, parent) {
  return parent && /^(Call|New)Expression$/.test(parent.type) && (key === 'arguments' || key === 'callee');
}

// isLabel reports whether a name there is that of a member, a property or a declaration.
function isLabel(key, parent) {
  return key === 'id' || (key === 'property' || key === 'key') && !parent.computed;
}

// runBy are the names of the functions that a call runs early: the one that it calls, and those
// given to beforeAll and afterAll.
function runBy(node, name) {
  if (node.type !== 'CallExpression') return [];
  const given = /^(before|after)All$/.test(name) ? node.arguments : [];
  return [node.callee, ...given].filter((n) => n.type === 'Identifier');
}

module.exports = { early };
