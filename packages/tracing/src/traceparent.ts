/** What a `traceparent` of W3C Trace Context says: which trace, which span of it, and whether it is recorded. */
export interface TraceParent {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  readonly isSampled: boolean;
}

const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const SAMPLED = 0x01;

/**
 * Reads a `traceparent` as its specification says (W3C Trace Context, 3.2): anything that is not one, an id of zeros
 * included, is none. A version that is newer than ours is read for what all versions have.
 */
export function parseTraceparent(value: string | null | undefined): TraceParent | null {
  const [, version, traceId, spanId, flags, rest] = FORM.exec(value?.trim() ?? '') ?? [];
  if (version === undefined || traceId === undefined || spanId === undefined || flags === undefined) return null;
  if (version === 'ff' || (version === '00' && rest !== undefined)) return null;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

/** The same as the text that is kept in a row or sent in a header: 55 characters. */
export const formatTraceparent = ({ traceId, spanId, isSampled }: TraceParent): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
