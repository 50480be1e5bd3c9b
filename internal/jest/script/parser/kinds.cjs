// What makes a test, a group or a hook.
'use strict';

const { callee } = require('./names.cjs');
const { children, isFunction, isText } = require('./syntax.cjs');

const tests = new Set(['it', 'test', 'fit', 'xit', 'xtest']);
const groups = new Set(['describe', 'fdescribe', 'xdescribe']);
const hooks = new Set(['beforeAll', 'beforeEach', 'afterEach', 'afterAll', 'before', 'after']);

const isVariant = (name) => /^(each|only|skip|concurrent|failing)$/.test(name);

// calledName is the name at the beginning of a call: test of test.each(…)(…). Other nodes have
// none.
const calledName = (node) => (node.type === 'CallExpression' ? callee(node.callee).name : '');

// kindOf says what a call of c with a title and a function makes. A function with another name,
// such as itInNode, makes a test, or a group if there are tests in it.
function kindOf(c, title, fn) {
  if (tests.has(c.name)) return 'test';
  if (groups.has(c.name)) return 'group';
  if (!c.name || hooks.has(c.name) || !c.rest.every(isVariant)) return '';
  if (!fn || !title || !isText(title)) return '';
  return hasTests(fn) ? 'group' : 'test';
}

function hasTests(node) {
  const name = calledName(node);
  return tests.has(name) || groups.has(name) || children(node).some(([, child]) => hasTests(child));
}

// isTest reports whether a call makes a test, or is a hook, by its name.
function isTest(node) {
  const name = node ? calledName(node) : '';
  return tests.has(name) || hooks.has(name) && isFunction(node.arguments[0] || {});
}

// makesTest reports whether a function is the callback of a test or a hook. A function with another
// name makes a test if the name says so, as itInNode does, its title is a text, and no test is in
// it.
function makesTest(node, fn) {
  if (!node || node.type !== 'CallExpression' || !node.arguments.includes(fn)) return false;
  const c = callee(node.callee);
  const [first] = node.arguments;
  if (isTest(node)) return hooks.has(c.name) === (first === fn);
  const says = /^(it|test|spec)([A-Z_]|$)|(It|Test|Spec)$/.test(c.name) && c.rest.every(isVariant);
  return says && first !== fn && isText(first) && !hasTests(fn);
}

// takesCallback reports whether the last parameter of a test is to be called at its end. Rows of a
// table have parameters, too.
function takesCallback(node, fn) {
  if (!fn.params.length || fn.async) return false;
  const last = fn.params[fn.params.length - 1];
  return !callee(node.callee).each || last.type === 'Identifier' && /^(done|cb|callback|next)$/.test(last.name);
}

module.exports = { calledName, hooks, isTest, kindOf, makesTest, takesCallback, tests };
