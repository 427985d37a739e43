import { inflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { ALPHABET, createCaptchas, drawCaptcha, isInked } from './captcha.ts';

const DARK = 100;

/** Reads an 8-bit greyscale PNG without using the writer. */
function decode(png: Buffer) {
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    chunks.set(png.toString('latin1', at + 4, at + 8), png.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const header = chunks.get('IHDR') ?? Buffer.alloc(13);
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const lines = inflateSync(chunks.get('IDAT') ?? Buffer.alloc(0));
  return { width, height, bits: header[8], at: (x: number, y: number) => lines[y * (width + 1) + 1 + x] ?? 255 };
}

/** The sign whose glyph fits the dark pixels of a cell best, over all heights and slants the drawer uses. */
function readSign(picture: ReturnType<typeof decode>, left: number): string {
  let best = { sign: '', score: -1 };
  for (const sign of ALPHABET) {
    for (let top = 8; top < 24; top++) {
      for (const slant of [-1, 0, 1]) {
        let score = 0;
        for (let y = 0; y < 28; y++) {
          const shift = Math.round((slant * (28 - y)) / 8);
          for (let x = 0; x < 20; x++) {
            const isDark = picture.at(left + x + shift, top + y) < DARK;
            score += isDark === isInked(sign, Math.floor(x / 4), Math.floor(y / 4)) ? 1 : 0;
          }
        }
        if (score > best.score) best = { sign, score };
      }
    }
  }
  return best.sign;
}

test('the answer can be read in the picture of 160 by 60 pixels', () => {
  for (const seed of ['uno', 'dos', 'tres']) {
    const { respuesta, imagen } = drawCaptcha(seed);
    const picture = decode(imagen);
    expect([picture.width, picture.height, picture.bits]).toEqual([160, 60, 8]);
    const read = Array.from({ length: 6 }, (_, i) => readSign(picture, 6 + i * 25)).join('');
    expect(read).toBe(respuesta);
  }
});

test('the same seed gives the same bytes, another one another picture', () => {
  expect(drawCaptcha('a').imagen.equals(drawCaptcha('a').imagen)).toBe(true);
  expect(drawCaptcha('a').imagen.equals(drawCaptcha('b').imagen)).toBe(false);
});

test('only issued pictures have an answer', () => {
  const captchas = createCaptchas('semilla');
  const { imagen, respuesta } = captchas.issue();
  expect(captchas.solve(imagen)).toBe(respuesta);
  expect(captchas.solve(drawCaptcha('ajena').imagen)).toBeNull();
  expect(captchas.issue().respuesta).not.toBe(respuesta);
});
