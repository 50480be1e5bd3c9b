const formats = require('./formats');

describe('formats', () => {
  it('takes a new format', () => {
    formats.register('lines', (rows) => rows.join('\n'));
    expect(formats.write('lines', ['a', 'b'])).toBe('a\nb');
  });

  it('refuses a format that nobody knows', () => {
    expect(() => formats.write('tables', [])).toThrow('unknown format');
  });

  it('writes nothing for no rows', () => {
    expect(formats.write('lines', [])).toBe('');
  });
});
