import { readdirSync, readFileSync } from 'node:fs';
import { brotliCompressSync } from 'node:zlib';
import { MARCA, TOKENS } from '@acuse/runtime';
import { describe, expect, it } from 'vitest';

const css = MARCA + readFileSync(new URL('estilo.css', import.meta.url), 'utf8');

/** The colours of the light palette, and of the dark one, which keeps what it does not change. */
function palettes() {
  const [light = '', dark = ''] = [...css.matchAll(/:root \{([^}]+)\}/g)].map(([, body]) => body ?? '');
  const read = (body: string) =>
    Object.fromEntries([...body.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name, value]) => [name, value]));
  return { light: read(light), dark: { ...read(light), ...read(dark) } };
}

/** Relative luminance (WCAG 2.2). */
function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

const SUPERFICIES = ['fondo', 'superficie', 'hundido'];
/** Text on what it stands on: 4.5 to 1 (1.4.3). */
const TEXTOS: readonly (readonly [string, string])[] = [
  ...SUPERFICIES.flatMap((fondo) =>
    ['tinta', 'tinta-suave', 'acento', 'acento-fuerte', 'error'].map((texto) => [texto, fondo] as const),
  ),
  ['sobre-acento', 'acento'],
  ['sobre-acento', 'acento-fuerte'],
  ['acento-fuerte', 'acento-suave'],
  ...['exito', 'alerta', 'error', 'info'].flatMap((tono) => [
    [tono, `${tono}-suave`] as const,
    ['tinta', `${tono}-suave`] as const,
    ['tinta-suave', `${tono}-suave`] as const,
  ]),
];
/** Borders of fields, the focus ring, bars of charts against what they stand on: 3 to 1 (1.4.11). */
const DIBUJOS: readonly (readonly [string, string])[] = [
  ...SUPERFICIES.flatMap((fondo) => ['borde-campo', 'acento'].map((dibujo) => [dibujo, fondo] as const)),
  ...[1, 2, 3, 4].map((serie) => [`serie-${serie}`, 'superficie'] as const),
];

/** Value of a property of a button of these classes in this state, as the last of its most specific rules gives it. */
function ofButton(property: string, classes: readonly string[], states: readonly string[]): string {
  let best = { weight: -1, value: '' };
  for (const [, selectors = '', body = ''] of css.matchAll(/^(\.boton[^{]*)\{([^}]*)\}/gm)) {
    const value = new RegExp(`^  ${property}: (?:var\\(--)?([\\w-]+)`, 'm').exec(body)?.[1];
    for (const selector of value === undefined ? [] : selectors.split(',')) {
      const parts = [...selector.trim().matchAll(/[.:]([\w-]+)/g)].map(([, name = '']) => name);
      const isMeant = parts.every((part) => classes.includes(part) || states.includes(part));
      if (isMeant && parts.length >= best.weight) best = { weight: parts.length, value: value ?? '' };
    }
  }
  return best.value;
}

describe('the style sheet', () => {
  for (const [nombre, paleta] of Object.entries(palettes())) {
    const at = (color: string) => {
      const value = paleta[color];
      if (value === undefined) throw new Error(`the ${nombre} palette has no ${color}`);
      return value;
    };
    it(`has a ${nombre} palette that can be read (WCAG AA)`, () => {
      const weak = [
        ...TEXTOS.map(([a, b]) => [a, b, 4.5] as const),
        ...DIBUJOS.map(([a, b]) => [a, b, 3] as const),
      ].filter(([a, b, least]) => contrast(at(a), at(b)) < least);
      expect(weak.map(([a, b]) => `${a} on ${b}: ${contrast(at(a), at(b)).toFixed(2)}`)).toEqual([]);
    });

    it.each(['primario', 'secundario', 'discreto', 'peligro'])(
      `has %s buttons that can be read in each state of the ${nombre} palette`,
      (variante) => {
        const weak = [[], ['hover'], ['disabled'], ['disabled', 'hover']].flatMap((states) => {
          const of = (property: string) => ofButton(property, ['boton', variante], states);
          const [text, ground] = [of('color'), of('background')];
          const grounds = ground === 'none' ? SUPERFICIES : [ground];
          return grounds
            .filter((each) => contrast(at(text), at(each)) < 4.5)
            .map((each) => `${states.join(' ')}: ${text} on ${each}`);
        });
        expect(weak).toEqual([]);
      },
    );
  }

  it('has a dark value for every colour', () => {
    const [, light = '', dark = ''] = css.split(/:root \{/);
    const names = (body: string) => [...(body.split('}')[0] ?? '').matchAll(/--([\w-]+): #/g)].map(([, name]) => name);
    expect(names(dark)).toEqual(names(light));
    expect(names(light).length).toBeGreaterThan(20);
  });

  it('gives the frame of the queues its colours, which it names nowhere itself', () => {
    const frame = readFileSync(new URL('colas.css', import.meta.url), 'utf8');
    expect(frame).not.toMatch(/#[0-9a-f]{3,8}\b|rgb|hsl/i);
    const used = [...frame.matchAll(/var\((--[\w-]+)\)/g)].map(([, name]) => name);
    expect(used.length).toBeGreaterThan(10);
    expect(used.filter((name) => !TOKENS.includes(`${name}:`))).toEqual([]);
  });

  it('is smaller than 23 KB, and than 5 KB on the wire', () => {
    expect(Buffer.byteLength(css)).toBeLessThan(23_000);
    expect(brotliCompressSync(css).length).toBeLessThan(5_000);
  });

  it('names colours once, and loads nothing', () => {
    const rest = css.replace(/:root \{[^}]+\}/g, '').replace(/@media print[\s\S]*$/, '');
    expect(rest.match(/#[0-9a-f]{3,8}\b/gi)).toBeNull();
    expect(css).not.toMatch(/url\(|@import|@font-face/);
  });

  it('uses only properties of its own that exist', () => {
    const declared = new Set([...css.matchAll(/(--[\w-]+):/g)].map(([, name]) => name));
    const used = [...css.matchAll(/var\((--[\w-]+)\)/g)].map(([, name]) => name);
    expect(used.filter((name) => !declared.has(name))).toEqual([]);
  });
});

describe('the scripts', () => {
  it('load nothing from elsewhere and write no HTML', () => {
    for (const nombre of readdirSync(new URL('.', import.meta.url)).filter((each) => each.endsWith('.js'))) {
      const code = readFileSync(new URL(nombre, import.meta.url), 'utf8');
      expect([nombre, code.match(/innerHTML|outerHTML|insertAdjacentHTML|eval\(|https?:/)]).toEqual([nombre, null]);
    }
  });
});
