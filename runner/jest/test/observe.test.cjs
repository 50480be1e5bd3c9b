'use strict';
// What tests leave changed, and restoring it.

const assert = require('assert');
const {test} = require('node:test');
const {tests, outcomes} = require('./client.cjs');
const fs = require('fs');
const path = require('path');
const {RUNNERS, VERSIONS, make, start} = require('./project.cjs');

const FILES = {
  'src/store.js': `
    'use strict';
    let count = 0;
    const items = new Map();
    const calls = [];
    class Registry {}
    Registry.all = {};
    module.exports = {add(k, v) { count++; items.set(k, v); calls.push(k); Registry.all[k] = v; }, size: () => items.size, count: () => count, calls};`,
  'src/box.js': `
    const make = state => ({subscribe() {}, getState: () => state, setState(next, whole) { state = whole ? next : {...state, ...next}; }});
    exports.box = make({n: 1});`,
  'setup.js': `global.api = {get: jest.fn(() => 'real'), list: []};`,
  'package.json': '{"private": true, "jest": {"testEnvironment": "node", "setupFiles": ["./setup.js"]}}',
  'v.test.js': `
    const store = require('./src/store');
    const {box} = require('./src/box');
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
    test('boxed', () => { box.setState({n: 2}); });
    test('timers', () => { jest.useFakeTimers(); });
    test('extends', () => { Array.prototype.last = function () { return this[this.length - 1]; }; });
    test('moves', () => { process.chdir('src'); });
    describe('inner', () => {
      let shared = [];
      beforeAll(() => { local++; });
      test('pushes', () => { shared.push(local); });
      test('empty', () => { expect(shared).toEqual([]); });
    });
    test('victim', () => {
      expect([store.count(), store.size(), store.calls.length]).toEqual([0, 0, 0]);
      expect(box.getState().n).toBe(1);
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
      expect([].last).toBe(undefined);
      expect(process.cwd()).toBe(__dirname);
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
    const order = ['clean', 'module', 'mocks', 'globals', 'env', 'spied', 'core', 'boxed', 'timers', 'extends', 'moves', 'inner › pushes', 'inner › empty'].map(id);
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
      'builtin escape | escape | as the environment has it | deleted',
      'global api | api.list.length | 0 | 1',
      'global api | api.list[0] | absent | 1',
      'global left | left | absent | an object of Object',
      'global left | left.a | absent | 1',
    ]);
    assert.deepStrictEqual(left(events, 't', 4), ['env LEFT | process.env.LEFT | absent | "yes"'.replace(/"/g, '')]);
    assert.ok(left(events, 't', 5).includes('builtin console.log | console.log | as the environment has it | mock function'), left(events, 't', 5).join('\n'));
    assert.deepStrictEqual(left(events, 't', 6), ['core fs.existsSync | fs.existsSync | as the environment has it | function']);
    assert.ok(left(events, 't', 8).some(c => c.startsWith('builtin setTimeout | ')), left(events, 't', 8).join('\n'));
    assert.deepStrictEqual(left(events, 'b', 11), ['var v.test.js local | local | 1 | 2']);
    assert.deepStrictEqual(left(events, 't', 9), ['builtin Array.prototype.last | Array.prototype.last | absent | function']);
    assert.deepStrictEqual(left(events, 't', 10), ['directory cwd | process.cwd() | . | src']);
    assert.deepStrictEqual(left(events, 't', 11), [
      'var v.test.js [inner] shared | shared.length | 0 | 1',
      'var v.test.js [inner] shared | shared[0] | absent | 2',
    ]);
    assert.ok(left(events, 't', 7).some(c => c.endsWith('box.getState().n | 1 | 2')), left(events, 't', 7).join('\n'));
    const names = events.filter(e => e.type === 'l').map(e => e.name);
    for (const g of events.filter(e => e.type === 'g')) for (const v of g.values) assert.ok(names[v.place] && v.before !== v.after);
    await client.quit();
  });

  test(`${runner.name}: restoring state`, async t => {
    const dir = make(t, runner, FILES);
    const client = await start(t, dir, {args: runner.args, env: {ODFIX_OBSERVE: '1'}});
    const polluters = ['boxed', 'module', 'mocks', 'globals', 'env', 'spied', 'core', 'extends', 'moves'];
    const places = {
      boxed: [left(await client.order([id('boxed')]), 't', 0)[0].split(' | ')[0]],
      module: ['var src/store.js count', 'var src/store.js items', 'var src/store.js calls'],
      mocks: ['mock v.test.js spy', 'mock global api.get'],
      globals: ['global left', 'global api', 'builtin escape'],
      env: ['env LEFT'],
      spied: ['builtin console.log'],
      core: ['core fs.existsSync'],
      extends: ['builtin Array.prototype.last'],
      moves: ['directory cwd'],
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

for (const runner of RUNNERS) {
  test(`${runner.name}: what Jest clears of mocks before each test is no state`, async t => {
    const files = {'v.test.js': `
      const other = new (require('jest-mock').ModuleMocker)(global).fn();
      const api = {get: jest.fn()};
      const spy = jest.spyOn(Math, 'max');
      test('sets', () => { api.get.mockImplementation(() => 1); api.get(); other(); spy(1); api.get.mockReturnValueOnce(2); });
      test('victim', () => { expect([api.get(), api.get.mock.calls.length]).toEqual([undefined, 1]); });`};
    const answers = ['mock v.test.js api.get | api.get implementation | none | function', 'mock v.test.js api.get | api.get once | 0 answers for one call | 1 answer for one call'];
    const calls = 'mock v.test.js api.get | api.get.mock.calls | 0 calls | 1 call';
    const foreign = 'mock v.test.js other | other.mock.calls | 0 calls | 1 call';
    const spied = 'mock v.test.js spy | spy.mock.calls | 0 calls | 1 call';
    const expected = {
      'none': [...answers, calls, foreign, spied],
      'clearMocks': [...answers, foreign],
      'resetMocks': [foreign],
      'restoreMocks': [...answers, calls, foreign, spied],
    };
    for (const [setting, want] of Object.entries(expected)) {
      const config = {testEnvironment: 'node', ...setting === 'none' ? {} : {[setting]: true}};
      const dir = make(t, runner, {...files, 'package.json': JSON.stringify({private: true, jest: config})});
      const client = await start(t, dir, {args: runner.args, env: {ODFIX_OBSERVE: '1'}});
      const events = await client.order(['sets', 'victim'].map(id));
      assert.deepStrictEqual(outcomes(events), ['sets p', `victim ${setting === 'resetMocks' ? 'p' : 'f'}`], setting);
      assert.deepStrictEqual(left(events, 't', 0).filter(c => !/ Math\.max \|/.test(c)), want, setting);
      if (setting === 'clearMocks') { // an implementation is restored, as before
        const restored = await client.order(['sets', 'victim'].map(id), {places: ['mock v.test.js api.get'], before: 1});
        assert.deepStrictEqual(outcomes(restored), ['sets p', 'victim p']);
      }
      await client.quit();
    }
  });
}

test('mocks and spies have the names that the source imports, and files and modules are state', {skip: !VERSIONS.includes('30')}, async t => {
  const runner = {version: '30', packages: ['@babel/preset-typescript@7', '@babel/preset-env@7']};
  const dir = make(t, runner, {
    'babel.config.js': "module.exports = {presets: [['@babel/preset-env', {targets: {node: 'current'}}]]};",
    'src/api.js': 'export default {get: () => 1};\nexport const post = () => 2;',
    'src/lazy.js': 'export const made = 1;',
    'kept/a.txt': 'a',
    'v.test.js': `
      import api, {post as send} from './src/api';
      import * as all from './src/api';
      import semver from 'semver';
      import fs from 'fs';
      jest.mock('./src/api');
      test('mocks', () => { api.get(); send(); });
      test('package', () => { jest.spyOn(semver, 'valid').mockReturnValue('odd'); });
      test('files', () => { fs.rmSync('kept', {recursive: true}); fs.mkdirSync('made'); fs.writeFileSync('made/b.txt', 'bb'); });
      test('loads', () => { require('./src/lazy'); });
      test('victim', () => { expect([fs.existsSync('made'), fs.readFileSync('kept/a.txt', 'utf8')]).toEqual([false, 'a']); });`,
  });
  const client = await start(t, dir, {env: {ODFIX_OBSERVE: '1'}});
  const events = await client.order(['mocks', 'package', 'loads', 'files'].map(id));
  assert.deepStrictEqual(left(events, 't', 0), [
    'mock v.test.js api.get | api.get.mock.calls | 0 calls | 1 call',
    'mock v.test.js send | send.mock.calls | 0 calls | 1 call',
  ]);
  assert.deepStrictEqual(left(events, 't', 1), ['spy semver.valid | semver.valid | absent | a spy']);
  assert.deepStrictEqual(left(events, 't', 2), []); // a module that is loaded is no difference for people
  assert.deepStrictEqual(left(events, 't', 3), [
    'file kept | kept | a folder | absent', 'file kept/a.txt | kept/a.txt | 1 bytes | absent',
    'file made | made | absent | a folder', 'file made/b.txt | made/b.txt | absent | 2 bytes',
  ]);
  const names = events.filter(e => e.type === 'l').map(e => e.name);
  assert.ok(names.includes('module src/lazy.js'), names.join('\n'));
  const mentioned = events.filter(e => e.type === 'g' && e.read.length).map(e => `${e.position} ${e.read.map(n => names[n]).join(', ')}`);
  assert.ok(mentioned.includes('2 module src/lazy.js'), mentioned.join('\n'));
  fs.mkdirSync(path.join(dir, 'kept'), {recursive: true});
  fs.writeFileSync(path.join(dir, 'kept', 'a.txt'), 'a');
  fs.rmSync(path.join(dir, 'made'), {recursive: true, force: true});
  const places = ['file kept', 'file kept/a.txt', 'file made'];
  const restored = await client.order(['files', 'victim'].map(id), {places, before: 1});
  assert.deepStrictEqual(outcomes(restored), ['files p', 'victim p']);
  assert.deepStrictEqual(restored.find(e => e.type === 'r').places, places.map(name => ({name, how: 'b', problem: ''})));
  await client.quit();
});

test('mocks have the names by which the source requires them', {skip: !VERSIONS.includes('30')}, async t => {
  const runner = {version: '30', packages: ['@babel/preset-typescript@7', '@babel/preset-env@7']};
  const dir = make(t, runner, {
    // For an old target, Babel takes patterns apart, with variables of its own.
    'babel.config.js': "module.exports = {presets: [['@babel/preset-env', {targets: {ie: '11'}}]]};",
    'src/queue.js': 'exports.Queue = {add() {}, get() {}};\nexports.size = () => 0;\nexports.other = {deep: {go() {}}};\nexports.unused = () => 1;',
    'src/api.js': 'module.exports = {get() {}};',
    'src/whole.js': 'module.exports = () => 1;',
    'v.test.js': `
      jest.mock('./src/queue');
      jest.mock('./src/api');
      jest.mock('./src/whole');
      const {Queue, size: count = null, other: {deep}} = require('./src/queue');
      const api = require('./src/api');
      const whole = require('./src/whole');
      test('mocks', () => { Queue.add(1); count(); deep.go(); api.get(); whole(); });`,
    'nested.test.js': `
      jest.mock('./src/queue');
      const {other: {deep}} = require('./src/queue');
      const {add} = require('./src/queue').Queue;
      test('mocks', () => { deep.go(); add(1); });`,
  });
  const client = await start(t, dir, {env: {ODFIX_OBSERVE: '1'}});
  const events = await client.order([id('mocks')]);
  assert.deepStrictEqual(left(events, 't', 0), ['Queue.add', 'api.get', 'count', 'deep.go', 'whole'].map(path =>
    `mock v.test.js ${path} | ${path}.mock.calls | 0 calls | 1 call`));
  const nested = left(await client.order(['nested.test.js#mocks']), 't', 0);
  assert.deepStrictEqual(nested.filter(c => /(add|go)\.mock\.calls/.test(c)).length, 2, nested.join('\n'));
  await client.quit();
});

const calls = events => events.filter(e => e.type === 'm').flatMap(e => e.calls).map(({block, path}) => [...block, path].join(' › '));

const imports = events => events.filter(e => e.type === 'm').flatMap(e => e.same)
  .map(({block, path, file, variable}) => `${[...block, path].join(' › ')} = ${file} ${variable}`);

test('calls that may reset state are found without a call', {skip: !VERSIONS.includes('30')}, async t => {
  const runner = {version: '30', packages: ['@babel/preset-typescript@7', '@babel/preset-env@7']};
  const dir = make(t, runner, {
    'babel.config.js': "module.exports = {presets: [['@babel/preset-env', {targets: {node: 'current'}}], '@babel/preset-typescript']};",
    'src/index.ts': "export {shelf, Shelf} from './shelf';\nexport {resetAll} from './shelf';",
    'src/shelf.ts': `
      class Base { purge() {} clear() { throw new Error('called'); } dispose(how: string) {} }
      export class Shelf extends Base {
        static flush() {}
        clearEach(n: number) {}
        dispose() {}
        get reset() { throw new Error('a getter was called'); }
        restore = () => {};
      }
      export const shelf: any = new Shelf();
      export function resetAll() {}`,
    'src/all.ts': 'export const other = {clear() {}};',
    'src/plain.js': 'module.exports = {cache: {clear() {}, size: 1}, clean() {}, cleanUp: (a) => a};',
    'src/class.js': 'module.exports = class { clear() {} };\nmodule.exports.shared = new module.exports();',
    'src/registry.js': 'class Registry { clear() {} }\nconst made = new Registry();\nexports.register = made;',
    'v.test.ts': `
      import {shelf, Shelf as Board, resetAll as empty} from './src';
      import * as all from './src/all';
      import * as timers from 'timers';
      import {jest as j} from '@jest/globals';
      const plain = require('./src/plain');
      const Registry = require('./src/class');
      const mock = {reset: jest.fn(), clear: jest.fn()};
      const map = new Map();
      const trap = new Proxy({}, {ownKeys() { throw new Error('a trap was called'); }, get() { throw new Error('a trap was called'); }});
      let later;
      beforeEach(() => { later = {teardown() {}}; });
      describe('outer', () => {
        const register = require('./src/registry').register;
        describe(\`inner\`, () => {
          const own = {clear() {}};
          test('passes', () => { expect([shelf, Board, empty, all, timers, j, plain, mock, map, trap, Registry, later, register, own]).toHaveLength(14); });
        });
      });`,
  });
  const client = await start(t, dir, {env: {ODFIX_OBSERVE: '1', ODFIX_RESETS: '^_*(reset|clear|restore|clean|flush|dispose|teardown|empty|purge)'}});
  const order = ['v.test.ts#outer › inner › passes'];
  const events = await client.order(order);
  assert.deepStrictEqual(outcomes(events), ['outer › inner › passes p'], JSON.stringify(events.filter(e => e.type === 'f')));
  assert.deepStrictEqual(calls(events), [
    'Board.flush', 'empty', 'shelf.restore', 'shelf.dispose', 'shelf.purge', 'shelf.clear', 'all.other.clear', 'plain.clean', 'plain.cache.clear',
    'Registry.shared.clear', 'later.teardown', 'outer › register.clear', 'outer › … › own.clear',
  ]);
  assert.deepStrictEqual(imports(events), ['Board = src/shelf.ts Shelf', 'shelf = src/shelf.ts shelf', 'all.other = src/all.ts other',
    'outer › register = src/registry.js made']);
  assert.strictEqual(events.find(e => e.type === 'm').position, 0);
  await client.quit();

  const silent = await start(t, dir, {env: {ODFIX_OBSERVE: '1'}});
  assert.deepStrictEqual(calls(await silent.order(order)), []);
  await silent.quit();
});

