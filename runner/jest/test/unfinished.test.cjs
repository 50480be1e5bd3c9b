'use strict';
// What a test begins and does not wait for.

const assert = require('assert');
const {test} = require('node:test');
const {outcomes} = require('./client.cjs');
const {RUNNERS, VERSIONS, make, start} = require('./project.cjs');

const FILES = {
  'src/store.js': `
    let value = 'old';
    exports.get = () => value;
    exports.save = async next => {
      for (let i = 0; i < 3; i++) await new Promise(resolve => setTimeout(resolve, 30));
      value = next;
    };
    exports.never = () => new Promise(() => {});
    exports.fail = async () => {
      await new Promise(resolve => setTimeout(resolve, 30));
      throw new Error('too late');
    };`,
  'shared.js': `
    const store = require('./src/store');
    exports.define = () => {
      test('elsewhere', () => {
        expect(store.save('new')).toBeInstanceOf(Promise);
      });
    };`,
  'v.test.js': `
    const store = require('./src/store');
    const changed = async () => {
      for (let i = 0; i < 10; i++) await new Promise(resolve => setTimeout(resolve, 20));
      return store.get();
    };
    require('./shared').define();
    test('waits', async () => {
      await store.save('old');
    });
    test('forgets', () => {
      store.save('new');
    });
    test('never', async () => {
      store.never();
    });
    test('fails', () => {
      expect(store.fail()).rejects.toThrow();
    });
    test('victim', async () => {
      const before = store.get();
      expect(await changed()).toBe(before);
    });`,
};

const id = name => `v.test.js#${name}`;
const unfinished = (events, position) => events.filter(e => e.type === 'p' && e.kind === 't' && e.position === position)
  .flatMap(e => e.changes).filter(c => /^unfinished /.test(c.place)).map(c => `${c.place.replace(/:\d+$/, '')} | ${c.path} | ${c.before} | ${c.after}`);

for (const runner of RUNNERS) {
  test(`${runner.name}: promises that a test does not wait for`, async t => {
    const dir = make(t, runner, FILES);
    const client = await start(t, dir, {args: runner.args, env: {ODFIX_OBSERVE: '1'}});
    const events = await client.order(['elsewhere', 'waits', 'forgets', 'never', 'fails', 'victim'].map(id));
    const pending = 'absent | a promise that is not settled';
    assert.deepStrictEqual(unfinished(events, 0), [`unfinished shared.js:5 | what line 5 of shared.js begins (expect(store.save('new')).toBeInstanceOf(Promise);) | ${pending}`]);
    assert.deepStrictEqual(unfinished(events, 1), ["unfinished shared.js:5 | what line 5 of shared.js begins (expect(store.save('new')).toBeInstanceOf(Promise);) | a promise that is not settled | absent"]);
    assert.deepStrictEqual(unfinished(events, 2), [`unfinished v.test.js:12 | what line 12 of v.test.js begins (store.save('new');) | ${pending}`]);
    assert.deepStrictEqual(unfinished(events, 3), [`unfinished v.test.js:15 | what line 15 of v.test.js begins (store.never();) | ${pending}`]);
    assert.deepStrictEqual(unfinished(events, 4), [`unfinished v.test.js:18 | what line 18 of v.test.js begins (expect(store.fail()).rejects.toThrow();) | ${pending}`]);
    await client.quit();
  });

  test(`${runner.name}: waiting for what a test has begun`, async t => {
    const dir = make(t, runner, FILES);
    const client = await start(t, dir, {args: runner.args, env: {ODFIX_OBSERVE: '1'}});
    const names = events => [...new Set(events.filter(e => e.type === 'l').map(e => e.name))].filter(n => /^unfinished /.test(n));
    const order = ['forgets', 'victim'].map(id);
    const alone = await client.order(order);
    assert.deepStrictEqual(outcomes(alone), ['forgets p', 'victim f']);
    const [place] = names(alone);
    const events = await client.order(order, {places: [place], before: 1});
    const [restored] = events.filter(e => e.type === 'r');
    // Older versions, and jasmine, do not wait for what watches them.
    const waits = !/ 24|jasmine/.test(runner.name);
    assert.deepStrictEqual(restored.places, [waits ? {name: place, how: 'b', problem: ''} : {name: place, how: 'x', problem: 'this test runner does not wait for it'}]);
    assert.deepStrictEqual(outcomes(events), ['forgets p', waits ? 'victim p' : 'victim f']);
    await client.quit();
  });
}

