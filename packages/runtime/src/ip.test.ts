import { describe, expect, it, test } from 'vitest';
import { createClientIp, formatRange, isInRanges, networkOf, parseIp, parseRange } from './ip.ts';

const contains = (cidr: string, address: string) => {
  const [range, ip] = [parseRange(cidr), parseIp(address)];
  if (range === null || ip === null) throw new Error('not parsable');
  return isInRanges(ip, [range]);
};

describe('blocks', () => {
  it.each([
    ['203.0.113.0/24', '203.0.113.9', true],
    ['203.0.113.0/24', '203.0.114.9', false],
    ['203.0.113.9', '203.0.113.9', true],
    ['203.0.113.9', '::ffff:203.0.113.9', true],
    ['::ffff:203.0.113.0/120', '203.0.113.200', true],
    ['::ffff:203.0.113.0/120', '203.0.112.200', false],
    ['2001:db8::/32', '2001:db8:1::1', true],
    ['2001:db8::/32', '2001:db9::1', false],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['::/0', '203.0.113.9', false],
    ['0.0.0.0/0', '8.8.8.8', true],
  ])('%s and %s: %s', (cidr, address, expected) => {
    expect(contains(cidr, address)).toBe(expected);
  });

  it.each([
    '',
    'nada',
    '1.2.3',
    '1.2.3.4/33',
    '0x7f.1',
    '2130706433',
    '1.2.3.4/-1',
    '::/129',
    '0x7f.1/8',
    '010.0.0.0/8',
    '10.1/16',
    '1.2.3.4/8/8',
  ])('refuses %j', (text) => {
    expect(parseRange(text)).toBeNull();
  });
});

test('a block is written from the first address of its network', () => {
  const written = (text: string) => {
    const range = parseRange(text);
    return range && formatRange(range);
  };
  expect(written('10.1.2.3/8')).toBe('10.0.0.0/8');
  expect(written('203.0.113.130/25')).toBe('203.0.113.128/25');
  expect(written('203.0.113.7')).toBe('203.0.113.7/32');
  expect(written('2001:DB8:0::5/32')).toBe('2001:db8::/32');
  expect(written('::ffff:192.0.2.99/120')).toBe('192.0.2.0/24');
  expect(written('8.8.8.8/0')).toBe('0.0.0.0/0');
});

test('a customer of IPv6 is counted by its /64', () => {
  expect(networkOf('2001:db8:0:7:aaaa::1')).toBe(networkOf('2001:db8:0:7:bbbb::2'));
  expect(networkOf('2001:db8:0:8::1')).not.toBe(networkOf('2001:db8:0:7::1'));
  expect(networkOf('203.0.113.9')).toBe('203.0.113.9');
});

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
