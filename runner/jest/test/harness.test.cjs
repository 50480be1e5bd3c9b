'use strict';

const assert = require('assert');
const fs = require('fs');
const path = require('path');
const test = require('node:test');

const { Client } = require('./client.cjs');
const { project, versions } = require('./project.cjs');

const shapes = `
let n = 0;
beforeEach(() => { n += 0; });
test('sets', () => { n = 1; });
describe('inner', () => {
  test('victim', () => { expect(n).toBe(0); });
  test.skip('off', () => {});
  describe('deep', () => {
    test.each([1, 2])('each %i', (k) => { expect(k).toBeGreaterThan(0); });
  });
});
test('sets', () => {});
test('last', async () => { await new Promise((r) => setTimeout(r, 2)); });
`;

const tree = (d) => d.nodes.map((n) => (n.kind === 'e' ? ')' : n.kind === 'g' ? `${n.name}(` : n.name.split('#')[1] + (n.flags ? '!' : ''))).join(' ');

async function withProject(version, files, options, use) {
  const dir = project([`jest@${version}`, ...(options.packages || [])], files);
  const client = new Client(dir, options);
  try {
    const hello = await client.hello();
    await use(client, hello, dir);
  } finally {
    client.kill();
    await client.ended;
    fs.rmSync(dir, { recursive: true });
  }
}

