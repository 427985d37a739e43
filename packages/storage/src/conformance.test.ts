import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { PlanEnsamble, XmlDeCfdi } from '@acuse/core';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { cfdiXml } from '../testing/cfdi-xml.ts';
import { useS3 } from '../testing/s3-fixture.ts';
import { expectedCsv, type SatRow, satRow, satText, TERCEROS_HEADER } from '../testing/sat-rows.ts';
import { readZip, zipBytes } from '../testing/zip-bytes.ts';
import type { PaquetesS3 } from './index.ts';

const UUID_1 = '45C5C344-DA01-497A-9271-5AA3852EE6AE';
const signal = new AbortController().signal;
const s3 = useS3();
let sequence = 0;

describe('packages in an S3-compatible store', () => {
  let opened: PaquetesS3 | undefined;
  /** Opened at the first use, when the server runs. */
  const paquetes = () => {
    opened ??= s3.open();
    return opened;
  };
  /** Null when there is no such object. */
  async function get(objectKey: string): Promise<Buffer | null> {
    const answer = await s3.fetchObject(paquetes(), objectKey);
    return answer.status === 404 ? null : Buffer.from(await answer.arrayBuffer());
  }
  const newId = () => `01890000-0000-7000-8000-${String(++sequence).padStart(12, '0')}`;
  const rows = Array.from({ length: 250 }, (_, index) => satRow(index));

  async function save(solicitudId: string, paquete: string, bytes: Buffer) {
    return paquetes().saveSat({ solicitudId, parteId: 'p1', paquete }, Readable.from([bytes]), signal);
  }

  function planOf(solicitudId: string, saved: readonly { objectKey: string }[], recortar = false): PlanEnsamble {
    return {
      solicitudId,
      rfc: 'EKU9003173C9',
      tipo: 'recibidos',
      desde: '2024-01-01',
      hasta: '2024-01-31',
      formato: 'csv',
      partes: [
        {
          canal: 'soap',
          folio: 'f-1',
          periodo: { inicio: '2024-01-01T00:00:00', fin: '2024-01-15T23:59:59' },
          recortar,
          confirmada: false,
          paquetes: saved.map(({ objectKey }, index) => ({ objectKey, paquete: `${UUID_1}_0${index + 1}` })),
        },
      ],
    };
  }

  test('stores a package as it came, and finds it again with the same measure', async () => {
    const id = newId();
    const bytes = zipBytes([{ name: `${UUID_1}_01.txt`, content: satText(rows) }]);
    const saved = await save(id, 'a', bytes);
    expect(saved.bytes).toBe(bytes.length);
    expect(saved.sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
    expect(await get(saved.objectKey)).toEqual(bytes);
    const origen = { solicitudId: id, parteId: 'p1', paquete: 'a' };
    expect(await paquetes().findSat(origen, signal)).toEqual(saved);
    expect(await paquetes().findSat({ ...origen, paquete: 'b' }, signal)).toBeNull();
  });

  test('a source that breaks off leaves nothing, and its error is the one that is thrown', async () => {
    const id = newId();
    const cut = new Error('the SAT cut the connection');
    const zip = Readable.from(
      (async function* () {
        yield Buffer.alloc(1000, 1);
        throw cut;
      })(),
    );
    const origen = { solicitudId: id, parteId: 'p1', paquete: 'a' };
    await expect(paquetes().saveSat(origen, zip, signal)).rejects.toBe(cut);
    expect(await paquetes().findSat(origen, signal)).toBeNull();
  });

  /** XML of these rows one by one, as a portal gives them; fails with the error behind them, if there is one. */
  async function* documentsOf(of: readonly SatRow[], error?: Error): AsyncGenerator<XmlDeCfdi> {
    for (const row of of) yield { uuid: row.uuid, xml: Buffer.from(cfdiXml(row)) };
    if (error !== undefined) throw error;
  }

  test('XML that came one by one is stored as one ZIP, which an assembly joins to the metadata', async () => {
    const id = newId();
    const origen = { solicitudId: id, parteId: 'p1', paquete: 'xml' };
    const given = rows.slice(0, 200);
    const saved = await paquetes().saveXml(origen, documentsOf(given), signal);
    expect(await paquetes().findSat(origen, signal)).toEqual(saved);
    const entries = await readZip((await get(saved.objectKey)) ?? Buffer.alloc(0));
    expect([...entries].map(([name, content]) => [name, String(content)])).toEqual(
      given.map((row) => [`${row.uuid}.xml`, cfdiXml(row)]),
    );
    const metadata = await save(id, 'a', zipBytes([{ name: `${UUID_1}_01.txt`, content: satText(rows) }]));
    const plan = planOf(id, [metadata]);
    const parte = {
      canal: 'portal',
      folio: null,
      periodo: plan.partes[0]?.periodo ?? { inicio: '', fin: '' },
    } as const;
    const xml = { tablas: false, partes: [{ ...parte, motivo: null, paquetes: [{ ...saved, paquete: 'xml' }] }] };
    const { resumen } = await paquetes().assemble({ ...plan, xml }, signal);
    const porMotivo = { CANCELADO_RECIBIDO: 5, NO_ENTREGADO_POR_EL_SAT: 45 };
    expect(resumen.xml).toEqual({ esperados: 250, entregados: 200, faltantes: 50, porMotivo, sinMetadata: 0 });
  });

  test.each([0, 1, 200])(
    'XML whose source fails after %i documents leaves nothing, and throws its error',
    async (count) => {
      const origen = { solicitudId: newId(), parteId: 'p1', paquete: 'xml' };
      const cut = new Error('the session ended');
      await expect(paquetes().saveXml(origen, documentsOf(rows.slice(0, count), cut), signal)).rejects.toBe(cut);
      expect(await paquetes().findSat(origen, signal)).toBeNull();
    },
  );

  test('the ZIP has the rows of every package in order, the texts untouched, and a manifest that tells both', async () => {
    const id = newId();
    const texts = [satText(rows.slice(0, 200)), satText(rows.slice(200), '\n')];
    const terceros = `${TERCEROS_HEADER}\r\n${rows[3]?.uuid.toLowerCase()}~XAXX010101000~PÚBLICO, EN GENERAL\r\n`;
    const saved = [
      await save(
        id,
        'a',
        zipBytes([
          { name: '__MACOSX/._x.txt', content: 'junk' },
          { name: `${UUID_1}_01.txt`, content: texts[0] ?? '' },
          { name: `${UUID_1}_tercero.txt`, content: terceros },
          { name: 'other.txt', content: 'Uuid~Nada' },
          { name: `${UUID_1}_02.txt`, content: '' },
        ]),
      ),
      await save(id, 'b', zipBytes([{ name: `${UUID_1}-0001.txt`, content: texts[1] ?? '' }])),
    ];
    const ensamblado = await paquetes().assemble(planOf(id, saved), signal);
    expect(ensamblado.registros).toBe(250);
    expect(ensamblado.resumen).toEqual({
      porEfecto: { I: 50, E: 50, T: 50, N: 50, P: 50 },
      porMes: { '2024-01': { I: 50, E: 50, T: 50, N: 50, P: 50 } },
      cancelados: 25,
    });

    const zip = await get(ensamblado.objectKey);
    if (zip === null) throw new Error('no ZIP');
    expect(zip.length).toBe(ensamblado.bytes);
    expect(createHash('sha256').update(zip).digest('hex')).toBe(ensamblado.sha256);
    const entries = await readZip(zip);
    const folder = (number: string) => `originales/00${number}-${UUID_1}_0${number}`;
    expect([...entries.keys()]).toEqual([
      'metadata.csv',
      `${folder('1')}/${UUID_1}_01.txt`,
      `${folder('1')}/${UUID_1}_tercero.txt`,
      `${folder('2')}/${UUID_1}-0001.txt`,
      'manifest.json',
    ]);
    const [header, ...csv] = parse(entries.get('metadata.csv') ?? '') as string[][];
    expect(header?.join(',')).toBe(
      'uuid,rfc_emisor,nombre_emisor,rfc_receptor,nombre_receptor,rfc_pac,fecha_emision,fecha_certificacion_sat,monto,efecto_comprobante,estatus,fecha_cancelacion,rfc_a_cuenta_terceros,nombre_a_cuenta_terceros',
    );
    expect(csv).toEqual(
      rows.map((row, index) => expectedCsv(row, index === 3 ? ['XAXX010101000', 'PÚBLICO, EN GENERAL'] : ['', ''])),
    );
    expect(entries.get(`${folder('1')}/${UUID_1}_01.txt`)?.toString()).toBe(texts[0]);
    expect(entries.get(`${folder('2')}/${UUID_1}-0001.txt`)?.toString()).toBe(texts[1]);

    const manifest = JSON.parse(entries.get('manifest.json')?.toString() ?? '');
    expect(manifest).toMatchObject({
      version: 1,
      solicitud_id: id,
      rfc: 'EKU9003173C9',
      tipo: 'recibidos',
      desde: '2024-01-01',
      hasta: '2024-01-31',
      formato: 'csv',
      registros: 250,
      registros_fuera_de_periodo: 0,
      resumen: { por_efecto: ensamblado.resumen.porEfecto, por_mes: ensamblado.resumen.porMes, cancelados: 25 },
      partes: [
        {
          canal: 'soap',
          folio: 'f-1',
          recortada: false,
          paquetes: [
            {
              paquete: `${UUID_1}_01`,
              registros: 200,
              registros_de_terceros: 1,
              entradas_ignoradas: ['__MACOSX/._x.txt', 'other.txt', `${UUID_1}_02.txt`],
            },
            { paquete: `${UUID_1}_02`, registros: 50, registros_de_terceros: 0, entradas_ignoradas: [] },
          ],
        },
      ],
    });
    entries.delete('manifest.json');
    expect(manifest.entradas).toEqual(
      [...entries].map(([nombre, content]) => ({
        nombre,
        bytes: content.length,
        sha256: createHash('sha256').update(content).digest('hex'),
      })),
    );
  });

  test('leaves the rows outside of the period out, and says how many', async () => {
    const id = newId();
    const saved = await save(id, 'a', zipBytes([{ name: `${UUID_1}_01.txt`, content: satText(rows) }]));
    const { objectKey, registros } = await paquetes().assemble(planOf(id, [saved], true), signal);
    const inside = rows.filter(({ fechaEmision }) => fechaEmision <= '2024-01-15 23:59:59');
    expect(inside.length).toBeLessThan(rows.length);
    expect(registros).toBe(inside.length);
    const entries = await readZip((await get(objectKey)) ?? Buffer.alloc(0));
    expect(parse(entries.get('metadata.csv') ?? '').slice(1)).toEqual(inside.map((row) => expectedCsv(row)));
    expect(JSON.parse(String(entries.get('manifest.json')))).toMatchObject({
      registros: inside.length,
      registros_fuera_de_periodo: rows.length - inside.length,
    });
  });

  test('a plan without packages gives a ZIP with the header alone', async () => {
    const id = newId();
    const { objectKey, registros, resumen } = await paquetes().assemble({ ...planOf(id, []), partes: [] }, signal);
    const entries = await readZip((await get(objectKey)) ?? Buffer.alloc(0));
    expect(registros).toBe(0);
    expect(resumen).toEqual({ porEfecto: {}, porMes: {}, cancelados: 0 });
    expect([...entries.keys()]).toEqual(['metadata.csv', 'manifest.json']);
    expect(String(entries.get('metadata.csv'))).toMatch(/^uuid,.*nombre_a_cuenta_terceros\r\n$/);
  });

  test('a package that cannot be read leaves no ZIP', async () => {
    const id = newId();
    const good = await save(id, 'a', zipBytes([{ name: `${UUID_1}_01.txt`, content: satText(rows) }]));
    const bad = await save(id, 'b', zipBytes([{ name: `${UUID_1}_01.txt`, content: satText(rows), crc: 1 }]));
    const assembling = paquetes().assemble(planOf(id, [good, bad]), signal);
    await expect(assembling).rejects.toMatchObject({
      name: 'PaqueteSatInvalido',
      motivo: 'CRC',
      objectKey: bad.objectKey,
    });
    expect(await get(`solicitudes/${id}/paquete.zip`)).toBeNull();
  });

  test('the same plan a hundred times gives the same bytes', { tags: ['slow'] }, async () => {
    const id = newId();
    const saved = await save(id, 'a', zipBytes([{ name: `${UUID_1}_01.txt`, content: satText(rows) }]));
    const digests = new Set<string>();
    for (let round = 0; round < 100; round++) {
      digests.add((await paquetes().assemble(planOf(id, [saved]), signal)).sha256);
    }
    expect(digests.size).toBe(1);
  });

  test('an assembly whose signal was raised is not made', async () => {
    const id = newId();
    const reason = new Error('the lease is lost');
    await expect(paquetes().assemble(planOf(id, []), AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(await get(`solicitudes/${id}/paquete.zip`)).toBeNull();
  });

  test('a package with XML has the saved answers of the SAT, and is sealed', async () => {
    const id = newId();
    const saved = await save(id, 'a', zipBytes([{ name: `${UUID_1}_01.txt`, content: satText(rows) }]));
    for (const nombre of ['verificacion-002.xml', 'verificacion-001.xml'])
      await paquetes().saveEvidencia(id, nombre, Buffer.from(`<${nombre}/>`), signal);
    const plan = { ...planOf(id, [saved]), xml: { partes: [], tablas: false } };
    const { objectKey, sha256 } = await paquetes().assemble(plan, signal);
    const zip = await readZip((await get(objectKey)) ?? Buffer.alloc(0));
    expect([...zip.keys()].filter((nombre) => /^evidencia\/|\.json$/.test(nombre))).toEqual([
      'evidencia/verificacion-001.xml',
      'evidencia/verificacion-002.xml',
      'manifest.json',
      'firma.json',
    ]);
    expect((await paquetes().assemble(plan, signal)).sha256).toBe(sha256);
    await paquetes().remove(id, 'originales');
    expect(
      [
        ...(
          await readZip(
            (await get((await paquetes().assemble({ ...plan, partes: [] }, signal)).objectKey)) ?? Buffer.alloc(0),
          )
        ).keys(),
      ].join(),
    ).not.toContain('evidencia');
  });

  test('removes the copies of the packages alone, or everything, and only of that solicitud', async () => {
    const [id, other] = [newId(), newId()];
    const kept = await save(other, 'a', zipBytes([]));
    const saved = await save(id, 'a', zipBytes([{ name: `${UUID_1}_01.txt`, content: satText(rows) }]));
    const { objectKey } = await paquetes().assemble(planOf(id, [saved]), signal);
    await paquetes().remove(id, 'originales');
    expect(await get(saved.objectKey)).toBeNull();
    expect(await get(objectKey)).not.toBeNull();
    await paquetes().remove(id, 'todo');
    expect(await get(objectKey)).toBeNull();
    expect(await get(kept.objectKey)).not.toBeNull();
  });

  test('keys come from the arguments alone and stay under their prefix', async () => {
    const id = newId();
    const { objectKey } = await paquetes().saveSat(
      { solicitudId: id, parteId: '../x', paquete: 'Ñ/..\\y' },
      Readable.from([zipBytes([])]),
      signal,
    );
    expect(objectKey).toBe(`solicitudes/${id}/sat/=2E.=2Fx/=C3=91=2F..=5Cy.zip`);
    await expect(paquetes().assemble(planOf('../otra', []), signal)).rejects.toThrow(TypeError);
  });

  test('answers a ping, and not one whose signal was raised', async () => {
    await paquetes().ping(signal);
    await expect(paquetes().ping(AbortSignal.abort())).rejects.toThrow();
  });
});
