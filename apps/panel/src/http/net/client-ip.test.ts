import { expect, it, test } from 'vitest';
import { createClientIp, networkOf } from './client-ip.ts';

const none = createClientIp([]);
const two = createClientIp(['10.0.0.0/8', 'fd00::/8', '192.0.2.1']);

it('is the socket when no proxy is trusted, whatever the header says', () => {
  expect(none('203.0.113.9', '1.1.1.1')).toBe('203.0.113.9');
  expect(two('203.0.113.9', '1.1.1.1')).toBe('203.0.113.9');
  expect(none('::ffff:203.0.113.9', undefined)).toBe('203.0.113.9');
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
  ['10.0.0.1', undefined, '10.0.0.1'],
  ['10.0.0.1', '203.0.113.9, nonsense', '10.0.0.1'],
])('socket %s with %j is %s', (socket, header, expected) => {
  expect(two(socket, header)).toBe(expected);
});

test('somebody with IPv6 is counted by the /64', () => {
  expect(networkOf('2001:db8:0:7:aaaa::1')).toBe(networkOf('2001:db8:0:7:bbbb::2'));
  expect(networkOf('2001:db8:0:8::1')).not.toBe(networkOf('2001:db8:0:7::1'));
  expect(networkOf('203.0.113.9')).toBe('203.0.113.9');
});
