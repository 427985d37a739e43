import { crc32, deflateSync } from 'node:zlib';

/** A picture of one byte a pixel: 0 is black, 255 white. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const GREYSCALE_8_BIT = [8, 0, 0, 0, 0];

/** Makes a white picture of the given size in pixels. */
export function createPicture(width: number, height: number): Picture {
  return { width, height, pixels: new Uint8Array(width * height).fill(255) };
}

/** Sets one pixel to a shade (0 to 255); a point outside the picture is ignored. */
export function setPixel(picture: Picture, x: number, y: number, shade: number): void {
  if (x < 0 || y < 0 || x >= picture.width || y >= picture.height) return;
  picture.pixels[y * picture.width + x] = shade;
}

/** Encodes a picture as an 8-bit greyscale PNG without interlace (W3C PNG specification, sections 5, 9 and 11). */
export function encodePng({ width, height, pixels }: Picture): Buffer {
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
