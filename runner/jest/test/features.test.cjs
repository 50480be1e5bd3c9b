'use strict';
// What Jest offers besides plain tests keeps its meaning.

const assert = require('assert');
const {spawnSync} = require('child_process');
const fs = require('fs');
const path = require('path');
const {test} = require('node:test');
const {inspect} = require('util');
const {tests, outcomes} = require('./client.cjs');
const {RUNNERS, make, start} = require('./project.cjs');

for (const runner of RUNNERS) {
  const isJasmine = /jasmine/.test(runner.name);
  const isOld = isJasmine || runner.version < '28';

  test(`${runner.name}: test.concurrent`, async t => {
    const dir = make(t, runner, {'c.test.js': `
      const order = [];
      test.concurrent('a', async () => { order.push('a'); await new Promise(r => setTimeout(r, 20)); });
      test('plain', () => {});
      afterAll(() => { require('fs').writeFileSync(__dirname + '/log', order.join(' ')); });
      test.concurrent('b', async () => { order.push('b'); throw new Error('b fails'); });`});
    const client = await start(t, dir, {args: runner.args});
    const [seen] = await client.discover();
    assert.deepStrictEqual(seen.nodes.map(n => [n.name, n.flags & 8]), [['c.test.js#a', 8], ['c.test.js#plain', 0], ['c.test.js#b', 8]]);
    assert.deepStrictEqual(outcomes(await client.order(['c.test.js#plain', 'c.test.js#a', 'c.test.js#b'])), ['plain p', 'a p', 'b f']);
    assert.strictEqual(fs.readFileSync(path.join(dir, 'log'), 'utf8'), 'a b');
    const other = await client.order(['c.test.js#b', 'c.test.js#plain', 'c.test.js#a']);
    if (isOld) return assert.match(other.pop().reason, /test\.concurrent/);
    assert.deepStrictEqual(outcomes(other), ['b f', 'plain p', 'a p']);
    assert.strictEqual(fs.readFileSync(path.join(dir, 'log'), 'utf8'), 'b a');
    assert.deepStrictEqual(outcomes(await client.order(['c.test.js#a', 'c.test.js#plain'])), ['a p', 'plain p']);
    assert.strictEqual(fs.readFileSync(path.join(dir, 'log'), 'utf8'), 'a');
  });

  if (!isJasmine) {
    test(`${runner.name}: a retried test has its last outcome`, async t => {
      const dir = make(t, runner, {'r.test.js': `
        jest.retryTimes(2);
        let n = 0;
        test('second time', () => { expect(++n).toBe(2); });
        test('never', () => { throw new Error('always'); });
        test('other', () => {});`});
      const client = await start(t, dir, {args: runner.args});
      const ids = tests(await client.discover());
      const events = await client.order(ids);
      assert.deepStrictEqual(outcomes(events), ['second time p', 'never f', 'other p']);
      assert.deepStrictEqual(events.filter(e => e.type === 's').map(e => e.position), [0, 1, 2]);
    });
  }

  test(`${runner.name}: setup, projects, and arguments`, async t => {
    const dir = make(t, runner, {
      'package.json': '{"private": true}',
      'jest.config.js': `module.exports = {
        globalSetup: './up.js', globalTeardown: './down.js',
        projects: [
          {displayName: 'one', testEnvironment: 'node', testMatch: ['<rootDir>/t/*.test.js'], globals: {WHICH: 1}},
          {displayName: 'two', testEnvironment: 'node', testMatch: ['<rootDir>/t/x.test.js'], globals: {WHICH: 2}, setupFilesAfterEnv: ['./after.js']},
        ].map(p => ({...p, ${isJasmine && runner.version !== '29' ? '' : runner.args.length ? `testRunner: ${JSON.stringify(runner.args[0].split('=')[1])}` : ''}})),
      };`,
      'up.js': "module.exports = async () => { require('fs').appendFileSync(__dirname + '/log', 'up '); process.env.UP = 'yes'; };",
      'down.js': "module.exports = async () => { require('fs').appendFileSync(__dirname + '/log', 'down '); };",
      'after.js': 'global.AFTER = true;',
      't/x.test.js': "test('which', () => { expect([WHICH, global.AFTER, process.env.UP]).toEqual([2, true, 'yes']); });",
      't/y.test.js': "test('y', () => {});",
    });
    const client = await start(t, dir);
    assert.deepStrictEqual(tests(await client.discover()).sort(), ['t/x.test.js [two]#which', 't/x.test.js#which', 't/y.test.js#y']);
    assert.deepStrictEqual(outcomes(await client.order(['t/x.test.js [two]#which', 't/y.test.js#y', 't/x.test.js#which'])), ['which p', 'y p', 'which f']);
    await client.quit();
    assert.strictEqual(fs.readFileSync(path.join(dir, 'log'), 'utf8'), 'up down ');
  });
}

