'use strict';
// Test files that are broken, or that attack what the harness relies on.

const assert = require('assert');
const fs = require('fs');
const path = require('path');
const {test} = require('node:test');
const {Client, tests, outcomes} = require('./client.cjs');
const {RUNNERS, make, start} = require('./project.cjs');

/** stacks asks where the main thread is until it is there: the test has begun only just now. */
async function stacks(client, wanted) {
  for (let i = 0; i < 20; i++) {
    const {text} = (await client.stacks()).pop();
    if (text.includes(wanted) || i === 19) return text;
  }
}

for (const runner of RUNNERS) {
  test(`${runner.name}: broken and odd files`, async t => {
    const dir = make(t, runner, {
      'broken.test.js': "test('x', () => { this is no js",
      'throws.test.js': "throw new Error('at load')",
      'empty.test.js': '',
      'prototype.test.js': `
        Array.prototype.sort = Array.prototype.filter = () => []; Map.prototype.get = () => 1;
        globalThis.Promise = null; JSON.stringify = () => ''; Date.now = () => NaN;
        test('one', () => {}); test('two', () => { throw null; });`,
      'outer.test.js': `
        const fs = require('fs'), b = Buffer.prototype;
        test('replaces', () => { fs.writeSync = fs.fstatSync = () => { throw 1; }; b.write = b.writeUInt32BE = b.copy = () => 0; process.hrtime = null; });
        test('next', () => {});`,
      'output.test.js': "test('prints', () => { require('fs').writeSync(1, '\\u0000'.repeat(9)); console.log('{}'); });",
      'a.js': "exports.b = require('./b'); exports.f = () => {};",
      'b.js': "exports.a = require('./a');",
      'circular.test.js': `
        jest.mock('./a');
        const a = require('./a');
        a.self = a;
        const f = jest.fn();
        test('round', () => { f(a, f); expect(f).toHaveBeenCalledWith(f); });
        test('and round', () => { a.f(a); throw a; });`,
      'push.test.js': "test('replaces', () => { Array.prototype.push = () => 0; globalThis.Promise = undefined; }); test('later', () => {});",
      'hooks.test.js': "beforeAll(() => { throw new Error('setup'); }); test('h', () => {}); describe('d', () => { test('i', () => {}); });",
    });
    const client = await start(t, dir, {args: runner.args});
    const found = new Map((await client.discover()).map(d => [d.file, d]));
    assert.match(found.get('broken.test.js').problem, /broken\.test\.js/);
    assert.match(found.get('throws.test.js').problem, /at load/);
    assert.match(found.get('empty.test.js').problem, /at least one test/);
    assert.deepStrictEqual(tests([found.get('prototype.test.js')]), ['prototype.test.js#one', 'prototype.test.js#two']);

    assert.deepStrictEqual(outcomes(await client.order(['broken.test.js#x'])), ['x f']);
    assert.deepStrictEqual(outcomes(await client.order(['prototype.test.js#two', 'prototype.test.js#one', 'output.test.js#prints'])), ['two f', 'one p', 'prints p']);
    assert.deepStrictEqual(outcomes(await client.order(['hooks.test.js#h', 'hooks.test.js#d › i'])), ['h f', 'd › i f']);
    assert.deepStrictEqual(outcomes(await client.order(['circular.test.js#and round', 'circular.test.js#round'])), ['and round f', 'round f']);
    assert.deepStrictEqual(outcomes(await client.order(['push.test.js#replaces', 'push.test.js#later'])), ['replaces p', 'later p']);
    assert.deepStrictEqual(outcomes(await client.order(['outer.test.js#replaces', 'outer.test.js#next'])), ['replaces p', 'next p']);
  });

  test(`${runner.name}: exits and endless loops`, async t => {
    const dir = make(t, runner, {
      'exit.test.js': "test('fine', () => {}); test('exits', () => { process.exit(7); });",
      'loop.test.js': "test('spins', () => { function turning() { for (;;) Math.random(); } turning(); });",
      'wait.test.js': "test('waits', () => new Promise(() => {}), 1e8);",
    });
    let client = await start(t, dir, {args: runner.args});
    let events = await client.order(['exit.test.js#fine', 'exit.test.js#exits']);
    assert.deepStrictEqual(events.map(e => `${e.type}${e.position}`), ['s0', 'f0', 's1', 'x1']);
    assert.match(events[3].how, /^process\.exit\(7\) called\n[^]*exit\.test\.js/);
    assert.deepStrictEqual(await client.ended, {code: 7, signal: null});

    client = await start(t, dir, {args: runner.args});
    client.ask(['loop.test.js#spins']);
    assert.strictEqual((await client.until('s')).pop().id, 'loop.test.js#spins');
    assert.match(await stacks(client, 'turning'), /at turning \(.*loop\.test\.js:\d/);
    client.child.stdio[3].end();
    await client.ended;

    client = await start(t, dir, {args: runner.args});
    client.ask(['wait.test.js#waits']);
    await client.until('s');
    assert.match(await stacks(client, 'runs no code'), /runs no code/);
    client.child.stdio[3].end();
    await client.ended;
  });

  test(`${runner.name}: snapshots stay, files are isolated, switches choose statements`, async t => {
    const on = "globalThis[Symbol.for('odfix.on')]";
    const dir = make(t, runner, {
      'a.test.js': "globalThis.left = 1; test('a', () => { process.env.LEFT = 'yes'; });",
      'b.test.js': "test('b', () => { expect([globalThis.left, process.env.LEFT]).toEqual([undefined, undefined]); });",
      'c.test.js': `test('c', () => { expect([${on}(0), ${on}(1), ${on}(2), ${on}.several()]).toEqual([true, false, true, false]); });`,
      'd.test.js': `test('d', () => { expect(${on}.several()).toBe(true); });`,
      's.test.js': "test('new', () => { expect({a: 1}).toMatchSnapshot(); }); test('kept', () => { expect(1).toMatchSnapshot(); });",
      '__snapshots__/s.test.js.snap': '// Jest Snapshot v1, https://goo.gl/fbAQLP\n\nexports[`gone 1`] = `2`;\n\nexports[`kept 1`] = `1`;\n',
    });
    const client = await start(t, dir, {args: runner.args});
    assert.deepStrictEqual(outcomes(await client.order(['a.test.js#a', 'b.test.js#b'])), ['a p', 'b p']);
    assert.deepStrictEqual(outcomes(await client.order(['c.test.js#c'], {switches: '10'})), ['c p']);
    assert.deepStrictEqual(outcomes(await client.order(['c.test.js#c'], {switches: '00'})), ['c f']);
    for (const switches of ['11', '']) {
      assert.deepStrictEqual(outcomes(await client.order(['d.test.js#d'], {switches})), ['d p']);
    }
    const file = path.join(dir, '__snapshots__/s.test.js.snap');
    const before = fs.readFileSync(file, 'utf8');
    await client.order(['s.test.js#kept', 's.test.js#new']);
    assert.strictEqual(fs.readFileSync(file, 'utf8'), before);
    assert.deepStrictEqual(fs.readdirSync(path.join(dir, '__snapshots__')), ['s.test.js.snap']);
  });
}

if (RUNNERS.length) {
  test('10,000 tests, in a folder that is reached by a link', async t => {
    const dir = make(t, RUNNERS[RUNNERS.length - 1], {'big.test.js': "for (let i = 0; i < 100; i++) describe('g' + i, () => { for (let j = 0; j < 100; j++) test('t' + j, () => {}); });"});
    const link = `${dir}-link`;
    fs.symlinkSync(dir, link);
    t.after(() => fs.unlinkSync(link));
    const client = await start(t, link);
    const ids = tests(await client.discover());
    assert.strictEqual(ids.length, 10000);
    const order = ids.reverse();
    const events = await client.order(order);
    assert.deepStrictEqual(events.filter(e => e.type === 'f').map(e => e.id), order);
  });
}

test('a project without Jest is refused in words', async t => {
  const dir = fs.mkdtempSync(path.join(require('os').tmpdir(), 'odfix-jest-'));
  t.after(() => fs.rmSync(dir, {recursive: true}));
  fs.writeFileSync(path.join(dir, 'package.json'), '{}');
  const client = new Client(dir);
  await client.ended;
  assert.strictEqual(client.exit.code, 3);
  assert.match(client.printed, /Jest is not installed/);
});

test('a start that takes long says that it works', async t => {
  const runner = RUNNERS[RUNNERS.length - 1];
  const dir = make(t, runner, {
    'package.json': '{"private": true}',
    'jest.config.js': "while (!require('fs').existsSync(__dirname + '/go')); module.exports = {};",
    'a.test.js': "test('a', () => {});",
  });
  const client = new Client(dir);
  t.after(() => client.child.kill('SIGKILL'));
  const [first] = await client.until('b');
  const [second] = await client.until('b');
  assert.ok(second.micros > first.micros, `${first.micros} ${second.micros}`);
  fs.writeFileSync(path.join(dir, 'go'), '');
  await client.hello();
  assert.deepStrictEqual(outcomes(await client.order(['a.test.js#a'])), ['a p']);
});
