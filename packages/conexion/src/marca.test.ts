import { describe, expect, it } from 'vitest';
import { reparoColor, reparoLogo, reparoRegreso } from './marca.ts';

const PNG = Buffer.from('89504e470d0a1a0a', 'hex');
const dataUrl = (type: string, bytes: Buffer) => `data:image/${type};base64,${bytes.toString('base64')}`;

describe('a logo', () => {
  it('is a PNG, JPEG or WebP by its first bytes', () => {
    expect(reparoLogo(dataUrl('png', PNG))).toBeNull();
    expect(reparoLogo(dataUrl('jpeg', Buffer.from('ffd8ffe0', 'hex')))).toBeNull();
    expect(reparoLogo(dataUrl('webp', Buffer.from('RIFF    WEBPVP8 ')))).toBeNull();
  });

  it.each([
    ['SVG, which may hold scripts', dataUrl('svg+xml', Buffer.from('<svg onload="alert(1)"/>'))],
    ['another type than it says', dataUrl('jpeg', PNG)],
    ['an address', 'https://evil.example/logo.png'],
    ['a parameter', dataUrl('png', PNG).replace(';', ';charset=x;')],
    ['text behind it', `${dataUrl('png', PNG)}" onerror="alert(1)`],
  ])('is refused with %s', (_, logo) => {
    expect(reparoLogo(logo)).toMatch(/^debe ser un data:image/);
  });

  it('has 32 KiB at most', () => {
    expect(reparoLogo(dataUrl('png', Buffer.concat([PNG, Buffer.alloc(32_768 - 8)])))).toBeNull();
    expect(reparoLogo(dataUrl('png', Buffer.concat([PNG, Buffer.alloc(32_768 - 7)])))).toBe(
      'debe tener a lo más 32 KiB',
    );
  });
});

describe('a colour', () => {
  it.each(['#0b5394', '#000000', '#767676', '#D00000'])('of %s carries white text', (color) => {
    expect(reparoColor(color)).toBeNull();
  });

  it.each(['#777777', '#ffffff', '#ffcc00'])('of %s is refused for its contrast', (color) => {
    expect(reparoColor(color)).toMatch(/contrastar/);
  });

  it.each(['red', '#fff', '#0b5394;}', 'url(https://evil.example)'])('is no %s', (color) => {
    expect(reparoColor(color)).toBe('debe tener la forma #rrggbb');
  });
});

describe('a return address', () => {
  it.each(['https://erp.example.com/', 'https://erp.example.com/sat?de=acuse&n=1'])('may be %s', (url) => {
    expect(reparoRegreso(url)).toBeNull();
  });

  it.each([
    ...['http://erp.example.com/', 'javascript:alert(1)', 'data:text/html,x', '//erp.example.com', '/inicio', ''],
    ...[
      'https://erp.example.com@evil.example/',
      'https://user:secret@erp.example.com/',
      'https://erp.example.com:8443/',
    ],
    ...['https://localhost/', 'https://127.0.0.1/', 'https://[::1]/', 'https://0x7f.1/', 'https://2130706433/'],
    ...[
      'https:\\\\evil.example/',
      'https://erp.example.com/\\evil',
      'https://erp.example.com/#x',
      ' https://erp.example.com/',
    ],
    ...[
      'https://erp.example.com/\nx',
      'HTTPS://erp.example.com/',
      'https:erp.example.com/',
      'https://erp.example.com./',
    ],
  ])('may not be %j', (url) => {
    expect(reparoRegreso(url)).toMatch(/^debe ser una dirección https/);
  });
});
