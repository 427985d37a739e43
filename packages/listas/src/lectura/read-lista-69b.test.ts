import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { SatError } from '@acuse/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FilaEfos } from '../listas.ts';
import { archivo, csv, ENCABEZADO, PROSA, renglon, trozos, windows1252 } from '../testing/lista-69b.ts';
import { FORMATO_69B } from './formatos.ts';
import { type OpcionesLectura, readLista } from './read-lista.ts';

async function read(body: Readable | AsyncIterable<Buffer>, options: OpcionesLectura = {}) {
  const { fechaCorte, batches, sha256 } = await readLista(body as AsyncIterable<Buffer>, FORMATO_69B, options);
  const filas: FilaEfos[] = [];
  for await (const batch of batches) filas.push(...batch);
  return { fechaCorte, filas, sha256: sha256() };
}
const readTexto = (text: string) => read(trozos(windows1252(text)));
const readFilas = (...renglones: string[][]) => readTexto(archivo(renglones));
const ilegible = expect.objectContaining({ name: 'SatError', motivo: 'RESPUESTA_ILEGIBLE' });

const RENGLONES = [
  renglon(1, 'AAA120730823', 'ASESORES, S.A. DE C.V.', 'Definitivo', {
    0: ['500-05-2018-9 de fecha 1 de marzo de 2018', '02/03/2018', '500-05-2018-9', '23/03/2018'],
    2: ['500-05-2019-7 de fecha 4 de junio de 2019', '05/06/2019', '500-05-2019-7', '27/06/2019'],
  }),
  renglon(2, 'ÑAÑ&200101AB1'.slice(1), 'PEÑA “Y” HIJOS', 'Presunto'),
  renglon(3, 'XXXXXXXXXXXX', 'Información suprimida en cumplimiento a la declaratoria de nulidad', 'Presunto'),
  renglon(4, 'MOPS800101AB1', 'NOMBRE\r\nEN DOS "LÍNEAS"', 'Sentencia Favorable', {
    3: ['500-05-2021-2', '01/02/2021', '500-05-2021-2', '20/02/2021'],
  }),
  renglon(5, 'BBB120730824', 'Y <script>alert(1)</script>', 'Desvirtuado ', { 1: ['500-05-2020-3', '03/04/2020'] }),
];
const TEXTO = archivo(RENGLONES);

