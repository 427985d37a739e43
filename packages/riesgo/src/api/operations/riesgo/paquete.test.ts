import { describe, expect, it } from 'vitest';
import { createKitWithSolicitud } from '../../../../../../apps/api/test/kit.ts';
import type { ContraparteDePaquete } from '../../../index.ts';

const PATH = 'riesgo/paquete';
const TERMINADA = {
  ...({ estado: 'TERMINADA', confianza: 'confirmado', object_key: 'solicitudes/x/paquete.zip' } as const),
  bytes: 1234,
  sha256: 'a'.repeat(64),
};
const nada = { cfdi: 0, monto: '0.00' };
const listada = (rfc: string, lista: string, rest: Partial<ContraparteDePaquete> = {}): ContraparteDePaquete => ({
  rfc,
  nombre: `Nombre de ${rfc}`,
  lista,
  supuesto: 'Definitivo',
  isAdverso: true,
  publicada: '2026-03-05',
  ingresos: { cfdi: 2, monto: '2320.00' },
  egresos: nada,
  ...rest,
});
const TRES = [
  listada('EKU9003173C9', '69'),
  listada('EKU9003173C9', '69-B Bis'),
  listada('XIA190128J61', 'CSD', { supuesto: 'Desvirtuado', isAdverso: false, publicada: null }),
];

const cruce = (contrapartes_listadas: number | null, contrapartes_adversas = contrapartes_listadas) => ({
  contrapartes_listadas,
  contrapartes_adversas,
});

async function withCruce(change: Record<string, unknown> = {}, listadas: readonly ContraparteDePaquete[] = TRES) {
  const made = await createKitWithSolicitud({ ...TERMINADA, ...cruce(2, 1), ...change });
  for (const { rfc, lista, supuesto, isAdverso, publicada, nombre, ingresos, egresos } of listadas)
    await made.kit.sql`INSERT INTO riesgo_paquete VALUES (${made.id}, ${rfc}, ${lista}, ${supuesto}, ${isAdverso},
      ${publicada}, ${nombre}, ${ingresos.cfdi}, ${ingresos.monto}, ${egresos.cfdi}, ${egresos.monto})`;
  const look = (body = {}) => made.kit.call(PATH, { solicitud_id: made.id, ...body }, { key: made.a.key });
  return { ...made, look };
}

describe(PATH, () => {
  it('tells who of the package stands on which list, with CFDI and pesos, free of charge', async () => {
    const { kit, a, id, look } = await withCruce();
    const { json } = await look();
    expect(json.data).toMatchObject({
      solicitud_id: id,
      contrapartes_listadas: { total: 2, adversas: 1 },
      total: 3,
      siguiente: null,
    });
    const items = json.data?.['items'] as unknown[];
    expect(items[0]).toEqual({
      proveedor_rfc: 'EKU9003173C9',
      proveedor_nombre: 'Nombre de EKU9003173C9',
      lista: '69',
      supuesto: 'Definitivo',
      adverso: true,
      publicado_en: '2026-03-05',
      cfdi: { ingresos: { cfdi: 2, monto: '2320.00' }, egresos: nada },
    });
    expect(items[2]).toMatchObject({ supuesto: 'Desvirtuado', adverso: false, publicado_en: null });
    expect(await kit.saldo(a)).toBe(9);
  });

  it('gives them page by page, each once, also where one stands on two lists', async () => {
    const { look } = await withCruce();
    const seen: unknown[] = [];
    for (let cursor: unknown; ; ) {
      const { json } = await look({ limite: 1, ...(cursor === undefined ? {} : { cursor }) });
      const { items, siguiente } = json.data ?? {};
      seen.push(...(items as { lista: string }[]).map((one) => one.lista));
      cursor = siguiente;
      if (cursor === null) break;
    }
    expect(seen).toEqual(TRES.map(({ lista }) => lista));
  });

  it('refuses a made-up cursor', async () => {
    const { look } = await withCruce();
    for (const text of ['nobody at all', 'EKU9003173C9 otra lista', 'EKU9003173C9']) {
      const { status, json } = await look({ cursor: Buffer.from(text).toString('base64url') });
      expect([text, status, json['error'], json.data]).toEqual([
        ...[text, 400, 'CAMPO_INVALIDO'],
        expect.objectContaining({ campo: 'cursor' }),
      ]);
    }
  });

  it('returns an empty list only for a package that was crossed', async () => {
    const { look } = await withCruce(cruce(0), []);
    expect((await look()).json.data).toMatchObject({
      contrapartes_listadas: { total: 0, adversas: 0 },
      total: 0,
      items: [],
      siguiente: null,
    });
  });

  it.each([
    [
      'EN_PROCESO',
      { estado: 'EN_PROCESO', object_key: null, ...cruce(null) },
      409,
      'SOLICITUD_SIN_TERMINAR',
      '/descarga/verificar',
    ],
    ['RECHAZADA', { estado: 'RECHAZADA', object_key: null, ...cruce(null) }, 409, 'SOLICITUD_SIN_PAQUETE', 'devuelto'],
    ['not crossed', cruce(null), 409, 'PAQUETE_SIN_CRUZAR', '/efos/consultar-lote'],
    [
      'a reading of a subscription',
      { ...cruce(null), sincronizacion_id: '01936f5e-7c3a-7b1e-8f00-2a4b6c8d0e1f' },
      ...([409, 'PAQUETE_DE_SINCRONIZACION', '/riesgo/proveedores'] as const),
    ],
  ] as const)('says of one that is %s why there is nothing and what to do', async (_, change, status, name, remedy) => {
    const { look } = await withCruce(change);
    const answer = await look();
    expect([answer.status, answer.json['error']]).toEqual([status, name]);
    expect(answer.json.cfdi_texto).toContain(remedy);
  });

  it('says that the package was deleted after its time, also between two pages, instead of an empty list', async () => {
    const { kit, id, look } = await withCruce();
    const { siguiente } = (await look({ limite: 1 })).json.data ?? {};
    await kit.sql`DELETE FROM riesgo_paquete WHERE solicitud_id = ${id} AND (rfc, lista) > ('EKU9003173C9', '69')`;
    // Past the last of those that are there still is the end.
    expect((await look({ cursor: siguiente })).json.data).toMatchObject({ total: 0, siguiente: null });
    await kit.sql`DELETE FROM riesgo_paquete WHERE solicitud_id = ${id}`;
    for (const body of [{}, { cursor: siguiente }]) {
      const { status, json } = await look(body);
      expect([status, json.cfdi_codigo, json['error']]).toEqual([410, 3004, 'CRUCE_CADUCADO']);
    }
  });

  it('answers for another taxpayer as for a solicitud that does not exist', async () => {
    const { look, id } = await withCruce();
    const { kit, a } = await createKitWithSolicitud(TERMINADA);
    const [own, other, unknown] = [
      await look(),
      await kit.call(PATH, { solicitud_id: id }, { key: a.key }),
      await kit.call(PATH, { solicitud_id: '01936f5e-7c3a-7b1e-8f00-2a4b6c8d0e1f' }, { key: a.key }),
    ];
    expect(own.status).toBe(200);
    expect([other.status, other.json.cfdi_codigo, other.json.cfdi_texto]).toEqual([
      ...[404, 2002, unknown.json.cfdi_texto],
    ]);
  });
});