test('calls in modules of ECMAScript', {skip: !VERSIONS.includes('30')}, async t => {
  const dir = make(t, {version: '30'}, {
    'package.json': '{"private": true, "type": "module", "jest": {"testEnvironment": "node", "transform": {}}}',
    'src/shelf.js': 'export const shelf = {clear() {}, calls: []};\nexport default class { static reset() {} }\nexport function resetAll() {}',
    'src/index.js': "export {shelf, resetAll, default as Shelf} from './shelf.js';",
    'v.test.js': `
      import {jest} from '@jest/globals';
      import fs from 'fs';
      import {shelf, resetAll, Shelf as Board} from './src/index.js';
      import * as all from './src/index.js';
      test('passes', () => { shelf.calls.push(1); expect([jest, fs, shelf, resetAll, Board, all]).toHaveLength(6); });`,
  });
  const client = await start(t, dir, {env: {ODFIX_OBSERVE: '1', ODFIX_RESETS: '^(reset|clear)', NODE_OPTIONS: '--experimental-vm-modules'}});
  const events = await client.order([id('passes')]);
  assert.deepStrictEqual(outcomes(events), ['passes p'], JSON.stringify(events.filter(e => e.type === 'f')));
  assert.deepStrictEqual(calls(events), ['shelf.clear', 'resetAll', 'Board.reset', 'all.resetAll', 'all.Shelf.reset', 'all.shelf.clear']);
  assert.deepStrictEqual(imports(events), ['shelf = src/shelf.js shelf', 'all.shelf = src/shelf.js shelf']);
  assert.deepStrictEqual(left(events, 't', 0), ['var src/shelf.js shelf | shelf.calls.length | 0 | 1', 'var src/shelf.js shelf | shelf.calls[0] | absent | 1']);
  await client.quit();
});