test('a reset after each test comes after what the test has begun', {skip: !VERSIONS.includes('30')}, async t => {
  const dir = make(t, {version: '30'}, {...FILES, 'v.test.js': `
    const store = require('./src/store');
    afterEach(() => store.set('old'));
    test('forgets', () => {
      store.save('new');
    });
    test('victim', async () => {
      await new Promise(resolve => setTimeout(resolve, 50));
      expect(store.get()).toBe('old');
    });`,
  'src/store.js': FILES['src/store.js'].replace('exports.get', 'exports.set = next => { value = next; };\n    exports.get').replace('i < 3', 'i < 1')});
  const client = await start(t, dir, {env: {ODFIX_OBSERVE: '1'}});
  const order = ['forgets', 'victim'].map(id);
  const alone = await client.order(order);
  assert.deepStrictEqual(outcomes(alone), ['forgets p', 'victim f']);
  const place = alone.find(e => e.type === 'l' && /^unfinished /.test(e.name)).name;
  const events = await client.order(order, {places: [place], before: 1});
  assert.deepStrictEqual(events.find(e => e.type === 'r').places, [{name: place, how: 'b', problem: ''}]);
  assert.deepStrictEqual(outcomes(events), ['forgets p', 'victim p']);
  const none = await client.order(order, {places: [place], before: 0}); // nothing is restored
  assert.deepStrictEqual(outcomes(none), ['forgets p', 'victim f']);
  await client.quit();
});

test('what never ends is not waited for without end', {skip: !VERSIONS.includes('30')}, async t => {
  const dir = make(t, {version: '30'}, FILES);
  const client = await start(t, dir, {env: {ODFIX_OBSERVE: '1'}});
  const order = ['never', 'victim'].map(id);
  const place = (await client.order(order)).find(e => e.type === 'l' && /^unfinished /.test(e.name)).name;
  const events = await client.order(order, {places: [place], before: 1});
  assert.deepStrictEqual(events.find(e => e.type === 'r').places, [{name: place, how: 'x', problem: 'it was not settled after 5 s'}]);
  assert.deepStrictEqual(outcomes(events), ['never p', 'victim p']);
  await client.quit();
});

test('odd promises, and odd paths', {skip: !VERSIONS.includes('30')}, async t => {
  const dir = make(t, {version: '30'}, {
    '(group)/p.test.js': `
      const {inspect} = require('util');
      class Odd extends Promise {
        [inspect.custom]() {
          global.called = true;
          throw new Error('inspected');
        }
      }
      const later = value => new Odd(resolve => setTimeout(resolve, 100, value));
      test('odd', () => {
        later(1);
      });
      test('settled', async () => {
        await Promise.resolve('state: <pending>');
        for (let i = 0; i < 20000; i++) await i;
        later(2);
      });
      test('not called', () => {
        expect(global.called).toBe(undefined);
      });`,
  });
  const client = await start(t, dir, {env: {ODFIX_OBSERVE: '1'}});
  const events = await client.order(['odd', 'settled', 'not called'].map(name => `(group)/p.test.js#${name}`));
  assert.deepStrictEqual(outcomes(events), ['odd p', 'settled p', 'not called p'], JSON.stringify(events.filter(e => e.type === 'f')));
  assert.deepStrictEqual(unfinished(events, 0).map(c => c.split(' | ')[0]), ['unfinished (group)/p.test.js:11']);
  assert.deepStrictEqual(unfinished(events, 1).filter(c => / absent \| a promise/.test(c)).map(c => c.split(' | ')[0]), ['unfinished (group)/p.test.js:16']);
  await client.quit();
});

