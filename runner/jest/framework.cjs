'use strict';
// The test framework that Jest calls for each file. It calls the project's own, after arranging
// that the tests of the visit run, in its order.

const { createRequire } = require('module');
const session = require('./session.cjs');
const circus = require('./circus.cjs');
const jasmine = require('./jasmine.cjs');

const switches = Symbol.for('odfix.on');

module.exports = async function framework(globalConfig, config, environment, runtime, testPath, ...rest) {
  const visit = session.visit;
  const own = session.original(config);
  const loaded = createRequire(own.framework)(own.framework);
  environment.global[switches] = session.on;
  const arrange = /jasmine/.test(own.framework) ? jasmine : circus;
  arrange(environment, visit);
  return (loaded.default || loaded)(globalConfig, config, environment, runtime, testPath, ...rest);
};