test('the list of files: in the order of Jest, each project of a file by name, other runners left out', async t => {
  const runner = RUNNERS[RUNNERS.length - 1];
  const dir = make(t, runner, {
    'package.json': '{"private": true}',
    'jest.config.js': `module.exports = {testSequencer: './sequencer.js', projects: [
      {displayName: 'one', testEnvironment: 'node'},
      {displayName: 'two', testEnvironment: 'node', testMatch: ['<rootDir>/b.test.js']},
      {displayName: 'lint', runner: './lint.js', testMatch: ['<rootDir>/*.js']},
    ]};`,
    'sequencer.js': `const {default: Sequencer} = require('@jest/test-sequencer');
      module.exports = class extends Sequencer { sort(tests) { return [...tests].sort((a, b) => b.path.localeCompare(a.path)); } };`,
    'lint.js': 'module.exports = class Lint { runTests() {} };',
    'a.test.js': "test('a', () => {}); // the larger file",
    'b.test.js': "test('b', () => {});",
  });
  const list = spawnSync(process.execPath, [path.join(__dirname, '..', 'main.cjs'), 'list'], {cwd: dir, encoding: 'utf8', env: {...process.env, ODFIX_ROOT: dir}});
  assert.strictEqual(list.status, 0, list.stderr);
  const {files, leftOut} = JSON.parse(list.stdout.slice(list.stdout.indexOf('odfix-files ') + 12));
  assert.deepStrictEqual(files, ['b.test.js', 'b.test.js [two]', 'a.test.js']);
  assert.match(leftOut.join(), /^the project lint uses the runner .*lint\.js; odfix orders tests of jest-runner only$/);
  const client = await start(t, dir);
  assert.deepStrictEqual(tests(await client.discover(files)), ['b.test.js#b', 'b.test.js [two]#b', 'a.test.js#a']);
});

test('configurations of every form, with setup files, an environment, reporters, fake timers and coverage', async t => {
  const runner = RUNNERS[RUNNERS.length - 1];
  const config = {
    testEnvironment: './environment.js', setupFiles: ['./before.js'], setupFilesAfterEnv: ['<rootDir>/after.js'], reporters: ['./reporter.js'],
    fakeTimers: {enableGlobally: true}, collectCoverage: true, coverageThreshold: {global: {lines: 100}}, bail: 1,
  };
  const text = JSON.stringify(config);
  const forms = [
    {'package.json': `{"private": true, "jest": ${text}}`},
    {'jest.config.js': `module.exports = async () => (${text});`},
    {'jest.config.cjs': `module.exports = ${text};`},
    {'jest.config.mjs': `export default ${text};`},
    {'jest.config.json': text},
    {'jest.config.js': "module.exports = {preset: './shared/jest-preset.js'};", 'shared/jest-preset.js': `module.exports = ${text.replace(/"\.\//g, '"<rootDir>/')};`},
    {'jest.config.js': `module.exports = {projects: [${JSON.stringify({...config, displayName: 'only', reporters: undefined, collectCoverage: undefined, coverageThreshold: undefined, bail: undefined})}]};`},
  ];
  for (const form of forms) {
    const dir = make(t, runner, {
      'package.json': '{"private": true}',
      'environment.js': `const {TestEnvironment} = require('jest-environment-node');
        module.exports = class extends TestEnvironment { async setup() { await super.setup(); this.global.fromEnvironment = true; } };`,
      'before.js': 'globalThis.before = typeof expect;',
      'after.js': "globalThis.after = true; beforeEach(() => { globalThis.each = true; });",
      'reporter.js': 'process.exit(9);',
      'a.test.js': `
        test('fails', () => { throw new Error('first'); });
        test('set up', () => { expect([fromEnvironment, before, after, each]).toEqual([true, 'undefined', true, true]); });
        test('timers', () => { let n = 0; setTimeout(() => n++, 1e6); jest.advanceTimersByTime(1e6); expect(n).toBe(1); });`,
      ...form,
    });
    const client = await start(t, dir);
    assert.deepStrictEqual(outcomes(await client.order(['timers', 'fails', 'set up'].map(name => `a.test.js#${name}`))), ['timers p', 'fails f', 'set up p'], Object.keys(form).join());
    client.child.kill('SIGKILL');
  }
});