for (const version of versions) {
  test(`Jest ${version}: lists tests and runs exact orders`, async () => {
    const files = { 'a.test.js': shapes, 'lib/b.test.js': "test('fails', () => { throw new TypeError('boom'); });" };
    await withProject(version, files, {}, async (c, hello) => {
      assert.match(hello.frameworks[0], new RegExp(`^jest ${version}\\.`));
      const found = await c.discover();
      assert.deepStrictEqual(found.map((d) => d.file).sort(), ['a.test.js', 'lib/b.test.js']);
      const a = found.find((d) => d.file === 'a.test.js');
      assert.strictEqual(tree(a), 'sets inner( inner › victim inner › off! deep( inner › deep › each 1 inner › deep › each 2 ) ) sets~2 last');

      const id = (name) => `a.test.js#${name}`;
      let r = await c.run([id('sets'), id('inner › victim')]);
      assert.strictEqual(r.outcomes, 'pf');
      assert.match(r.finished[1].message, /toBe/);
      r = await c.run([id('inner › victim'), id('sets')]);
      assert.strictEqual(r.outcomes, 'pp');
      assert.deepStrictEqual(r.started, [id('inner › victim'), id('sets')]);
      r = await c.run([id('last'), id('inner › deep › each 2'), id('inner › deep › each 1'), id('inner › off'), 'lib/b.test.js#fails']);
      assert.strictEqual(r.outcomes, 'pppsf');
      assert.deepStrictEqual([r.finished[4].failure, r.finished[4].message], ['TypeError', 'boom']);
      r = await c.run([id('sets~2'), id('sets'), id('sets~2')]);
      assert.strictEqual(r.outcomes, 'ppp');

      r = await c.run([id('inner › victim'), id('last'), id('inner › deep › each 1')]);
      assert.ok(r.refused && !r.refused.gone && r.started.length === 0, 'an order that leaves a describe block and comes back');
      r = await c.run([id('nobody')]);
      assert.ok(r.refused && r.refused.gone);
      r = await c.run(['nowhere.test.js#x']);
      assert.ok(r.refused && r.refused.gone);
      assert.strictEqual(await c.quit(), 0);
    });
  });

  test(`Jest ${version}: files keep their isolation, and switches choose statements`, async () => {
    const on = "globalThis[Symbol.for('odfix.on')]";
    const files = {
      'a.test.js': "globalThis.left = 1; test('a', () => { process.env.LEFT = 'yes'; });",
      'b.test.js': "test('b', () => { expect([globalThis.left, process.env.LEFT]).toEqual([undefined, undefined]); });",
      'c.test.js': `test('c', () => { expect([${on}(0), ${on}(1), ${on}(2)]).toEqual([true, false, true]); });`,
    };
    await withProject(version, files, {}, async (c) => {
      assert.strictEqual((await c.run(['a.test.js#a', 'b.test.js#b'])).outcomes, 'pp');
      assert.strictEqual((await c.run(['c.test.js#c'], '10')).outcomes, 'p');
      assert.strictEqual((await c.run(['c.test.js#c'], '00')).outcomes, 'f');
    });
  });

  test(`Jest ${version}: hostile and odd test files`, async () => {
    const files = {
      'broken.test.js': "test('x', () => { this is no js",
      'throws.test.js': "throw new Error('at load')",
      'empty.test.js': '',
      'prototype.test.js': `
        Array.prototype.sort = Array.prototype.filter = () => []; Map.prototype.get = () => 1;
        globalThis.Promise = null; JSON.stringify = () => ''; Date.now = () => NaN;
        test('one', () => {}); test('two', () => { throw null; });`,
      'output.test.js': "test('prints', () => { require('fs').writeSync(1, '\\u0000'.repeat(9)); console.log('{}'); });",
      'exit.test.js': "test('fine', () => {}); test('exits', () => { process.exit(3); });",
      'hooks.test.js': "beforeAll(() => { throw new Error('setup'); }); test('h', () => {}); describe('d', () => { test('i', () => {}); });",
      'only.test.js': "test.only('this', () => {}); test('that', () => {}); test.todo('later');",
    };
    await withProject(version, files, {}, async (c) => {
      const found = new Map((await c.discover()).map((d) => [d.file, d]));
      assert.match(found.get('broken.test.js').problem, /broken\.test\.js/);
      assert.match(found.get('throws.test.js').problem, /at load/);
      assert.ok(found.get('empty.test.js').problem);
      assert.strictEqual(tree(found.get('prototype.test.js')), 'one two');
      assert.strictEqual(tree(found.get('only.test.js')), 'this that! later!');

      let r = await c.run(['broken.test.js#x']);
      assert.strictEqual(r.outcomes, 'f');
      r = await c.run(['prototype.test.js#two', 'prototype.test.js#one', 'output.test.js#prints']);
      assert.strictEqual(r.outcomes, 'fpp');
      r = await c.run(['hooks.test.js#h', 'hooks.test.js#d › i', 'only.test.js#that', 'only.test.js#this']);
      assert.strictEqual(r.outcomes, 'ffsp');
      r = await c.run(['exit.test.js#fine', 'exit.test.js#exits']);
      assert.deepStrictEqual([r.outcomes, r.exited.position], ['p', 1]);
      assert.match(r.exited.how, /process\.exit/);
    });
  });

  test(`Jest ${version}: the end of commands ends the process, and snapshots stay`, async () => {
    const files = {
      's.test.js': "test('snap', () => { expect({ a: 1 }).toMatchSnapshot(); });",
      'wait.test.js': "test('waits', () => new Promise(() => {}), 1e8);",
    };
    await withProject(version, files, {}, async (c, hello, dir) => {
      await c.run(['s.test.js#snap']);
      assert.ok(!fs.existsSync(path.join(dir, '__snapshots__')), 'a snapshot was written');
      c.ask(['wait.test.js#waits']);
      await c.until('s');
      c.process.stdio[3].end();
      await c.ended;
    });
  });
}

test('a project without Jest is refused in words', async () => {
  const dir = fs.mkdtempSync(path.join(require('os').tmpdir(), 'odfix-jest-'));
  fs.writeFileSync(path.join(dir, 'package.json'), '{}');
  const c = new Client(dir);
  const first = await c.hello();
  assert.match(first.reason, /Jest is not installed/);
  await c.ended;
  fs.rmSync(dir, { recursive: true });
});
