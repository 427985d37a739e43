import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClaveListado } from '../listados.ts';
import type { FilaListado } from '../listas.ts';
import { csv, trozos, windows1252 } from '../testing/lista-69b.ts';
import { ENCABEZADOS, firme, listado } from '../testing/listados.ts';
import { formatoDeListado } from './formatos.ts';
import { openListado } from './listado.ts';
import { type OpcionesLectura, readLista } from './read-lista.ts';

type Clave = Exclude<ClaveListado, '69-b'>;

async function read(clave: Clave, bytes: Buffer, options: OpcionesLectura = { fechaFuente: '2026-08-07' }) {
  const { fechaCorte, batches } = await readLista(trozos(bytes, 1_000), formatoDeListado(clave), options);
  const filas: FilaListado[] = [];
  for await (const batch of batches) filas.push(...batch);
  return { fechaCorte, filas };
}
const ilegible = (detalle: string) => expect.objectContaining({ message: expect.stringContaining(detalle) });
const MUCHAS = Array.from({ length: 400 }, (_, n) =>
  firme(`AAA0101${String(1 + (n % 28)).padStart(2, '0')}${String(n).padStart(3, '0')}`, `MUÑOZ ${n}`),
);

describe('a file of article 69', () => {
  it('gives who stands there, why and since when, and the day of its source for its cut', async () => {
    const rows = [firme('AAG090703QT6', 'MUÑOZ, S.A.'), firme('MOPS800101AB1', 'SIN NADA', '', '')];
    expect(await read('firmes', windows1252(listado(ENCABEZADOS.firmes, rows)))).toEqual({
      fechaCorte: '2026-08-07',
      filas: [
        { rfc: 'AAG090703QT6', nombre: 'MUÑOZ, S.A.', supuesto: 'FIRMES', publicada: '2014-01-01' },
        { rfc: 'MOPS800101AB1', nombre: 'SIN NADA', supuesto: 'FIRMES', publicada: null },
      ],
    });
  });

  it('is read by the names of its columns, which differ from file to file', async () => {
    const cancelado = [
      'AAA010101AAA',
      'UNO',
      'M',
      'CANCELADOS POR INCOSTEABILIDAD',
      '28/05/2019',
      '1,390,273',
      '20/08/2019',
      'BAJA',
    ];
    const sello = ['BBB010101AAA', 'DOS', 'FRACCION X', '03/02/2021'];
    const one = async (clave: Clave, encabezado: readonly string[], row: readonly string[]) =>
      (await read(clave, windows1252(listado(encabezado, [row])))).filas[0];
    expect(await one('cancelados', ENCABEZADOS.cancelados, cancelado)).toMatchObject({
      supuesto: 'CANCELADOS POR INCOSTEABILIDAD',
      publicada: '2019-08-20',
    });
    expect(await one('csd', ENCABEZADOS.csd, sello)).toEqual({
      rfc: 'BBB010101AAA',
      nombre: 'DOS',
      supuesto: 'FRACCION X',
      publicada: '2021-02-03',
    });
    expect(
      await one('sentencias', ENCABEZADOS.sentencias, firme('CCC010101AAA', 'TRES', '05/06/2020', 'SENTENCIAS')),
    ).toMatchObject({ nombre: 'TRES', publicada: '2020-06-05' });
    expect(
      await one(
        'entes-publicos',
        ['RFC', 'RAZON SOCIAL', 'EJERCICIO', 'PERIODO'],
        ['DDD010101AAA', 'MUNICIPIO', '2024', '3'],
      ),
    ).toEqual({ rfc: 'DDD010101AAA', nombre: 'MUNICIPIO', supuesto: 'ENTES PÚBLICOS OMISOS', publicada: null });
  });

  it('keeps who a row of too many cells names, and nothing uncertain of it', async () => {
    const odd = [...firme('EEE010101AAA', 'CON'), 'COMA DE MÁS'];
    const { filas } = await read(
      'firmes',
      windows1252(listado(ENCABEZADOS.firmes, [...MUCHAS, odd, firme('FFF010101AAA', 'FIN')])),
    );
    expect(filas.at(-2)).toEqual({ rfc: 'EEE010101AAA', nombre: 'CON', supuesto: 'FIRMES', publicada: null });
    await expect(
      read('firmes', windows1252(listado(ENCABEZADOS.firmes, [odd, ...MUCHAS.slice(0, 20)]))),
    ).rejects.toEqual(ilegible('sin RFC legible'));
  });

  it('differs from UTF-8 by its first accents, however far they are from its head', async () => {
    const plain = Array.from({ length: 3_000 }, (_, n) =>
      firme(`AAA010101${String(n % 1_000).padStart(3, '0')}`, `PLANO ${n}`),
    );
    const text = listado(ENCABEZADOS.firmes, [...plain, firme('ÑAÑ140114GY4', 'PEÑA')]);
    expect(text.length).toBeGreaterThan(130_000);
    for (const bytes of [windows1252(text), Buffer.from(text), Buffer.from(`\ufeff${text}`)]) {
      expect((await read('firmes', bytes)).filas.at(-1)).toMatchObject({ rfc: 'ÑAÑ140114GY4', nombre: 'PEÑA' });
    }
  });

  const texto = listado(ENCABEZADOS.firmes, MUCHAS);
  it.each<[string, Buffer, string]>([
    ['UTF-16', Buffer.from(`\ufeff${texto}`, 'utf16le'), 'codificación'],
    ['a code page of DOS', Buffer.from(windows1252(texto.replaceAll('Ñ', '\u00a5'))), 'codificación'],
    ['UTF-8 that was read as windows-1252', Buffer.from(Buffer.from(texto).toString('latin1')), 'codificación'],
    ['an archive', Buffer.concat([Buffer.from('PK\u0003\u0004'), Buffer.alloc(5_000)]), 'codificación'],
    ['a page', Buffer.from('<html><body>Mantenimiento</body></html>'), 'una página'],
    ['nothing', Buffer.alloc(0), 'sin encabezado'],
    ['a header alone', windows1252(listado(ENCABEZADOS.firmes, [])), 'sin renglones'],
    ['a cut row', windows1252(texto).subarray(0, -20), 'último renglón'],
    [
      'two columns of RFC',
      windows1252(
        csv([
          ['RFC', 'RFC', 'RAZON SOCIAL'],
          ['AAA010101AAA', '', 'X'],
        ]),
      ),
      'columna única',
    ],
  ])('is refused when it is %s', async (_name, bytes, detalle) => {
    await expect(read('firmes', bytes)).rejects.toEqual(ilegible(detalle));
  });

  it('is refused in the place of another, and without a day', async () => {
    const otra = MUCHAS.map(([rfc = '', nombre = '']) => firme(rfc, nombre, '01/02/2020', 'NO LOCALIZADOS'));
    const bytes = windows1252(listado(ENCABEZADOS.firmes, otra));
    await expect(read('firmes', bytes)).rejects.toEqual(ilegible('es otra lista: no-localizados'));
    await expect(read('sentencias', bytes)).resolves.toMatchObject({ fechaCorte: '2026-08-07' });
    await expect(read('no-localizados', bytes, {})).rejects.toEqual(ilegible('sin fecha de corte'));
  });
});