const newest = RUNNERS.find(runner => runner.version === '30');
if (newest) {
  test('jsdom: what a test leaves in the document', async t => {
    const dir = make(t, {...newest, packages: ['jest-environment-jsdom@30']}, {
      'package.json': '{"private": true, "jest": {"testEnvironment": "jsdom"}}',
      'd.test.js': `
        test('leaves', () => {
          document.body.innerHTML = '<p>left</p>';
          localStorage.setItem('key', 'value');
          document.addEventListener('click', () => {});
          document.documentElement.setAttribute('data-theme', 'dark');
          document.body.className = 'open';
          window.left = 1;
        });
        test('clean', () => {
          expect(document.body.innerHTML).toBe('');
          expect(localStorage.length).toBe(0);
          expect(document.documentElement.dataset.theme).toBe(undefined);
          expect(document.body.hasAttribute('class')).toBe(false);
          expect(window.left).toBe(undefined);
        });`,
    });
    const client = await start(t, dir, {env: {ODFIX_OBSERVE: '1'}});
    const order = ['d.test.js#leaves', 'd.test.js#clean'];
    const events = await client.order(order);
    assert.deepStrictEqual(outcomes(events), ['leaves p', 'clean f']);
    const changed = events.filter(e => e.type === 'p' && e.position === 0).flatMap(e => e.changes.map(c => c.place)).sort();
    assert.deepStrictEqual(changed, ['document body', 'document body class', 'document documentElement data-theme', 'global left', 'listeners document click', 'storage local key']);
    const restored = await client.order(order, {places: changed, before: 1});
    assert.deepStrictEqual(restored.find(e => e.type === 'r').places.map(p => p.how), ['b', 'b', 'b', 'b', 'b', 'b']);
    assert.deepStrictEqual(outcomes(restored), ['leaves p', 'clean p']);
  });

  test('TypeScript, ES modules and test.failing', async t => {
    const dir = make(t, {...newest, packages: ['@babel/preset-typescript@7', '@babel/preset-env@7']}, {
      'babel.config.js': "module.exports = {presets: [['@babel/preset-env', {targets: {node: 'current'}}], '@babel/preset-typescript']};",
      'src/n.ts': 'export let n: number = 0;\nexport function up(): void { n++; }\n',
      'ts.test.ts': `
        import {n, up} from './src/n';
        interface Shape { a: number }
        test('up', () => { up(); const s: Shape = {a: n}; expect(s.a).toBe(1); });
        test('zero', () => { expect(n).toBe(0); });
        test.failing('wrong', () => { expect(1).toBe(2); });`,
      'esm.test.mjs': "import {readFileSync} from 'fs';\nlet m = 0;\ntest('sets', () => { m = 1; expect(typeof readFileSync).toBe('function'); });\ntest('reads', () => { expect(m).toBe(0); });",
      'package.json': '{"private": true, "jest": {"testEnvironment": "node", "testMatch": ["**/*.test.*"], "moduleFileExtensions": ["js", "mjs", "ts", "json"], "transform": {"\\\\.[jt]s$": "babel-jest"}}}',
    });
    const client = await start(t, dir, {env: {ODFIX_OBSERVE: '1', NODE_OPTIONS: '--experimental-vm-modules'}});
    let events = await client.order(['ts.test.ts#wrong', 'ts.test.ts#up', 'ts.test.ts#zero']);
    assert.deepStrictEqual(outcomes(events), ['wrong p', 'up p', 'zero f'], inspect(events));
    assert.ok(events.some(e => e.type === 'p' && e.changes.some(c => c.place === 'var src/n.ts n' && c.after === '1')), inspect(events.filter(e => e.type === 'p')));
    events = await client.order(['esm.test.mjs#sets', 'esm.test.mjs#reads']);
    assert.deepStrictEqual(outcomes(events), ['sets p', 'reads f'], inspect(events));
    assert.ok(events.some(e => e.type === 'p' && e.changes.some(c => c.place === 'var esm.test.mjs m')));
    events = await client.order(['esm.test.mjs#sets', 'esm.test.mjs#reads'], {places: ['var esm.test.mjs m'], before: 1});
    assert.deepStrictEqual(outcomes(events), ['sets p', 'reads p']);
  });
}
