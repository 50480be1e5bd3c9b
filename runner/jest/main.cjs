'use strict';
// The harness that runs tests of a project's Jest in exact orders. odfix starts it in the folder
// of the package. docs/harness-protocol.md says what both speak, and which environment variables
// there are.

const {Harness} = require('./src/harness.cjs');

const harness = new Harness(process.env, process.cwd());
if (process.argv[2] === 'list') harness.list();
else harness.start();
