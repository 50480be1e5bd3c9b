// How a test waits for what it begins.
'use strict';

const { isTest, makesTest, takesCallback } = require('./kinds.cjs');
const { chain, comesFirst, isLoop, isName, pathTo, settles } = require('./promises.cjs');
const { Source, isFunction } = require('./syntax.cjs');

// waiting is {changes, statements} that make the test or hook around a position wait for the
// promise that is made there, or {why} it cannot. Late: at the end of its block, and not at once.
// Line and column begin at 1.
function waiting(file, text, line, column, late) {
  const start = lineStart(text, line);
  if (start < 0 || column > `${text}\n`.indexOf('\n', start) - start + 1) return { why: 'the file has no such place' };
  const source = new Source(file, text);
  const found = beginning(source.program, start + column - 1);
  if (found.why) return found;
  const edit = new Edit(source, found);
  const why = (late ? edit.waitLate() : edit.waitAtOnce()) || edit.makeAsync();
  return why ? { why } : { changes: edit.changes, statements: edit.statements };
}

// beginning is the call that begins something at a position, and what is around it: its statement,
// block and function, and the path from the statement to it. Or it is {why} there is none.
function beginning(program, position) {
  const nodes = pathTo(program, position);
  const functions = nodes.filter(isFunction);
  const fn = functions[functions.length - 1];
  const callOf = (f) => nodes[nodes.indexOf(f) - 1];
  if (!fn || !makesTest(callOf(fn), fn) || functions.some((f) => f !== fn && isTest(callOf(f)))) {
    return { why: 'what begins it is not written in the test itself' };
  }
  if (fn.generator) return { why: 'a generator function cannot wait for it' };
  if (takesCallback(callOf(fn), fn)) return { why: 'the test takes a callback' };
  const inside = nodes.slice(nodes.indexOf(fn) + 1);
  const block = [...inside].reverse().find((n) => n.type === 'BlockStatement');
  if (!block) return { why: "the test's function is an expression" };
  const inner = inside.slice(inside.indexOf(block) + 1);
  const [statement] = inner;
  const call = chain(inner);
  if (!call) return { why: 'no call begins it' };
  const path = inner.slice(0, inner.indexOf(call));
  if (path.some((n) => n.type === 'AwaitExpression' || n.type === 'ReturnStatement')) {
    return { why: 'the test waits for it already' };
  }
  return { call, statement, block, fn, path };
}

// Edit collects changes of a test. Its methods return why something cannot be done, or nothing.
class Edit {
  constructor(source, { call, statement, block, fn, path }) {
    Object.assign(this, { source, call, statement, block, fn, path });
    this.changes = [];
    this.statements = []; // those that are new, or changed
    this.end = source.code(statement).endsWith(';') ? ';' : '';
    this.expression = statement.type === 'ExpressionStatement' ? statement.expression : null;
    const single = statement.type === 'VariableDeclaration' && statement.declarations.length === 1;
    this.declarator = single ? statement.declarations[0] : null;
    const e = this.expression;
    this.whole = e && (e === this.call || settles(e)) ? e : null; // the promise is the whole statement
  }

  put(from, to, text) {
    this.changes.push({ start: this.source.at(from), end: this.source.at(to), text });
  }

  list(statement) {
    this.statements.push(statement + this.end);
  }

  waitLate() {
    const { source, block, statement, whole } = this;
    if (!whole) return 'it waits at its end in any case';
    if (statement === block.body[block.body.length - 1]) return 'nothing follows';
    const name = free(source.text, 'promise');
    this.list(`const ${name} = ${source.code(whole)}`);
    this.put(whole.start, whole.start, `const ${name} = `);
    this.awaitAtEnd(name);
    return '';
  }