// Async functions that are written in an older language: helpers call what was the code of the test.
const ASYNC = `
const store = require('./src/store');

async function inner() {
  store.save(0);
}
test('first', async () => {
  store.save(1);
  await null;
  store.save(2);
});
test('second', async () => {
  await null;
  store.save(3);
});
test('third', async () => {
  await inner();
});`;

for (const [name, packages, config, file] of [
  ['Babel, for old browsers', ['@babel/preset-typescript@7', '@babel/preset-env@7'], "presets: [['@babel/preset-env', {targets: {ie: '11'}}]]", 'v.test.js'],
  ['Babel, generators', ['@babel/preset-typescript@7', '@babel/preset-env@7'], "presets: [['@babel/preset-env', {targets: {node: '6'}}]]", 'v.test.js'],
]) {
  test(`${name}: the line of the test`, {skip: !VERSIONS.includes('30')}, async t => {
    const dir = make(t, {version: '30', packages}, {...FILES, 'babel.config.js': `module.exports = {${config}};`, [file]: ASYNC});
    const client = await start(t, dir, {env: {ODFIX_OBSERVE: '1'}});
    const events = await client.order(['first', 'second', 'third'].map(id));
    assert.deepStrictEqual(outcomes(events), ['first p', 'second p', 'third p'], JSON.stringify(events.filter(e => e.type === 'f')));
    const lines = position => unfinished(events, position).filter(c => / absent \| a promise/.test(c)).map(c => c.split(' | ')[0]);
    assert.deepStrictEqual(lines(0), ['unfinished v.test.js:8', 'unfinished v.test.js:10']);
    assert.deepStrictEqual(lines(1), ['unfinished v.test.js:14']);
    assert.ok(['unfinished v.test.js:5', 'unfinished v.test.js:17'].includes(lines(2)[0]), lines(2).join());
    await client.quit();
  });
}

test('TypeScript, for ES2015: the line of the test', {skip: !VERSIONS.includes('30')}, async t => {
  const packages = ['ts-node@10', 'typescript@5'];
  for (const target of ['ES2015', 'ES5']) {
    const dir = make(t, {version: '30', packages}, {...FILES,
      'transform.js': `const ts = require('typescript');
        exports.process = (text, file) => {
          const {outputText, sourceMapText} = ts.transpileModule(text, {fileName: file, compilerOptions: {target: '${target}', module: 'CommonJS', sourceMap: true}});
          return {code: outputText.replace(/\\n.*sourceMappingURL.*/, ''), map: sourceMapText};
        };`,
      'package.json': '{"private": true, "jest": {"testEnvironment": "node", "transform": {"test.[jt]s$": "./transform.js"}}}', 'v.test.js': ASYNC});
    const client = await start(t, dir, {env: {ODFIX_OBSERVE: '1'}});
    const events = await client.order(['first', 'second'].map(id));
    assert.deepStrictEqual(outcomes(events), ['first p', 'second p'], JSON.stringify(events.filter(e => e.type === 'f')));
    const lines = position => unfinished(events, position).filter(c => / absent \| a promise/.test(c)).map(c => c.split(' | ')[0]);
    assert.deepStrictEqual([lines(0), lines(1)], [['unfinished v.test.js:8', 'unfinished v.test.js:10'], ['unfinished v.test.js:14']], target);
    await client.quit();
  }
});

test('what fails after the end of a test is told', {skip: !VERSIONS.includes('30')}, async t => {
  const dir = make(t, {version: '30'}, {...FILES, 'v.test.js': `
    const store = require('./src/store');
    test('forgets', () => {
      store.fail();
    });
    test('waits', async () => {
      await new Promise(resolve => setTimeout(resolve, 200));
    });`});
  const client = await start(t, dir);
  const events = await client.order(['forgets', 'waits'].map(id));
  assert.deepStrictEqual(outcomes(events), ['forgets p', 'waits p']);
  const told = events.filter(e => e.type === 'c').map(e => e.message);
  assert.deepStrictEqual(told, ['v.test.js#forgets failed after its end: too late']);
  await client.quit();
});
