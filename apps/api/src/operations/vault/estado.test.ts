import { expect, it } from 'vitest';
import { guardaEfirma } from '../../../test/consulta.ts';
import { createKitWithAlta, createKitWithSolicitud, guardaCiec } from '../../../test/kit.ts';

const PATH = 'vault/estado';

it('says of every way to the SAT whether it serves, why not, and until when', async () => {
  const { kit, a } = await createKitWithAlta();
  const look = async () => (await kit.call(PATH, { rfc: a.rfc }, { key: a.key })).json.data;
  const caminos = async () => (await look())?.['caminos'] as Record<string, unknown>[];
  expect(await look()).toMatchObject({ rfc: a.rfc, id_cif: null, certificado: null });
  expect((await caminos()).map(({ credencial, canal, sirve }) => [credencial, canal, sirve])).toEqual([
    ['efirma', 'soap', false],
    ['efirma', 'portal', false],
    ['ciec', 'portal', false],
  ]);
  for (const { motivo } of await caminos()) expect(motivo).toMatch(/^No hay .*\. (Registre|Guárdela) .*\.$/);

  await guardaEfirma(kit, a);
  await guardaCiec(kit, a);
  const serves = { sirve: true, motivo: null, rechazada_en: null };
  const inAnHour = new Date(kit.now().getTime() + 3_600_000).toISOString();
  expect(await look()).toMatchObject({
    registrado: true,
    certificado: { no_serie: expect.stringMatching(/^\d{20}$/), titular: expect.any(String) },
    caminos: [
      { ...serves, expira_en: inAnHour },
      { ...serves, expira_en: inAnHour },
      { ...serves, expira_en: null },
    ],
  });
});

it('tells at which channel a credential was refused, and that the key is gone after its hour', async () => {
  const { kit, a } = await createKitWithAlta();
  await guardaEfirma(kit, a);
  await guardaCiec(kit, a);
  for (const { id, tipo } of await kit.filas<{ id: string; tipo: string }>('credencial', a)) {
    if (tipo === 'efirma_cer') await kit.deps.boveda.refuse(a.contribuyenteId, id, 'soap');
    if (tipo === 'ciec') await kit.deps.boveda.refuse(a.contribuyenteId, id, 'portal');
  }
  const caminos = async () =>
    (await kit.call(PATH, { rfc: a.rfc }, { key: a.key })).json.data?.['caminos'] as Record<string, unknown>[];
  const en = kit.now().toISOString();
  expect(await caminos()).toMatchObject([
    { canal: 'soap', sirve: false, motivo: expect.stringContaining('rechazó la e.firma'), rechazada_en: en },
    { canal: 'portal', sirve: true, rechazada_en: null },
    { credencial: 'ciec', sirve: false, motivo: expect.stringContaining('rechazaron la CIEC'), rechazada_en: en },
  ]);
  await kit.setNow(new Date(kit.now().getTime() + 3_600_000));
  expect((await caminos())[1]).toMatchObject({ sirve: false, motivo: expect.stringContaining('ya se borró') });
});

it('returns the used part of the SAT’s quotas of the RFC, with one query', async () => {
  const { kit, a, id } = await createKitWithSolicitud();
  const quotas = { 'dia:2026-11-20': 150, 'dia:2026-11-19': 9, 'xml:a': 1, 'xml:b': 2 };
  for (const [clave, tomadas] of Object.entries(quotas))
    await kit.sql`INSERT INTO cuota_sat (rfc, clave, tomadas) VALUES (${`pruebas:${a.rfc}`}, ${clave}, ${tomadas})`;
  await kit.sql`INSERT INTO cuota_sat (rfc, clave, tomadas) VALUES (${a.rfc}, 'xml:a', 2)`;
  for (const canal of ['soap', 'portal'])
    await kit.sql`
      WITH p AS (
        INSERT INTO parte (id, solicitud_id, contenido, inicio, fin, estado, canal)
        VALUES (gen_random_uuid(), ${id}, ${canal === 'soap' ? 'metadata' : 'xml'}, '2026-01-01T00:00:00', '2026-01-31T23:59:59', 'DISPONIBLE', ${canal})
        RETURNING id
      )
      INSERT INTO paquete_sat (parte_id, paquete, orden, object_key, relecturas)
      SELECT p.id, 'P' || n, n, CASE WHEN n > 1 THEN 'k' END, n / 3 FROM p, generate_series(1, 3) n`;
  kit.watch.sent.length = 0;
  const { json } = await kit.call(PATH, { rfc: a.rfc }, { key: a.key });
  expect(json.data?.['cuotas_sat']).toEqual({
    xml_hoy: 150,
    xml_por_dia: 2_000,
    peticiones_xml: 2,
    peticiones_xml_agotadas: 1,
    peticiones_iguales: 2,
    paquetes: 3,
    paquetes_agotados: 1,
    descargas_por_paquete: 2,
  });
  expect(kit.watch.sent.filter((text) => text.includes('cuota_sat'))).toHaveLength(1);
});