test('a describe that is imported is observed, and the functions of process that a test replaces are not called', {skip: !VERSIONS.includes('30')}, async t => {
  const runner = {version: '30', packages: ['@babel/preset-env@7']};
  const dir = make(t, runner, {
    'babel.config.js': "module.exports = {presets: [['@babel/preset-env', {targets: {node: 'current'}}]]};",
    'package.json': '{"private": true, "jest": {"testEnvironment": "node"}}',
    'v.test.js': `
      import {describe, expect, jest, test} from '@jest/globals';
      describe('inner', () => {
        const list = [];
        const spy = jest.spyOn(process, 'cwd').mockReturnValue('/elsewhere');
        test('adds', () => { list.push(1); });
        test('calls nothing', () => { expect(spy).toHaveBeenCalledTimes(0); });
      });`,
  });
  const client = await start(t, dir, {env: {ODFIX_OBSERVE: '1'}});
  const events = await client.order(['inner › adds', 'inner › calls nothing'].map(id));
  assert.deepStrictEqual(outcomes(events), ['inner › adds p', 'inner › calls nothing p']);
  assert.deepStrictEqual(left(events, 't', 0), ['var v.test.js [inner] list | list.length | 0 | 1', 'var v.test.js [inner] list | list[0] | absent | 1']);
  assert.deepStrictEqual(left(events, 't', 1), []);
  await client.quit();
});
