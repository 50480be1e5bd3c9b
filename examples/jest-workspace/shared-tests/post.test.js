const { deliver } = require('./post');

const carrier = { take: jest.fn() };

describe('a letter', () => {
  describe('to Paris', () => {
    tests('letter');
  });
});

describe('a parcel', () => {
  tests('parcel');
});

function tests(what) {
  describe('with a stamp', () => {
    test('is taken once', () => {
      deliver(carrier, what);
      expect(carrier.take).toHaveBeenCalledTimes(1);
    });
  });

  describe('without a stamp', () => {
    test('is taken as well', () => {
      deliver(carrier, what);
      expect(carrier.take.mock.calls).toEqual([[what]]);
    });
  });
}
