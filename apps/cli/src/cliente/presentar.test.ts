import { describe, expect, it } from 'vitest';
import { createAvance } from './avance.ts';
import { readEnvironment } from './config.ts';
import { present } from './presentar.ts';

const CLEAR = 'a\u001b[2Jb';

/** What is said on the standard error of a terminal, or elsewhere, while a download goes on. */
function saidAt(env: NodeJS.ProcessEnv, { isTTY = true, columns = 60, motivo = null as string | null } = {}) {
  const said: string[] = [];
  const errores = { isTTY, columns, write: (text: string) => void said.push(text) };
  const consola = { errores, entorno: readEnvironment(env), json: false };
  const avance = createAvance(consola as unknown as Parameters<typeof createAvance>[0]);
  const solicitud = { estado: 'EN_PROCESO', progreso: 0.5, registros: null, motivo, retrasada: false };
  avance.solicitud(solicitud as Parameters<typeof avance.solicitud>[0]);
  avance.paquete(1, 4);
  avance.end();
  return said;
}

describe('the progress of a download', () => {
  const UTF8 = { TERM: 'xterm', LANG: 'es_MX.UTF-8' };

  it('is a bar that changes on a terminal, in color unless there is to be none', () => {
    expect(saidAt({ ...UTF8, NO_COLOR: '1' })).toEqual([
      `\r\u001b[2K│${'█'.repeat(15)}${' '.repeat(15)}│  50 %  EN_PROCESO`,
      `\r\u001b[2K│${'█'.repeat(7)}${' '.repeat(23)}│  25 %  descargando el ZIP`,
      '\r\u001b[2K',
    ]);
    expect(saidAt(UTF8)[0]).toContain('\u001b[32m███');
  });

  it('is drawn in ASCII for an ASCII locale, by the variable with precedence', () => {
    for (const env of [{}, { LANG: 'C' }, { LC_ALL: 'POSIX', LANG: 'es_MX.UTF-8' }])
      expect(saidAt({ ...env, NO_COLOR: '1' })[0]).toBe(
        `\r\u001b[2K[${'#'.repeat(15)}${' '.repeat(15)}]  50 %  EN_PROCESO`,
      );
    expect(saidAt({ LC_ALL: 'C.utf8', LANG: 'C' })[0]).toContain('█');
  });

  it('is words alone where there is no room for a bar, and never wider than the terminal', () => {
    expect(saidAt(UTF8, { columns: 29 })[0]).toBe('\r\u001b[2K 50 %  EN_PROCESO');
    for (const columns of [1, 8, 12, 40]) {
      for (const line of saidAt({ ...UTF8, NO_COLOR: '1' }, { columns }))
        expect(line.replace('\r\u001b[2K', '').length).toBeLessThan(columns);
    }
  });

  it('is a line for each change where there is no terminal, or one that moves no cursor', () => {
    const lines = ['50 % EN_PROCESO\n', '20 % descargando el ZIP\n'];
    expect(saidAt(UTF8, { isTTY: false })).toEqual(lines);
    expect(saidAt({ ...UTF8, TERM: 'dumb' })).toEqual(lines);
  });
});

describe('an answer for people', () => {
  it('of very many rows is whole', () => {
    const items = Array.from({ length: 200_000 }, (_, at) => ({ uuid: `u${at}`, total: at }));
    const lines = present({ cfdi_codigo: 1, data: { total: items.length, items } }, 80).split('\n');
    expect(lines.length).toBe(items.length + 3);
    expect(lines.at(-1)).toBe('u199999  199999');
  });

  it('stacks rows wider than the terminal, and marks empty values', () => {
    const items = [
      { uuid: 'u1', total: 1 },
      { uuid: 'u2', total: null },
    ];
    expect(present({ data: { items } }, 5)).toBe('\nuuid   u1\ntotal  1\n\nuuid   u2\ntotal  –');
    expect(present({ data: { items: [], vigente: false } }, 80)).toBe('items    –\nvigente  no');
    expect(present({ cfdi_codigo: 1, cfdi_texto: 'OK' }, 80)).toBe('OK');
  });

  it('has its lists behind all that is said once, where nothing looks like one row more', () => {
    const data = { total: 2, items: [{ uuid: 'u1' }, { uuid: 'u2' }], siguiente: 'x.2' };
    expect(present({ data, saldo: 7 }, 80)).toBe('total      2\nsiguiente  x.2\nsaldo      7\n\nuuid\nu1\nu2');
  });

  it('moves no cursor, whatever words are in it', () => {
    expect(present({ data: { motivo: CLEAR } }, 80)).toBe('motivo  a [2Jb');
    expect(saidAt({}, { isTTY: false, motivo: CLEAR })[0]).toBe('50 % EN_PROCESO, a [2Jb\n');
  });
});