  waitAtOnce() {
    const { call, whole, expression: e, declarator: d } = this;
    const assigns = e && e.type === 'AssignmentExpression' && e.operator === '=' && e.right === call && isName(e.left);
    if (whole === call && isLoop(call)) this.awaitAll();
    else if (whole) this.awaitInPlace(whole);
    else if (e && e.type === 'UnaryExpression' && e.operator === 'void' && e.argument === call) this.awaitInPlace(call);
    else if (d && d.init === call && d.id.type === 'Identifier') this.awaitAtEnd(d.id.name);
    else if (assigns) this.awaitAtEnd(this.source.code(e.left));
    else if ((e || d) && comesFirst(this.path, call)) this.awaitNamed();
    else return 'it is begun in the middle of a statement';
    return '';
  }

  // awaitAll waits for all that a loop begins.
  awaitAll() {
    const { text } = this.source;
    const { start, end, callee: { property }, arguments: [first] } = this.call;
    this.list(`await Promise.all(${text.slice(start, property.start)}map(${text.slice(first.start, end)})`);
    this.put(start, start, 'await Promise.all(');
    this.put(property.start, property.end, 'map');
    this.put(end, end, ')');
  }

  // awaitInPlace makes the statement await a value in it, from its beginning on.
  awaitInPlace(value) {
    this.list(`await ${this.source.code(value)}`);
    this.put(this.expression.start, value.start, 'await ');
  }

  // awaitNamed gives the promise a name before the statement.
  awaitNamed() {
    const { source, block, statement, call } = this;
    const { text } = source;
    const name = free(text, 'promise');
    const kept = `const ${name} = ${source.code(call)}`;
    this.list(kept);
    const inline = !text.slice(block.start, statement.start).includes('\n');
    const joins = this.end || inline || /[([`/+-]/.test(text[statement.start]) ? ';' : '';
    const space = inline ? ' ' : `\n${indentOf(text, statement.start)}`;
    this.put(statement.start, statement.start, kept + joins + space);
    this.put(call.start, call.end, name);
    this.awaitAtEnd(name);
  }

  // awaitAtEnd awaits a name at the end of the block.
  awaitAtEnd(name) {
    this.list(`await ${name}`);
    const spot = endOf(this.source.text, this.block, this.statement);
    const before = spot.inline ? `${spot.ended ? '' : ';'} ` : `\n${spot.indent}`;
    this.put(spot.at, spot.at, `${before}await ${name}${this.end}`);
  }

  makeAsync() {
    const { fn } = this;
    if (fn.async) return '';
    this.put(fn.start, fn.start, 'async ');
    const type = fn.returnType && fn.returnType.typeAnnotation;
    if (type && type.type !== 'TSVoidKeyword') return 'the function says what it returns';
    if (type) this.put(type.start, type.end, 'Promise<void>');
    return '';
  }
}

// endOf is where the last statement of a block can be added, before one that ends it.
function endOf(text, block, statement) {
  const last = block.body[block.body.length - 1];
  const before = block.body[block.body.length - 2];
  const previous = /^(Return|Throw)Statement$/.test(last.type) && before && last !== statement ? before : last;
  const inline = !text.slice(block.start, block.end).includes('\n');
  const rest = /^[^\S\n]*\/\/.*/.exec(text.slice(previous.end));
  const open = /^(Expression|Return|Throw|Break|Continue|Debugger|DoWhile)Statement$|^VariableDeclaration$/.test(previous.type);
  const ended = !open || text[previous.end - 1] === ';';
  return { at: previous.end + (rest && !inline ? rest[0].length : 0), inline, ended, indent: indentOf(text, statement.start) };
}

function indentOf(text, position) {
  return /^\s*/.exec(text.slice(text.lastIndexOf('\n', position - 1) + 1, position))[0];
}

// lineStart is where a line begins; -1 if there is none.
function lineStart(text, line) {
  let start = 0;
  for (let n = 1; n < line && start >= 0; n++) start = text.indexOf('\n', start) + 1 || -1;
  return start;
}

// free is a name that the text does not have yet.
function free(text, name) {
  let n = 1;
  const next = () => (n === 1 ? name : name + n);
  while (new RegExp(`\\b${next()}\\b`).test(text)) n++;
  return next();
}

module.exports = { waiting };
