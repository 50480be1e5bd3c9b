'use strict';
// What the parts of the harness share: main.cjs sets it up, runner.cjs has one order at a time in
// it, and framework.cjs reports the tests of that order.

const path = require('path');
const fs = require('fs');
const channel = require('./channel.cjs');

const { realpathSync } = fs;

const session = {
  root: '',
  version: '',
  originals: new Map(),
  switches: '',
  /** The visit under way: one file of an order, or a file of which the tests are listed. */
  visit: null,
  ended: false,

  /** A key for one project of the configuration. */
  nameOf(config) {
    return `${config.rootDir}\n${displayName(config)}`;
  },

  original(config) {
    const own = session.originals.get(session.nameOf(config));
    return own || session.originals.values().next().value;
  },

  /** A file as test ids have it. */
  relative(file) {
    return path.relative(session.root, realpathSync(file)).split(path.sep).join('/');
  },

  /** Whether statement i of a patch under minimisation runs. */
  on(i) {
    return i >= session.switches.length || session.switches[i] === '1';
  },

  exiting() {
    if (session.ended || !session.visit || session.visit.list) return;
    const where = session.visit.underWay;
    channel.send('x', channel.i64(where), channel.str('process.exit called'));
  },
};

function displayName(config) {
  const d = config.displayName;
  return (d && d.name) || d || '';
}

session.displayName = displayName;

/**
 * One file in an order: the tests that are to run, at their positions.
 * With list, nothing runs, and the file's tests are listed.
 */
session.Visit = class Visit {
  constructor(file, first, list) {
    this.file = file;
    this.first = first; // position of its first test
    this.list = list || false;
    this.ids = [];
    this.positions = new Map();
    this.done = 0;
    this.underWay = -1;
    this.nodes = null; // what was listed
    this.refusal = null;
  }

  add(id) {
    this.positions.set(id, this.first + this.ids.length);
    this.ids.push(id);
  }

  has(id) {
    return this.positions.has(id);
  }

  started(id) {
    this.underWay = this.positions.get(id);
    channel.started(this.underWay, id);
  }

  finished(id, outcome, millis, failure) {
    const position = this.positions.get(id);
    if (position !== this.first + this.done) return; // Reported already.
    this.done++;
    this.underWay = position;
    channel.finished(position, id, outcome, millis, failure);
  }

  refuse(reason, tests, gone) {
    this.refusal = { reason, tests, gone };
  }

  /** What could not be run as asked, is the failure of every test that has no outcome yet. */
  failed(failure) {
    for (const id of this.ids.slice(this.done)) this.finished(id, 'f', 0, failure);
  }
};

/** A title in one line, with control characters written as escapes. */
session.oneLine = (title) =>
  String(title).replace(/[\u0000-\u001f\u007f]/g, (c) => {
    const short = { '\t': '\\t', '\n': '\\n', '\r': '\\r' }[c];
    return short || `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });

/** Gives ids to the tests of a file: FILE#DESCRIBE › TEST, and ~2 for the second of that name. */
session.namer = (file) => {
  const seen = new Map();
  return (titles) => {
    const id = `${file}#${titles.map(session.oneLine).join(' › ')}`;
    const n = (seen.get(id) || 0) + 1;
    seen.set(id, n);
    return n > 1 ? `${id}~${n}` : id;
  };
};

module.exports = session;
