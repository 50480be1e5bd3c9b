'use strict';
// What a test threw, as type, message and stack of plain text.

const {realpathSync} = require('fs');
const {sep} = require('path');
const {MAX_MESSAGE, MAX_STACK} = require('./wire.cjs');

// The folder of the working copy: people know its files by their paths below it.
const ROOT = process.env.ODFIX_ROOT ? realpathSync(process.env.ODFIX_ROOT) + sep : null;

const ESCAPES = /\u001b\[[0-9;]*[A-Za-z]/g;
// Frames of the runner itself say nothing about a failure.
const INTERNAL = /^\s+at .*(node_modules[/\\](jest-circus|jest-jasmine2|jest-runner|@jest[/\\]|expect[/\\])|\(node:internal|\(internal\/|<anonymous>:null)/;

const plain = text => String(text).replace(ESCAPES, '');

/** safely reads what may be a getter that throws. */
function safely(read, otherwise = '') {
  try {
    const value = read();
    return value === undefined || value === null ? otherwise : value;
  } catch {
    return otherwise;
  }
}

const isError = e => e !== null && typeof e === 'object' && typeof safely(() => e.message, undefined) === 'string';

/** describe makes one failure of the things thrown. Jest keeps some as pairs [error, asyncError]. */
function describe(errors) {
  const first = errors[0];
  const pair = Array.isArray(first);
  const thrown = pair ? first[0] : first;
  const failure = isError(thrown) ? ofError(thrown) : ofValue(thrown, pair ? first[1] : undefined);
  const more = errors.length - 1;
  if (more > 0) failure.message = `${failure.message.slice(0, MAX_MESSAGE - 100)}\n(and ${more} more failure${more > 1 ? 's' : ''} of this test)`;
  return {
    type: failure.type.slice(0, 300),
    message: failure.message.slice(0, MAX_MESSAGE),
    stack: trim(failure.stack),
  };
}

function ofError(error) {
  const type = safely(() => error.matcherResult, null) ? 'JestAssertionError' : plain(safely(() => error.name, 'Error'));
  return {type, message: plain(safely(() => error.message)), stack: plain(safely(() => error.stack))};
}

function ofValue(thrown, asyncError) {
  if (typeof thrown === 'string') {
    // Jest's text for an error of Node's assert module, or a thrown string.
    const text = plain(thrown);
    const cut = text.search(/\n\s+at /);
    return {type: 'Error', message: cut < 0 ? text : text.slice(0, cut), stack: cut < 0 ? plain(safely(() => asyncError.stack)) : text};
  }
  const shown = safely(() => require('util').inspect(thrown, {depth: 2}), 'a value that cannot be shown');
  return {type: 'thrown', message: `thrown: ${shown}`, stack: plain(safely(() => asyncError.stack))};
}

function trim(stack) {
  const own = stack.split('\n').filter(line => !INTERNAL.test(line)).join('\n');
  return (ROOT ? own.split(ROOT).join('') : own).slice(0, MAX_STACK);
}

module.exports = {describe, plain};
