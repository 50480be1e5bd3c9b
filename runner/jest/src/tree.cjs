'use strict';
// Trees of tests as plain values, whatever runner collected them, and the one place that decides
// whether an order can run.
//
// A node is {name, id, flags, children, native}. A test has an id and no children; native is the
// object of the runner.

const FLAGS = {disabled: 1, fixed: 2, concurrent: 8, todo: 16, failing: 32, only: 64};
const SEPARATOR = ' \u203a ';

/**
 * items copies an array of the tests' realm. Tests may have replaced the methods and the iterator
 * of that realm's arrays.
 */
function items(array) {
  const copy = [];
  for (let i = 0; i < array.length; i++) copy.push(array[i]);
  return copy;
}

/** oneLine is a name without characters that an id may not hold. */
function oneLine(text) {
  return String(text).replace(/[\u0000-\u001f\u007f\u2028\u2029]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, c => {
    if (c === '\t') return '\\t';
    if (c === '\n') return '\\n';
    if (c === '\r') return '\\r';
    return '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0');
  });
}

/** name gives every test below root its id. Equal names are numbered in the order of the file. */
function name(root, file) {
  const used = new Set();
  walk(root, (test, path) => {
    const base = `${file}#${[...path, test.name].map(oneLine).join(SEPARATOR)}`;
    let id = base;
    for (let n = 2; used.has(id); n++) id = `${base}~${n}`;
    used.add(id);
    test.id = id;
  });
  return root;
}

/** walk visits every test in order, with the names of the groups around it. */
function walk(group, visit, path = []) {
  for (const child of group.children) {
    if (child.children) walk(child, visit, [...path, child.name]);
    else visit(child, path);
  }
}

/** Refusal says why an order is not run. */
class Refusal extends Error {
  constructor(message, ids = [], gone = false) {
    super(message);
    this.ids = ids;
    this.gone = gone;
  }
}

/**
 * arrange returns the tree with exactly the tests of ids, in that order. It throws a Refusal where
 * the tree cannot express the order.
 */
function arrange(root, ids, rules = {}) {
  const position = new Map();
  ids.forEach((id, i) => {
    if (position.has(id)) throw new Refusal('a test stands in the order twice; a file runs each of its tests once', [id]);
    position.set(id, i);
  });
  const found = new Set();
  walk(root, test => found.add(test.id));
  const gone = ids.filter(id => !found.has(id));
  if (gone.length) throw new Refusal('these tests do not exist in the file', gone, true);
  if (rules.eagerConcurrent) refuseEager(root, ids, position);
  const arranged = pick(root, position, rules) || {...root, children: []};
  let next = 0;
  walk(arranged, test => {
    if (position.get(test.id) !== next++) {
      throw new Refusal('the order leaves a describe block and returns to it; the tests of a block run together', [ids[next - 1], test.id]);
    }
  });
  return arranged;
}

/** pick keeps the tests that have a position, and sorts children by their first one. */
function pick(group, position, rules) {
  const children = [];
  for (const child of group.children) {
    if (!child.children) {
      if (position.has(child.id)) children.push({child, first: position.get(child.id)});
      continue;
    }
    const kept = pick(child, position, rules);
    if (kept) children.push({child: kept, first: kept.first});
  }
  if (!children.length) return null;
  children.sort((a, b) => a.first - b.first);
  if (rules.testsFirst) refuseMixed(children.map(c => c.child));
  return {...group, children: children.map(c => c.child), first: children[0].first};
}

/** Before version 26, jest-circus runs the tests of a block before the blocks in it. */
function refuseMixed(children) {
  const block = children.findIndex(c => c.children);
  const late = block >= 0 && children.slice(block).find(c => !c.children);
  if (late) throw new Refusal('this version of jest-circus runs the tests of a block before the describe blocks inside it', [late.id]);
}

/** Before version 28, and in jest-jasmine2, test.concurrent starts its function while the file is loaded. */
function refuseEager(root, ids, position) {
  const eager = [];
  walk(root, test => {
    if (test.flags & FLAGS.concurrent) eager.push(test.id);
  });
  const wrong = eager.filter((id, i) => !position.has(id) || (i > 0 && position.get(eager[i - 1]) > position.get(id)));
  if (wrong.length) {
    throw new Refusal('this version of Jest starts the functions of test.concurrent while it loads the file: an order holds all of them, as they stand in the file', wrong);
  }
}

/** split cuts an order into its files. It throws a Refusal where a file comes twice. */
function split(ids) {
  const visits = [];
  const seen = new Set();
  for (const id of ids) {
    const cut = id.indexOf('#');
    const file = cut < 0 ? id : id.slice(0, cut);
    const last = visits[visits.length - 1];
    if (last && last.file === file) {
      last.ids.push(id);
      continue;
    }
    if (seen.has(file)) throw new Refusal('the order leaves a test file and returns to it; Jest runs a file once', [id]);
    seen.add(file);
    visits.push({file, ids: [id]});
  }
  return visits;
}

/** flatten is the preorder walk of the protocol: {kind, name, flags}. */
function flatten(group, nodes = []) {
  for (const child of group.children) {
    if (!child.children) {
      nodes.push({kind: 't', name: child.id, flags: child.flags});
      continue;
    }
    nodes.push({kind: 'g', name: oneLine(child.name), flags: child.flags});
    flatten(child, nodes);
    nodes.push({kind: 'e', name: '', flags: 0});
  }
  return nodes;
}

module.exports = {FLAGS, Refusal, arrange, flatten, items, name, oneLine, split, walk};
