// Parses test files with the Babel that the project's Jest carries, and says where their describe
// blocks, hooks, tests and statements stand. Positions are bytes of UTF-8.
//
// node parse.cjs PARSER reads one JSON object a line and answers each with one. It ends when
// standard input does.
'use strict';
const path = require('path');
const parser = require(process.argv[2]);

const tests = new Set(['it', 'test', 'fit', 'xit', 'xtest']);
const groups = new Set(['describe', 'fdescribe', 'xdescribe']);
const maxCalls = 4; // of functions that call each other
const hooks = new Set(['beforeAll', 'beforeEach', 'afterEach', 'afterAll', 'before', 'after']);

// syntax is what older parsers of Babel read only if they are told to. Newer ones ignore most of it.
const syntax = ['asyncGenerators', 'bigInt', 'classPrivateMethods', 'classPrivateProperties', 'classProperties', 'classStaticBlock',
  'decorators-legacy', 'dynamicImport', 'exportNamespaceFrom', 'importMeta', 'logicalAssignment', 'nullishCoalescingOperator',
  'numericSeparator', 'objectRestSpread', 'optionalCatchBinding', 'optionalChaining', 'privateIn', 'topLevelAwait'];

function parse(file, text) {
  const typed = /\.[cm]?tsx?$/.test(file);
  const common = [...syntax, 'explicitResourceManagement', 'importAttributes'];
  const tries = typed
    ? (/\.[cm]?ts$/.test(file) ? [['typescript'], ['typescript', 'jsx']] : [['typescript', 'jsx']])
    : [['jsx'], ['jsx', 'flow'], ['typescript', 'jsx']];
  let first;
  for (const plugins of tries) {
    for (const more of [common, syntax, ['decorators-legacy'], []]) {
      try {
        return parser.parse(text, {
          sourceType: 'unambiguous', allowReturnOutsideFunction: true, allowAwaitOutsideFunction: true, allowUndeclaredExports: true,
          createParenthesizedExpressions: false, plugins: [...plugins, ...more],
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

const skipped = new Set(['loc', 'start', 'end', 'range', 'leadingComments', 'trailingComments', 'innerComments', 'extra', 'tokens', 'errors', 'comments']);

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

const isType = (node) => /^(TS|Type|Interface|Opaque|Declare)/.test(node.type) && !/^TS(As|Satisfies|NonNull|Instantiation|TypeAssertion|TypeCast)/.test(node.type) && node.type !== 'TypeCastExpression' && node.type !== 'TSExportAssignment';
const isFunction = (node) => /Function|Method$/.test(node.type) && node.type !== 'FunctionTypeAnnotation';

// bound are the names that a pattern binds.
function bound(node, out) {
  if (!node) return out;
  switch (node.type) {
    case 'Identifier': out.push(node.name); break;
    case 'ObjectPattern': node.properties.forEach((p) => bound(p.type === 'RestElement' ? p.argument : p.value, out)); break;
    case 'ArrayPattern': node.elements.forEach((e) => bound(e, out)); break;
    case 'AssignmentPattern': bound(node.left, out); break;
    case 'RestElement': bound(node.argument, out); break;
    case 'TSParameterProperty': bound(node.parameter, out); break;
    default:
  }
  return out;
}

// declared are the names that a statement declares in its own scope.
function declared(node) {
  switch (node.type) {
    case 'VariableDeclaration': return node.declarations.flatMap((d) => bound(d.id, []));
    case 'FunctionDeclaration': case 'ClassDeclaration': case 'TSEnumDeclaration': return node.id ? [node.id.name] : [];
    case 'ImportDeclaration': return node.specifiers.map((s) => s.local.name);
    case 'ExportNamedDeclaration': case 'ExportDefaultDeclaration': return node.declaration ? declared(node.declaration) : [];
    default: return [];
  }
}

// names collects what a node refers to. What it declares inside itself is left out.
function names(root) {
  const uses = new Set();
  const assigns = new Set();
  let awaits = false;
  let self = false;
  let lines = false;
  let returns = false;
  const walk = (node, key, parent, scopes, deep) => {
    if (isType(node)) return;
    let inner = scopes;
    if (isFunction(node)) {
      const own = new Set(node.params.flatMap((p) => bound(p, [])));
      if (node.id && node.type === 'FunctionExpression') own.add(node.id.name);
      inner = [...scopes, own];
      if (node.type !== 'ArrowFunctionExpression') own.add('arguments');
    }
    if (node !== root && (node.type === 'BlockStatement' || node.type === 'StaticBlock')) {
      inner = [...inner, new Set(node.body.flatMap(declared))];
    } else if (node === root && node.type === 'BlockStatement') {
      inner = [...inner, new Set(node.body.flatMap(declared))];
    }
    if (/^For/.test(node.type)) inner = [...inner, new Set(declared(node.init || node.left || {}))];
    if (node.type === 'CatchClause') inner = [...inner, new Set(bound(node.param, []))];
    if (node.type === 'TemplateElement' && node.value.raw.includes('\n')) lines = true;
    const known = (name) => inner.some((s) => s.has(name));
    switch (node.type) {
      case 'Identifier':
      case 'JSXIdentifier':
        if (parent) {
          if ((parent.type === 'MemberExpression' || parent.type === 'OptionalMemberExpression') && key === 'property' && !parent.computed) return;
          if (parent.type === 'JSXMemberExpression' && key === 'property') return;
          if (parent.type === 'JSXAttribute') return;
          if (/^(Object|Class|ClassPrivate)(Property|Method)$/.test(parent.type) && key === 'key' && !parent.computed) return;
          if (/Label|Break|Continue/.test(parent.type)) return;
        }
        if (node.type === 'JSXIdentifier' && /^[a-z]/.test(node.name)) return;
        if (!known(node.name)) uses.add(node.name);
        break;
      case 'AwaitExpression':
        if (!deep) awaits = true;
        break;
      case 'ForOfStatement':
        if (node.await && !deep) awaits = true;
        break;
      case 'ThisExpression':
        if (!deep) self = true;
        break;
      case 'ReturnStatement':
        if (!deep && node !== root) returns = true;
        break;
      case 'AssignmentExpression':
        bound(node.left, []).filter((n) => !known(n)).forEach((n) => assigns.add(n));
        break;
      case 'UpdateExpression':
        if (node.argument.type === 'Identifier' && !known(node.argument.name)) assigns.add(node.argument.name);
        break;
      default:
    }
    for (const [k, child] of children(node)) walk(child, k, node, inner, deep || isFunction(node));
  };
  walk(root, '', null, [], false);
  const own = new Set(declared(root));
  return { uses: [...uses].filter((n) => !own.has(n)), assigns: [...assigns], awaits, self, lines, returns };
}

// callee is the name at the beginning of a call's chain, and the rest: test.each(…) is test, [each].
function callee(node) {
  const rest = [];
  let each = false;
  for (;;) {
    if (node.type === 'MemberExpression' && !node.computed) {
      rest.unshift(node.property.name);
      node = node.object;
    } else if (node.type === 'CallExpression') {
      each = true;
      node = node.callee;
    } else if (node.type === 'TaggedTemplateExpression') {
      each = true;
      node = node.tag;
    } else break;
  }
  return node.type === 'Identifier' ? { name: node.name, rest, each } : { name: '', rest, each };
}

// What these methods of expect change lasts for the file.
const teaches = new Set(['extend', 'addSnapshotSerializer', 'addEqualityTesters']);

// isAssertion reports whether a statement only checks something.
function isAssertion(node) {
  let e = node.type === 'ExpressionStatement' ? node.expression : node.type === 'ReturnStatement' ? node.argument : null;
  if (e && e.type === 'AwaitExpression') e = e.argument;
  if (!e || e.type !== 'CallExpression') return false;
  const c = callee(e.callee);
  return (/^(expect|assert|should)/.test(c.name) && !teaches.has(c.rest[0])) || c.rest.includes('should');
}

// constantTexts are the constants of a file that hold a text, by their names. A name that stands
// for anything else somewhere in the file is none.
function constantTexts(program) {
  const out = new Map();
  const known = (name, value) => out.set(name, value === null || (out.has(name) && out.get(name) !== value) ? '' : value);
  const walk = (node) => {
    if (isType(node)) return;
    for (const d of node.type === 'VariableDeclaration' ? node.declarations : []) {
      if (node.kind === 'const' && d.id.type === 'Identifier') known(d.id.name, textOf(d.init));
      else for (const name of bound(d.id, [])) known(name, null);
    }
    if (isFunction(node)) for (const name of node.params.flatMap((p) => bound(p, []))) known(name, null);
    if (node.type === 'CatchClause') for (const name of bound(node.param, [])) known(name, null);
    if (/^(Function|Class)Declaration$|^Import\w*Specifier$/.test(node.type)) for (const name of bound(node.id || node.local, [])) known(name, null);
    for (const [, child] of children(node)) walk(child);
  };
  walk(program);
  return out;
}

// textOf is the text that literals make, also joined by +; null where it is another value.
function textOf(node) {
  if (!node) return null;
  if (node.type === 'StringLiteral') return node.value;
  if (node.type === 'TemplateLiteral' && !node.expressions.length) return node.quasis[0].value.cooked;
  if (node.type !== 'BinaryExpression' || node.operator !== '+') return null;
  const [left, right] = [textOf(node.left), textOf(node.right)];
  return left === null || right === null ? null : left + right;
}

function outline(file, text) {
  const ast = parse(file, text);
  const at = bytes(text);
  const source = (node) => text.slice(node.start, node.end);
  const escape = (s) => s.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

  const texts = constantTexts(ast.program);

  function title(node, each) {
    if (!node) return { pattern: '.*' };
    let parts = null;
    if (node.type === 'StringLiteral') parts = [node.value];
    else if (node.type === 'NumericLiteral') parts = [String(node.value)];
    else if (node.type === 'TemplateLiteral') parts = node.quasis.flatMap((q, i) => (i ? [null, q.value.cooked] : [q.value.cooked]));
    else if (node.type === 'BinaryExpression' && node.operator === '+') {
      const flat = (n) => (n.type === 'BinaryExpression' && n.operator === '+' ? [...flat(n.left), ...flat(n.right)] : n.type === 'StringLiteral' ? [n.value] : [null]);
      parts = flat(node);
    } else if (node.type === 'MemberExpression' && node.property.name === 'name' && node.object.type === 'Identifier') return { text: node.object.name };
    else if (node.type === 'Identifier' && !each && texts.get(node.name)) return { text: texts.get(node.name) };
    else if (node.type === 'Identifier') return { text: node.name, pattern: '.*' };
    if (!parts) return { pattern: '.*' };
    if (!each && parts.length === 1) return { text: parts[0] };
    let pattern = parts.map((p) => (p === null ? '.*' : escape(p))).join('');
    if (each) pattern = pattern.replace(/%[a-zA-Z#%]|(\\\$)[\w.#]+/g, '.*');
    return { pattern };
  }

  function statement(node) {
    const n = names(node);
    const s = { start: at(node.start), end: at(node.end), type: node.type, declares: declared(node), uses: n.uses, assigns: n.assigns, await: n.awaits, self: n.self, lines: n.lines, returns: n.returns, assertion: isAssertion(node) };
    const [d] = node.type === 'VariableDeclaration' && node.declarations.length === 1 ? node.declarations : [];
    const made = d && d.init && d.init.type === 'AwaitExpression' ? d.init.argument : d && d.init;
    if (made && made.type === 'CallExpression' && d.id.type === 'Identifier') s.call = { start: at(d.init.start), end: at(d.init.end) };
    if (node.type === 'ReturnStatement' && node.argument) {
      s.result = { start: at(node.argument.start), end: at(node.argument.end) };
    }
    const inner = node.type === 'BlockStatement' ? node.body
      : node.type === 'TryStatement' ? [...node.block.body, ...(node.finalizer ? node.finalizer.body : [])]
        : node.type === 'IfStatement' && !node.alternate ? (node.consequent.type === 'BlockStatement' ? node.consequent.body : [node.consequent]) : [];
    if (inner.length) s.inner = inner.map(statement);
    return s;
  }

  function callback(node) {
    const f = { start: at(node.start), end: at(node.end), async: !!node.async, generator: !!node.generator, params: node.params.flatMap((p) => bound(p, [])), parameters: node.params.length };
    const body = node.body;
    if (body.type === 'BlockStatement') {
      f.block = true;
      f.bodyStart = at(body.start) + 1;
      f.bodyEnd = at(body.end) - 1;
      f.statements = body.body.filter((n) => n.type !== 'EmptyStatement').map(statement);
      f.declares = body.body.flatMap(declared);
    } else {
      const paren = body.extra && body.extra.parenthesized;
      let end = body.end;
      if (paren) end = text.indexOf(')', body.end) + 1;
      f.bodyStart = at(paren ? body.extra.parenStart : body.start);
      f.bodyEnd = at(end);
      const s = statement(body);
      s.type = 'ExpressionStatement';
      s.assertion = isAssertion({ type: 'ExpressionStatement', expression: body });
      f.statements = [s];
      f.declares = [];
    }
    return f;
  }

  const functionOf = (args) => args.find((a, i) => i < 3 && a && (a.type === 'ArrowFunctionExpression' || a.type === 'FunctionExpression'));

  const statementsOf = (fn) => (fn.body.type === 'BlockStatement' ? fn.body.body : [{ type: 'ExpressionStatement', expression: fn.body, start: fn.body.start, end: fn.body.end }]);

  // kindOf says what a call with a title and a function makes. A function with another name, such as itInNode, makes a
  // test, or a group if there are tests in it.
  function kindOf(c, name, fn) {
    if (tests.has(c.name)) return 'test';
    if (groups.has(c.name)) return 'group';
    const own = c.name && !hooks.has(c.name) && c.rest.every((r) => /^(each|only|skip|concurrent|failing)$/.test(r));
    if (!own || !fn || !name || !/^(String|Template)Literal$/.test(name.type)) return '';
    return makesTests(fn) ? 'group' : 'test';
  }

  function makesTests(node) {
    if (node.type === 'CallExpression' && (tests.has(callee(node.callee).name) || groups.has(callee(node.callee).name))) return true;
    return children(node).some(([, child]) => makesTests(child));
  }

  // collect finds tests, groups and hooks among statements, also in loops around them, and in functions that they call.
  function collect(nodes, group, many, outer, calls = []) {
    const functions = functionsIn(nodes, outer);
    for (const node of nodes) {
      const lead = node.leadingComments && node.leadingComments.length && text.slice(node.leadingComments[node.leadingComments.length - 1].end, node.start).trim() === '' ? commentStart(node) : node.start;
      for (const d of node.type === 'VariableDeclaration' ? node.declarations : []) variable(node, d, group);
      if (declared(node).length && node.type !== 'ImportDeclaration') group.fields.push(statement(node));
      group.declares.push(...declared(node));
      let e = node.type === 'ExpressionStatement' ? node.expression : null;
      if (e && e.type === 'AwaitExpression') e = e.argument;
      const place = { start: at(node.start), end: at(node.end), lead: at(lead), many };
      if (e && e.type === 'CallExpression') {
        const c = callee(e.callee);
        const fn = functionOf(e.arguments);
        const kind = kindOf(c, e.arguments[0], fn);
        if (kind === 'test') {
          group.children.push({ kind: 'test', title: title(e.arguments[0], c.each), ...place, failing: c.rest.includes('failing'), fn: fn ? callback(fn) : null });
          continue;
        }
        if (kind === 'group' && fn && fn.body.type === 'BlockStatement') {
          const g = { kind: 'group', title: title(e.arguments[0], c.each), ...place, bodyStart: at(fn.body.start) + 1, bodyEnd: at(fn.body.end) - 1, children: [], hooks: [], declares: fn.params.flatMap((p) => bound(p, [])), fields: [], variables: [] };
          group.children.push(g);
          collect(fn.body.body, g, false, functions, calls);
          continue;
        }
        if (hooks.has(c.name)) {
          group.hooks.push({ name: c.name, ...place, fn: fn ? callback(fn) : null });
          continue;
        }
        if (fn) collect(statementsOf(fn), loop(group, place), true, functions, calls); // [..].forEach((x) => it(…))
        const called = c.rest.length || c.each ? null : functions.get(c.name);
        if (called && calls.length < maxCalls && !calls.includes(called)) {
          collect(statementsOf(called), shared(group, place), many, functions, [...calls, called]);
        }
        continue;
      }
      if (/^For|^While/.test(node.type) && node.body.type === 'BlockStatement') collect(node.body.body, loop(group, place), true, functions, calls);
      else if (node.type === 'BlockStatement') collect(node.body, loop(group, place), many, functions, calls);
      else if (node.type === 'IfStatement' && node.consequent.type === 'BlockStatement') collect(node.consequent.body, loop(group, place), many, functions, calls);
    }
  }

  // loop is what a loop around tests adds to its group: its tests, but none of its variables.
  function loop(group, place) {
    return {
      children: { push: (c) => group.children.push({ ...c, start: place.start, lead: place.lead, end: place.end }) }, hooks: group.hooks, declares: [], fields: [], variables: [],
    };
  }

  // shared is what a function that a group calls adds to it: its tests where they are written, as if they began at the call.
  function shared(group, place) {
    return { children: { push: (c) => group.children.push({ ...c, lead: place.lead }) }, hooks: group.hooks, declares: [], fields: [], variables: [] };
  }

  function commentStart(node) {
    let start = node.start;
    for (const c of [...node.leadingComments].reverse()) {
      const between = text.slice(c.end, start);
      if (/\S/.test(between) || /\n\s*\n/.test(between)) break;
      const before = text.slice(text.lastIndexOf('\n', c.start - 1) + 1, c.start);
      if (/\S/.test(before) || c.start < head) break;
      start = c.start;
    }
    return start;
  }

  function variable(node, d, group) {
    if (d.id.type !== 'Identifier') return;
    const v = { name: d.id.name, kind: node.kind, init: d.init ? source(d.init) : '', type: d.init ? uncast(d.init).type : '', start: at(node.start), end: at(node.end), single: node.declarations.length === 1 };
    if (d.id.typeAnnotation) v.typed = source(d.id.typeAnnotation);
    else if (d.init && d.init.type === 'TSAsExpression') v.typed = `: ${source(d.init.typeAnnotation)}`;
    if (d.init && /^(New|Call)Expression$/.test(d.init.type)) {
      const { callee: made } = d.init;
      const generic = d.init.typeParameters || d.init.typeArguments;
      if (isPath(made)) v.made = source(made) + (generic ? source(generic) : '');
    }
    if (d.init) {
      const n = names(d.init);
      v.uses = n.uses;
      v.again = !n.awaits && !n.self && !n.lines && !/\\\r?\n/.test(source(d.init));
      v.initStart = at(d.init.start);
      v.initEnd = at(d.init.end);
    }
    if (d.init && d.init.type === 'NewExpression' && d.init.callee.type === 'Identifier') v.class = d.init.callee.name;
    if (d.init && d.init.type === 'CallExpression') {
      const c = callee(d.init.callee);
      v.class = [c.name, ...c.rest].join('.');
    }
    group.variables.push(v);
  }

  // uncast is an expression without the type that it is given.
  function uncast(node) {
    return /^TS(As|Satisfies|NonNull)Expression$|^TSTypeAssertion$/.test(node.type) ? uncast(node.expression) : node;
  }

  // lastProperty is where the names in braces end: const { a, b } = require(…).
  function lastProperty(id) {
    const last = id.type === 'ObjectPattern' ? id.properties[id.properties.length - 1] : null;
    return last && last.type === 'ObjectProperty' ? at(last.end) : 0;
  }

  // imports are the names that come from other files.
  const imports = [];
  for (const node of ast.program.body) {
    if (node.type === 'ImportDeclaration') {
      const last = node.importKind === 'type' ? null : node.specifiers.filter((s) => s.type === 'ImportSpecifier').pop();
      imports.push({
        start: at(node.start), end: at(node.end), from: node.source.value, quotes: { start: at(node.source.start), end: at(node.source.end) }, esm: true,
        names: node.specifiers.map((s) => ({ local: s.local.name, imported: s.type === 'ImportSpecifier' ? (s.imported.name || s.imported.value) : s.type === 'ImportDefaultSpecifier' ? 'default' : '*' })),
        last: last ? at(last.end) : 0,
      });
    } else if (node.type === 'VariableDeclaration') {
      for (const d of node.declarations) {
        let e = d.init;
        if (e && e.type === 'MemberExpression') e = e.object;
        if (e && e.type === 'CallExpression' && e.callee.name === 'require' && e.arguments[0] && e.arguments[0].type === 'StringLiteral' && node.declarations.length === 1) {
          const whole = e === d.init;
          const list = d.id.type === 'ObjectPattern'
            ? d.id.properties.filter((p) => p.type === 'ObjectProperty' && p.value.type === 'Identifier').map((p) => ({ local: p.value.name, imported: p.key.name || p.key.value }))
            : bound(d.id, []).map((n) => ({ local: n, imported: whole ? '*' : d.init.property.name }));
          imports.push({ start: at(node.start), end: at(node.end), from: e.arguments[0].value, quotes: { start: at(e.arguments[0].start), end: at(e.arguments[0].end) }, esm: false, names: list, last: whole ? lastProperty(d.id) : 0 });
        }
      }
    }
  }
  const head = headOf(text, ast.comments);
  const root = { kind: 'file', start: 0, end: at(text.length), bodyStart: 0, bodyEnd: at(text.length), children: [], hooks: [], declares: [], fields: [], variables: [] };
  collect(ast.program.body, root, false, new Map());
  const written = assignments(ast.program, source);
  const own = new Set(root.declares);
  const globals = names(ast.program).uses.filter((n) => !own.has(n));
  const begins = Math.max(head, ...ast.program.directives.map((d) => d.end));
  return { root, head: at(begins), imports, written, globals, early: early(ast.program, at), ...calls(ast.program, source, at) };
}

// aboutFile are comments that say something of the whole file: a licence, or options of tools.
const aboutFile = /copyright|licen[cs]e|SPDX-|@ts-(no)?check|@flow\b|@file|eslint(?!-disable-(next-)?line)\b|^\W*(globals?|exported|jshint)\s|(istanbul|c8|v8) ignore file/i;

// headOf is where the comments end that stay before all code: a block at the beginning with options
// that Jest reads, and comments about the whole file. A licence may have several lines.
function headOf(text, comments) {
  let head = /^(#!.*)?/.exec(text)[0].length;
  for (let i = 0, end = head; i < comments.length; i++) {
    const first = i;
    if (/\S/.test(text.slice(end, comments[i].start))) break;
    const joined = (a, b) => a.type === 'CommentLine' && b && b.type === 'CommentLine' && /^\r?\n[ \t]*$/.test(text.slice(a.end, b.start));
    while (joined(comments[i], comments[i + 1])) i++;
    const run = comments.slice(first, i + 1);
    const pragmas = first === 0 && run[0].type === 'CommentBlock' && /@\w/.test(run[0].value);
    const options = run.map((c) => aboutFile.test(c.value)).lastIndexOf(true);
    if (options < 0 && !pragmas) break;
    const licence = run.some((c) => /copyright|licen[cs]e|SPDX-/i.test(c.value));
    head = end = (licence || options < 0 ? comments[i] : run[options]).end;
    if (end < comments[i].end) break;
  }
  return head;
}

// isPath reports whether a node is a name, or members of one: browser.storage.get.
const isPath = (node) => node.type === 'Identifier' || (node.type === 'MemberExpression' && !node.computed && isPath(node.object));

// checked is the mock of expect(MOCK).toHaveBeenCalled(), and the like, and of jest.isMockFunction(MOCK).
function checked(node) {
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression' || node.callee.computed) return null;
  const { object, property } = node.callee;
  let of = object.type === 'Identifier' && object.name === 'jest' && property.name === 'isMockFunction' ? node : null;
  if (/Called|Returned/.test(property.name)) {
    of = object.type === 'MemberExpression' ? object.object : object; // expect(…).not
    if (of.type !== 'CallExpression' || of.callee.name !== 'expect') of = null;
  }
  return of && of.arguments.length && isPath(of.arguments[0]) ? of.arguments[0] : null;
}

// keysOf are the names of the properties that an object expression sets.
const keysOf = (node) => node.properties.filter((p) => p.type === 'ObjectProperty' && !p.computed).map((p) => p.key.name || String(p.key.value));

// calls are the calls without arguments in a file, such as cache.clear(), those with one argument that
// may set something, such as configure({mode: 1}), and the mocks whose calls it checks.
function calls(program, source, at) {
  const resets = new Set();
  const setters = new Map();
  const mocks = [];
  const walk = (node) => {
    if (node.type === 'CallExpression' && isPath(node.callee)) {
      const [first] = node.arguments;
      if (!first) resets.add(source(node.callee));
      else if (node.arguments.length === 1) {
        const s = { path: source(node.callee), keys: first.type === 'ObjectExpression' ? keysOf(first) : [], value: /^(String|Numeric|Boolean|Null)Literal$/.test(first.type) ? JSON.stringify(first.value === undefined ? null : first.value) : '' };
        if (s.keys.length || s.value || /(^|\.)set[A-Z]\w*$/.test(s.path)) setters.set(JSON.stringify(s), s);
      }
    }
    const mock = checked(node);
    if (mock) mocks.push({ start: at(node.start), path: source(mock) });
    for (const [, child] of children(node)) walk(child);
  };
  walk(program);
  return { resets: [...resets], setters: [...setters.values()], mocks };
}

// assignments are the members of objects that every file shares which the code assigns, such as
// process.env.MODE and window.innerWidth.
function assignments(program, source) {
  const out = new Set();
  const walk = (node) => {
    if (node.type === 'AssignmentExpression' && node.left.type === 'MemberExpression') out.add(source(node.left));
    if (node.type === 'CallExpression' && node.callee.type === 'MemberExpression' && node.callee.property.name === 'defineProperty') {
      const [object, name] = node.arguments;
      if (object && name && name.type === 'StringLiteral') out.add(source(object) + '.' + name.value);
    }
    for (const [, child] of children(node)) walk(child);
  };
  walk(program);
  return [...out].filter((s) => /^(process\.env|global|globalThis|window|document|navigator)\b[\w.[\]'"]*$/.test(s));
}

// exported are the functions that a module offers without required parameters.
function exported(file, text) {
  const ast = parse(file, text);
  const out = [];
  const free = (f) => f && isFunction(f) && f.params.every((p) => p.type === 'AssignmentPattern' || p.type === 'RestElement');
  const known = new Map();
  const methods = (object) => object.properties.filter((p) => (p.type === 'ObjectMethod' && free(p)) || (p.type === 'ObjectProperty' && (free(p.value) || (p.value.type === 'Identifier' && free(known.get(p.value.name)))))).map((p) => p.key.name).filter(Boolean);
  const classMethods = (c) => (c ? c.body.body.filter((m) => m.type === 'ClassMethod' && m.kind === 'method' && free(m) && m.key.name).map((m) => m.key.name) : []);
  const classes = new Map();
  const top = ast.program.body.map((n) => (n.type === 'ExportNamedDeclaration' && n.declaration ? n.declaration : n.type === 'ExportDefaultDeclaration' ? n.declaration : n));
  for (const n of top) {
    if (n.type === 'FunctionDeclaration' && n.id) known.set(n.id.name, n);
    if (n.type === 'ClassDeclaration' && n.id) classes.set(n.id.name, n);
    if (n.type === 'VariableDeclaration') for (const d of n.declarations) if (d.id.type === 'Identifier' && d.init) known.set(d.id.name, d.init);
  }
  const value = (node) => {
    if (!node) return null;
    if (node.type === 'Identifier') return known.get(node.name) || node;
    return node;
  };
  const add = (name, node) => {
    node = value(node);
    if (!node) return;
    if (free(node)) out.push({ name, path: '' });
    if (node.type === 'ObjectExpression') methods(node).forEach((m) => out.push({ name, path: m }));
    if (node.type === 'NewExpression' && node.callee.type === 'Identifier') {
      const c = node.callee.name;
      classMethods(classes.get(c)).forEach((m) => out.push({ name, path: m }));
      if (/^(Map|Set|WeakMap)$/.test(c)) out.push({ name, path: 'clear' });
    }
  };
  for (const n of ast.program.body) {
    if (n.type === 'ExportNamedDeclaration') {
      if (n.declaration) declared(n.declaration).forEach((name) => add(name, known.get(name)));
      n.specifiers.forEach((s) => s.local && add(s.exported.name || s.exported.value, known.get(s.local.name)));
    } else if (n.type === 'ExportDefaultDeclaration') add('default', n.declaration);
    else if (n.type === 'ExpressionStatement' && n.expression.type === 'AssignmentExpression' && n.expression.left.type === 'MemberExpression') {
      const left = text.slice(n.expression.left.start, n.expression.left.end);
      const right = n.expression.right;
      if (left === 'module.exports' && right.type === 'ObjectExpression') {
        for (const p of right.properties) {
          if (p.type === 'ObjectMethod' && free(p)) out.push({ name: p.key.name, path: '' });
          else if (p.type === 'ObjectProperty' && p.key.name) add(p.key.name, p.value);
        }
      } else if (left === 'module.exports') add('*', right);
      else {
        const m = /^(?:module\.)?exports\.(\w+)$/.exec(left);
        if (m) add(m[1], right);
      }
    }
  }
  return { exported: out };
}

function answer(q) {
  switch (q.op) {
    case 'outline': return outline(q.file, q.text);
    case 'exported': return exported(q.file, q.text);
    case 'waiting': return waiting(q.file, q.text, q.line, q.column, q.end);
    case 'lost': return { lost: lost(q.file, q.text, q.after) };
    case 'snippet': {
      const at = bytes(q.text);
      const ast = parse(q.file, q.text);
      const statements = ast.program.body.map((n) => ({ ...names(n), start: at(n.start), end: at(n.end), declares: declared(n) }));
      return { statements: statements.map((n) => ({ ...n, await: n.awaits })) };
    }
    default: throw new Error('unknown operation ' + q.op);
  }
}

let rest = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk) => {
  rest += chunk;
  for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
    const line = rest.slice(0, end);
    rest = rest.slice(end + 1);
    let out;
    try {
      out = answer(JSON.parse(line));
    } catch (e) {
      out = { error: String((e && e.message) || e) };
    }
    process.stdout.write(JSON.stringify(out) + '\n');
  }
});
process.stdin.on('end', () => process.exit(0));
