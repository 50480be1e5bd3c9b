'use strict';
// Objects of tests are hostile: reading and restoring them calls none of their code.

const assert = require('assert');
const {test} = require('node:test');
const {Capture} = require('../src/capture.cjs');
const {Memory} = require('../src/memory.cjs');

let called = [];
const forbidden = () => { called.push(new Error('called').stack); };
const thrower = () => { throw new Error('hostile'); };

/** stateOf is a state (state.cjs) of one file with these variables. */
function stateOf(variables) {
  const numbers = new Map();
  const state = {
    test: 'v.test.js', root: '/x', source: '', scopes: [{prefix: 'v.test.js', variables: {}, imports: {}}],
    global: {process: {env: {}, eventNames: () => []}}, own: new Set(['process']), baseline: new Map(), objects: new Map(), owners: new Set(),
    spies: [], modules: () => new Map(), mocker: {}, runtime: {}, capture: () => new Capture(state).all(),
    number(object) {
      if (!numbers.has(object)) numbers.set(object, numbers.size + 1);
      return numbers.get(object);
    },
  };
  for (const name of Object.keys(variables)) state.scopes[0].variables[name] = [() => variables[name], value => { variables[name] = value; }];
  return state;
}

const texts = captured => Object.fromEntries([...captured.places].map(([name, {entries}]) => [name, [...entries].map(([path, {text}]) => `${path}: ${text}`)]));

test('no getter, method or trap of what a test holds is called, and traps of functions may throw', () => {
  called = [];
  const traps = new Proxy({}, {get: forbidden, has: forbidden, ownKeys: forbidden, getOwnPropertyDescriptor: forbidden, getPrototypeOf: forbidden});
  class Odd {
    static get name() { return forbidden(); }
    static [Symbol.hasInstance]() { return forbidden(); }
    get deep() { return forbidden(); }
  }
  class OddMap extends Map {
    get size() { return forbidden(); }
    [Symbol.iterator]() { return forbidden(); }
  }
  const state = {n: 0, get slow() { return forbidden(); }, get nodeType() { return forbidden(); }, get _isMockFunction() { return forbidden(); },
    toString: forbidden, toJSON: forbidden, get [Symbol.toStringTag]() { return forbidden(); }};
  const odd = [new Odd(), traps, Object.setPrototypeOf({}, traps), new OddMap([[1, 2]]), Object.assign(new Date(0), {valueOf: forbidden}),
    Object.assign(/x/, {toString: forbidden}), new Proxy(() => 1, {ownKeys: thrower, get: thrower, getOwnPropertyDescriptor: thrower})];
  const of = stateOf({state, odd, Odd});
  const captured = of.capture();
  const seen = texts(captured);
  assert.deepStrictEqual(seen['var v.test.js odd'], ['odd.length: 7', 'odd[0]: an object of Object', 'odd[2]: an object of Object',
    'odd[3].size: 1', 'odd[3].get(1): 2', 'odd[4]: Date 0', 'odd[5]: /x/ at 0', 'odd[6]: function']);
  assert.ok(seen['var v.test.js state'].includes('state.n: 0') && seen['var v.test.js state'].includes('state.nodeType: getter'));

  const memory = new Memory(of, ['var v.test.js state', 'var v.test.js odd']);
  memory.remember(captured, true);
  state.n = 1;
  odd.pop();
  Map.prototype.clear.call(odd[3]);
  assert.deepStrictEqual(memory.restore().map(({name, how}) => `${name} ${how}`), ['var v.test.js state b', 'var v.test.js odd b']);
  assert.deepStrictEqual([state.n, odd.length, Map.prototype.get.call(odd[3], 1)], [0, 7, 2]);
  assert.deepStrictEqual(called, []);
});
