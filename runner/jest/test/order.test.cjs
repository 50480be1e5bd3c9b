'use strict';
// Exact orders, with every supported version and both runners.

const assert = require('assert');
const fs = require('fs');
const path = require('path');
const {test} = require('node:test');
const {tests, outcomes} = require('./client.cjs');
const {RUNNERS, make, start} = require('./project.cjs');

const NESTED = `
  const log = [];
  const spy = jest.fn();
  beforeAll(() => { log.push('all'); });
  afterAll(() => { log.push('end'); require('fs').writeFileSync(__dirname + '/log', log.join(' ')); });
  test('first', () => { spy(); log.push('first'); expect(spy).toHaveBeenCalledTimes(1); });
  test('second', () => { spy(); log.push('second'); expect(spy).toHaveBeenCalledTimes(1); });
  describe('group', () => {
    beforeAll(() => { log.push('group-all'); });
    beforeEach(() => { log.push('each'); });
    afterEach(async () => { log.push('done'); });
    test('in', async () => { await null; log.push('in'); });
    describe('inner', () => { test('same', () => { log.push('same1'); }); test('same', () => { log.push('same2'); }); });
    test.skip('skipped', () => { log.push('skipped'); });
    test.todo('later');
  });
  describe.each([['x'], ['y']])('each %s', name => { test('named', () => { log.push(name); }); });
`;

