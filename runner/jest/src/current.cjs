'use strict';
// What the harness is doing at the moment. The test runner that Jest loads finds it here.

module.exports = {
  visit: null, // Look or Run of the file that Jest runs now
  runners: new Map(), // by the id of a project's configuration: the runner that the project uses
  switches: '', // of the order that runs now
  /** isOn says whether statement i of a patch under minimisation runs. */
  isOn: i => module.exports.switches.length <= i || module.exports.switches[i] === '1',
};

/** several says whether more than one statement runs. Then one that throws must not keep the others from running. */
module.exports.isOn.several = () => (module.exports.switches.match(/1/g) || []).length !== 1;
