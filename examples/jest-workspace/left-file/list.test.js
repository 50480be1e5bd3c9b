const { list } = require('./archive');

test('a new archive is empty', () => {
  expect(list()).toEqual([]);
});
