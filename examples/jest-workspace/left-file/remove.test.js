const fs = require('fs');
const { folder, list } = require('./archive');

test('without its folder the archive is empty', () => {
  fs.rmSync(folder, { recursive: true, force: true });
  expect(list()).toEqual([]);
});
