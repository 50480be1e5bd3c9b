// Expressions that begin something, and what stands around them.
'use strict';

const { children, isFunction, isMember } = require('./syntax.cjs');

const isCall = (node) => /^(Optional)?CallExpression$|^NewExpression$/.test(node.type);
const memberLike = /^(Optional)?MemberExpression$/;

// pathTo are the nodes around a position, the outermost first.
function pathTo(node, position) {
  const inner = children(node).map(([, child]) => child).find((child) => child.start <= position && position < child.end);
  return inner ? [node, ...pathTo(inner, position)] : [node];
}

// chain is the innermost call of a path, with what is called on its value: f() of g(f()), and the
// whole of f().then(g).
function chain(path) {
  let i = path.length - 1;
  while (i >= 0 && !isCall(path[i])) i--;
  if (i < 0) return null;
  const isCallOf = (at) => path[at] && path[at + 1] && isCall(path[at]) && path[at].callee === path[at + 1] &&
    memberLike.test(path[at + 1].type) && path[at + 1].object === path[at + 2];
  while (isCallOf(i - 2)) i -= 2;
  return path[i];
}

// isLoop reports whether a call begins something for each element, and returns nothing:
// list.forEach(async (x) => …).
function isLoop(call) {
  const [first] = call.arguments;
  const { callee: of } = call;
  return memberLike.test(of.type) && !of.computed && of.property.name === 'forEach' && first && isFunction(first) && first.async;
}

// settles reports whether an expectation waits for a promise: expect(p).resolves.toBe(1).
function settles(e) {
  if (e.type !== 'CallExpression') return false;
  let settled = false;
  let n = e.callee;
  for (; n.type === 'MemberExpression' || n.type === 'CallExpression'; n = n.object || n.callee) {
    if (n.type === 'MemberExpression' && /^(resolves|rejects)$/.test(n.property.name)) settled = true;
  }
  return settled && n.type === 'Identifier' && n.name === 'expect';
}

// comesFirst reports whether nothing that could matter runs before a call in its statement: it is
// what another call works on, or its first argument, as in expect(call).toBe(1). path leads to the
// call.
function comesFirst(path, call) {
  return path.every((node, i) => {
    const inner = i + 1 < path.length ? path[i + 1] : call;
    switch (node.type) {
      case 'ExpressionStatement': case 'VariableDeclaration': case 'TSAsExpression': case 'TSNonNullExpression': return true;
      case 'VariableDeclarator': return node.init === inner;
      case 'CallExpression': return node.callee === inner || node.arguments[0] === inner && isName(node.callee);
      case 'MemberExpression': return node.object === inner;
      default: return false;
    }
  });
}

// isName reports whether an expression is a name, this, or a path of names from there.
function isName(node) {
  return node.type === 'Identifier' || node.type === 'ThisExpression' || isMember(node) && isName(node.object);
}

module.exports = { chain, comesFirst, isLoop, isName, pathTo, settles };
