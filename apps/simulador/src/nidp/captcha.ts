import { createHash, randomUUID } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';

/** The captchas that were shown. Only the latest ones are remembered. */
export type Captchas = ReturnType<typeof createCaptchas>;

const REMEMBERED = 10_000;

/** Creates a store whose captchas follow from `seed` and their order; the default seed is a fresh one. */
export function createCaptchas(seed: string = randomUUID()) {
  const answers = new Map<string, string>();
  let issued = 0;
  return {
    issue: (): Captcha => {
      const captcha = drawCaptcha(`${seed}:${issued}`);
      issued += 1;
      answers.set(digest(captcha.imagen), captcha.respuesta);
      const oldest = answers.keys().next().value;
      if (answers.size > REMEMBERED && oldest !== undefined) answers.delete(oldest);
      return captcha;
    },
    /** The answer to an image that was issued (PNG bytes), or null. */
    solve: (imagen: Uint8Array): string | null => answers.get(digest(imagen)) ?? null,
  };
}

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64');
}

const WIDTH = 160;
const HEIGHT = 60;
const LENGTH = 6;
const SCALE = 4;
const CELL = 25;
const NOISE_POINTS = 260;
const INK = 40;
const NOISE = 150;

/** A captcha as the log-in page shows it: the PNG of 160 by 60 pixels and the six signs drawn in it. */
interface Captcha {
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

/**
 * A bitmap font of five columns by seven rows for the letters and digits a captcha uses. Each glyph is seven
 * numbers, one a row from the top; the highest of the five bits is the leftmost column. Signs that are easily
 * taken for one another (0 and O, 1 and I) are left out.
 */
const GLYPHS: Readonly<Record<string, readonly number[]>> = {
  A: [0b01110, 0b10001, 0b10001, 0b11111, 0b10001, 0b10001, 0b10001],
  B: [0b11110, 0b10001, 0b10001, 0b11110, 0b10001, 0b10001, 0b11110],
  C: [0b01110, 0b10001, 0b10000, 0b10000, 0b10000, 0b10001, 0b01110],
  D: [0b11110, 0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b11110],
  E: [0b11111, 0b10000, 0b10000, 0b11110, 0b10000, 0b10000, 0b11111],
  F: [0b11111, 0b10000, 0b10000, 0b11110, 0b10000, 0b10000, 0b10000],
  G: [0b01110, 0b10001, 0b10000, 0b10111, 0b10001, 0b10001, 0b01111],
  H: [0b10001, 0b10001, 0b10001, 0b11111, 0b10001, 0b10001, 0b10001],
  J: [0b00111, 0b00010, 0b00010, 0b00010, 0b00010, 0b10010, 0b01100],
  K: [0b10001, 0b10010, 0b10100, 0b11000, 0b10100, 0b10010, 0b10001],
  L: [0b10000, 0b10000, 0b10000, 0b10000, 0b10000, 0b10000, 0b11111],
  M: [0b10001, 0b11011, 0b10101, 0b10101, 0b10001, 0b10001, 0b10001],
  N: [0b10001, 0b11001, 0b10101, 0b10011, 0b10001, 0b10001, 0b10001],
  P: [0b11110, 0b10001, 0b10001, 0b11110, 0b10000, 0b10000, 0b10000],
  Q: [0b01110, 0b10001, 0b10001, 0b10001, 0b10101, 0b10010, 0b01101],
  R: [0b11110, 0b10001, 0b10001, 0b11110, 0b10100, 0b10010, 0b10001],
  S: [0b01111, 0b10000, 0b10000, 0b01110, 0b00001, 0b00001, 0b11110],
  T: [0b11111, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100],
  U: [0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b01110],
  V: [0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b01010, 0b00100],
  W: [0b10001, 0b10001, 0b10001, 0b10101, 0b10101, 0b11011, 0b10001],
  X: [0b10001, 0b10001, 0b01010, 0b00100, 0b01010, 0b10001, 0b10001],
  Y: [0b10001, 0b10001, 0b01010, 0b00100, 0b00100, 0b00100, 0b00100],
  Z: [0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b10000, 0b11111],
  2: [0b01110, 0b10001, 0b00001, 0b00110, 0b01000, 0b10000, 0b11111],
  3: [0b11110, 0b00001, 0b00001, 0b01110, 0b00001, 0b00001, 0b11110],
  4: [0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010],
  5: [0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110],
  6: [0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110],
  7: [0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b01000, 0b01000],
  8: [0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110],
  9: [0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100],
};

const GLYPH_COLUMNS = 5;
const GLYPH_ROWS = 7;

/** The signs that have a glyph, in a fixed order. */
export const ALPHABET: readonly string[] = Object.keys(GLYPHS).sort();

/**
 * Whether the glyph of a sign is inked at a column and row counted from its top left corner; false for an unknown sign.
 */
export function isInked(sign: string, column: number, row: number): boolean {
  const bits = GLYPHS[sign]?.[row] ?? 0;
  return ((bits >> (GLYPH_COLUMNS - 1 - column)) & 1) === 1;
}

/** A picture of one byte a pixel: 0 is black, 255 white. */
interface Picture {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const GREYSCALE_8_BIT = [8, 0, 0, 0, 0];

function createPicture(width: number, height: number): Picture {
  return { width, height, pixels: new Uint8Array(width * height).fill(255) };
}

/** Sets one pixel to a shade (0 to 255); a point outside the picture is ignored. */
function setPixel(picture: Picture, x: number, y: number, shade: number): void {
  if (x < 0 || y < 0 || x >= picture.width || y >= picture.height) return;
  picture.pixels[y * picture.width + x] = shade;
}

/** Encodes a picture as an 8-bit greyscale PNG without interlace (W3C PNG specification, sections 5, 9 and 11). */
function encodePng({ width, height, pixels }: Picture): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set(GREYSCALE_8_BIT, 8);

  const scanlines = Buffer.alloc((width + 1) * height);
  for (let row = 0; row < height; row++) {
    scanlines.set(pixels.subarray(row * width, (row + 1) * width), row * (width + 1) + 1);
  }
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(scanlines)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  out.set(body, 4);
  out.writeUInt32BE(crc32(body), body.length + 4);
  return out;
}
