// Calls and assignments that may change state, and checks of it, anywhere in a file.
'use strict';

const { each, isMember, isPath } = require('./syntax.cjs');

// checked is the mock of expect(MOCK).toHaveBeenCalled(), and the like, and of
// jest.isMockFunction(MOCK).
function checked(node) {
  if (node.type !== 'CallExpression' || !isMember(node.callee)) return null;
  const { object, property } = node.callee;
  let of = object.type === 'Identifier' && object.name === 'jest' && property.name === 'isMockFunction' ? node : null;
  if (/Called|Returned/.test(property.name)) {
    of = object.type === 'MemberExpression' ? object.object : object; // expect(…).not
    if (of.type !== 'CallExpression' || of.callee.name !== 'expect') of = null;
  }
  return of && of.arguments.length && isPath(of.arguments[0]) ? of.arguments[0] : null;
}

// keysOf are the names of the properties that an object expression sets.
function keysOf(node) {
  if (node.type !== 'ObjectExpression') return [];
  return node.properties.filter((p) => p.type === 'ObjectProperty' && !p.computed).map((p) => p.key.name || String(p.key.value));
}

// literalOf is the JSON of a literal; '' for other values.
function literalOf(node) {
  if (!/^(String|Numeric|Boolean|Null)Literal$/.test(node.type)) return '';
  return JSON.stringify(node.value === undefined ? null : node.value);
}

// callsIn are the calls without arguments in a file, such as cache.clear(), those with one argument
// that may set something, such as configure({mode: 1}), and the mocks whose calls it checks.
function callsIn(source) {
  const resets = new Set();
  const setters = new Map();
  const mocks = [];
  each(source.program, (node) => {
    if (node.type === 'CallExpression' && isPath(node.callee)) {
      const path = source.code(node.callee);
      const [first, ...more] = node.arguments;
      if (!first) resets.add(path);
      else if (!more.length) {
        const s = { path, keys: keysOf(first), value: literalOf(first) };
        if (s.keys.length || s.value || /(^|\.)set[A-Z]\w*$/.test(path)) setters.set(JSON.stringify(s), s);
      }
    }
    const mock = checked(node);
    if (mock) mocks.push({ start: source.at(node.start), path: source.code(mock) });
  });
  return { resets: [...resets], setters: [...setters.values()], mocks };
}

// assignmentsIn are the members of objects that every file shares which the code assigns, such as
// process.env.MODE and window.innerWidth.
function assignmentsIn(source) {
  const out = new Set();
  each(source.program, (node) => {
    if (node.type === 'AssignmentExpression' && node.left.type === 'MemberExpression') out.add(source.code(node.left));
    if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return;
    if (node.callee.property.name !== 'defineProperty') return;
    const [object, name] = node.arguments;
    if (object && name && name.type === 'StringLiteral') out.add(source.code(object) + '.' + name.value);
  });
  return [...out].filter((s) => /^(process\.env|global|globalThis|window|document|navigator)\b[\w.[\]'"]*$/.test(s));
}

module.exports = { assignmentsIn, callsIn };
