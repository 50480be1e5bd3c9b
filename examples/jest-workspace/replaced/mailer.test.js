const { transport, greet } = require('./mailer');

describe('mailer', () => {
  test('gives up when nobody answers', () => {
    transport.send = () => {
      throw new Error('timeout');
    };
    expect(() => greet('ann')).toThrow('timeout');
  });

  test('greets a user', () => {
    expect(greet('ann')).toBe('delivered to ann');
  });
});
