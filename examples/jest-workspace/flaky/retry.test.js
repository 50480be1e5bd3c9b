const { pause } = require('./retry');

test('waits for a while', () => expect(pause()).toBeGreaterThanOrEqual(100));

test('does not wait for long', () => expect(pause()).toBeLessThan(150));
