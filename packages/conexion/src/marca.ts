const MAX_LOGO_BYTES = 32_768;
const LOGO = /^data:image\/(png|jpeg|webp);base64,([A-Za-z0-9+/]+={0,2})$/;

/** First bytes of each type, in Latin-1. */
const STARTS = new Map([
  ['png', '\x89PNG\r\n\x1a\n'],
  ['jpeg', '\xff\xd8\xff'],
  ['webp', 'RIFF'],
]);

/** Fault of a logo, in Spanish, or null: a data URL of a PNG, JPEG or WebP of 32 KiB at most. SVG may hold scripts. */
export function reparoLogo(logo: string): string | null {
  const [, tipo = '', base64 = ''] = LOGO.exec(logo) ?? [];
  const bytes = Buffer.from(base64, 'base64');
  const start = STARTS.get(tipo);
  if (start === undefined || !bytes.toString('latin1').startsWith(start))
    return 'debe ser un data:image/png, jpeg o webp en base64';
  return bytes.length > MAX_LOGO_BYTES ? 'debe tener a lo más 32 KiB' : null;
}

/** Least contrast of white text on the colour (WCAG 2.2, 1.4.3). */
const CONTRAST = 4.5;

/** Relative luminance of `#rrggbb` (WCAG 2.2). */
function luminance(color: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Fault of a colour, in Spanish, or null: `#rrggbb`, dark enough for the white text of a button. */
export function reparoColor(color: string): string | null {
  if (!/^#[0-9a-f]{6}$/i.test(color)) return 'debe tener la forma #rrggbb';
  return 1.05 / (luminance(color) + 0.05) < CONTRAST
    ? 'debe contrastar con texto blanco (4.5 a 1): use uno más oscuro'
    : null;
}

const REGRESO = 'debe ser una dirección https de un dominio público, sin usuario, puerto ni fragmento';
const DOMAIN = /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/;

/** Fault of a return address, in Spanish, or null. The page takes it from the row alone, never from its own address. */
export function reparoRegreso(text: string): string | null {
  if (!URL.canParse(text) || /[\\\s]/.test(text) || !text.startsWith('https://')) return REGRESO;
  const { username, password, port, hostname, hash } = new URL(text);
  return [username, password, port, hash].some((part) => part !== '') || !DOMAIN.test(hostname) ? REGRESO : null;
}