for (const runner of RUNNERS) {
  test(`${runner.name}: discovery and orders within a file`, async t => {
    const dir = make(t, runner, {'n.test.js': NESTED});
    const client = await start(t, dir, {args: runner.args});
    const [seen] = await client.discover();
    assert.strictEqual(seen.problem, '');
    const ids = tests([seen]).map(id => id.replace('n.test.js#', ''));
    const inner = ['group › inner › same', 'group › inner › same~2'];
    const group = runner.testsFirst ? ['group › in', 'group › skipped', 'group › later', ...inner] : ['group › in', ...inner, 'group › skipped', 'group › later'];
    assert.deepStrictEqual(ids, ['first', 'second', ...group, 'each x › named', 'each y › named']);
    const flags = Object.fromEntries(seen.nodes.filter(n => n.kind === 't').map(n => [n.name.replace('n.test.js#', ''), n.flags]));
    assert.strictEqual(flags['group › skipped'] & 1, 1);
    assert.strictEqual(flags['group › later'] & 17, 17);
    assert.strictEqual(flags.first & 1, 0);
    assert.ok(!fs.existsSync(path.join(dir, 'log')), 'discovery runs no hooks');

    const log = async order => {
      const events = await client.order(order.map(id => `n.test.js#${id}`));
      assert.strictEqual(events[events.length - 1].type, '.', JSON.stringify(events));
      return [outcomes(events), fs.readFileSync(path.join(dir, 'log'), 'utf8')];
    };
    assert.deepStrictEqual(await log(['first', 'second']), [['first p', 'second f'], 'all first second end']);
    const {stack} = (await client.order(['n.test.js#first', 'n.test.js#second'])).find(e => e.type === 'f' && e.outcome === 'f');
    assert.match(stack, /\bn\.test\.js:\d+/);
    assert.ok(!stack.includes(dir), stack);
    assert.deepStrictEqual(await log(['second', 'first']), [['second p', 'first f'], 'all second first end']);
    assert.deepStrictEqual(await log(['first']), [['first p'], 'all first end']);
    assert.deepStrictEqual(await log(['each y › named', 'group › skipped', 'group › inner › same~2', 'group › inner › same', 'each x › named'].filter(id => !runner.testsFirst || !/skipped/.test(id))),
      [['each y › named p', ...(runner.testsFirst ? [] : ['group › skipped s']), 'group › inner › same~2 p', 'group › inner › same p', 'each x › named p'],
        'all y group-all each same2 done each same1 done x end']);

    const refused = async order => (await client.order(order)).pop();
    assert.match((await refused(['n.test.js#group › in', 'n.test.js#first', 'n.test.js#group › inner › same'])).reason, /describe block/);
    assert.deepStrictEqual(await refused(['n.test.js#nope']), {type: 'e', id: 1, reason: 'these tests do not exist in the file', ids: ['n.test.js#nope'], gone: true});
    assert.strictEqual((await refused(['n.test.js#first', 'm.test.js#a'])).gone, true);
    assert.match((await refused(['n.test.js#first', 'n.test.js#first'])).reason, /twice/);
    assert.deepStrictEqual(await client.quit(), {code: 0, signal: null});
  });

  test(`${runner.name}: events of a run`, async t => {
    const dir = make(t, runner, {
      'a.test.js': `
        beforeAll(() => {});
        test('throws', () => { throw new RangeError('too \\u001b[31mfar\\u001b[0m'); });
        test('counts', () => { expect.assertions(1); });
        describe('setup', () => { beforeAll(() => { throw new Error('no setup'); }); test('never', () => {}); });
        test('ok', done => { console.log('noise'); process.stdout.write('more noise'); setTimeout(done, 5); });`,
      'b.test.js': `describe('down', () => { test('fine', () => {}); afterAll(() => { throw new Error('teardown'); }); });`,
      'c.test.js': `test('only', () => {`,
    });
    const client = await start(t, dir, {args: runner.args});
    const events = await client.order(['a.test.js#ok', 'a.test.js#throws', 'a.test.js#counts', 'a.test.js#setup › never', 'b.test.js#down › fine', 'c.test.js#only']);
    const brief = events.filter(e => 'sfc.'.includes(e.type)).map(e => `${e.type}${e.position === undefined ? '' : e.position}${e.outcome || ''}`);
    const jasmine = /jasmine/.test(runner.name);
    assert.deepStrictEqual(brief.filter(b => b[0] !== 'c' && b !== 's3'), ['s0', 'f0p', 's1', 'f1f', 's2', 'f2f', 'f3f', 's4', 'f4p', 'f5f', '.']);
    if (!jasmine) assert.deepStrictEqual(events.filter(e => e.type === 'c').map(e => [e.position, e.file, e.message]), [[4, 'b.test.js', 'teardown']]);
    const failed = Object.fromEntries(events.filter(e => e.type === 'f').map(e => [e.position, e]));
    assert.strictEqual(failed[1].error, 'RangeError');
    assert.strictEqual(failed[1].message, 'too far');
    assert.match(failed[1].stack, /a\.test\.js:3/);
    assert.match(failed[2].message, /assertion/);
    assert.match(failed[3].message, /no setup/);
    assert.strictEqual(failed[5].error, 'Test suite failed to run');
    assert.match(failed[5].message, /c\.test\.js/);
    assert.ok(failed[0].nanos >= 4e6, 'the time of a test is measured');
    await client.quit();
  });

  test(`${runner.name}: the order of files`, async t => {
    const leave = name => `test('t', () => {
      const fs = require('fs'), file = __dirname + '/left';
      const before = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
      fs.writeFileSync(file, before + '${name}');
      expect(globalThis.seen).toBe(undefined);
      globalThis.seen = 1;
    });`.replace(/globalThis/g, 'global');
    const dir = make(t, runner, {'x.test.js': leave('x'), 'y.test.js': leave('y'), 'sub/z.test.js': leave('z').replace('/left', '/../left')});
    const client = await start(t, dir, {args: runner.args});
    for (const order of ['yxz', 'zyx', 'xz']) {
      const ids = [...order].map(n => `${n === 'z' ? 'sub/' : ''}${n}.test.js#t`);
      assert.deepStrictEqual(outcomes(await client.order(ids)), [...order].map(() => 't p'), 'modules and globals are new in every file');
      assert.strictEqual(fs.readFileSync(path.join(dir, 'left'), 'utf8'), order);
      fs.unlinkSync(path.join(dir, 'left'));
    }
    assert.match((await client.order(['x.test.js#t', 'y.test.js#t', 'x.test.js#t'])).pop().reason, /leaves a test file/);
    await client.quit();
  });

  test(`${runner.name}: only, and names as they come`, async t => {
    const dir = make(t, runner, {
      'o.test.js': `test('no', () => {}); test.only('yes', () => {}); describe.only('block', () => { test('too', () => {}); });`,
      'p.test.js': `describe('a # b', () => { test('tab\\there', () => {}); for (const n of [1, 2]) test('made ' + n, () => {}); });`,
      'q.test.js': `describe.skip('all', () => { test('x', () => {}); }); test('y', () => {});`,
      'r.test.js': ``,
    });
    const client = await start(t, dir, {args: runner.args});
    const seen = await client.discover(['o.test.js', 'p.test.js', 'q.test.js', 'r.test.js', 's.test.js']);
    const marks = d => d.nodes.filter(n => n.kind === 't').map(n => `${n.name.replace(/^[^#]*#/, '')} ${n.flags & 1}`);
    assert.deepStrictEqual(seen.slice(0, 3).map(marks), [
      ['no 1', 'yes 0', 'block › too 0'],
      ['a # b › tab\\there 0', 'a # b › made 1 0', 'a # b › made 2 0'],
      [...(runner.testsFirst ? ['y 0', 'all › x 1'] : ['all › x 1', 'y 0'])],
    ]);
    assert.match(seen[3].problem, /must contain at least one test/);
    assert.match(seen[4].problem, /no test file/);
    assert.deepStrictEqual(outcomes(await client.order(['o.test.js#no', 'o.test.js#yes', 'q.test.js#y', 'q.test.js#all › x'])), ['no s', 'yes p', 'y p', 'all › x s']);
    await client.quit();
  });
}
