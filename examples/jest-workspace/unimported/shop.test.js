const { order } = require('./shop');

describe('shop', () => {
  test('takes a large order', () => {
    expect(order(12)).toMatch(/sold$/);
  });

  test('counts what is sold', () => {
    expect(order(2)).toBe('2 sold');
  });
});
