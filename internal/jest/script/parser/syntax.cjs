// Sources, and the nodes of their syntax.
'use strict';

const parser = require(process.argv[2]);

// Older parsers of Babel read this only if they are told to. Newer ones ignore most of it.
const syntax = [
  'asyncGenerators', 'bigInt', 'classPrivateMethods', 'classPrivateProperties', 'classProperties', 'classStaticBlock',
  'decorators-legacy', 'dynamicImport', 'exportNamespaceFrom', 'importMeta', 'logicalAssignment',
  'nullishCoalescingOperator', 'numericSeparator', 'objectRestSpread', 'optionalCatchBinding', 'optionalChaining',
  'privateIn', 'topLevelAwait',
];
const common = [...syntax, 'explicitResourceManagement', 'importAttributes'];

// dialects are what a file may be written in, the likeliest first.
function dialects(file) {
  if (/\.[cm]?ts$/.test(file)) return [['typescript'], ['typescript', 'jsx']];
  if (/\.[cm]?tsx$/.test(file)) return [['typescript', 'jsx']];
  return [['jsx'], ['jsx', 'flow'], ['typescript', 'jsx']];
}

function parse(file, text) {
  let first;
  for (const plugins of dialects(file)) {
    for (const more of [common, syntax, ['decorators-legacy'], []]) {
      try {
        return parser.parse(text, {
          sourceType: 'unambiguous', allowReturnOutsideFunction: true, allowAwaitOutsideFunction: true,
          allowUndeclaredExports: true, createParenthesizedExpressions: false, plugins: [...plugins, ...more],
        });
      } catch (e) {
        if (!first || !('pos' in first)) first = e;
      }
    }
  }
  throw first;
}

// bytes turns positions of UTF-16 into positions of UTF-8.
function bytes(text) {
  if (/^[\x00-\x7f]*$/.test(text)) return (at) => at;
  const table = new Uint32Array(text.length + 1);
  let n = 0;
  for (let i = 0; i < text.length; i++) {
    table[i] = n;
    const c = text.charCodeAt(i);
    if (c < 0x80) n += 1;
    else if (c < 0x800) n += 2;
    else if (c >= 0xd800 && c <= 0xdbff && i + 1 < text.length) {
      table[++i] = n;
      n += 4;
    } else n += 3;
  }
  table[text.length] = n;
  return (at) => table[at];
}

// Source is a text and what the parser reads in it.
class Source {
  constructor(file, text) {
    const { program, comments } = parse(file, text);
    this.text = text;
    this.program = program;
    this.comments = comments;
    this.at = bytes(text); // from a position of a node to bytes
  }

  code(node) {
    return this.text.slice(node.start, node.end);
  }

  // range is where a node stands, in bytes.
  range(node) {
    return { start: this.at(node.start), end: this.at(node.end) };
  }
}

const skipped = new Set([
  'loc', 'start', 'end', 'range', 'leadingComments', 'trailingComments', 'innerComments', 'extra', 'tokens', 'errors',
  'comments',
]);

// children are the nodes directly in a node, each with the name of the property that holds it.
function children(node) {
  const out = [];
  for (const key of Object.keys(node)) {
    if (skipped.has(key)) continue;
    const value = node[key];
    if (Array.isArray(value)) {
      for (const v of value) if (v && typeof v.type === 'string') out.push([key, v]);
    } else if (value && typeof value.type === 'string') out.push([key, value]);
  }
  return out;
}

// each calls visit for a node and for all nodes in it, the outer ones first.
function each(node, visit) {
  visit(node);
  for (const [, child] of children(node)) each(child, visit);
}

const typeLike = /^(TS|Type|Interface|Opaque|Declare)/;
// These have a type, and also a value.
const valued = /^TS(As|Satisfies|NonNull|Instantiation|TypeAssertion|TypeCast)|^TypeCastExpression$|^TSExportAssignment$/;

const isType = (node) => typeLike.test(node.type) && !valued.test(node.type);
const isFunction = (node) => /Function|Method$/.test(node.type) && node.type !== 'FunctionTypeAnnotation';
const isMember = (node) => node.type === 'MemberExpression' && !node.computed;

// isPath reports whether a node is a name, or members of one: browser.storage.get.
const isPath = (node) => node.type === 'Identifier' || (isMember(node) && isPath(node.object));

// isText reports whether a node is a text in quotes, also with values in it.
const isText = (node) => /^(String|Template)Literal$/.test(node.type);

module.exports = { Source, children, each, isFunction, isMember, isPath, isText, isType, parse };
