// Statements, and the functions of tests and hooks.
'use strict';

const { callee, declared, names, parameters } = require('./names.cjs');
const { Source } = require('./syntax.cjs');

// What these methods of expect change lasts for the file.
const teaches = new Set(['extend', 'addSnapshotSerializer', 'addEqualityTesters']);

const unawaited = (e) => (e && e.type === 'AwaitExpression' ? e.argument : e);

// isAssertion reports whether an expression only checks something.
function isAssertion(expression) {
  const e = unawaited(expression);
  if (!e || e.type !== 'CallExpression') return false;
  const c = callee(e.callee);
  return (/^(expect|assert|should)/.test(c.name) && !teaches.has(c.rest[0])) || c.rest.includes('should');
}

// valueOf is the expression that a statement evaluates or returns.
function valueOf(node) {
  switch (node.type) {
    case 'ExpressionStatement': return node.expression;
    case 'ReturnStatement': return node.argument;
    default: return null;
  }
}

// innerOf are the statements in a block, in try and finally, and in an if without else.
function innerOf(node) {
  switch (node.type) {
    case 'BlockStatement': return node.body;
    case 'TryStatement': return [...node.block.body, ...(node.finalizer ? node.finalizer.body : [])];
    case 'IfStatement':
      if (node.alternate) return [];
      return node.consequent.type === 'BlockStatement' ? node.consequent.body : [node.consequent];
    default: return [];
  }
}

function statement(source, node) {
  const n = names(node);
  const s = {
    ...source.range(node), type: node.type, declares: declared(node), uses: n.uses, assigns: n.assigns, await: n.awaits,
    self: n.self, lines: n.lines, returns: n.returns, assertion: isAssertion(valueOf(node)),
  };
  const [d] = node.type === 'VariableDeclaration' && node.declarations.length === 1 ? node.declarations : [];
  const made = d && unawaited(d.init);
  if (made && made.type === 'CallExpression' && d.id.type === 'Identifier') s.call = source.range(d.init);
  if (node.type === 'ReturnStatement' && node.argument) s.result = source.range(node.argument);
  const inner = innerOf(node);
  if (inner.length) s.inner = inner.map((i) => statement(source, i));
  return s;
}

// callback is the function of a test or hook.
function callback(source, fn) {
  const f = {
    ...source.range(fn), async: !!fn.async, generator: !!fn.generator, params: parameters(fn),
    parameters: fn.params.length,
  };
  return Object.assign(f, fn.body.type === 'BlockStatement' ? blockBody(source, fn.body) : expressionBody(source, fn.body));
}

function blockBody(source, { start, end, body }) {
  return {
    block: true,
    bodyStart: source.at(start) + 1,
    bodyEnd: source.at(end) - 1,
    statements: body.filter((n) => n.type !== 'EmptyStatement').map((n) => statement(source, n)),
    declares: body.flatMap(declared),
  };
}

// expressionBody is the body of a function without braces. It may be in parentheses.
function expressionBody(source, body) {
  const paren = body.extra && body.extra.parenthesized;
  const end = paren ? source.text.indexOf(')', body.end) + 1 : body.end;
  const only = { ...statement(source, body), type: 'ExpressionStatement', assertion: isAssertion(body) };
  return {
    bodyStart: source.at(paren ? body.extra.parenStart : body.start),
    bodyEnd: source.at(end),
    statements: [only],
    declares: [],
  };
}

// snippet are the statements of a text without tests.
function snippet(file, text) {
  const source = new Source(file, text);
  return source.program.body.map((node) => {
    const n = names(node);
    return { ...n, ...source.range(node), declares: declared(node), await: n.awaits };
  });
}

module.exports = { callback, snippet, statement };
