'use strict';
// Puts the children of a tree of tests into the order of a visit. The trees of both frameworks
// are arrays of the project's realm: its code may have replaced their methods, so that they are
// read and written by index only.

/**
 * Keeps the wanted tests below the root, in the order of their positions.
 *
 * tree: { children(node) -> array, isTest(node), title(node),
 * isDisabled(test, blocks around it), set(node, array) }; position(test) -> number, or
 * undefined for a test that is not wanted. Returns the tests in the order in which they will run.
 */
function arrange(root, tree, position) {
  const first = new Map();
  (function prune(node) {
    const kept = [];
    const children = tree.children(node);
    for (let i = 0; i < children.length; i++) {
      const child = children[i];
      if (tree.isTest(child)) {
        if (position(child) === undefined) continue;
        first.set(child, position(child));
      } else {
        prune(child);
        if (tree.children(child).length === 0) continue;
        first.set(child, first.get(tree.children(child)[0]));
      }
      kept.push(child);
    }
    kept.sort((a, b) => first.get(a) - first.get(b));
    tree.set(node, kept);
  })(root);
  const order = [];
  (function walk(node) {
    const children = tree.children(node);
    for (let i = 0; i < children.length; i++) {
      if (tree.isTest(children[i])) order.push(children[i]);
      else walk(children[i]);
    }
  })(root);
  return order;
}

/** Walks the tree before anything is changed. Calls test(node, above), open(node), close(node). */
function walk(root, tree, visitor) {
  (function down(node, above) {
    const children = tree.children(node);
    for (let i = 0; i < children.length; i++) {
      const child = children[i];
      if (tree.isTest(child)) {
        visitor.test(child, above);
      } else {
        visitor.open(child);
        down(child, [...above, child]);
        visitor.close(child);
      }
    }
  })(root, []);
}

/**
 * Lists the tests of the tree or arranges them for the visit. Returns the ids by test, or null
 * where nothing is to run.
 */
function prepare(root, tree, visit, namer) {
  const ids = new Map();
  const nodes = [];
  walk(root, tree, {
    test(node, above) {
      ids.set(node, namer([...above, node].map(tree.title)));
      nodes.push({ kind: 't', name: ids.get(node), flags: tree.isDisabled(node, above) ? 1 : 0 });
    },
    open(node) {
      nodes.push({ kind: 'g', name: String(tree.title(node)), flags: 0 });
    },
    close() {
      nodes.push({ kind: 'e', name: '', flags: 0 });
    },
  });
  if (visit.list) {
    visit.nodes = nodes;
    return null;
  }
  const known = new Set(ids.values());
  const gone = visit.ids.filter((id) => !known.has(id));
  if (gone.length > 0) {
    visit.refuse('these tests do not exist', gone, true);
    return null;
  }
  const order = arrange(root, tree, (node) => visit.positions.get(ids.get(node))).map((node) => ids.get(node));
  const wrong = visit.ids.filter((id, i) => order[i] !== id);
  if (wrong.length > 0) {
    visit.refuse('Jest runs the tests of a describe block together, so that this order is impossible', wrong, false);
    return null;
  }
  return ids;
}

module.exports = { prepare };
