import { describe, expect, it } from 'vitest';
import { createClientIp } from './client-ip.ts';

describe('the caller behind proxies', () => {
  const none = createClientIp([]);
  const two = createClientIp(['10.0.0.0/8', 'fd00::/8', '192.0.2.1']);

  it('is the socket when no proxy is trusted, whatever the header says', () => {
    expect(none('203.0.113.9', '1.1.1.1')).toBe('203.0.113.9');
    expect(two('203.0.113.9', '1.1.1.1')).toBe('203.0.113.9');
    expect(none('::ffff:203.0.113.9', null)).toBe('203.0.113.9');
  });

  it.each([
    ['10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['::ffff:10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['192.0.2.1', '203.0.113.9', '203.0.113.9'],
    ['10.0.0.1', '1.1.1.1, 203.0.113.9', '203.0.113.9'],
    ['10.0.0.1', '1.1.1.1, 203.0.113.9, 10.0.0.2', '203.0.113.9'],
    ['10.0.0.1', '203.0.113.9:4711', '203.0.113.9'],
    ['10.0.0.1', '[2001:db8::5]:4711', '2001:db8::5'],
    ['fd00::1', ' 2001:db8::5 ', '2001:db8::5'],
    ['10.0.0.1', null, '10.0.0.1'],
    ['10.0.0.1', '', '10.0.0.1'],
    ['10.0.0.1', 'unknown', '10.0.0.1'],
    ['10.0.0.1', '203.0.113.9, nonsense', '10.0.0.1'],
    ['10.0.0.1', '203.0.113.9, nonsense, 10.0.0.3', '10.0.0.3'],
  ])('socket %s with %j is %s', (socket, header, expected) => {
    expect(two(socket, header)).toBe(expected);
  });

  it('refuses a proxy that is no block', () => {
    expect(() => createClientIp(['proxy.example'])).toThrow(RangeError);
    expect(() => createClientIp(['0x7f.1'])).toThrow(RangeError);
  });
});
