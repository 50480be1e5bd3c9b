// Continues parse.cjs, in one script with it: how a test waits for what it begins.
'use strict';

const callLike = /^(Optional)?CallExpression$|^NewExpression$/;
const memberLike = /^(Optional)?MemberExpression$/;

// waiting is {changes, statements} that make the test or hook around a position wait for the promise
// that is made there, or {why} it cannot. Late: at the end of its block, and not at once. Line and
// column begin at 1.
function waiting(file, text, line, column, late) {
  const at = bytes(text);
  const start = lineStart(text, line);
  if (start < 0 || column > `${text}\n`.indexOf('\n', start) - start + 1) return { why: 'the file has no such place' };
  const path = pathTo(parse(file, text).program, start + column - 1);
  const functions = path.filter(isFunction);
  const fn = functions[functions.length - 1];
  const callOf = (f) => path[path.indexOf(f) - 1];
  if (!fn || !makesTest(callOf(fn), fn) || functions.some((f) => f !== fn && isTest(callOf(f)))) {
    return { why: 'what begins it is not written in the test itself' };
  }
  if (fn.generator) return { why: 'a generator function cannot wait for it' };
  if (takesCallback(callOf(fn), fn)) return { why: 'the test takes a callback' };
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
    put(spot.at, spot.at, spot.inline ? `${spot.ended ? '' : ';'} await ${name}${end}` : `\n${spot.indent}await ${name}${end}`);
  };
  const e = statement.type === 'ExpressionStatement' ? statement.expression : null;
  const d = statement.type === 'VariableDeclaration' && statement.declarations.length === 1 ? statement.declarations[0] : null;
  const whole = e && (e === call || settles(e)) ? e : null;
  if (late && !whole) return { why: 'it waits at its end in any case' };
  if (late && statement === block.body[block.body.length - 1]) return { why: 'nothing follows' };
  if (late) {
    const name = free(text, 'promise');
    statements.push(`const ${name} = ${source(whole)}${end}`);
    put(whole.start, whole.start, `const ${name} = `);
    after(name);
  } else if (whole === call && isLoop(call)) {
    const list = text.slice(call.start, call.callee.property.start);
    statements.push(`await Promise.all(${list}map(${text.slice(call.arguments[0].start, call.end)})${end}`);
    put(call.start, call.start, 'await Promise.all(');
    put(call.callee.property.start, call.callee.property.end, 'map');
    put(call.end, call.end, ')');
  } else if (whole) {
    statements.push(`await ${source(e)}${end}`);
    put(e.start, e.start, 'await ');
  } else if (e && e.type === 'UnaryExpression' && e.operator === 'void' && e.argument === call) {
    statements.push(`await ${source(call)}${end}`);
    put(e.start, call.start, 'await ');
  } else if (d && d.init === call && d.id.type === 'Identifier') {
    after(d.id.name);
  } else if (e && e.type === 'AssignmentExpression' && e.operator === '=' && e.right === call && isName(e.left)) {
    after(source(e.left));
  } else if ((e || d) && comesFirst(below, call)) {
    const name = free(text, 'promise');
    const kept = `const ${name} = ${source(call)}`;
    statements.push(kept + end);
    const inline = !text.slice(block.start, statement.start).includes('\n');
    const joins = end || inline || /[([`/+-]/.test(text[statement.start]) ? ';' : '';
    put(statement.start, statement.start, `${kept}${joins}${inline ? ' ' : `\n${indentOf(text, statement.start)}`}`);
    put(call.start, call.end, name);
    after(name);
  } else return { why: 'it is begun in the middle of a statement' };
  if (!fn.async) {
    put(fn.start, fn.start, 'async ');
    const type = fn.returnType && fn.returnType.typeAnnotation;
    if (type && type.type !== 'TSVoidKeyword') return { why: 'the function says what it returns' };
    if (type) put(type.start, type.end, 'Promise<void>');
  }
  return { changes, statements };
}

// isTest reports whether a call makes a test, or is a hook, by its name.
function isTest(node) {
  const { name } = node && node.type === 'CallExpression' ? callee(node.callee) : {};
  return tests.has(name) || hooks.has(name) && isFunction(node.arguments[0] || {});
}

// makesTest reports whether a function is the callback of a test or a hook. A function with another
// name makes a test if the name says so, as itInNode does, its title is a text, and no test is in it.
function makesTest(node, fn) {
  if (!node || node.type !== 'CallExpression' || !node.arguments.includes(fn)) return false;
  const c = callee(node.callee);
  if (isTest(node)) return hooks.has(c.name) === (node.arguments[0] === fn);
  const says = /^(it|test|spec)([A-Z_]|$)|(It|Test|Spec)$/.test(c.name) && c.rest.every((r) => /^(each|only|skip|concurrent|failing)$/.test(r));
  return says && node.arguments[0] !== fn && /^(String|Template)Literal$/.test(node.arguments[0].type) && !hasTests(fn);
}

function hasTests(node) {
  const { name } = node.type === 'CallExpression' ? callee(node.callee) : {};
  return tests.has(name) || groups.has(name) || children(node).some(([, child]) => hasTests(child));
}

// takesCallback reports whether the last parameter of a test is to be called at its end. Rows of a table
// have parameters, too.
function takesCallback(node, fn) {
  if (!fn.params.length || fn.async) return false;
  const last = fn.params[fn.params.length - 1];
  return !callee(node.callee).each || last.type === 'Identifier' && /^(done|cb|callback|next)$/.test(last.name);
}

// pathTo are the nodes around a position, the outermost first.
function pathTo(node, position) {
  const inner = children(node).map(([, child]) => child).find((child) => child.start <= position && position < child.end);
  return inner ? [node, ...pathTo(inner, position)] : [node];
}

// chain is the innermost call of a path, with what is called on its value: f() of g(f()), and the whole
// of f().then(g).
function chain(path) {
  let i = path.length - 1;
  while (i >= 0 && !callLike.test(path[i].type)) i--;
  if (i < 0) return null;
  const isCallOf = (at) => path[at] && path[at + 1] && callLike.test(path[at].type) && path[at].callee === path[at + 1] &&
    memberLike.test(path[at + 1].type) && path[at + 1].object === path[at + 2];
  while (isCallOf(i - 2)) i -= 2;
  return path[i];
}

// isLoop reports whether a call begins something for each element, and returns nothing:
// list.forEach(async (x) => …).
function isLoop(call) {
  const [first] = call.arguments;
  const { callee: of } = call;
  return memberLike.test(of.type) && !of.computed && of.property.name === 'forEach' && first && isFunction(first) && first.async;
}

// settles reports whether an expectation waits for a promise: expect(p).resolves.toBe(1).
function settles(e) {
  if (e.type !== 'CallExpression') return false;
  let settled = false;
  let n = e.callee;
  for (; n.type === 'MemberExpression' || n.type === 'CallExpression'; n = n.object || n.callee) {
    if (n.type === 'MemberExpression' && /^(resolves|rejects)$/.test(n.property.name)) settled = true;
  }
  return settled && n.type === 'Identifier' && n.name === 'expect';
}

// comesFirst reports whether nothing that could matter runs before a call in its statement: it is what
// another call works on, or its first argument, as in expect(call).toBe(1).
function comesFirst(path, call) {
  return path.every((node, i) => {
    const inner = i + 1 < path.length ? path[i + 1] : call;
    switch (node.type) {
      case 'ExpressionStatement': case 'VariableDeclaration': case 'TSAsExpression': case 'TSNonNullExpression': return true;
      case 'VariableDeclarator': return node.init === inner;
      case 'CallExpression': return node.callee === inner || node.arguments[0] === inner && isName(node.callee);
      case 'MemberExpression': return node.object === inner;
      default: return false;
    }
  });
}

// isName reports whether an expression is a name, or a path of names.
function isName(node) {
  return node.type === 'Identifier' || node.type === 'ThisExpression' || node.type === 'MemberExpression' && !node.computed && isName(node.object);
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
