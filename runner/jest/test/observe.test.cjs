'use strict';
// What tests leave changed, and restoring it.

const assert = require('assert');
const {test} = require('node:test');
const {tests, outcomes} = require('./client.cjs');
const {RUNNERS, make, start} = require('./project.cjs');

const FILES = {
  'src/store.js': `
    'use strict';
    let count = 0;
    const items = new Map();
    const calls = [];
    class Registry {}
    Registry.all = {};
    module.exports = {add(k, v) { count++; items.set(k, v); calls.push(k); Registry.all[k] = v; }, size: () => items.size, count: () => count, calls};`,
  'setup.js': `global.api = {get: jest.fn(() => 'real'), list: []};`,
  'package.json': '{"private": true, "jest": {"testEnvironment": "node", "setupFiles": ["./setup.js"]}}',
  'v.test.js': `
    const store = require('./src/store');
    let local = 1;
    const spy = jest.fn();
    const log = console.log;
    test('clean', () => { store.size(); });
    test('module', () => { store.add('a', {deep: [1]}); });
    test('mocks', () => { spy(1); api.get(); api.get.mockReturnValueOnce(7); });
    test('globals', () => { global.left = {a: 1}; api.list.push(1); delete global.escape; });
    test('env', () => { process.env.LEFT = 'yes'; });
    test('spied', () => { jest.spyOn(console, 'log').mockImplementation(() => {}); });
    test('core', () => { require('fs').existsSync = () => false; });
    test('timers', () => { jest.useFakeTimers(); });
    describe('inner', () => {
      let shared = [];
      beforeAll(() => { local++; });
      test('pushes', () => { shared.push(local); });
      test('empty', () => { expect(shared).toEqual([]); });
    });
    test('victim', () => {
      expect([store.count(), store.size(), store.calls.length]).toEqual([0, 0, 0]);
      expect(spy).not.toHaveBeenCalled();
      expect(api.get).not.toHaveBeenCalled();
      expect(api.get()).toBe('real');
      expect(global.left).toBe(undefined);
      expect(api.list).toEqual([]);
      expect(process.env.LEFT).toBe(undefined);
      expect(console.log).toBe(log);
      expect(typeof escape).toBe('function');
      expect(require('fs').existsSync(__filename)).toBe(true);
      expect(local).toBe(1);
    });`,
};

const id = name => `v.test.js#${name}`;
const left = (events, kind, position) => {
  const found = events.filter(e => e.type === 'p' && e.kind === kind && e.position === position).flatMap(e => e.changes);
  return found.map(c => `${c.place} | ${c.path} | ${c.before} | ${c.after}`).sort();
};

for (const runner of RUNNERS) {
  test(`${runner.name}: what tests leave changed`, async t => {
    const dir = make(t, runner, FILES);
    const client = await start(t, dir, {args: runner.args, env: {ODFIX_OBSERVE: '1'}});
    const order = ['clean', 'module', 'mocks', 'globals', 'env', 'spied', 'core', 'timers', 'inner › pushes', 'inner › empty'].map(id);
    const events = await client.order(order);
    assert.strictEqual(events[events.length - 1].type, '.', JSON.stringify(events[events.length - 1]));
    assert.deepStrictEqual(left(events, 't', 0), []);
    assert.deepStrictEqual(left(events, 't', 1).filter(c => !/ store | module\.exports /.test(c)), [
      'var src/store.js Registry | Registry.all.a | absent | the object at items.get("a")',
      'var src/store.js calls | calls.length | 0 | 1',
      'var src/store.js calls | calls[0] | absent | "a"',
      'var src/store.js count | count | 0 | 1',
      'var src/store.js items | items.get("a") | absent | an object of Object',
      'var src/store.js items | items.get("a").deep.length | absent | 1',
      'var src/store.js items | items.get("a").deep[0] | absent | 1',
      'var src/store.js items | items.size | 0 | 1',
    ]);
    assert.deepStrictEqual(left(events, 't', 2), [
      'mock global api.get | api.get once | 0 answers for one call | 1 answer for one call',
      'mock global api.get | api.get.mock.calls | 0 calls | 1 call',
      'mock v.test.js spy | spy.mock.calls | 0 calls | 1 call',
    ]);
    assert.deepStrictEqual(left(events, 't', 3), [
      'builtin escape | escape | absent | deleted',
      'global api | api.list.length | 0 | 1',
      'global api | api.list[0] | absent | 1',
      'global left | left | absent | an object of Object',
      'global left | left.a | absent | 1',
    ]);
    assert.deepStrictEqual(left(events, 't', 4), ['env LEFT | process.env.LEFT | absent | "yes"'.replace(/"/g, '')]);
    assert.ok(left(events, 't', 5).includes('builtin console.log | console.log | absent | mock function'), left(events, 't', 5).join('\n'));
    assert.deepStrictEqual(left(events, 't', 6), ['core fs.existsSync | fs.existsSync | absent | function']);
    assert.ok(left(events, 't', 7).some(c => c.startsWith('builtin setTimeout | ')), left(events, 't', 7).join('\n'));
    assert.deepStrictEqual(left(events, 'b', 8), ['var v.test.js local | local | 1 | 2']);
    assert.deepStrictEqual(left(events, 't', 8), [
      'var v.test.js [inner] shared | shared.length | 0 | 1',
      'var v.test.js [inner] shared | shared[0] | absent | 2',
    ]);
    const names = events.filter(e => e.type === 'l').map(e => e.name);
    for (const g of events.filter(e => e.type === 'g')) for (const v of g.values) assert.ok(names[v.place] && v.before !== v.after);
    await client.quit();
  });

  test(`${runner.name}: restoring state`, async t => {
    const dir = make(t, runner, FILES);
    const client = await start(t, dir, {args: runner.args, env: {ODFIX_OBSERVE: '1'}});
    const polluters = ['module', 'mocks', 'globals', 'env', 'spied', 'core'];
    const places = {
      module: ['var src/store.js count', 'var src/store.js items', 'var src/store.js calls'],
      mocks: ['mock v.test.js spy', 'mock global api.get'],
      globals: ['global left', 'global api', 'builtin escape'],
      env: ['env LEFT'],
      spied: ['builtin console.log'],
      core: ['core fs.existsSync'],
    };
    for (const polluter of polluters) {
      const order = [polluter, 'victim'].map(id);
      assert.deepStrictEqual(outcomes(await client.order(order)), [`${polluter} p`, 'victim f'], polluter);
      const events = await client.order(order, {places: places[polluter], before: 1});
      const [restored] = events.filter(e => e.type === 'r');
      assert.ok(restored, `${polluter}: ${JSON.stringify(events.filter(e => 'fex'.includes(e.type)))} ${client.printed}`);
      assert.deepStrictEqual(restored.places, places[polluter].map(name => ({name, how: 'b', problem: ''})), polluter);
      assert.deepStrictEqual(outcomes(events), [`${polluter} p`, 'victim p'], `${polluter}: ${events.filter(e => e.type === 'f').map(e => e.message)}`);
    }
    const inner = await client.order([id('inner › pushes'), id('inner › empty')], {places: ['var v.test.js [inner] shared', 'var v.test.js local', 'var nowhere.js x'], before: 1});
    assert.deepStrictEqual(outcomes(inner), ['inner › pushes p', 'inner › empty p']);
    // A beforeAll of the test's own block is no pollution. Jasmine does not tell when one is over.
    assert.deepStrictEqual(inner.find(e => e.type === 'r').places.map(p => p.how), ['b', /jasmine/.test(runner.name) ? 'b' : 's', 'x']);
    await client.quit();
  });
}
