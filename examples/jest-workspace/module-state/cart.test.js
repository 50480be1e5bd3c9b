import { add, clear, count } from './cart';

describe('cart', () => {
  it('counts what is added', () => {
    add('tea');
    expect(count()).toBeGreaterThan(0);
  });

  describe('at first', () => {
    it('is empty', () => {
      expect(count()).toBe(0);
    });
  });

  it('has a way to be emptied', () => {
    expect(clear).toBeInstanceOf(Function);
  });
});
