import { describe, expect, it } from '@jest/globals';
import { label, reset, use, type Zone } from './clock.js';

describe('clock', () => {
  it('can show local time', () => {
    const zone: Zone = 'local';
    use(zone);
    expect(label(7)).toBe('7:00 local');
  });

  it('shows universal time', () => {
    expect(label(7)).toBe('7:00 utc');
  });

  it('has a way back', () => {
    expect(typeof reset).toBe('function');
  });
});
