'use strict';
// What a transformer made of a file serves the other processes of a job, and nothing else.

const test = require('node:test');
const assert = require('node:assert');
const fs = require('fs');
const os = require('os');
const path = require('path');
const {RUNNERS, make, start} = require('./project.cjs');
const {outcomes} = require('./client.cjs');

const TRANSFORMER = `
  const fs = require('fs');
  const log = text => fs.appendFileSync(__dirname + '/log.txt', text + '\\n');
  log('loaded');
  module.exports = {
    process(code, file) {
      log('transformed ' + require('path').basename(file));
      code = code.replace('ANSWER', '42').replace('PATH', JSON.stringify(file));
      if (!file.endsWith('mapped.test.js')) return MAJOR < 28 ? code : {code};
      // Each line comes from the same line of the source; the map names the file by its whole path.
      const map = {version: 3, sources: [file], names: [], mappings: 'AAAA' + ';AACA'.repeat(code.split('\\n').length)};
      return {code: 'var first;' + code, map};
    },
  };`;

for (const runner of RUNNERS) {
  test(`what is shared leads to the files of each working copy, ${runner.name}`, async t => {
    const transforms = fs.mkdtempSync(path.join(os.tmpdir(), 'odfix-transforms-'));
    t.after(() => fs.rmSync(transforms, {recursive: true, force: true}));
    const cache = fs.mkdtempSync(path.join(os.tmpdir(), 'odfix-cache-'));
    t.after(() => fs.rmSync(cache, {recursive: true, force: true}));
    const dir = make(t, runner, {
      'package.json': JSON.stringify({private: true, jest: {testEnvironment: 'node', transform: {'\\.js$': '<rootDir>/transformer.cjs'}}}),
      'transformer.cjs': TRANSFORMER.replace('MAJOR', runner.version),
      'mapped.test.js': 'test("fails", () => {\n  throw new Error(PATH);\n});',
    });
    const copy = `${dir}-copy`; // a longer name with the same beginning
    fs.cpSync(dir, copy, {recursive: true, verbatimSymlinks: true});
    t.after(() => fs.rmSync(copy, {recursive: true, force: true}));
    for (const at of [dir, copy, dir]) {
      const client = await start(t, at, {args: runner.args, env: {ODFIX_TRANSFORMS: transforms, ODFIX_CACHE: cache}});
      const [failed] = (await client.order(['mapped.test.js#fails'])).filter(event => event.type === 'f');
      await client.quit();
      assert.strictEqual(failed.message.split('\n')[0], path.join(at, 'mapped.test.js'));
      assert.match(failed.stack, /[( ]mapped\.test\.js:2:/);
    }
    assert.strictEqual(fs.readFileSync(path.join(dir, 'log.txt'), 'utf8').match(/transformed/g).length, 1);
    const copied = path.join(copy, 'log.txt'); // Jest 24 does not even load the transformer
    assert.ok(!fs.existsSync(copied) || !/transformed/.test(fs.readFileSync(copied, 'utf8')), 'the copy transforms nothing');
  });

  test(`a file is transformed once in a job, ${runner.name}`, async t => {
    const transforms = fs.mkdtempSync(path.join(os.tmpdir(), 'odfix-transforms-'));
    t.after(() => fs.rmSync(transforms, {recursive: true, force: true}));
    const dir = make(t, runner, {
      'package.json': JSON.stringify({private: true, jest: {testEnvironment: 'node', transform: {'\\.js$': '<rootDir>/transformer.cjs'}}}),
      'transformer.cjs': TRANSFORMER.replace('MAJOR', runner.version),
      'answer.js': 'module.exports = ANSWER;',
      'a.test.js': 'test("adds", () => { expect(require("./answer")).toBe(42); });',
    });
    const log = (of = dir) => {
      const file = path.join(of, 'log.txt');
      const text = fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim().split('\n') : [];
      fs.rmSync(file, {force: true});
      return text.filter(line => line !== 'loaded').sort();
    };
    const run = async (args = []) => {
      const client = await start(t, dir, {args: [...runner.args, ...args], env: {ODFIX_TRANSFORMS: transforms}});
      const seen = outcomes(await client.order(['a.test.js#adds']));
      await client.quit();
      fs.rmSync(path.join(dir, '.cache'), {recursive: true, force: true}); // Jest's own copies
      return seen;
    };
    assert.deepStrictEqual(await run(), ['adds p']);
    assert.deepStrictEqual(log(), ['transformed a.test.js', 'transformed answer.js']);
    assert.deepStrictEqual(await run(), ['adds p']);
    assert.deepStrictEqual(log(), [], 'the second process transforms nothing');
    fs.writeFileSync(path.join(dir, 'answer.js'), 'module.exports = ANSWER + 1;');
    assert.deepStrictEqual(await run(), ['adds f']);
    assert.deepStrictEqual(log(), ['transformed answer.js'], 'a changed file is transformed again');
    assert.deepStrictEqual(await run(['--globals={"other": 1}']), ['adds f']);
    assert.deepStrictEqual(log(), ['transformed a.test.js', 'transformed answer.js'], 'another configuration transforms again');
    fs.rmSync(path.join(dir, 'log.txt'), {force: true});
    const copy = path.join(path.dirname(dir), `${path.basename(dir)}-copy`);
    fs.cpSync(dir, copy, {recursive: true, verbatimSymlinks: true});
    t.after(() => fs.rmSync(copy, {recursive: true, force: true}));
    const client = await start(t, copy, {args: runner.args, env: {ODFIX_TRANSFORMS: transforms}});
    const [failed] = (await client.order(['a.test.js#adds'])).filter(event => event.type === 'f');
    await client.quit();
    assert.match(failed.stack, /\(a\.test\.js:1:/, 'the trace leads to the file of the copy');
    assert.deepStrictEqual(log(copy), [], 'another working copy transforms nothing');
    const other = await start(t, copy, {args: runner.args, env: {ODFIX_TRANSFORMS: transforms, ODFIX_VARIANT: path.join(copy, 'variant')}});
    fs.writeFileSync(path.join(copy, 'variant'), 'another helper');
    await other.order(['a.test.js#adds']);
    await other.quit();
    assert.deepStrictEqual(log(copy), ['transformed a.test.js', 'transformed answer.js'], 'copies with other helpers share nothing');
    await run(['--no-cache']);
    assert.deepStrictEqual(log(), ['transformed a.test.js', 'transformed answer.js'], 'without a cache nothing is kept');
  });
}
