import { CfdiError } from '@acuse/contract';
import { describe, expect, it } from 'vitest';
import { parseJsonObject } from './json.ts';

const parse = (text: string | Buffer) => parseJsonObject(Buffer.from(text as string));
const nested = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;

describe('parseJsonObject', () => {
  it('takes an object, with brackets inside of its strings', () => {
    expect(parse('{"a":"[[[\\"{{{","b":[1]}')).toEqual({ a: '[[["{{{', b: [1] });
    expect(parse(`{"a":"${'['.repeat(100)}"}`)).toEqual({ a: '['.repeat(100) });
  });

  it('takes 32 levels and refuses 33', () => {
    expect(parse(nested(32))).toBeTypeOf('object');
    expect(() => parse(nested(33))).toThrow(CfdiError);
    expect(() => parse('['.repeat(60_000))).toThrow(CfdiError);
  });

  it.each(['', ' ', '[]', '"a"', '1', 'null', 'true', '{', '{"a":}', '{"a":1}x', "{'a':1}", '{"a":1,}'])(
    'refuses %j',
    (text) => {
      expect(() => parse(text)).toThrow(CfdiError);
    },
  );

  it('refuses bytes that are not UTF-8', () => {
    expect(() => parseJsonObject(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))).toThrow(CfdiError);
  });

  it('quotes nothing of the body in its error', () => {
    try {
      parse('{"ciec":"SECRETO"');
    } catch (error) {
      expect(JSON.stringify([error, String(error), error instanceof Error && error.cause])).not.toContain('SECRETO');
    }
  });
});
