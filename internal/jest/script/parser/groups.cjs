// The groups, tests and hooks of a test file.
'use strict';

const { leadOf } = require('./comments.cjs');
const { hooks, kindOf } = require('./kinds.cjs');
const { callee, declared, functionsIn, parameters } = require('./names.cjs');
const { callback, statement } = require('./statements.cjs');
const { constantTexts, titleOf } = require('./titles.cjs');
const { variablesOf } = require('./variables.cjs');

const maxCalls = 4; // of functions that call each other

const empty = () => ({ children: [], hooks: [], declares: [], fields: [], variables: [] });

// rootOf is the file as a group. head is where its head ends (comments.cjs).
function rootOf(source, head) {
  const whole = source.range({ start: 0, end: source.text.length });
  const root = { kind: 'file', ...whole, bodyStart: whole.start, bodyEnd: whole.end, ...empty() };
  const file = { source, head, texts: constantTexts(source.program) };
  collect(file, source.program.body, root, { many: false, functions: new Map(), calls: [] });
  return root;
}

// collect adds the tests, groups, hooks and variables among statements to a group, also those in
// loops, and those in functions that are called. around is {many, functions, calls}: whether a loop
// is around, the functions that can be called, and those that are being called.
function collect(file, nodes, group, around) {
  const { source } = file;
  const inside = { ...around, functions: functionsIn(nodes, around.functions) };
  for (const node of nodes) {
    group.variables.push(...variablesOf(source, node));
    const names = declared(node);
    if (names.length && node.type !== 'ImportDeclaration') group.fields.push(statement(source, node));
    group.declares.push(...names);
    const place = { ...source.range(node), lead: source.at(leadOf(source, file.head, node)), many: around.many };
    const call = callIn(node);
    if (call) collectCall(file, call, place, group, inside);
    else collectLoop(file, node, place, group, inside);
  }
}

// callIn is the call that a statement is, with or without await.
function callIn(node) {
  let e = node.type === 'ExpressionStatement' ? node.expression : null;
  if (e && e.type === 'AwaitExpression') e = e.argument;
  return e && e.type === 'CallExpression' ? e : null;
}

function collectCall(file, call, place, group, around) {
  const { source, texts } = file;
  const [first] = call.arguments;
  const c = callee(call.callee);
  const fn = functionOf(call.arguments);
  const kind = kindOf(c, first, fn);
  const run = () => (fn ? callback(source, fn) : null);
  if (kind === 'test') {
    const title = titleOf(first, c.each, texts);
    group.children.push({ kind, title, ...place, failing: c.rest.includes('failing'), fn: run() });
  } else if (kind === 'group' && fn && fn.body.type === 'BlockStatement') {
    const { body } = fn;
    const g = {
      kind, title: titleOf(first, c.each, texts), ...place, bodyStart: source.at(body.start) + 1,
      bodyEnd: source.at(body.end) - 1, ...empty(), declares: parameters(fn),
    };
    group.children.push(g);
    collect(file, body.body, g, { ...around, many: false });
  } else if (hooks.has(c.name)) {
    group.hooks.push({ name: c.name, ...place, fn: run() });
  } else {
    if (fn) collect(file, statementsOf(fn), loop(group, place), { ...around, many: true }); // [..].forEach((x) => it(…))
    const called = c.rest.length || c.each ? null : around.functions.get(c.name);
    if (called && around.calls.length < maxCalls && !around.calls.includes(called)) {
      collect(file, statementsOf(called), shared(group, place), { ...around, calls: [...around.calls, called] });
    }
  }
}

// collectLoop looks into a loop, a block or an if.
function collectLoop(file, node, place, group, around) {
  const into = loop(group, place);
  if (/^For|^While/.test(node.type) && node.body.type === 'BlockStatement') {
    collect(file, node.body.body, into, { ...around, many: true });
  } else if (node.type === 'BlockStatement') {
    collect(file, node.body, into, around);
  } else if (node.type === 'IfStatement' && node.consequent.type === 'BlockStatement') {
    collect(file, node.consequent.body, into, around);
  }
}

// loop is what a loop around tests adds to its group: its tests, but none of its variables.
function loop(group, { start, lead, end }) {
  const push = (c) => group.children.push({ ...c, start, lead, end });
  return { ...empty(), children: { push }, hooks: group.hooks };
}

// shared is what a function that a group calls adds to it: its tests where they are written, as if
// they began at the call.
function shared(group, { lead }) {
  const push = (c) => group.children.push({ ...c, lead });
  return { ...empty(), children: { push }, hooks: group.hooks };
}

// functionOf is the function among the first arguments of a call.
function functionOf(args) {
  return args.slice(0, 3).find((a) => a && /^(Arrow)?FunctionExpression$/.test(a.type));
}

function statementsOf({ body }) {
  if (body.type === 'BlockStatement') return body.body;
  return [{ type: 'ExpressionStatement', expression: body, start: body.start, end: body.end }];
}

module.exports = { rootOf };
