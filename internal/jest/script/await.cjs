// Continues parse.cjs, in one script with it: how a test waits for what it begins.
'use strict';

// waiting is {changes, statements} that make the test or hook around a position wait for the promise that is made
// there, or {why} it cannot. Line and column begin at 1.
function waiting(file, text, line, column) {
  const at = bytes(text);
  const position = lineStart(text, line) + column - 1;
  const path = pathTo(parse(file, text).program, position);
  const functions = path.filter(isFunction);
  const fn = functions[functions.length - 1];
  const around = fn && path[path.indexOf(fn) - 1];
  if (!fn || !makesTest(around, fn)) return { why: 'what begins it is not written in the test itself' };
  if (fn.generator) return { why: 'a generator function cannot wait for it' };
  if (fn.params.length && !fn.async && !callee(around.callee).each) return { why: 'the test takes a callback' };
  const inside = path.slice(path.indexOf(fn) + 1);
  const block = [...inside].reverse().find((n) => n.type === 'BlockStatement');
  if (!block) return { why: "the test's function is an expression" };
  const statement = inside[inside.indexOf(block) + 1];
  const call = chain(inside.slice(inside.indexOf(block) + 1));
  if (!call) return { why: 'no call begins it' };
  const below = inside.slice(inside.indexOf(statement), inside.indexOf(call));
  if (below.some((n) => n.type === 'AwaitExpression' || n.type === 'ReturnStatement')) return { why: 'the test waits for it already' };
  const source = (node) => text.slice(node.start, node.end);
  const end = source(statement).endsWith(';') ? ';' : '';
  const changes = [];
  const statements = [];
  const put = (from, to, added) => changes.push({ start: at(from), end: at(to), text: added });
  const after = (name) => {
    statements.push(`await ${name}${end}`);
    const spot = endOf(text, block, statement);
    put(spot.at, spot.at, spot.inline ? ` await ${name}${end}` : `\n${spot.indent}await ${name}${end}`);
  };
  if (!fn.async) put(fn.start, fn.start, 'async ');
  const e = statement.type === 'ExpressionStatement' ? statement.expression : null;
  const d = statement.type === 'VariableDeclaration' && statement.declarations.length === 1 ? statement.declarations[0] : null;
  if (e && (e === call || settles(e))) {
    statements.push(`await ${source(e)}${end}`);
    put(e.start, e.start, 'await ');
  } else if (e && e.type === 'UnaryExpression' && e.operator === 'void' && e.argument === call) {
    statements.push(`await ${source(call)}${end}`);
    put(e.start, call.start, 'await ');
  } else if (d && d.init === call && d.id.type === 'Identifier') {
    after(d.id.name);
  } else if (e && e.type === 'AssignmentExpression' && e.right === call && /^(Identifier|MemberExpression)$/.test(e.left.type)) {
    after(source(e.left));
  } else if (e || d) {
    if (inside.slice(inside.indexOf(statement)).some((n) => /^(ConditionalExpression|LogicalExpression)$/.test(n.type))) return { why: 'it is begun on a condition' };
    const name = free(text, 'promise');
    const kept = `const ${name} = ${source(call)}${end}`;
    statements.push(kept);
    const inline = text.slice(block.start, statement.start).lastIndexOf('\n') < 0;
    put(statement.start, statement.start, kept + (inline ? `${end ? '' : ';'} ` : `\n${indentOf(text, statement.start)}`));
    put(call.start, call.end, name);
    after(name);
  } else return { why: 'it is not begun by a statement of its own' };
  return { changes, statements };
}

// makesTest reports whether a function is the callback of a test or a hook.
function makesTest(node, fn) {
  if (!node || node.type !== 'CallExpression' || !node.arguments.includes(fn)) return false;
  const [first] = node.arguments;
  return hooks.has(callee(node.callee).name) || first !== fn && /^(String|Template)Literal$/.test(first.type) && !hasTests(fn);
}

function hasTests(node) {
  const { name } = node.type === 'CallExpression' ? callee(node.callee) : {};
  return tests.has(name) || groups.has(name) || children(node).some(([, child]) => hasTests(child));
}

// pathTo are the nodes around a position, the outermost first.
function pathTo(node, position) {
  const inner = children(node).map(([, child]) => child).find((child) => child.start <= position && position < child.end);
  return inner ? [node, ...pathTo(inner, position)] : [node];
}

// chain is the innermost call of a path, with what is called on its value: f() of g(f()), and f().then(g) of f().then(g).
function chain(path) {
  let i = path.length - 1;
  while (i >= 0 && !/^(Call|New)Expression$/.test(path[i].type)) i--;
  if (i < 0) return null;
  const isCallOf = (at) => path[at] && path[at + 1] && path[at].type === 'CallExpression' && path[at].callee === path[at + 1] &&
    path[at + 1].type === 'MemberExpression' && path[at + 1].object === path[at + 2];
  while (isCallOf(i - 2)) i -= 2;
  return path[i];
}

// settles reports whether an expectation waits for a promise: expect(p).resolves.toBe(1).
function settles(e) {
  if (e.type !== 'CallExpression') return false;
  for (let n = e.callee; n; n = n.object || n.callee) if (n.type === 'MemberExpression' && /^(resolves|rejects)$/.test(n.property.name)) return true;
  return false;
}

// endOf is where the last statement of a block can be added, before one that ends it.
function endOf(text, block, statement) {
  const last = block.body[block.body.length - 1];
  const before = block.body[block.body.length - 2];
  const previous = /^(Return|Throw)Statement$/.test(last.type) && before && last !== statement ? before : last;
  const inline = !text.slice(block.start, block.end).includes('\n');
  const rest = /^[^\S\n]*\/\/.*/.exec(text.slice(previous.end));
  return { at: previous.end + (rest && !inline ? rest[0].length : 0), inline, indent: indentOf(text, statement.start) };
}

function indentOf(text, position) {
  return /^\s*/.exec(text.slice(text.lastIndexOf('\n', position - 1) + 1, position))[0];
}

function lineStart(text, line) {
  let start = 0;
  for (let n = 1; n < line; n++) start = text.indexOf('\n', start) + 1;
  return start;
}

// free is a name that the text does not have yet.
function free(text, name) {
  let n = 1;
  const next = () => (n === 1 ? name : name + n);
  while (new RegExp(`\\b${next()}\\b`).test(text)) n++;
  return next();
}
