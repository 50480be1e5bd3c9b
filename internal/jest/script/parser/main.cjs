// Parses sources with the Babel that the project's Jest carries, and says what stands where in
// them. Positions are bytes of UTF-8.
//
// node main.cjs PARSER reads one JSON object a line and answers each with one. It ends when
// standard input does.
'use strict';

const { waiting } = require('./await.cjs');
const { exported } = require('./exported.cjs');
const { lost } = require('./kept.cjs');
const { outline } = require('./outline.cjs');
const { snippet } = require('./statements.cjs');

function answer(q) {
  switch (q.op) {
    case 'outline': return outline(q.file, q.text);
    case 'exported': return { exported: exported(q.file, q.text) };
    case 'waiting': return waiting(q.file, q.text, q.line, q.column, q.end);
    case 'lost': return { lost: lost(q.file, q.text, q.after) };
    case 'snippet': return { statements: snippet(q.file, q.text) };
    default: throw new Error('unknown operation ' + q.op);
  }
}

let rest = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk) => {
  rest += chunk;
  for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
    const line = rest.slice(0, end);
    rest = rest.slice(end + 1);
    let out;
    try {
      out = answer(JSON.parse(line));
    } catch (e) {
      out = { error: String((e && e.message) || e) };
    }
    process.stdout.write(JSON.stringify(out) + '\n');
  }
});
process.stdin.on('end', () => process.exit(0));
