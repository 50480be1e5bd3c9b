// The names that code declares, and those that it refers to.
'use strict';

const { children, isFunction, isMember, isType } = require('./syntax.cjs');

// bound are the names that a pattern binds.
function bound(node, out = []) {
  if (!node) return out;
  switch (node.type) {
    case 'Identifier': out.push(node.name); break;
    case 'ObjectPattern':
      node.properties.forEach((p) => bound(p.type === 'RestElement' ? p.argument : p.value, out));
      break;
    case 'ArrayPattern': node.elements.forEach((e) => bound(e, out)); break;
    case 'AssignmentPattern': bound(node.left, out); break;
    case 'RestElement': bound(node.argument, out); break;
    case 'TSParameterProperty': bound(node.parameter, out); break;
    default:
  }
  return out;
}

// parameters are the names of a function's parameters.
const parameters = (fn) => fn.params.flatMap((p) => bound(p));

// declared are the names that a statement declares in its own scope.
function declared(node) {
  switch (node.type) {
    case 'VariableDeclaration': return node.declarations.flatMap((d) => bound(d.id));
    case 'FunctionDeclaration': case 'ClassDeclaration': case 'TSEnumDeclaration': return node.id ? [node.id.name] : [];
    case 'ImportDeclaration': return node.specifiers.map((s) => s.local.name);
    case 'ExportNamedDeclaration': case 'ExportDefaultDeclaration':
      return node.declaration ? declared(node.declaration) : [];
    default: return [];
  }
}

// declaredIn are the names that a node declares for what is inside it.
function declaredIn(node) {
  if (isFunction(node)) {
    const own = parameters(node);
    if (node.id && node.type === 'FunctionExpression') own.push(node.id.name);
    if (node.type !== 'ArrowFunctionExpression') own.push('arguments');
    return own;
  }
  if (node.type === 'BlockStatement' || node.type === 'StaticBlock') return node.body.flatMap(declared);
  if (/^For/.test(node.type)) return declared(node.init || node.left || {});
  return node.type === 'CatchClause' ? bound(node.param) : [];
}

// isReference reports whether a name refers to something that has this name: others are the names
// of members, properties, attributes, labels and of elements of HTML.
function isReference(node, key, parent) {
  if (parent) {
    if (/^(Optional)?MemberExpression$/.test(parent.type) && key === 'property' && !parent.computed) return false;
    if (parent.type === 'JSXMemberExpression' && key === 'property') return false;
    if (parent.type === 'JSXAttribute') return false;
    if (/^(Object|Class|ClassPrivate)(Property|Method)$/.test(parent.type) && key === 'key' && !parent.computed) return false;
    if (/Label|Break|Continue/.test(parent.type)) return false;
  }
  return !(node.type === 'JSXIdentifier' && /^[a-z]/.test(node.name));
}

// names is what a node refers to and assigns, without what it declares inside itself, and whether
// it awaits, uses this, returns, and has a text of several lines.
function names(root) {
  const uses = new Set();
  const assigns = new Set();
  const found = { awaits: false, self: false, lines: false, returns: false };
  const walk = (node, key, parent, outer, deep) => {
    if (isType(node)) return;
    const own = declaredIn(node);
    const scopes = own.length ? [...outer, new Set(own)] : outer;
    const unknown = (name) => !scopes.some((s) => s.has(name));
    switch (node.type) {
      case 'TemplateElement':
        if (node.value.raw.includes('\n')) found.lines = true;
        break;
      case 'Identifier':
      case 'JSXIdentifier':
        if (!isReference(node, key, parent)) return;
        if (unknown(node.name)) uses.add(node.name);
        break;
      case 'AwaitExpression':
        if (!deep) found.awaits = true;
        break;
      case 'ForOfStatement':
        if (node.await && !deep) found.awaits = true;
        break;
      case 'ThisExpression':
        if (!deep) found.self = true;
        break;
      case 'ReturnStatement':
        if (!deep && node !== root) found.returns = true;
        break;
      case 'AssignmentExpression':
        bound(node.left).filter(unknown).forEach((n) => assigns.add(n));
        break;
      case 'UpdateExpression':
        bound(node.argument).filter(unknown).forEach((n) => assigns.add(n));
        break;
      default:
    }
    for (const [k, child] of children(node)) walk(child, k, node, scopes, deep || isFunction(node));
  };
  walk(root, '', null, [], false);
  const own = new Set(declared(root));
  return { uses: [...uses].filter((n) => !own.has(n)), assigns: [...assigns], ...found };
}

// callee is the name at the beginning of a call's chain, and the rest: test.each(…) is test,
// [each].
function callee(node) {
  const rest = [];
  let each = false;
  for (;;) {
    if (isMember(node)) {
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
  return { name: node.type === 'Identifier' ? node.name : '', rest, each };
}

// functionsIn are the functions that statements declare, by name, and the outer ones.
function functionsIn(nodes, outer) {
  const found = new Map(outer);
  for (const node of nodes) {
    if (node.type === 'FunctionDeclaration' && node.id) found.set(node.id.name, node);
    for (const d of node.type === 'VariableDeclaration' ? node.declarations : []) {
      if (d.id.type === 'Identifier') found.set(d.id.name, d.init && isFunction(d.init) ? d.init : null);
    }
  }
  return found;
}

module.exports = { bound, callee, declared, functionsIn, names, parameters };
