'use strict';
// What is registered with libraries: mocks of modules with Jest, and interceptors with nock.

const {attempt, count, ownKeys} = require('./values.cjs');

/** all lists {name, path, text, token} of what is registered, and what restores it. */
function all(state) {
  return [...moduleMocks(state), ...interceptors(state)];
}

/**
 * moduleMocks are modules that jest.mock or jest.doMock has registered, or jest.dontMock has
 * excluded. Jest keeps them by an id that holds the module's path.
 */
function moduleMocks(state) {
  const found = [];
  const {runtime, root} = state;
  const {explicit, factories} = tables(runtime);
  for (const [id, isMocked] of entriesOf(explicit)) {
    const file = String(id).split(':').find(part => part.startsWith('/'));
    if (!file || !isMocked) continue;
    const name = file.startsWith(`${root}/`) ? file.slice(root.length + 1) : file;
    const factory = get(factories, id);
    found.push({name: `mocked ${name}`, path: `mock of ${name}`, text: 'registered', token: `mock ${factory ? state.number(factory) : 0}`, id, factory});
  }
  return found;
}

/** restoreMock registers a mock of a module again, or removes it. now is what is there. */
function restoreMock(runtime, place, now) {
  const {id} = place || now;
  const {explicit, factories} = tables(runtime);
  put(explicit, id, place ? true : undefined);
  put(factories, id, place ? place.factory : undefined);
  const registry = attempt(() => runtime._mockRegistry || runtime.registries.mockRegistry);
  put(registry, id, undefined);
}

/** interceptors are those of the copy of nock that the tests of this file have loaded. */
function interceptors(state) {
  for (const [file, module] of state.modules()) {
    if (!/[\\/]node_modules[\\/]nock[\\/]index\.js$/.test(file)) continue;
    const nock = attempt(() => module.exports);
    const active = attempt(() => nock.activeMocks());
    if (!Array.isArray(active) || active.length === 0) return [];
    return [{name: 'nock interceptors', path: 'nock.activeMocks()', text: count(active.length, 'interceptor'), token: active.join('\n'), nock}];
  }
  return [];
}

/** tables are where Jest keeps what is registered. Versions from 30.5 have an object for it. */
function tables(runtime) {
  const state = attempt(() => runtime.mockState);
  if (state) return {explicit: state.explicitCjsMock, factories: state.cjsFactories};
  return {explicit: attempt(() => runtime._explicitShouldMock), factories: attempt(() => runtime._mockFactories)};
}

// Jest kept these in objects before version 27.
function entriesOf(of) {
  if (of instanceof Map) return [...of];
  return of ? ownKeys(of).map(key => [key, of[key]]) : [];
}

function get(from, key) {
  if (from instanceof Map) return from.get(key);
  return from ? from[key] : undefined;
}

function put(into, key, value) {
  if (!into) return;
  if (into instanceof Map) value === undefined ? into.delete(key) : into.set(key, value);
  else if (value === undefined) delete into[key];
  else into[key] = value;
}

module.exports = {all, restoreMock};
