'use strict';
// A process that answers one order after the other is the same for each of them.

const assert = require('assert');
const fs = require('fs');
const path = require('path');
const {test} = require('node:test');
const {outcomes} = require('./client.cjs');
const {RUNNERS, make, start} = require('./project.cjs');

const REUSE = {env: {ODFIX_REUSE: '1'}};

/** ask runs tests of one file in an order of their own. */
async function ask(client, file, ...names) {
  const events = await client.order(names.map(name => `${file}#${name}`));
  return {outcomes: outcomes(events), ...events[events.length - 1]};
}

test(`${RUNNERS[0].name}: memory is reported where Node has no memoryUsage.rss`, async t => {
  const dir = make(t, RUNNERS[0], {'a.test.js': "test('x', () => {});", 'old.cjs': 'delete process.memoryUsage.rss;'});
  const client = await start(t, dir, {args: RUNNERS[0].args, env: {...REUSE.env, NODE_OPTIONS: '--require=./old.cjs'}});
  assert.ok((await ask(client, 'a.test.js', 'x')).rss > 1e6);
});

for (const runner of RUNNERS) {
  test(`${runner.name}: what tests change in the process is restored`, async t => {
    const dir = make(t, runner, {
      'changes.test.js': `
        const fs = require('fs'), {EventEmitter} = require('events'), timers = require('timers');
        test('changes', () => {
          fs.existsSync = () => 'replaced';
          EventEmitter.prototype.emit = () => 'replaced';
          EventEmitter.added = Buffer.added = 1;
          process.umask(0o077);
          process.chdir('/');
          setInterval(() => fs.appendFileSync('ticks', '.'), 1);
          timers.setTimeout(() => { throw new Error('late'); }, 20).unref();
        });
        test('finds all as it was', () => {
          expect(fs.existsSync('.')).toBe(true);
          expect(new EventEmitter().emit('x')).toBe(false);
          expect(EventEmitter.added || Buffer.added).toBeUndefined();
          expect(process.cwd()).toBe(fs.realpathSync(__dirname));
          expect(process.umask()).not.toBe(0o077);
        });`,
    });
    const client = await start(t, dir, {args: runner.args, ...REUSE});
    for (let i = 0; i < 3; i++) {
      const first = await ask(client, 'changes.test.js', 'changes');
      assert.deepStrictEqual([first.type, first.outcomes, first.left], ['.', ['changes p'], []]);
      const second = await ask(client, 'changes.test.js', 'finds all as it was');
      assert.deepStrictEqual([second.type, second.outcomes, second.left], ['.', ['finds all as it was p'], []]);
    }
  });

  test(`${runner.name}: objects in Node's modules are restored`, async t => {
    const dir = make(t, runner, {
      'changes.test.js': `
        const http = require('http'), path = require('path'), events = require('events'), Module = require('module');
        test('changes members', () => {
          http.globalAgent.maxSockets = 1;
          http.globalAgent.on('added', () => {});
          http.METHODS.push('ODD');
          path.win32.join = () => 'replaced';
          events.defaultMaxListeners = 1;
          Module._extensions['.odd'] = () => {};
        });
        test('changes whole objects', () => { http.globalAgent = new http.Agent({maxSockets: 2}); path.win32 = {}; });
        test('finds all as it was', () => {
          expect(http.globalAgent.maxSockets).toBe(Infinity);
          expect(http.globalAgent.listenerCount('added')).toBe(0);
          expect(http.METHODS).not.toContain('ODD');
          expect(path.win32.join('a', 'b')).toBe('a\\\\b');
          expect(events.defaultMaxListeners).toBe(10);
          expect(Module._extensions['.odd']).toBeUndefined();
        });`,
    });
    const client = await start(t, dir, {args: runner.args, ...REUSE});
    for (const name of ['changes members', 'changes whole objects']) {
      const first = await ask(client, 'changes.test.js', name);
      assert.deepStrictEqual([first.outcomes, first.left], [[`${name} p`], []]);
      const second = await ask(client, 'changes.test.js', 'finds all as it was');
      assert.deepStrictEqual([second.outcomes, second.left], [['finds all as it was p'], []]);
    }
  });

  test(`${runner.name}: subscribers of channels and asynchronous hooks end with the order`, async t => {
    const dir = make(t, runner, {
      'subscribes.test.js': `
        const fs = require('fs');
        const channel = require('diagnostics_channel').channel('of the tests');
        const {AsyncLocalStorage, createHook} = require('async_hooks');
        const event = what => fs.appendFileSync('events', what + ' ');
        test('subscribes', () => {
          channel.subscribe(() => event('first'));
          channel.subscribe(() => event('second'));
          createHook({init: () => event('hook')}).enable();
          channel.publish(1);
          Promise.resolve().then(() => {});
          expect(fs.readFileSync('events', 'utf8')).toMatch(/^first second .*hook/);
          fs.writeFileSync('events', '');
        });
        test('meets no subscriber', async () => {
          expect(channel.hasSubscribers).toBe(false);
          fs.writeFileSync('events', '');
          channel.publish(1);
          const storage = new AsyncLocalStorage();
          await storage.run('kept', async () => { await null; expect(storage.getStore()).toBe('kept'); });
          expect(fs.readFileSync('events', 'utf8')).toBe('');
        });`,
    });
    const client = await start(t, dir, {args: runner.args, ...REUSE});
    for (let i = 0; i < 2; i++) {
      for (const name of ['subscribes', 'meets no subscriber']) {
        const answer = await ask(client, 'subscribes.test.js', name);
        assert.deepStrictEqual([answer.outcomes, answer.left], [[`${name} p`], []]);
      }
    }
  });

  test(`${runner.name}: what cannot be restored is reported`, async t => {
    const dir = make(t, runner, {
      'server.test.js': "test('fine', () => {}); test('listens', done => { require('net').createServer().listen(0, done); });",
      'child.test.js': "test('starts', () => { require('child_process').spawn('sleep', ['1000']); });",
      'frozen.test.js': "test('freezes', () => { Object.defineProperty(require('util'), 'added', {value: 1}); });",
    });
    const client = await start(t, dir, {args: runner.args, ...REUSE});
    assert.deepStrictEqual((await ask(client, 'server.test.js', 'fine')).left, []);
    assert.match((await ask(client, 'server.test.js', 'listens')).left.join(), /^open (TCPServerWrap|Server)$/);
    assert.match((await ask(client, 'child.test.js', 'starts')).left.join(), /open (ProcessWrap|ChildProcess)/);
    assert.deepStrictEqual((await ask(client, 'frozen.test.js', 'freezes')).left, ['property added']);
  });

  test(`${runner.name}: other files are found when the process is told of them`, async t => {
    const dir = make(t, runner, {
      'a.test.js': "test('finds a module', () => { expect(require('./made')).toBe(2); }); test('nothing', () => {});",
    });
    const client = await start(t, dir, {args: runner.args, ...REUSE});
    assert.deepStrictEqual((await ask(client, 'a.test.js', 'finds a module')).outcomes, ['finds a module f']);
    fs.writeFileSync(path.join(dir, 'made.js'), 'module.exports = 2;');
    client.forget();
    assert.deepStrictEqual((await ask(client, 'a.test.js', 'finds a module')).outcomes, ['finds a module p']);
  });
}

// Tests see fetch since Jest 28.
const newest = RUNNERS[RUNNERS.length - 1];
const noFetch = typeof fetch !== 'function' || Number(newest.version) < 28;

test('what fetch keeps of its connections is renewed', {skip: noFetch}, async t => {
  const runner = newest;
  const dir = make(t, runner, {
    'package.json': '{"private": true, "jest": {"testEnvironment": "node"}}',
    'fetch.test.js': `
      const {createServer} = require('http');
      test('plain', () => {});
      test('fetches', async () => {
        const server = createServer((_, answer) => answer.end('yes')).listen(0, '127.0.0.1');
        await new Promise(resolve => server.once('listening', resolve));
        const {port} = server.address();
        for (let i = 0; i < 2; i++) expect(await (await fetch('http://127.0.0.1:' + port)).text()).toBe('yes');
        server.unref();
        server.close();
      });`,
  });
  const client = await start(t, dir, REUSE);
  for (const name of ['plain', 'fetches', 'fetches', 'plain']) {
    const {outcomes, left} = await ask(client, 'fetch.test.js', name);
    assert.deepStrictEqual([outcomes, left], [[`${name} p`], []]);
  }
});
