'use strict';
const assert = require('assert');
const {test} = require('node:test');
const {arrange, flatten, name, split, walk, Refusal, FLAGS} = require('../src/tree.cjs');

const leaf = (n, flags = 0) => ({name: n, flags});
const group = (n, ...children) => ({name: n, flags: 0, children});
const file = () => name(group('', leaf('a'), group('g', leaf('b'), group('h', leaf('c'), leaf('c')), leaf('d')), leaf('e')), 'f.js');

function ids(root) {
  const list = [];
  walk(root, t => list.push(t.id));
  return list;
}

const refuses = (f, message, {ids, gone = false}) => assert.throws(f, error => {
  assert.ok(error instanceof Refusal);
  assert.match(error.message, message);
  assert.deepStrictEqual(error.ids, ids);
  assert.strictEqual(error.gone, gone);
  return true;
});

test('ids hold the file, the blocks and the name, and number equal names', () => {
  assert.deepStrictEqual(ids(file()), ['f.js#a', 'f.js#g › b', 'f.js#g › h › c', 'f.js#g › h › c~2', 'f.js#g › d', 'f.js#e']);
  const odd = name(group('', leaf('x'), leaf('x~2'), leaf('x'), leaf('t\tn\nu\u0001'), leaf('half \ud83d of \ud83d\ude00'), leaf(7)), 'f');
  assert.deepStrictEqual(ids(odd), ['f#x', 'f#x~2', 'f#x~3', 'f#t\\tn\\nu\\u0001', 'f#half \\ud83d of \u{1f600}', 'f#7']);
});

test('an order is arranged at any depth', () => {
  for (const order of [
    ['f.js#e', 'f.js#a'],
    ['f.js#g › d', 'f.js#g › h › c~2', 'f.js#g › h › c', 'f.js#g › b', 'f.js#e', 'f.js#a'],
    ['f.js#g › h › c~2'],
  ]) assert.deepStrictEqual(ids(arrange(file(), order)), order);
});

test('an order that the tree cannot express is refused', () => {
  refuses(() => arrange(file(), ['f.js#a', 'f.js#a']), /twice/, {ids: ['f.js#a']});
  refuses(() => arrange(file(), ['f.js#a', 'f.js#z']), /do not exist/, {ids: ['f.js#z'], gone: true});
  refuses(() => arrange(file(), ['f.js#g › b', 'f.js#a', 'f.js#g › d']), /leaves a describe block/, {ids: ['f.js#a', 'f.js#g › d']});
  refuses(() => arrange(file(), ['f.js#g › h › c', 'f.js#g › b', 'f.js#g › h › c~2']), /leaves a describe block/, {ids: ['f.js#g › b', 'f.js#g › h › c~2']});
});

test('an old jest-circus runs the tests of a block before its blocks', () => {
  assert.deepStrictEqual(ids(arrange(file(), ['f.js#e', 'f.js#g › d', 'f.js#g › h › c'], {testsFirst: true})), ['f.js#e', 'f.js#g › d', 'f.js#g › h › c']);
  refuses(() => arrange(file(), ['f.js#g › d', 'f.js#e'], {testsFirst: true}), /before the describe blocks/, {ids: ['f.js#e']});
});

test('tests that start while the file loads keep their order', () => {
  const eager = () => name(group('', leaf('a', FLAGS.concurrent), leaf('b'), leaf('c', FLAGS.concurrent)), 'f');
  const rules = {eagerConcurrent: true};
  assert.deepStrictEqual(ids(arrange(eager(), ['f#b', 'f#a', 'f#c'], rules)), ['f#b', 'f#a', 'f#c']);
  refuses(() => arrange(eager(), ['f#a'], rules), /test\.concurrent/, {ids: ['f#c']});
  refuses(() => arrange(eager(), ['f#c', 'f#a'], rules), /test\.concurrent/, {ids: ['f#c']});
});

test('an order is cut into its files', () => {
  assert.deepStrictEqual(split(['a#1', 'a#2', 'b#1']), [{file: 'a', ids: ['a#1', 'a#2']}, {file: 'b', ids: ['b#1']}]);
  refuses(() => split(['a#1', 'b#1', 'a#2']), /leaves a test file/, {ids: ['a#2']});
});

test('a tree is described in preorder', () => {
  assert.deepStrictEqual(flatten(file()).map(n => n.kind + n.name), ['tf.js#a', 'gg', 'tf.js#g › b', 'gh', 'tf.js#g › h › c', 'tf.js#g › h › c~2', 'e', 'tf.js#g › d', 'e', 'tf.js#e']);
});
