// The variables of a file or group.
'use strict';

const { callee, names } = require('./names.cjs');
const { isPath } = require('./syntax.cjs');

// uncast is an expression without the type that it is given.
function uncast(node) {
  return /^TS(As|Satisfies|NonNull)Expression$|^TSTypeAssertion$/.test(node.type) ? uncast(node.expression) : node;
}

// variablesOf are the variables that a statement declares, without those in patterns.
function variablesOf(source, node) {
  if (node.type !== 'VariableDeclaration') return [];
  return node.declarations.filter((d) => d.id.type === 'Identifier').map((d) => variable(source, node, d));
}

function variable(source, node, { id, init }) {
  const v = {
    name: id.name, kind: node.kind, init: init ? source.code(init) : '', type: init ? uncast(init).type : '',
    ...source.range(node), single: node.declarations.length === 1,
  };
  if (id.typeAnnotation) v.typed = source.code(id.typeAnnotation);
  else if (init && init.type === 'TSAsExpression') v.typed = `: ${source.code(init.typeAnnotation)}`;
  return init ? Object.assign(v, initial(source, init)) : v;
}

// initial says how the first value of a variable is made.
function initial(source, init) {
  const v = {};
  const constructs = init.type === 'NewExpression';
  const calls = init.type === 'CallExpression';
  if ((constructs || calls) && isPath(init.callee)) {
    const generic = init.typeParameters || init.typeArguments;
    v.made = source.code(init.callee) + (generic ? source.code(generic) : '');
  }
  const n = names(init);
  v.uses = n.uses;
  v.again = !n.awaits && !n.self && !n.lines && !/\\\r?\n/.test(source.code(init));
  v.initStart = source.at(init.start);
  v.initEnd = source.at(init.end);
  if (constructs && init.callee.type === 'Identifier') v.class = init.callee.name;
  if (calls) {
    const c = callee(init.callee);
    v.class = [c.name, ...c.rest].join('.');
  }
  return v;
}

module.exports = { variablesOf };
