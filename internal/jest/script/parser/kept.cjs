// Whether an edit keeps a file's own statements. Where a semicolon is missing, added text can
// become one statement with what stands beside it.
'use strict';

const { requireIn } = require('./imports.cjs');
const { children, isFunction, parse } = require('./syntax.cjs');

// lost is a statement that the text before has and the text after does not have; '' if there is
// none.
function lost(file, before, after) {
  const left = new Map();
  for (const s of own(parse(file, after), after)) left.set(s, (left.get(s) || 0) + 1);
  for (const s of own(parse(file, before), before)) {
    const n = left.get(s) || 0;
    if (!n) return s;
    left.set(s, n - 1);
  }
  return '';
}

// own are the statements of a text, each without the statements and function bodies inside it, and
// without what an edit may change in it.
function own(ast, text) {
  const out = [];
  const visit = (node, holes) => {
    for (const [key, child] of children(node)) {
      const body = key === 'body' && isFunction(node);
      if (child.type === 'BlockStatement') {
        holes.push(child);
        visit(child, []);
      } else if (body || /(Statement|Declaration)$/.test(child.type)) {
        holes.push(child);
        const inside = [];
        visit(child, inside);
        out.push(imported(child) || plain(text, child, inside));
      } else visit(child, holes);
    }
  };
  visit(ast.program, []);
  return out;
}

// plain is the code of a node without holes in it, and without what an edit may change.
function plain(text, node, holes) {
  let code = '';
  let at = node.start;
  for (const h of holes.sort((a, b) => a.start - b.start)) {
    code += text.slice(at, h.start);
    at = h.end;
  }
  code += text.slice(at, node.end);
  return code.replace(/\basync\b|[\s();]/g, '').replace(/^(return|await)+/, '');
}

// imported is what an import is as a statement of its own: it may get further names.
function imported(node) {
  if (node.type === 'ImportDeclaration') return 'import ' + node.source.value;
  const single = node.type === 'VariableDeclaration' && node.declarations.length === 1;
  const call = single && requireIn(node.declarations[0].init);
  return call ? 'import ' + call.arguments[0].value : '';
}

module.exports = { lost };
