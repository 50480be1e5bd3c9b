'use strict';
// The testRunner that Jest loads in place of the project's. It runs the project's, and arranges
// the tests that this one collects.

const current = require('./current.cjs');

module.exports = async function run(globalConfig, config, environment, runtime, testPath, ...rest) {
  const {visit, runners, isOn} = current;
  const {path, kind} = runners.get(config.id || config.name) || runners.get('');
  Object.defineProperty(environment.global, Symbol.for('odfix.on'), {configurable: true, enumerable: false, value: isOn});
  if (visit.observe) visit.observe(environment, runtime, testPath);
  require(kind === 'jest-circus' ? './circus.cjs' : './jasmine.cjs').attach(visit, environment, runtime);
  const module = require(path);
  const original = module && module.default ? module.default : module;
  return original(globalConfig, {...config, testRunner: path}, environment, runtime, testPath, ...rest);
};
