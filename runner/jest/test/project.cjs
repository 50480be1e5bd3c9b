'use strict';
// Projects for tests: a folder with files, and a Jest that is installed once for each version.

const {execFileSync} = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const {Client} = require('./client.cjs');

const CACHE = process.env.ODFIX_JEST_TEST_DIR || path.join(os.homedir(), '.cache', 'odfix-test', 'jest');
const VERSIONS = (process.env.ODFIX_JEST_VERSIONS || '30').split(/[ ,]+/);

/** Runners to test with: packages, and the arguments that choose a runner. */
const RUNNERS = [
  {version: '24', name: 'Jest 24, jest-jasmine2', args: []},
  {version: '24', name: 'Jest 24, jest-circus', packages: ['jest-circus@24'], args: ['--testRunner=jest-circus/runner'], testsFirst: true},
  {version: '26', name: 'Jest 26, jest-jasmine2', args: []},
  {version: '26', name: 'Jest 26, jest-circus', packages: ['jest-circus@26'], args: ['--testRunner=jest-circus/runner']},
  {version: '27', name: 'Jest 27', args: []},
  {version: '29', name: 'Jest 29', args: []},
  {version: '29', name: 'Jest 29, jest-jasmine2', packages: ['jest-jasmine2@29'], args: ['--testRunner=jest-jasmine2']},
  {version: '30', name: 'Jest 30', args: []},
].filter(runner => VERSIONS.includes(runner.version));

/** install installs packages, such as "jest@29", once, and returns the folder. */
function install(packages) {
  const dir = path.join(CACHE, packages.join('+').replace(/[^\w.+-]/g, '_'));
  if (fs.existsSync(path.join(dir, 'ready'))) return dir;
  fs.mkdirSync(dir, {recursive: true});
  fs.writeFileSync(path.join(dir, 'package.json'), '{"private": true}');
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...packages], {cwd: dir, stdio: 'inherit'});
  fs.writeFileSync(path.join(dir, 'ready'), '');
  return dir;
}

/** make writes a project and returns its folder, which is removed when the test t ends. */
function make(t, {version, packages = []}, files) {
  const dir = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'odfix-jest-')));
  t.after(() => fs.rmSync(dir, {recursive: true, force: true}));
  const manifest = '{"private": true, "jest": {"testEnvironment": "node"}}';
  for (const [name, content] of Object.entries({'package.json': manifest, ...files})) {
    fs.mkdirSync(path.dirname(path.join(dir, name)), {recursive: true});
    fs.writeFileSync(path.join(dir, name), content);
  }
  fs.symlinkSync(path.join(install([`jest@${version}`, ...packages]), 'node_modules'), path.join(dir, 'node_modules'));
  return dir;
}

/** start is a harness in the project's folder, which has said hello. */
async function start(t, dir, options) {
  const client = new Client(dir, options);
  t.after(() => client.child.kill('SIGKILL'));
  await client.hello();
  return client;
}

module.exports = {RUNNERS, VERSIONS, make, start};
