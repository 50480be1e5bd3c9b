const { keep, list } = require('./archive');

describe('keeping', () => {
  test('a letter is in the archive', () => {
    keep('letter.txt', 'Dear Ada');
    expect(list()).toContain('letter.txt');
  });

  test('a second letter of the same name replaces the first, of which nothing is left', () => {
    keep('letter.txt', 'Dear Ada');
    keep('letter.txt', 'Dear Grace');
    expect(list()).toHaveLength(1);
  });
});
