import { describe, expect, it } from 'vitest';
import { createAvance } from './avance.ts';
import { present } from './presentar.ts';

const CLEAR = 'a\u001b[2Jb';

describe('an answer for people', () => {
  it('of very many rows is whole', () => {
    const items = Array.from({ length: 200_000 }, (_, at) => ({ uuid: `u${at}`, total: at }));
    const lines = present({ cfdi_codigo: 1, data: { total: items.length, items } }, 80).split('\n');
    expect(lines.length).toBe(items.length + 3);
    expect(lines.at(-1)).toBe('u199999  199999');
  });

  it('has a row below the other where they are wider than the terminal, and says what is empty', () => {
    const items = [
      { uuid: 'u1', total: 1 },
      { uuid: 'u2', total: null },
    ];
    expect(present({ data: { items } }, 5)).toBe('\nuuid   u1\ntotal  1\n\nuuid   u2\ntotal  –');
    expect(present({ data: { items: [], vigente: false } }, 80)).toBe('items    –\nvigente  no');
    expect(present({ cfdi_codigo: 1, cfdi_texto: 'OK' }, 80)).toBe('OK');
  });

  it('moves no cursor, whatever words are in it', () => {
    expect(present({ data: { motivo: CLEAR } }, 80)).toBe('motivo  a [2Jb');
    const said: string[] = [];
    const errores = { isTTY: false, write: (text: string) => void said.push(text) };
    const avance = createAvance({ errores, entorno: { sinColor: true } } as unknown as Parameters<
      typeof createAvance
    >[0]);
    const solicitud = { estado: 'EN_PROCESO', progreso: 0.5, registros: null, motivo: CLEAR, retrasada: false };
    avance.solicitud(solicitud as Parameters<typeof avance.solicitud>[0]);
    expect(said).toEqual(['50 % EN_PROCESO, a [2Jb\n']);
  });
});
