// Continues parse.cjs, in one script with it: the forms of the statements that odfix writes itself. A report
// of somebody else can hold others.
'use strict';
const checking = new Set([...tests, ...groups, ...hooks, 'expect', 'assert']);
const globals = new Set(['global', 'globalThis', 'window', 'self']);
const ofJest = new Set(['clearAllMocks', 'resetAllMocks', 'restoreAllMocks', 'useRealTimers', 'clearAllTimers', 'resetModules', 'dontMock']);

// ours says whether a statement has a form that odfix writes itself, with the functions in it: it calls,
// assigns or deletes by an access path, with plain values, and changes nothing that tests check with.
function ours(statement, text) {
  const functions = [];
  const named = (key) => (key.type === 'StringLiteral' ? key.value : key.name);
  const path = (node) => {
    if (node.type === 'Identifier') return checking.has(node.name) ? null : [node.name];
    if (node.type === 'CallExpression' && text.slice(node.start, node.end) === "require('fs')") return ['fs'];
    if (node.type !== 'MemberExpression' || (node.computed && !/^(String|Numeric)Literal$/.test(node.property.type))) return null;
    const of = path(node.object);
    const name = named(node.property);
    return !of || name === 'constructor' || (of.length === 1 && globals.has(of[0]) && checking.has(name)) ? null : [...of, name];
  };
  const plain = (node) => {
    switch (node.type) {
      case 'StringLiteral': case 'NumericLiteral': case 'BooleanLiteral': case 'NullLiteral': case 'BigIntLiteral': case 'RegExpLiteral': return true;
      case 'TemplateLiteral': return !node.expressions.length && !node.quasis[0].value.raw.includes('\n');
      case 'UnaryExpression': return plain(node.argument);
      case 'ArrayExpression': return node.elements.every((e) => e && plain(e));
      case 'ObjectExpression': return node.properties.every((p) => {
        if (p.type === 'ObjectMethod') return functions.push(text.slice(p.start, p.end)) > 0;
        return p.type === 'ObjectProperty' && !p.computed && plain(p.value);
      });
      case 'NewExpression': return !!path(node.callee) && !/^(Function|Proxy)$/.test(node.callee.name) && node.arguments.every(plain);
      case 'ArrowFunctionExpression': case 'FunctionExpression': return functions.push(text.slice(node.start, node.end)) > 0;
      default: return !!path(node);
    }
  };
  const call = (node) => {
    if (node.type !== 'CallExpression' || !node.arguments.every(plain)) return false;
    const { object, property, computed } = node.callee;
    const chained = node.callee.type === 'MemberExpression' && !computed && object.type === 'CallExpression';
    if (chained && /^mock/.test(property.name)) return call(object); // mock.mockReset().mockImplementation(…)
    const to = path(node.callee);
    if (!to || /^(require|eval|Function|Object|Reflect)$/.test(to[0])) return false;
    if (to[0] === 'jest') return to.length === 2 && ofJest.has(to[1]);
    return to[0] !== 'process' || (to.length === 2 && to[1] === 'removeAllListeners');
  };
  const expression = (node) => {
    switch (node.type) {
      case 'AwaitExpression': return expression(node.argument);
      case 'AssignmentExpression': return node.operator === '=' && !!path(node.left) && plain(node.right);
      case 'UnaryExpression': return node.operator === 'delete' && node.argument.type === 'MemberExpression' && !!path(node.argument);
      default: return call(node);
    }
  };
  const allowed = (node) => {
    switch (node.type) {
      case 'ExpressionStatement': return expression(node.expression);
      case 'BlockStatement': return node.body.length > 0 && !node.directives.length && node.body.every(allowed);
      case 'IfStatement': {
        const compares = node.test.type === 'BinaryExpression' && plain(node.test.left) && plain(node.test.right);
        return compares && allowed(node.consequent) && (!node.alternate || allowed(node.alternate));
      }
      default: return false;
    }
  };
  return { ours: allowed(statement), functions };
}
