import { describe, expect, it } from '@jest/globals';
import { label, use, type Zone } from './clock.js';

describe('clock', () => {
  it('can show local time', () => {
    const zone: Zone = 'local';
    use(zone);
    expect(label(7)).toBe('7:00 local');
  });

  it('shows universal time', () => {
    expect(label(7)).toBe('7:00 utc');
  });
});
