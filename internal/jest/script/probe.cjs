// Says which Jest the package in the current folder has. It runs in the project's own Node, and
// prints one line of JSON after a line that nothing else prints.
//
// node probe.cjs ROOT [TOOL]
'use strict';
const fs = require('fs');
const path = require('path');
const { createRequire } = require('module');

// The command that starts Jest, where it is another tool's: Jest may be a dependency of that tool.
const tool = process.argv[3] || '';
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

const answer = { node: process.version, jest: '', bin: '', babel: '' };
if (tool) {
  for (let dir = process.cwd(); ; dir = path.dirname(dir)) {
    const command = path.join(dir, 'node_modules', '.bin', tool);
    if (fs.existsSync(command)) places.push(createRequire(fs.realpathSync(command)));
    if (dir === path.dirname(dir)) break;
  }
}
for (const name of ['react-scripts', '@vue/cli-plugin-unit-jest']) {
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
// asked is which other version of Node the files of a folder ask for.
function asked(dir) {
  const read = (name) => {
    try {
      return fs.readFileSync(path.join(dir, name), 'utf8').trim();
    } catch (_) {
      return '';
    }
  };
  const out = [];
  for (const name of ['.nvmrc', '.node-version']) {
    const major = /^v?(\d+)(\.\d+)*$/.exec(read(name));
    if (major && major[1] !== process.versions.node.split('.')[0]) out.push(`${name} asks for Node ${read(name)}`);
  }
  const semver = resolve('semver');
  try {
    const { node } = JSON.parse(read('package.json')).engines;
    if (semver && typeof node === 'string' && !require(semver).satisfies(process.versions.node, node)) out.push(`package.json asks for Node ${node}`);
  } catch (_) {
    // it asks for none
  }
  return out;
}
answer.asked = asked(process.argv[2]);
process.stdout.write('\nodfix-probe ' + JSON.stringify(answer) + '\n');
