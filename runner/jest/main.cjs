'use strict';
// The harness that runs tests of a project's Jest in exact orders. odfix starts it in the folder
// of the package; docs/harness-protocol.md is what both speak.
//
// Environment: ODFIX_ROOT (ids are relative to it), ODFIX_JEST_ARGS (the arguments that the
// project gives Jest, as JSON), ODFIX_CACHE, ODFIX_REAL and ODFIX_JEST (see README.md).

const {Harness} = require('./src/harness.cjs');

new Harness(process.env, process.cwd()).start();
