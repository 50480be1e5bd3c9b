'use strict';
// A reporter that reports nothing: odfix takes outcomes from the test framework itself.

module.exports = class {
  getLastError() {}
};
