// What stands where in a test file.
'use strict';

const { assignmentsIn, callsIn } = require('./calls.cjs');
const { headOf } = require('./comments.cjs');
const { early } = require('./early.cjs');
const { rootOf } = require('./groups.cjs');
const { importsOf } = require('./imports.cjs');
const { names } = require('./names.cjs');
const { Source } = require('./syntax.cjs');

function outline(file, text) {
  const source = new Source(file, text);
  const { program } = source;
  const head = headOf(source);
  const root = rootOf(source, head);
  const own = new Set(root.declares);
  return {
    root,
    head: source.at(Math.max(head, ...program.directives.map((d) => d.end))),
    imports: importsOf(source),
    written: assignmentsIn(source),
    globals: names(program).uses.filter((n) => !own.has(n)),
    early: early(source),
    ...callsIn(source),
  };
}

module.exports = { outline };