it('the list of article 69-B Bis gives each taxpayer as it stands today', async () => {
  const de = (que: string, paso: string) => [
    ...[`Número y fecha de oficio global ${que} SAT`, `Publicación página SAT ${paso}`],
    ...[`Número y fecha de oficio global ${que} DOF`, `Publicación DOF ${paso}`],
  ];
  const encabezado = ['No.', 'RFC', 'Nombre del Contribuyente', 'Situación del contribuyente'];
  const columnas = [
    ...encabezado,
    ...de('definitivo', 'definitivo'),
    ...de('de sentencia favorable', 'sentencia favorable'),
  ];
  const bytes = windows1252(
    csv([
      ['Información actualizada al 28 de febrero de 2026; los listados son públicos.'],
      ['Listado completo de contribuyentes (Artículo 69-B Bis del CFF)'],
      columnas,
      [
        '1',
        'AAA010101AAA',
        'UNO, \r\nS.A.',
        'Definitivo',
        '900-04',
        '25/01/2024',
        '900-04',
        '12/02/2024',
        '',
        '',
        '',
        '',
      ],
      [
        '2',
        'BBB010101AAA',
        'DOS',
        'Sentencia Favorable',
        '900-05',
        '25/01/2023',
        '',
        '',
        '900-06',
        '',
        '900-06',
        '01/03/2025',
      ],
    ]),
  );
  expect(await read('69-b-bis', bytes, { hasEnd: true })).toEqual({
    fechaCorte: '2026-02-28',
    filas: [
      { rfc: 'AAA010101AAA', nombre: 'UNO, S.A.', supuesto: 'Definitivo', publicada: '2024-01-25' },
      { rfc: 'BBB010101AAA', nombre: 'DOS', supuesto: 'Sentencia Favorable', publicada: '2025-03-01' },
    ],
  });
});

describe('a file of this machine', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'acuse-listados-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('is read as a published one, under its name, with the day that the operator gives', async () => {
    const path = join(folder, 'Firmes.csv');
    await writeFile(path, windows1252(listado(ENCABEZADOS.firmes, [firme('AAG090703QT6', 'UNO')])));
    const lista = await openListado('firmes', path, '2026-09-01')(null, AbortSignal.timeout(10_000));
    expect(lista).toMatchObject({ fuente: 'archivo:Firmes.csv', fechaCorte: '2026-09-01', etag: null });
    const rfcs: unknown[] = [];
    for await (const batch of lista?.batches ?? []) rfcs.push(...batch.map(({ rfc }) => rfc));
    expect(rfcs).toEqual(['AAG090703QT6']);
    await expect(openListado('firmes', path, null)(null, AbortSignal.timeout(10_000))).rejects.toEqual(
      ilegible('sin fecha'),
    );
    await expect(
      openListado('firmes', join(folder, 'no.csv'), null)(null, AbortSignal.timeout(10_000)),
    ).rejects.toThrow('ENOENT');
  });
});
