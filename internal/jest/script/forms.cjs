// Continues parse.cjs, in one script with it: the forms of the statements that odfix writes itself. A report
// of somebody else can hold others.
'use strict';
const checking = new Set([...tests, ...groups, ...hooks, 'expect', 'assert']);
const globals = new Set(['global', 'globalThis', 'window', 'self', 'parent', 'top', 'frames']);
const ofJest = new Set(['clearAllMocks', 'resetAllMocks', 'restoreAllMocks', 'useRealTimers', 'clearAllTimers', 'resetModules', 'dontMock']);
const never = new Set(['constructor', '__proto__', 'eval', 'Function', 'Proxy', 'Reflect', 'defaultView', 'expect']);
// What the language has, and checks use. Other methods of it can be replaced by tests, and put back: Date.now, Math.random.
const language = new Set(['Object', 'Array', 'Map', 'Set', 'WeakMap', 'WeakSet', 'Symbol', 'Error', 'Promise', 'RegExp', 'String', 'Number', 'Boolean', 'BigInt', 'JSON']);
const ends = new Set(['exit', 'abort', 'kill', 'reallyExit', 'binding', 'mainModule', 'nextTick']); // of process
const given = new Set(['jest', 'require', 'process', 'module', 'exports', 'Object', ...globals]);

// ours says whether a statement has a form that odfix writes itself, with the functions in it and the
// paths that it calls: it calls, assigns or deletes by an access path, with plain values, and names
// nothing that tests check with.
function ours(statement, text) {
  const functions = [];
  const called = [];
  // path is the names of an access path, without globals at its beginning; null if it is none, or a forbidden one.
  const path = (node) => {
    const names = parts(node);
    while (names && names.length > 1 && globals.has(names[0])) names.shift();
    return names && !checking.has(names[0]) && !names.some((n) => never.has(n)) ? names : null;
  };
  const parts = (node) => {
    if (node.type === 'Identifier') return [node.name];
    if (node.type === 'CallExpression' && text.slice(node.start, node.end) === "require('fs')") return ['fs'];
    if (node.type !== 'MemberExpression' || (node.computed && !/^(String|Numeric)Literal$/.test(node.property.type))) return null;
    const of = parts(node.object);
    return of && [...of, node.computed ? String(node.property.value) : node.property.name];
  };
  const plain = (node) => {
    switch (node.type) {
      case 'StringLiteral': case 'NumericLiteral': case 'BooleanLiteral': case 'NullLiteral': case 'BigIntLiteral': case 'RegExpLiteral': return true;
      case 'TemplateLiteral': return !node.expressions.length && !node.quasis[0].value.raw.includes('\n');
      case 'UnaryExpression': return /^([-+!]|void)$/.test(node.operator) && plain(node.argument);
      case 'ArrayExpression': return node.elements.every((e) => e && plain(e));
      case 'ObjectExpression': return node.properties.every((p) => {
        if (p.type === 'ObjectMethod') return functions.push(text.slice(p.start, p.end)) > 0;
        return p.type === 'ObjectProperty' && !p.computed && plain(p.value);
      });
      case 'NewExpression': return value(node.callee) && node.arguments.every(plain);
      case 'ArrowFunctionExpression': case 'FunctionExpression': return functions.push(text.slice(node.start, node.end)) > 0;
      default: return value(node);
    }
  };
  const value = (node) => {
    const names = path(node);
    return !!names && !given.has(names[0] === 'process' && names[1] === 'env' ? 'env' : names[0]);
  };
  const call = (node) => {
    if (node.type !== 'CallExpression' || !node.arguments.every(plain)) return false;
    const { object, property, computed } = node.callee;
    const chained = node.callee.type === 'MemberExpression' && !computed && object.type === 'CallExpression';
    if (chained && /^mock(Clear|Reset|Restore|Implementation|ReturnValue|ResolvedValue)$/.test(property.name)) return call(object); // mock.mockReset().mockImplementation(…)
    const to = path(node.callee);
    if (!to) return false;
    called.push(to.join('.'));
    if (to[to.length - 1] === 'rmSync' && !inside(node.arguments[0])) return false;
    if (to[0] !== 'jest' && to.length > 2 && /^mock(Clear|Reset|Restore)$/.test(to[to.length - 1])) return true; // process.exit.mockRestore()
    switch (to[0]) {
      case 'jest': return to.length === 2 && ofJest.has(to[1]);
      case 'process': return to.length === 2 && to[1] === 'removeAllListeners';
      case 'fs': return to.length === 2 && to[1] === 'rmSync';
      default: return !given.has(to[0]);
    }
  };
  // inside says whether a literal is a path of a file below the folder in which tests run.
  const inside = (node) => !!node && node.type === 'StringLiteral' && !/^([\\/~]|\w:)|(^|[\\/])(\.\.|\.git)([\\/]|$)/.test(node.value);
  // target is what may be assigned or deleted.
  const target = (node) => {
    const to = path(node);
    return !!to && !(to[0] === 'process' && ends.has(to[1])) && !/^(jest|require|module|exports)$/.test(to[0]) && !language.has(to[0]) && (to.length > 1 || !given.has(to[0]));
  };
  const expression = (node) => {
    switch (node.type) {
      case 'AwaitExpression': return expression(node.argument);
      case 'AssignmentExpression': return node.operator === '=' && target(node.left) && plain(node.right);
      case 'UnaryExpression': return node.operator === 'delete' && node.argument.type === 'MemberExpression' && target(node.argument);
      default: return call(node);
    }
  };
  const allowed = (node) => {
    switch (node.type) {
      case 'ExpressionStatement': return expression(node.expression);
      case 'IfStatement': { // whether an environment variable had a value before the test
        const of = /^if \((\w+) === undefined\) \{\s*delete (process\.env\.\w+);?\s*\} else \{\s*(process\.env\.\w+) = (\w+);?\s*\}$/.exec(text.trim());
        return !!of && of[1] === of[4] && of[2] === of[3];
      }
      default: return false;
    }
  };
  return { ours: allowed(statement), functions, called };
}
