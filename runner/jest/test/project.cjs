'use strict';
// Small Jest projects in a folder for tests. Packages are installed once for each version.

const { execFileSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');

const base = process.env.ODFIX_JEST_TEST_DIR || path.join(os.homedir(), '.cache', 'odfix-test', 'jest');

/** Installs packages, such as "jest@29", once; returns the folder. */
function installed(...packages) {
  const dir = path.join(base, packages.join('+').replace(/[^\w.+-]/g, '_'));
  if (fs.existsSync(path.join(dir, 'ready'))) return dir;
  fs.mkdirSync(dir, { recursive: true });
  fs.writeFileSync(path.join(dir, 'package.json'), '{"private": true}');
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...packages], { cwd: dir, stdio: 'inherit' });
  fs.writeFileSync(path.join(dir, 'ready'), '');
  return dir;
}

/** Makes a project of the files that uses the packages. */
function project(packages, files) {
  const dir = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'odfix-jest-')));
  fs.symlinkSync(path.join(installed(...packages), 'node_modules'), path.join(dir, 'node_modules'));
  const all = { 'package.json': '{"private": true, "jest": {"testEnvironment": "node"}}', ...files };
  for (const [name, text] of Object.entries(all)) {
    fs.mkdirSync(path.dirname(path.join(dir, name)), { recursive: true });
    fs.writeFileSync(path.join(dir, name), text);
  }
  return dir;
}

/** Versions of Jest to test with: the current one, or those of the environment. */
const versions = (process.env.ODFIX_JEST_VERSIONS || '30').split(/[ ,]+/);

module.exports = { project, versions };
