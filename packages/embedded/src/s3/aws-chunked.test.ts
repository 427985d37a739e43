import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AwsChunkedDecoder } from './incoming-body.ts';

const framed = (chunks: readonly Uint8Array[], trailers: Readonly<Record<string, string>> = {}) =>
  Buffer.concat([
    ...chunks.flatMap((chunk) => [
      Buffer.from(`${chunk.length.toString(16)};chunk-signature=${'0'.repeat(64)}\r\n`),
      chunk,
      Buffer.from('\r\n'),
    ]),
    Buffer.from('0\r\n'),
    Buffer.from(`${Object.entries(trailers).map(([name, value]) => `${name}:${value}\r\n`)}\r\n`),
  ]);

async function decode(
  bytes: Buffer,
  pieceLength = bytes.length,
): Promise<{ content: Buffer; trailers: Map<string, string> }> {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += pieceLength) pieces.push(bytes.subarray(at, at + pieceLength));
  const decoder = new AwsChunkedDecoder();
  const [content] = await Promise.all([buffer(decoder), pipeline(Readable.from(pieces), decoder)]);
  return { content, trailers: decoder.trailers };
}

describe('the framing aws-chunked', () => {
  test('comes off, however the bytes are cut into pieces', async () => {
    const chunk = fc.uint8Array({ minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(chunk, { maxLength: 5 }),
        fc.integer({ min: 1, max: 60 }),
        async (chunks, pieceLength) => {
          const { content, trailers } = await decode(framed(chunks, { 'X-Amz-Checksum-Crc32': 'AAAA==' }), pieceLength);
          expect(content).toEqual(Buffer.concat(chunks));
          expect([...trailers]).toEqual([['x-amz-checksum-crc32', 'AAAA==']]);
        },
      ),
    );
  });

  test.each([
    ['ends before its last chunk', framed([Buffer.from('hello')]).subarray(0, -6), 'IncompleteBody'],
    ['ends within a chunk', Buffer.from('5\r\nhel'), 'IncompleteBody'],
    ['has a size that is no number', Buffer.from('xyz\r\n'), 'InvalidArgument'],
    ['has a chunk longer than it says', Buffer.from('3\r\nhello\r\n0\r\n\r\n'), 'InvalidArgument'],
    ['never ends a line', Buffer.alloc(10_000, 0x31), 'InvalidArgument'],
  ])('is refused when it %s', async (_, bytes, code) => {
    await expect(decode(bytes)).rejects.toMatchObject({ code });
  });
});
