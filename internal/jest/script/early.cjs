// Continues parse.cjs, in one script with it: what runs before the first test of a file. That is code
// outside of functions, and functions that it calls.
'use strict';

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

// early are the names that code uses while the file is loaded and its tests are declared: not in functions, except
// for those that are called at once, or that calls take. The functions of tests and hooks run later.
function early(program, at) {
  const out = [];
  const functions = functionsIn(program.body, new Map());
  const called = new Set();
  const walk = (node, key, parent, hidden) => {
    if (isType(node)) return;
    if (isFunction(node)) {
      if (!(parent && /^(Call|New)Expression$/.test(parent.type) && (key === 'arguments' || key === 'callee'))) return;
      hidden = new Set([...hidden, ...node.params.flatMap((p) => bound(p, []))]);
    }
    const call = node.type === 'CallExpression';
    const name = call ? callee(node.callee).name : '';
    const runs = call && node.callee.type === 'Identifier' ? [node.callee] : [];
    if (/^(before|after)All$/.test(name)) runs.push(...node.arguments.filter((a) => a.type === 'Identifier'));
    for (const known of runs.map((r) => functions.get(r.name))) {
      if (!known || called.has(known)) continue;
      called.add(known);
      walk(known, 'callee', node, new Set());
    }
    if (/^(JSX)?Identifier$/.test(node.type) && !(key === 'property' && !parent.computed) && !(key === 'key' && !parent.computed) && key !== 'id' && !hidden.has(node.name)) {
      out.push({ name: node.name, at: at(node.start) });
    }
    const later = tests.has(name) || hooks.has(name);
    for (const [k, child] of children(node)) if (!later || !isFunction(child)) walk(child, k, node, hidden);
  };
  walk(program, '', null, new Set());
  return out;
}
