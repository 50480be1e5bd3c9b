'use strict';
// Makes the variables of a module, and of describe blocks, readable and writable from outside.
// The code gets one call before its first statement, on the same line: lines stay what they are.

const {readFileSync} = require('fs');

// What older parsers of Babel read in a source only if they are told to.
const SYNTAX = ['bigInt', 'classPrivateMethods', 'classPrivateProperties', 'classProperties', 'decorators-legacy', 'dynamicImport',
  'nullishCoalescingOperator', 'objectRestSpread', 'optionalCatchBinding', 'optionalChaining'];
const SCOPE = 'odfix.scope';

class Instrument {
  /** parse is Babel's, as Jest carries it. Root is the folder of the files. */
  constructor(parse, root) {
    this.parse = parse;
    this.root = root;
    this.cache = new Map();
  }

  /** code returns the code of a file with the calls added, or the same where it cannot be parsed. */
  code(file, code) {
    const known = this.cache.get(file);
    if (known && known.before === code) return known.after;
    const after = this.added(file, code);
    this.cache.set(file, {before: code, after});
    return after;
  }

  added(file, code) {
    let program;
    try {
      program = this.parse(code).program;
    } catch {
      return code;
    }
    const calls = [];
    this.scope(program, file, [], calls, true);
    this.blocks(program.body, file, [], calls);
    calls.sort((a, b) => b.at - a.at);
    for (const {at, text} of calls) code = code.slice(0, at) + text + code.slice(at);
    return code;
  }

  /** scope adds the call for the variables declared directly in a program or a block. */
  scope(block, file, path, calls, isModule) {
    const names = declared(block.body);
    const imports = this.imports(block.body, file, isModule);
    if (!names.length && !imports.length && !isModule) return;
    const entries = names.map(({name, constant}) => `${JSON.stringify(name)}:[()=>${name}${constant ? '' : `,v=>{${name}=v}`}]`);
    if (isModule) entries.push('"module.exports":[()=>typeof module==="object"?module.exports:undefined]');
    const first = block.body.find(statement => !statement.directive);
    const directives = block.directives || [];
    const last = directives[directives.length - 1];
    const at = last ? last.end : first ? first.start : block.end - (isModule ? 0 : 1);
    calls.push({at, text: `;globalThis[Symbol.for(${JSON.stringify(SCOPE)})]?.(${JSON.stringify(file)},${JSON.stringify(path)},{${entries.join()}}${imports.length ? `,{${imports.join()}}` : ''});`});
  }

  /** imports are the variables that hold other modules, with the names that the source has for what is in them. */
  imports(statements, file, isModule) {
    const found = [];
    for (const statement of statements) {
      if (statement.type === 'ImportDeclaration') { // a module of ECMAScript
        for (const {local} of statement.specifiers) found.push({name: local.name, from: statement.source.value, direct: true});
      }
      if (statement.type !== 'VariableDeclaration') continue;
      for (const {id, init} of statement.declarations) {
        if (isImport(init)) for (const name of bound(id)) found.push({name, from: moduleOf(init), direct: init.type === 'MemberExpression'});
      }
    }
    if (!found.length) return found;
    const {names, locals} = isModule ? this.sourceNames(file, found) : {names: new Map(), locals: new Set()};
    return found.map(({name, from, direct}) => {
      const inSource = direct || locals.has(name) ? null : names.get(from) || null;
      return `${JSON.stringify(name)}:[()=>${name},${JSON.stringify(inSource)},${JSON.stringify(from)}]`;
    });
  }

  /**
   * sourceNames are the names that the source has for what it imports: from a module to
   * {imported: local}. locals are variables of the source that hold what require returns. A
   * transformer has others, such as _require2.
   */
  sourceNames(file, found) {
    const names = new Map();
    const locals = new Set();
    const put = (from, key, local) => names.set(from, {...names.get(from), [key]: local});
    const text = attempt(() => readFileSync(`${this.root}/${file}`, 'utf8')) || '';
    for (const statement of importsOf(this.parse, text, found)) {
      if (statement.type === 'ImportDeclaration') {
        for (const {type, imported, local} of statement.specifiers) {
          const key = type === 'ImportDefaultSpecifier' ? 'default' : type === 'ImportNamespaceSpecifier' ? '*' : imported.name || imported.value;
          put(statement.source.value, key, local.name);
        }
        continue;
      }
      for (const {id, init} of statement.declarations) {
        if (!isImport(init)) continue;
        for (const name of bound(id)) locals.add(name);
        if (init.type === 'CallExpression') for (const [key, name] of members(id)) put(moduleOf(init), key, name);
      }
    }
    return {names, locals};
  }

