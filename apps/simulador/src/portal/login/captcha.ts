import { createHash } from 'node:crypto';
import { ALPHABET, GLYPH_COLUMNS, GLYPH_ROWS, isInked } from './font.ts';
import { createPicture, encodePng, type Picture, setPixel } from './png.ts';

const WIDTH = 160;
const HEIGHT = 60;
const LENGTH = 6;
const SCALE = 4;
const CELL = 25;
const NOISE_POINTS = 260;
const INK = 40;
const NOISE = 150;

/** A captcha as the log-in page shows it: the PNG of 160 by 60 pixels and the six signs drawn in it. */
export interface Captcha {
  readonly respuesta: string;
  readonly imagen: Buffer;
}

/**
 * Draws the captcha that belongs to a seed: six signs with their own height and slant over scattered points and
 * two crossing lines. The same seed always gives the same picture, byte for byte. Size and length are those of the
 * log-in page's image (phpcfdi/cfdi-sat-scraper, tests/_files).
 */
export function drawCaptcha(seed: string): Captcha {
  const random = createRandom(seed);
  const respuesta = Array.from({ length: LENGTH }, () => ALPHABET[random(ALPHABET.length)]).join('');
  const picture = createPicture(WIDTH, HEIGHT);

  for (let i = 0; i < NOISE_POINTS; i++) setPixel(picture, random(WIDTH), random(HEIGHT), NOISE);
  for (let i = 0; i < 2; i++) drawLine(picture, random(HEIGHT), random(HEIGHT));
  for (const [index, sign] of [...respuesta].entries()) {
    drawSign(picture, sign, 6 + index * CELL, 8 + random(16), random(3) - 1);
  }
  return { respuesta, imagen: encodePng(picture) };
}

function drawSign(picture: Picture, sign: string, left: number, top: number, slant: number): void {
  for (let y = 0; y < GLYPH_ROWS * SCALE; y++) {
    const shift = Math.round((slant * (GLYPH_ROWS * SCALE - y)) / 8);
    for (let x = 0; x < GLYPH_COLUMNS * SCALE; x++) {
      if (isInked(sign, Math.floor(x / SCALE), Math.floor(y / SCALE)))
        setPixel(picture, left + x + shift, top + y, INK);
    }
  }
}

function drawLine(picture: Picture, from: number, to: number): void {
  for (let x = 0; x < WIDTH; x++) setPixel(picture, x, Math.round(from + ((to - from) * x) / WIDTH), NOISE);
}

function createRandom(seed: string): (below: number) => number {
  let block = Buffer.alloc(0);
  let counter = 0;
  return (below) => {
    if (block.length < 4) {
      block = createHash('sha256').update(`${seed}:${counter}`).digest();
      counter += 1;
    }
    const value = block.readUInt32BE(0);
    block = block.subarray(4);
    return value % below;
  };
}
