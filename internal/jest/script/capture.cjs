// Loaded before a script of the project that starts Jest by way of another tool. When Jest is about
// to run, it writes down with which options, and ends the process: no test runs.
'use strict';
const fs = require('fs');
const Module = require('module');

const file = process.env.ODFIX_CAPTURE;
const load = Module._load;
const wrapped = new WeakMap();

Module._load = function (request, ...rest) {
  const loaded = load.call(this, request, ...rest);
  if (!file || !/(^|[\\/])@jest[\\/]core([\\/]|$)/.test(request) || !loaded || typeof loaded.runCLI !== 'function') return loaded;
  if (!wrapped.has(loaded)) wrapped.set(loaded, { ...loaded, runCLI: capture });
  return wrapped.get(loaded);
};

/** capture writes what Jest was given. The first process that comes here wins. */
function capture(argv) {
  const options = [];
  for (const name of Object.keys(argv)) {
    // Jest lists each option by its long name, too, and by its aliases.
    if (name.length < 2 || /^[$_]|-/.test(name) || (name === 'env' && argv.testEnvironment)) continue;
    for (const value of [].concat(argv[name])) {
      if (value !== undefined && value !== null) options.push(`--${name}=${typeof value === 'object' ? JSON.stringify(value) : value}`);
    }
  }
  const answer = { cwd: process.cwd(), options, patterns: (argv._ || []).map(String), env: { ...process.env }, node: process.execArgv.filter((option) => option.startsWith('--')) };
  try {
    fs.writeFileSync(file, JSON.stringify(answer), { flag: 'wx' });
  } catch (_) {
    // another process was first
  }
  process.exit(0);
}
