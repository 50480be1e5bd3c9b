'use strict';
// Starts the project's own Jest, with odfix's runner in it. Jest itself reads the configuration,
// finds the test files and runs the global setup; the runner (runner.cjs) then answers questions
// for as long as odfix asks.
//
//   ODFIX_ROOT       the folder that test ids are relative to
//   ODFIX_JEST_ARGS  the arguments of the project's own script, as a JSON array
//   ODFIX_CACHE      the folder for Jest's cache
//
// The working directory is the package's folder.

const fs = require('fs');
const path = require('path');
const { createRequire } = require('module');

const channel = require('./channel.cjs');
const session = require('./session.cjs');

const nothing = path.join(__dirname, 'reporter.cjs');

main().catch((e) => fail(e));

async function main() {
  const fromProject = createRequire(path.join(process.cwd(), 'package.json'));
  const jest = locate(fromProject);
  session.root = fs.realpathSync(process.env.ODFIX_ROOT || process.cwd());
  session.version = jest.version;
  const args = JSON.parse(process.env.ODFIX_JEST_ARGS || '[]');
  session.originals = await originals(jest, args);
  process.env.NODE_ENV = process.env.NODE_ENV || 'test';
  process.argv = [
    process.argv[0], jest.bin, ...args,
    '--runner', path.join(__dirname, 'runner.cjs'),
    '--testRunner', path.join(__dirname, 'framework.cjs'),
    '--reporters', nothing,
    '--runInBand', '--ci', '--coverage=false', '--watchAll=false', '--watchman=false',
    '--passWithNoTests', '--forceExit', '--bail=0', '--notify=false',
    ...(process.env.ODFIX_CACHE ? ['--cacheDirectory', process.env.ODFIX_CACHE] : []),
  ];
  process.on('exit', () => session.exiting());
  createRequire(jest.bin)(jest.bin);
}

/** Where the project's Jest is. jest-cli alone is enough. */
function locate(fromProject) {
  for (const name of ['jest', 'jest-cli']) {
    let manifest;
    try {
      manifest = fromProject.resolve(`${name}/package.json`);
    } catch (_) {
      continue;
    }
    const { version, bin } = JSON.parse(fs.readFileSync(manifest, 'utf8'));
    const file = typeof bin === 'string' ? bin : bin && bin.jest;
    if (file) return { version, bin: path.join(path.dirname(manifest), file), require: createRequire(manifest) };
  }
  throw new Error(`Jest is not installed for ${process.cwd()}`);
}

/**
 * The runner and the test framework that the project itself configures, by project of the
 * configuration. The arguments that Jest is started with replace both.
 */
async function originals(jest, args) {
  const cli = chain(jest.require, ['jest-cli']);
  const config = chain(cli, ['@jest/core', 'jest-config']);
  const { readConfigs } = config('jest-config');
  const argv = argumentsOf(cli, args);
  const { configs } = await readConfigs(argv, projectsOf(argv));
  return new Map(
    configs.map((c) => [session.nameOf(c), { runner: c.runner, framework: c.testRunner, require: config }]),
  );
}

/** A require as the last of the packages has it, each found by the one before. */
function chain(require, names) {
  for (const name of names) {
    try {
      require = createRequire(require.resolve(`${name}/package.json`));
    } catch (_) {
      // This version has the next package directly below.
    }
  }
  return require;
}

function argumentsOf(cli, args) {
  const list = [...args, '--ci', '--coverage=false', '--watchman=false'];
  const dir = path.dirname(cli.resolve('./package.json'));
  for (const file of ['build/index.js', 'build/run.js', 'build/cli/index.js']) {
    if (!fs.existsSync(path.join(dir, file))) continue;
    const { buildArgv } = cli(path.join(dir, file));
    if (buildArgv) return buildArgv(list);
  }
  throw new Error('this version of Jest has no way to read its arguments');
}

function projectsOf(argv) {
  const given = argv.projects || [];
  if (given.length > 0) return given.map((p) => (typeof p === 'string' ? path.resolve(p) : p));
  return [argv.rootDir ? path.resolve(argv.rootDir) : process.cwd()];
}

function fail(e) {
  channel.refuse(-1, channel.plain((e && (e.stack || e.message)) || String(e)), [], false);
  channel.exit(1);
}