describe('the list of article 69-B', () => {
  it('gives every proceeding with its stages, and the day of the cut', async () => {
    const { fechaCorte, filas, sha256 } = await readTexto(TEXTO);
    expect(fechaCorte).toBe('2026-07-31');
    expect(sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(filas.map(({ rfc, nombre, situacion }) => [rfc, nombre, situacion])).toEqual([
      ['AAA120730823', 'ASESORES, S.A. DE C.V.', 'DEFINITIVO'],
      ['AÑ&200101AB1', 'PEÑA “Y” HIJOS', 'PRESUNTO'],
      [null, 'Información suprimida en cumplimiento a la declaratoria de nulidad', 'PRESUNTO'],
      ['MOPS800101AB1', 'NOMBRE EN DOS "LÍNEAS"', 'SENTENCIA_FAVORABLE'],
      ['BBB120730824', 'Y <script>alert(1)</script>', 'DESVIRTUADO'],
    ]);
    expect(filas[0]?.historial).toEqual([
      {
        situacion: 'PRESUNTO',
        oficio: '500-05-2018-9 de fecha 1 de marzo de 2018',
        fechaSat: '2018-03-02',
        fechaDof: '2018-03-23',
      },
      {
        situacion: 'DEFINITIVO',
        oficio: '500-05-2019-7 de fecha 4 de junio de 2019',
        fechaSat: '2019-06-05',
        fechaDof: '2019-06-27',
      },
    ]);
    expect(filas[4]?.historial).toEqual([
      { situacion: 'DESVIRTUADO', oficio: '500-05-2020-3', fechaSat: '2020-04-03', fechaDof: null },
    ]);
  });

  it.each([
    ['UTF-8', Buffer.from(TEXTO)],
    ['UTF-8 with its mark', Buffer.from(`\ufeff${TEXTO}`)],
    ['line feeds alone', windows1252(TEXTO.replaceAll('\r\n', '\n'))],
  ])('gives the same from %s', async (_name, bytes) => {
    expect((await read(trozos(bytes))).filas).toEqual((await readTexto(TEXTO)).filas);
  });

  it('gives the same however the bytes arrive', async () => {
    const { filas } = await readTexto(TEXTO);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 300 }), fc.boolean(), async (size, isUtf8) => {
        const bytes = isUtf8 ? Buffer.from(TEXTO) : windows1252(TEXTO);
        expect((await read(trozos(bytes, size))).filas).toEqual(filas);
      }),
      { numRuns: 40 },
    );
  });

  it('gives the same with its columns in another order', async () => {
    const { filas } = await readTexto(TEXTO);
    const order = fc.shuffledSubarray(
      ENCABEZADO.map((_, index) => index),
      { minLength: ENCABEZADO.length },
    );
    await fc.assert(
      fc.asyncProperty(order, async (places) => {
        const moved = (cells: readonly string[]) => places.map((place) => cells[place] ?? '');
        const text = archivo(RENGLONES.map(moved), { encabezado: moved(ENCABEZADO) });
        expect((await readTexto(text)).filas).toEqual(filas);
      }),
      { numRuns: 40 },
    );
  });

  it('is refused, or a beginning of its rows, when it is cut at any byte', { tags: ['slow'] }, async () => {
    const bytes = windows1252(TEXTO);
    const { filas } = await readTexto(TEXTO);
    let whole = 0;
    for (let at = 0; at < bytes.length; at += 1) {
      const result = await read(trozos(bytes.subarray(0, at))).catch((error: unknown) => error);
      if (result instanceof SatError) {
        expect(result).toEqual(ilegible);
        continue;
      }
      whole += 1;
      const { filas: some } = result as { filas: FilaEfos[] };
      expect(some).toEqual(filas.slice(0, some.length));
    }
    // After the line break of a row (its CR, its LF, and two inside a name): nothing else passes.
    expect(whole).toBe(RENGLONES.length * 2 - 1);
  });

  it('never takes a cut date for a date that is not known, even where the source told its length', async () => {
    const last = renglon(1, 'AAA120730823', 'UNO', 'Sentencia Favorable', {
      3: ['1', '01/02/2021', '1', '20/02/2021'],
    });
    const bytes = windows1252(archivo([last]).trimEnd());
    for (let n = 1; n < 10; n += 1) {
      const cut = bytes.subarray(0, bytes.length - n);
      await expect(read(trozos(cut), { hasEnd: true })).rejects.toEqual(ilegible);
    }
    expect((await read(trozos(bytes), { hasEnd: true })).filas[0]?.historial[0]?.fechaDof).toBe('2021-02-20');
    await expect(read(trozos(bytes))).rejects.toEqual(ilegible);
  });

  it.each<[string, string | Buffer]>([
    ['nothing', ''],
    ['a page', '<!DOCTYPE html><html><body><h1>Sitio en mantenimiento</h1><p>RFC</p></body></html>'],
    ['a page with a doctype of entities', '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><x>&b;</x>'],
    ['XML', '<?xml version="1.0"?><Error><Code>BlobNotFound</Code></Error>'],
    ['JSON', '{"rfc":[]}'],
    ['a list without a date', archivo(RENGLONES, { prosa: 'Información actualizada' })],
    ['two dates of the cut', archivo(RENGLONES, { prosa: `${PROSA} Sustituye al 1 de junio de 2026` })],
    ['a month that is none', archivo(RENGLONES, { prosa: 'al 3 de brumario de 2026' })],
    ['a day that is none', archivo(RENGLONES, { prosa: 'al 31 de junio de 2026' })],
    ['a header without the situation', archivo(RENGLONES, { encabezado: ENCABEZADO.with(3, 'Estado') })],
    ['a header without a stage', archivo(RENGLONES, { encabezado: ENCABEZADO.with(14, 'Otra') })],
    ['a header with a column twice', archivo(RENGLONES, { encabezado: ENCABEZADO.with(0, 'RFC') })],
    ['no rows', archivo([])],
    ['an unknown situation', archivo([...RENGLONES, renglon(6, 'CCC120730824', 'C', 'Absuelto')])],
    ['no situation', archivo([...RENGLONES, renglon(6, 'CCC120730824', 'C', '')])],
    ['a situation of the prototype', archivo([...RENGLONES, renglon(6, 'CCC120730824', 'C', 'constructor')])],
    ['a row too short', archivo([...RENGLONES, renglon(6, 'CCC120730824', 'C', 'Presunto').slice(0, 19)])],
    ['a row too long', archivo([...RENGLONES, [...renglon(6, 'CCC120730824', 'C', 'Presunto'), 'más']])],
    ['a page after the rows', `${TEXTO}<html></html>`],
    ['a quote that never ends', `${TEXTO}6,"CCC`],
    ['a quote in the middle', `${TEXTO}6,CC"C,,`],
    ['RFCs that are none', archivo(Array.from({ length: 50 }, (_, n) => renglon(n, 'SIN RFC', 'C', 'Presunto')))],
    ['UTF-16', Buffer.from(`\ufeff${TEXTO}`, 'utf16le')],
    ['UTF-8 read as windows-1252 and written as UTF-8', Buffer.from(Buffer.from(TEXTO).toString('latin1'))],
    [
      'UTF-8 that is none further on',
      Buffer.concat([Buffer.from(TEXTO.repeat(1)), Buffer.alloc(70_000, 0x0a), Buffer.from([0xf1, 0x2c])]),
    ],
  ])('is refused: %s', async (_name, body) => {
    const bytes = typeof body === 'string' ? windows1252(body) : body;
    await expect(read(trozos(bytes))).rejects.toEqual(ilegible);
  });

  it('takes one row without a readable RFC among many, without an owner', async () => {
    const many = Array.from({ length: 200 }, (_, n) => renglon(n, `AAA${String(100_000 + n)}AB1`, 'UNO', 'Presunto'));
    const { filas } = await readFilas(...many, renglon(201, 'S/RFC', 'DOS', 'Presunto'));
    expect(filas.at(-1)).toMatchObject({ rfc: null, nombre: 'DOS' });
  });

  it.each([
    ['XXXXXXXXXXXX', null],
    ['XXXXXXXXXXXXX', null],
    ['XXX010101XX1', 'XXX010101XX1'],
    ['AAAXXXXXXAB1', null],
    [' aaa 120730-823 ', 'AAA120730823'],
    ['N\u0303AA120730823', null],
    ['ÑAA120730823', 'ÑAA120730823'],
    ['A&A120730823', 'A&A120730823'],
  ])('reads the RFC %s as %s', async (text, rfc) => {
    const { filas } = await readFilas(
      ...Array.from({ length: 120 }, (_, n) => renglon(n, 'AAA120730823', '', 'Presunto')),
      renglon(1, text, 'X', 'Presunto'),
    );
    expect(filas.at(-1)?.rfc).toBe(rfc);
  });

  it('keeps what a name says in one line of printable text', async () => {
    const { filas } = await readFilas(renglon(1, 'AAA120730823', 'A\u0000B\u001b[31m\r\nC\u00adD', 'Presunto'));
    expect(filas[0]?.nombre).toBe('A B [31m C D');
  });

  it('never invents or loses anything in hostile cells', async () => {
    const cell = fc.string({
      unit: fc.constantFrom('"', ',', '\r', '\n', ';', 'Ñ', 'ü', '<', '\\', "'", 'a', '=', '\t'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(cell, { minLength: 1, maxLength: 20 }), async (names) => {
        const { filas } = await readFilas(...names.map((name, n) => renglon(n, 'AAA120730823', name, 'Presunto')));
        expect(filas.map(({ nombre }) => nombre)).toEqual(names.map((name) => name.replace(/[\s]+/g, ' ').trim()));
      }),
      { numRuns: 200 },
    );
  });

  it('answers any bytes after a good head with rows or a typed error', async () => {
    const head = windows1252(archivo([]));
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), async (tail) => {
        const result = await read(trozos(Buffer.concat([head, tail]))).catch((error: unknown) => error);
        if (result instanceof Error) expect(result).toEqual(ilegible);
      }),
      { numRuns: 300 },
    );
  });

  it('checks the digest that the source gives', async () => {
    const bytes = windows1252(TEXTO);
    const md5 = createHash('md5').update(bytes).digest('base64');
    expect((await read(trozos(bytes), { md5 })).filas).toHaveLength(5);
    await expect(read(trozos(bytes.subarray(0, bytes.lastIndexOf(0x0a, -2) + 1)), { md5 })).rejects.toEqual(ilegible);
  });

  it('gives up on one field of 50 MB long before its end', async () => {
    let sent = 0;
    async function* endless() {
      yield windows1252(`${TEXTO}6,"`);
      const chunk = Buffer.alloc(64 * 1_024, 0x61);
      while (sent < 50 * 1_024 * 1_024) {
        sent += chunk.length;
        yield chunk;
      }
    }
    await expect(read(endless())).rejects.toEqual(ilegible);
    expect(sent).toBeLessThan(4 * 1_024 * 1_024);
  });

  it('keeps its memory flat over 100,000 rows, and asks for no more than is read', { tags: ['slow'] }, async () => {
    const lines = windows1252(
      csv(Array.from({ length: 1_000 }, (_, n) => renglon(n, 'AAA120730823', `NOMBRE ${n}`, 'Presunto'))),
    );
    let sent = 0;
    async function* large() {
      yield windows1252(archivo([]));
      for (; sent < 100; sent += 1) yield lines;
    }
    const { batches } = await readLista(large(), FORMATO_69B);
    let rows = 0;
    let most = 0;
    let furthest = 0;
    for await (const batch of batches) {
      rows += batch.length;
      furthest = Math.max(furthest, sent * 1_000 - rows);
      if (rows % 20_000 === 0) most = Math.max(most, process.memoryUsage().heapUsed);
    }
    expect(rows).toBe(100_000);
    expect(furthest).toBeLessThan(5_000);
    expect(most).toBeLessThan(400 * 1_024 * 1_024);
  });

  it('lets go of its source when it is left in the middle', async () => {
    const source = trozos(
      windows1252(archivo(Array.from({ length: 5_000 }, (_, n) => renglon(n, 'AAA120730823', '', 'Presunto')))),
    );
    const { batches } = await readLista(source, FORMATO_69B);
    for await (const _lote of batches) break;
    expect(source.destroyed).toBe(true);
  });

  it('passes on what its source fails with', async () => {
    const failure = new SatError('NO_RESPONDE');
    async function* broken() {
      yield windows1252(TEXTO);
      throw failure;
    }
    await expect(read(broken())).rejects.toBe(failure);
  });
});
