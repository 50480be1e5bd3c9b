'use strict';
const outbox = require('./outbox');

describe('the outbox', () => {
  beforeEach(() => {
    outbox.clear();
  });

  test('sends a letter', () => {
    expect(outbox.send('Ada')).resolves.toBe('sent');
  });

  test('has no letter on a day without any', async () => {
    await outbox.day();
    expect(outbox.letters()).toEqual([]);
  });

  test('keeps a letter', async () => {
    await outbox.send('Grace');
    expect(outbox.letters()).toEqual(['Grace']);
  });
});
