// Comments that belong to a statement, and those that belong to the whole file.
'use strict';

// These say something of the whole file: a licence, or options of tools.
const licence = /copyright|licen[cs]e|SPDX-/i;
const options = /@ts-(no)?check|@flow\b|@file|eslint(?!-disable-(next-)?line)\b|(istanbul|c8|v8) ignore file/i;
const globals = /^\W*(globals?|exported|jshint)\s/i;
const isAboutFile = ({ value }) => licence.test(value) || options.test(value) || globals.test(value);

// headOf is where the comments end that stay before all code: a block at the beginning with options
// that Jest reads, and comments about the whole file. A licence may have several lines.
function headOf({ text, comments }) {
  let head = /^(#!.*)?/.exec(text)[0].length;
  const joined = (a, b) => a.type === 'CommentLine' && b && b.type === 'CommentLine' &&
    /^\r?\n[ \t]*$/.test(text.slice(a.end, b.start));
  for (let i = 0, end = head; i < comments.length; i++) {
    const first = i;
    if (/\S/.test(text.slice(end, comments[i].start))) break;
    while (joined(comments[i], comments[i + 1])) i++;
    const run = comments.slice(first, i + 1);
    const pragmas = first === 0 && run[0].type === 'CommentBlock' && /@\w/.test(run[0].value);
    const last = run.map(isAboutFile).lastIndexOf(true);
    if (last < 0 && !pragmas) break;
    const whole = last < 0 || run.some((c) => licence.test(c.value));
    head = end = (whole ? comments[i] : run[last]).end;
    if (end < comments[i].end) break;
  }
  return head;
}

// leadOf is where the comments begin that stand directly above a statement, after the head of the
// file; without any, where the statement does.
function leadOf({ text }, head, node) {
  const comments = [...(node.leadingComments || [])].reverse();
  let start = node.start;
  if (!comments.length || text.slice(comments[0].end, start).trim() !== '') return start;
  for (const c of comments) {
    const between = text.slice(c.end, start);
    if (/\S/.test(between) || /\n\s*\n/.test(between)) break;
    const before = text.slice(text.lastIndexOf('\n', c.start - 1) + 1, c.start);
    if (/\S/.test(before) || c.start < head) break;
    start = c.start;
  }
  return start;
}

module.exports = { headOf, leadOf };
