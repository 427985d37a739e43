import { expect, it } from 'vitest';
import { formatTraceparent, parseTraceparent } from './traceparent.ts';

const [TRACE, SPAN] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];

it.each([
  [`00-${TRACE}-${SPAN}-01`, true],
  [`00-${TRACE}-${SPAN}-00`, false],
  [`00-${TRACE}-${SPAN}-ff`, true],
  [` 00-${TRACE}-${SPAN}-03 `, true],
  [`cc-${TRACE}-${SPAN}-01-what-is-new`, true],
])('reads %j', (text, isSampled) => {
  const parent = parseTraceparent(text);
  expect(parent).toEqual({ traceId: TRACE, spanId: SPAN, isSampled });
  expect(parent && formatTraceparent(parent)).toBe(`00-${TRACE}-${SPAN}-${isSampled ? '01' : '00'}`);
});

it.each([
  ...[undefined, null, '', 'x', TRACE, `00-${TRACE}-${SPAN}`, `00-${TRACE}-${SPAN}-1`, `00-${TRACE}-${SPAN}-01-more`],
  ...[`ff-${TRACE}-${SPAN}-01`, `00-${TRACE.toUpperCase()}-${SPAN}-01`, `00-${'0'.repeat(32)}-${SPAN}-01`],
  ...[`00-${TRACE}-${'0'.repeat(16)}-01`, `00-${TRACE}-${SPAN}-zz`, `00-${'a'.repeat(100_000)}-${SPAN}-01`],
])('takes %j for none', (text) => {
  expect(parseTraceparent(text)).toBeNull();
});
