// The titles of tests and groups.
'use strict';

const { bound, parameters } = require('./names.cjs');
const { children, isFunction, isType } = require('./syntax.cjs');

const isSum = (node) => node.type === 'BinaryExpression' && node.operator === '+';

// textOf is the text that literals make, also joined by +; null where it is another value.
function textOf(node) {
  if (!node) return null;
  if (node.type === 'StringLiteral') return node.value;
  if (node.type === 'TemplateLiteral' && !node.expressions.length) return node.quasis[0].value.cooked;
  if (!isSum(node)) return null;
  const [left, right] = [textOf(node.left), textOf(node.right)];
  return left === null || right === null ? null : left + right;
}

// constantTexts are the constants of a file that hold a text, by their names. A name that stands
// for anything else somewhere in the file is none.
function constantTexts(program) {
  const out = new Map();
  const set = (name, text) => {
    out.set(name, text === null || (out.has(name) && out.get(name) !== text) ? '' : text);
  };
  const other = (names) => names.forEach((name) => set(name, null));
  const walk = (node) => {
    if (isType(node)) return;
    for (const d of node.type === 'VariableDeclaration' ? node.declarations : []) {
      if (node.kind === 'const' && d.id.type === 'Identifier') set(d.id.name, textOf(d.init));
      else other(bound(d.id));
    }
    if (isFunction(node)) other(parameters(node));
    if (node.type === 'CatchClause') other(bound(node.param));
    if (/^(Function|Class)Declaration$|^Import\w*Specifier$/.test(node.type)) other(bound(node.id || node.local));
    for (const [, child] of children(node)) walk(child);
  };
  walk(program);
  return out;
}

// summands are the texts that + joins. One that only a run knows is null.
function summands(node) {
  if (isSum(node)) return [...summands(node.left), ...summands(node.right)];
  return [node.type === 'StringLiteral' ? node.value : null];
}

// partsOf are the texts that make a title, with null for what only a run knows between them.
function partsOf(node) {
  switch (node.type) {
    case 'StringLiteral': return [node.value];
    case 'NumericLiteral': return [String(node.value)];
    case 'TemplateLiteral':
      return node.quasis.flatMap((q, i) => (i ? [null, q.value.cooked] : [q.value.cooked]));
    default: return isSum(node) ? summands(node) : null;
  }
}

const escape = (s) => s.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

// titleOf is the text of a title, or a pattern of it. The values of each row go into titles of
// each. texts are the constants of the file.
function titleOf(node, each, texts) {
  if (!node) return { pattern: '.*' };
  if (node.type === 'MemberExpression' && node.property.name === 'name' && node.object.type === 'Identifier') {
    return { text: node.object.name };
  }
  if (node.type === 'Identifier') {
    return !each && texts.get(node.name) ? { text: texts.get(node.name) } : { text: node.name, pattern: '.*' };
  }
  const parts = partsOf(node);
  if (!parts) return { pattern: '.*' };
  if (!each && parts.length === 1) return { text: parts[0] };
  const pattern = parts.map((p) => (p === null ? '.*' : escape(p))).join('');
  return { pattern: each ? pattern.replace(/%[a-zA-Z#%]|(\\\$)[\w.#]+/g, '.*') : pattern };
}

module.exports = { constantTexts, titleOf };
