const { deliver } = require('./post');

const carrier = { take: jest.fn() };

describe.each([['letter'], ['parcel']])('a %s', (what) => {
  function tests() {
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

  describe('to Paris', () => {
    tests();
  });
});
