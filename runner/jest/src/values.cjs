'use strict';
// What describes values of foreign code. It calls that code in three places only: getters by which a
// module exports, the traps of a proxy of a function, and the getState of stores.

const {types} = require('util');
const {createHash} = require('crypto');

const MAX_TEXT = 200;
const MAX_ELEMENTS = 2000;

const {getOwnPropertyDescriptor, ownKeys, defineProperty, deleteProperty, getPrototypeOf} = Reflect;
const JEST = new Set(['jest', 'expect', 'describe', 'xdescribe', 'fdescribe', 'it', 'xit', 'fit', 'test', 'xtest', 'beforeAll',
  'beforeEach', 'afterAll', 'afterEach', 'jasmine', 'spyOn', 'fail', 'pending', 'spyOnProperty', 'jsApiReporter']);

/** The state that Jest's mocker keeps of a mock function, by reference. isOwn: it is a mock of that mocker. */
function mockOf(mocker, fn) {
  const state = attempt(() => mocker._mockState.get(fn)) || attempt(() => fn.mock) || {};
  const config = attempt(() => mocker._mockConfigRegistry.get(fn));
  return {state, config, calls: state.calls || [], isOwn: attempt(() => mocker._mockState.get(fn)) === state};
}

const keysOf = value => attempt(() => ownKeys(value)) || []; // a trap may throw
const count = (n, what) => `${n} ${what}${n === 1 ? '' : 's'}`;
const isObject = value => value !== null && (typeof value === 'object' || typeof value === 'function');
const digest = data => createHash('sha1').update(data).digest('hex');
const brief = text => text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text || "''";
const functionText = f => `function ${nameOf(f)}`.trim();

/** datum is what an object itself holds, where that is no getter. */
const datum = (object, key) => attempt(() => getOwnPropertyDescriptor(object, key).value);
const isMock = f => datum(f, '_isMockFunction') === true;
const kindOfFunction = f => isMock(f) ? 'mock function' : functionText(f);

function nameOf(f) {
  const text = datum(f, 'name');
  return typeof text === 'string' ? text : '';
}

/** inherited is a property's descriptor. It calls no getter and no trap of a proxy. */
function inherited(object, key) {
  for (let at = object; isObject(at) && !types.isProxy(at); at = getPrototypeOf(at)) {
    const descriptor = getOwnPropertyDescriptor(at, key);
    if (descriptor) return descriptor;
  }
  return undefined;
}

function isNode(value) {
  const type = inherited(value, 'nodeType');
  return type !== undefined && (type.get !== undefined || typeof type.value === 'number') && inherited(value, 'ownerDocument') !== undefined;
}

function valueOf(object, key) {
  const descriptor = isObject(object) ? getOwnPropertyDescriptor(object, key) : undefined;
  if (!descriptor) return undefined;
  return 'value' in descriptor ? descriptor.value : attempt(() => object[key]);
}

/** exported is a property, or what a module of ECMAScript exports, which is a getter. */
function exported(module, key) {
  const descriptor = attempt(() => getOwnPropertyDescriptor(module, key));
  if (!descriptor) return undefined;
  if ('value' in descriptor) return descriptor.value;
  return attempt(() => getOwnPropertyDescriptor(module, '__esModule').value) === true ? attempt(() => module[key]) : undefined;
}

/**
 * importedValues are what a file imports by one variable: {path, name, value}. Names are those of the
 * source, {imported: local}, where it has import declarations; the variable then holds the module.
 */
function importedValues(variable, value, names) {
  if (!isObject(value)) return [];
  if (!names) return [{path: variable, name: variable, value}];
  const found = [];
  for (const key of keysOf(value)) {
    if (typeof key !== 'string' || key === '__esModule') continue;
    const path = names[key] || (names['*'] ? `${names['*']}${accessor(key)}` : '');
    const item = path ? exported(value, key) : undefined;
    if (isObject(item)) found.push({path, name: names[key] || key, value: item});
  }
  return found;
}

function className(value) {
  const proto = getPrototypeOf(value);
  const constructor = isObject(proto) && !types.isProxy(proto) ? datum(proto, 'constructor') : undefined;
  return (isObject(constructor) && !types.isProxy(constructor) && nameOf(constructor)) || 'Object';
}

function literal(value) {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'bigint') return `${value}n`;
  return Object.is(value, -0) ? '-0' : String(value);
}

function accessor(key) {
  if (typeof key === 'symbol') return `[${String(key)}]`;
  if (/^(0|[1-9]\d*)$/.test(key)) return `[${key}]`;
  return /^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

function attempt(f) {
  try {
    return f();
  } catch {
    return undefined;
  }
}

/**
 * storeState is what a store such as zustand's keeps in a closure: one that gives its state, takes another,
 * and tells others of it.
 */
function storeState(value) {
  if (types.isProxy(value)) return undefined;
  const [get, ...others] = ['getState', 'setState', 'subscribe'].map(key => datum(value, key));
  const isPlain = f => typeof f === 'function' && !isMock(f) && !types.isAsyncFunction(f);
  if (!isPlain(get) || get.length || !others.every(isPlain)) return undefined;
  return attempt(() => Reflect.apply(get, value, []));
}

module.exports = {JEST, MAX_ELEMENTS, accessor, attempt, brief, className, count, datum, defineProperty, deleteProperty, digest, exported,
  functionText, getOwnPropertyDescriptor, getPrototypeOf, importedValues, isMock, isNode, isObject, keysOf, kindOfFunction, literal, mockOf, ownKeys,
  storeState, types, valueOf};
