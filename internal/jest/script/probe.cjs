// Says which Jest the package in the current folder has. It runs in the project's own Node, and
// prints one line of JSON after a line that nothing else prints.
'use strict';
const path = require('path');
const { createRequire } = require('module');

const wrapper = process.argv[2] || '';
const here = createRequire(path.join(process.cwd(), 'package.json'));
const places = [here];

function resolve(name) {
  for (const from of places) {
    try {
      return from.resolve(name);
    } catch (_) {
      // the next place may have it
    }
  }
  return '';
}

const answer = { node: process.version, wrapper: '', jest: '', bin: '', babel: '' };
for (const name of ['react-scripts', '@craco/craco', '@vue/cli-plugin-unit-jest']) {
  const found = resolve(name + '/package.json');
  if (found) places.push(createRequire(found));
}
for (const name of ['jest', 'jest-cli']) {
  const found = resolve(name + '/package.json');
  if (!found) continue;
  const manifest = require(found);
  const bin = typeof manifest.bin === 'string' ? manifest.bin : manifest.bin && (manifest.bin.jest || Object.values(manifest.bin)[0]);
  answer.jest = manifest.version;
  answer.bin = bin ? path.resolve(path.dirname(found), bin) : '';
  places.push(createRequire(found));
  break;
}
for (const name of ['jest-cli/package.json', '@jest/core/package.json', 'jest-config/package.json', 'babel-jest/package.json', '@jest/transform/package.json', '@babel/core/package.json']) {
  const found = resolve(name);
  if (found) places.push(createRequire(found));
}
answer.babel = resolve('@babel/parser');
try {
  if (wrapper === 'react-scripts') {
    const own = path.dirname(resolve('react-scripts/package.json'));
    const create = require(path.join(own, 'scripts/utils/createJestConfig.js'));
    answer.config = create((relative) => path.resolve(own, relative), process.cwd(), false);
  } else if (wrapper === 'craco') {
    const { createJestConfig } = require(resolve('@craco/craco'));
    const name = ['craco.config.js', 'craco.config.cjs', '.cracorc.js'].map((n) => path.resolve(n)).find((n) => require('fs').existsSync(n));
    answer.config = createJestConfig(name ? require(name) : {});
  }
} catch (e) {
  answer.wrapper = String((e && e.message) || e);
}
process.stdout.write('\nodfix-probe ' + JSON.stringify(answer) + '\n');
