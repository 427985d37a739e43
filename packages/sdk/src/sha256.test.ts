import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createSha256 } from './sha256.ts';

const ofNode = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

it('is that of Node for every length around the blocks, in whatever pieces it comes', () => {
  for (let length = 0; length <= 200; length += 1) {
    const bytes = Uint8Array.from({ length }, (_, at) => at * 7 + length);
    const whole = createSha256();
    whole.update(bytes);
    expect(whole.hex()).toBe(ofNode(bytes));
  }
  const pieces = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 20 });
  fc.assert(
    fc.property(pieces, (chunks) => {
      const hash = createSha256();
      for (const chunk of chunks) hash.update(chunk);
      const bytes = Buffer.concat(chunks);
      expect(hash.bytes).toBe(bytes.length);
      expect(hash.hex()).toBe(ofNode(bytes));
    }),
    { numRuns: 500 },
  );
});

it('counts the bits of more than half a gigabyte, where their number passes 32 bits', { tags: ['slow'] }, () => {
  const [ours, theirs] = [createSha256(), createHash('sha256')];
  const chunk = new Uint8Array(2 ** 24);
  for (let n = 0; n <= 32; n += 1) {
    ours.update(chunk);
    theirs.update(chunk);
  }
  expect(ours.hex()).toBe(theirs.digest('hex'));
});
