// The names that a file takes from others.
'use strict';

const { bound } = require('./names.cjs');

// requireIn is the call of require('…') that an expression is; null if it is another one.
function requireIn(e) {
  const is = e && e.type === 'CallExpression' && e.callee.name === 'require' && e.arguments[0];
  return is && is.type === 'StringLiteral' ? e : null;
}

// importsOf are {start, end, from, quotes, esm, names, last} of the imports and calls of require.
// quotes is where the path stands, and last is where the last name in braces ends, or 0.
function importsOf(source) {
  return source.program.body.flatMap((node) => {
    if (node.type === 'ImportDeclaration') return [imported(source, node)];
    return node.type === 'VariableDeclaration' && node.declarations.length === 1 ? required(source, node) : [];
  });
}

function imported(source, node) {
  const braces = node.importKind === 'type' ? [] : node.specifiers.filter((s) => s.type === 'ImportSpecifier');
  return {
    ...source.range(node), from: node.source.value, quotes: source.range(node.source), esm: true,
    names: node.specifiers.map((s) => ({ local: s.local.name, imported: importedName(s) })),
    last: braces.length ? source.at(braces[braces.length - 1].end) : 0,
  };
}

function importedName(specifier) {
  switch (specifier.type) {
    case 'ImportSpecifier': return specifier.imported.name || specifier.imported.value;
    case 'ImportDefaultSpecifier': return 'default';
    default: return '*';
  }
}

// required is const x = require('…'), const {a, b} = require('…') or const x = require('…').x.
function required(source, node) {
  const [{ id, init }] = node.declarations;
  const whole = requireIn(init);
  const call = whole || (init && init.type === 'MemberExpression' ? requireIn(init.object) : null);
  if (!call) return [];
  const [path] = call.arguments;
  const names = id.type === 'ObjectPattern'
    ? id.properties.filter((p) => p.type === 'ObjectProperty' && p.value.type === 'Identifier')
      .map((p) => ({ local: p.value.name, imported: p.key.name || p.key.value }))
    : bound(id).map((n) => ({ local: n, imported: whole ? '*' : init.property.name }));
  return [{
    ...source.range(node), from: path.value, quotes: source.range(path), esm: false, names,
    last: whole ? lastProperty(source, id) : 0,
  }];
}

// lastProperty is where the names in braces end: const { a, b } = require(…).
function lastProperty(source, id) {
  const last = id.type === 'ObjectPattern' ? id.properties[id.properties.length - 1] : null;
  return last && last.type === 'ObjectProperty' ? source.at(last.end) : 0;
}

module.exports = { importsOf, requireIn };