  /** blocks finds the functions given to describe. */
  blocks(node, file, path, calls) {
    if (Array.isArray(node)) {
      for (const child of node) this.blocks(child, file, path, calls);
      return;
    }
    if (!node || typeof node.type !== 'string') return;
    if (node.type === 'CallExpression' && isDescribe(node.callee)) {
      const body = node.arguments.map(a => a.body).find(b => b && b.type === 'BlockStatement');
      const [title] = node.arguments;
      if (body) {
        const inner = [...path, title.type === 'StringLiteral' ? title.value : '…'];
        this.scope(body, file, inner, calls, false);
        this.blocks(body.body, file, inner, calls);
        return;
      }
    }
    for (const key of Object.keys(node)) {
      if (key !== 'loc' && typeof node[key] === 'object') this.blocks(node[key], file, path, calls);
    }
  }
}

/**
 * isDescribe: describe, describe.only, describe.each([…]), fdescribe and so on; also as what is made of an import from
 * @jest/globals, (0, _globals.describe).
 */
function isDescribe(callee) {
  const named = node => node.type === 'Identifier' && /^[fx]?describe$/.test(node.name);
  while (callee) {
    if (callee.type === 'Identifier') return named(callee);
    if (callee.type === 'MemberExpression') {
      if (!callee.computed && callee.object.type === 'Identifier' && named(callee.property)) return true;
      callee = callee.object;
    } else if (callee.type === 'SequenceExpression') callee = callee.expressions[callee.expressions.length - 1];
    else if (callee.type === 'CallExpression') callee = callee.callee;
    else if (callee.type === 'TaggedTemplateExpression') callee = callee.tag;
    else return false;
  }
  return false;
}

/** declared lists the variables and classes of a block, without what is another module's. */
function declared(statements) {
  const names = [];
  for (let statement of statements) {
    if (/^Export(Named|Default)Declaration$/.test(statement.type) && statement.declaration) statement = statement.declaration;
    if (statement.type === 'ClassDeclaration' && statement.id) names.push({name: statement.id.name, constant: true});
    if (statement.type !== 'VariableDeclaration') continue;
    for (const {id, init} of statement.declarations) {
      if (!isImport(init)) for (const name of bound(id)) names.push({name, constant: statement.kind === 'const'});
    }
  }
  return names;
}

/**
 * importsOf are the declarations by which a source imports. A source without import declarations
 * is parsed only if it lacks the name of a variable that was found in its code.
 */
function importsOf(parse, text, found) {
  const words = new Set(text.match(/[\w$]+/g));
  if (!/^\s*import\b/m.test(text) && (!words.has('require') || found.every(({name}) => words.has(name)))) return [];
  for (const plugins of [['jsx', 'typescript'], ['typescript'], ['jsx', 'flow']]) {
    const parsed = attempt(() => parse(text, [...plugins, ...SYNTAX]));
    if (parsed) return parsed.program.body.filter(statement => /^(Import|Variable)Declaration$/.test(statement.type));
  }
  return [];
}

/** members are what a pattern takes from an object: pairs of a key and a variable. */
function members(pattern) {
  const found = [];
  for (const {key, value, computed} of pattern.type === 'ObjectPattern' ? pattern.properties : []) {
    const local = value && value.type === 'AssignmentPattern' ? value.left : value;
    if (key && !computed && local.type === 'Identifier') found.push([key.name || String(key.value), local.name]);
  }
  return found;
}

/** moduleOf is the name of the module that an expression requires. */
function moduleOf(init) {
  while (init.type === 'MemberExpression') init = init.object;
  const argument = init.arguments.find(a => a.type === 'StringLiteral' || isImport(a));
  if (!argument) return '';
  return argument.type === 'StringLiteral' ? argument.value : moduleOf(argument);
}

function attempt(f) {
  try {
    return f();
  } catch {
    return undefined;
  }
}

function isImport(init) {
  while (init && init.type === 'MemberExpression') init = init.object;
  if (!init || init.type !== 'CallExpression') return false;
  const {name} = init.callee;
  return name === 'require' || (/^_+(interop|import|esm|toESM)/i.test(name || '') && init.arguments.some(isImport));
}

/** bound lists the names that a pattern binds. */
function bound(pattern) {
  switch (pattern && pattern.type) {
    case 'Identifier':
      return [pattern.name];
    case 'ObjectPattern':
      return pattern.properties.flatMap(p => bound(p.type === 'RestElement' ? p : p.value));
    case 'ArrayPattern':
      return pattern.elements.flatMap(bound);
    case 'AssignmentPattern':
      return bound(pattern.left);
    case 'RestElement':
      return bound(pattern.argument);
  }
  return [];
}

module.exports = {Instrument, SCOPE};
