// What a module offers to others.
'use strict';

const { declared } = require('./names.cjs');
const { Source, isFunction } = require('./syntax.cjs');

const isOptional = (parameter) => parameter.type === 'AssignmentPattern' || parameter.type === 'RestElement';

// isFree reports whether a function can be called without arguments.
const isFree = (fn) => fn && isFunction(fn) && fn.params.every(isOptional);

// exported are the functions that a module offers without required parameters, as {name, path}.
// path is a method of what has the name, or ''.
function exported(file, text) {
  const source = new Source(file, text);
  const known = definitions(source.program);
  return source.program.body.flatMap((node) => exportsOf(source, node, known.values))
    .flatMap(([name, value]) => pathsOf(value, known).map((path) => ({ name, path })));
}

// definitions are the values and classes of a module's own names.
function definitions(program) {
  const values = new Map();
  const classes = new Map();
  for (const node of program.body) {
    const n = (/^Export(Named|Default)Declaration$/.test(node.type) && node.declaration) || node;
    if (n.type === 'FunctionDeclaration' && n.id) values.set(n.id.name, n);
    if (n.type === 'ClassDeclaration' && n.id) classes.set(n.id.name, n);
    for (const d of n.type === 'VariableDeclaration' ? n.declarations : []) {
      if (d.id.type === 'Identifier' && d.init) values.set(d.id.name, d.init);
    }
  }
  return { values, classes };
}

// exportsOf are [name, value] of what a statement exports. The name * is all that the module
// offers.
function exportsOf(source, node, values) {
  switch (node.type) {
    case 'ExportNamedDeclaration': {
      const own = node.declaration ? declared(node.declaration).map((name) => [name, values.get(name)]) : [];
      const listed = node.specifiers.filter((s) => s.local)
        .map((s) => [s.exported.name || s.exported.value, values.get(s.local.name)]);
      return [...own, ...listed];
    }
    case 'ExportDefaultDeclaration': return [['default', node.declaration]];
    case 'ExpressionStatement': return assigned(source, node.expression);
    default: return [];
  }
}

// assigned are the exports of module.exports = … and exports.a = ….
function assigned(source, e) {
  if (e.type !== 'AssignmentExpression' || e.left.type !== 'MemberExpression') return [];
  const left = source.code(e.left);
  if (left !== 'module.exports') {
    const m = /^(?:module\.)?exports\.(\w+)$/.exec(left);
    return m ? [[m[1], e.right]] : [];
  }
  if (e.right.type !== 'ObjectExpression') return [['*', e.right]];
  return e.right.properties.flatMap((p) => {
    if (p.type === 'ObjectMethod') return [[p.key.name, p]];
    return p.type === 'ObjectProperty' && p.key.name ? [[p.key.name, p.value]] : [];
  });
}

// pathsOf are the methods of a value that can be called without arguments; '' is the value itself.
function pathsOf(value, { values, classes }) {
  const node = value && value.type === 'Identifier' ? values.get(value.name) : value;
  if (!node) return [];
  if (isFree(node)) return [''];
  if (node.type === 'ObjectExpression') return methodsOfObject(node, values);
  if (node.type !== 'NewExpression' || node.callee.type !== 'Identifier') return [];
  const { name } = node.callee;
  return [...methodsOfClass(classes.get(name)), ...(/^(Map|Set|WeakMap)$/.test(name) ? ['clear'] : [])];
}

function methodsOfObject(node, values) {
  const free = (p) => {
    if (p.type === 'ObjectMethod') return isFree(p);
    if (p.type !== 'ObjectProperty') return false;
    return isFree(p.value.type === 'Identifier' ? values.get(p.value.name) : p.value);
  };
  return node.properties.filter(free).map((p) => p.key.name).filter(Boolean);
}

function methodsOfClass(node) {
  if (!node) return [];
  return node.body.body.filter((m) => m.type === 'ClassMethod' && m.kind === 'method' && isFree(m) && m.key.name)
    .map((m) => m.key.name);
}

module.exports = { exported };
