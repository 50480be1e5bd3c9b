const { tickets } = require('.');

describe('tickets', () => {
  test('are different', () => {
    expect(tickets.draw()).not.toBe(tickets.draw());
  });

  test('begin with one', () => {
    expect(tickets.draw()).toBe(1);
  });
});
