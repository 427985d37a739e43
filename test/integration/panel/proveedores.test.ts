import { randomUUID } from 'node:crypto';
import type { ContraparteVista } from '@acuse/riesgo';
import { createRiesgo } from '@acuse/riesgo/db';
import { createAlmacenes, createSincronizaciones } from '@acuse/sincronizacion/db';
import { describe, expect, test } from 'vitest';
import { csvOf } from '../almacen/csv.ts';
import { publish } from '../almacen/listar.ts';
import { addRfc, newMiembro, usePanel } from './fixtures/panel.ts';
import { generate, hrefRfc } from './fixtures/rfcs.ts';
import { createSolicitudesDePrueba } from './fixtures/solicitudes.ts';

const panel = usePanel();
const PRO = 'PRO010101AB1';

async function owner() {
  const persona = await panel.registrar({ saldo: 5 });
  const { rfc, id: contribuyenteId } = await addRfc(panel.db, persona);
  await generate(persona, rfc);
  return { persona, rfc, contribuyenteId, pagina: hrefRfc(rfc, '/proveedores') };
}

async function subscribe(rfc: string, cuentaId: string, contribuyenteId: string): Promise<number> {
  const [row] = await panel.sql<{ version: string; llave: string }>`
    SELECT c.version::text, k.id AS llave FROM contribuyente c JOIN api_key k ON k.contribuyente_id = c.id WHERE c.id = ${contribuyenteId}`;
  const expiraEn = new Date(Date.now() + 86_400_000);
  await createSincronizaciones(panel.db).subscribe({
    id: randomUUID(),
    cuentaId,
    contribuyenteId,
    apiKeyId: row?.llave ?? '',
    rfc,
    actor: 'prueba',
    ip: null,
    version: BigInt(row?.version ?? 0),
    tipos: ['recibidos'],
    desde: '2026-01-01',
    frecuencia: 'DIARIA',
    minuto: 1,
    meses: [],
    primeraReciente: expiraEn,
    consentimiento: { kid: 'w1', sobre: Buffer.alloc(9), finalidad: 'probar', expiraEn },
  });
  return (await createSincronizaciones(panel.db).find(contribuyenteId, null))?.almacenId ?? 0;
}

test('a page shows who stands on a list with pesos and CFDI, and the first page of the account says that it is new', async () => {
  const { persona, rfc, contribuyenteId, pagina } = await owner();
  expect((await persona.get(pagina)).main).toContain('Mantenerlo al día');
  const almacenId = await subscribe(rfc, persona.cuentaId, contribuyenteId);
  expect((await persona.get(pagina)).main).toContain('Ningún cliente ni proveedor está en una lista');

  const fila = { emisor: [PRO, '<b>Proveedor</b>'], receptor: [rfc, 'Yo'], emitida: '2026-03-05T10:00:00' } as const;
  const uuid = randomUUID().toUpperCase();
  await createAlmacenes(panel.db).merge(
    {
      almacenId,
      solicitudId: randomUUID(),
      tipo: 'recibidos',
      pedidaEn: new Date(),
      desde: '2026-03-01',
      hasta: '2026-03-31',
      isConfirmada: true,
    },
    csvOf([
      { ...fila, uuid, monto: '1234567.5' },
      { ...fila, uuid: randomUUID(), efecto: 'E', monto: '10.00' },
    ]),
    new AbortController().signal,
  );
  await publish(panel, [{ rfc: PRO, situacion: 'DEFINITIVO', publicada: '2026-03-01' }]);
  await createRiesgo(panel.db).cross(almacenId, 100);
  const page = await persona.get(pagina);
  expect(page.$('tbody tr').text()).toMatch(
    /PRO010101AB1<b>Proveedor<\/b>2 CFDI.*69-B Definitivopublicado el 1 mar 2026/,
  );
  expect(page.main).toMatch(/\$1,234,567\.50en 1 factura\s*\$10\.00en 1 nota de crédito/);
  expect(page.main).toContain(uuid);
  expect(page.text).not.toContain('<b>Proveedor</b>');

  await panel.sql`UPDATE riesgo_contraparte SET cambiada_en = now() - interval '15 days' WHERE almacen_id = ${almacenId}`;
  const hint = `Un cliente o proveedor de ${rfc} está en una lista del SAT desde hace poco.`;
  expect((await persona.get('/inicio')).main).not.toContain(hint);
  await panel.sql`UPDATE riesgo_contraparte SET cambiada_en = now() WHERE almacen_id = ${almacenId}`;
  expect((await persona.get('/inicio')).main).toContain(hint);
});

describe('the page of a download', () => {
  const { owner: ownerOfSolicitudes, accepted, finished } = createSolicitudesDePrueba(panel);
  const TITULO = 'Proveedores en listas del SAT';
  const vista = (rfc: string, monto = '1234567.5'): ContraparteVista => ({
    rfc,
    nombre: '<b>Proveedor</b>',
    ingresos: { cfdi: 2, monto },
    egresos: { cfdi: 1, monto: '10.000001' },
  });

  test('shows who of the package stood on a list, with pesos, and the list of downloads says that there are some', async () => {
    await publish(panel, [
      { rfc: PRO, situacion: 'DEFINITIVO', publicada: '2026-03-01' },
      { rfc: 'PRO020202AB2', situacion: 'DESVIRTUADO' },
    ]);
    const { persona, taxpayer } = await ownerOfSolicitudes();
    const contrapartes = [vista(PRO), vista('PRO020202AB2'), vista('PRO030303AB3')];
    const id = await finished(taxpayer, {}, { contrapartes });
    const page = await persona.get(`/solicitudes/${id}`);
    const rows = page.$('#contrapartes tbody tr');
    expect(rows).toHaveLength(2);
    expect(rows.first().text()).toMatch(
      /PRO010101AB1<b>Proveedor<\/b>69-B Definitivopublicado el 1 mar 2026\$1,234,567\.50en 2 facturas\s*\$10\.00en 1 nota de crédito/,
    );
    expect(page.$('#contrapartes').text()).toMatch(
      /2 proveedores de este ZIP estaban .*, 1 por algo que habla en su contra/,
    );
    expect(page.text).not.toContain('<b>Proveedor</b>');
    const nota = '1 proveedor en listas del SAT';
    expect((await persona.get('/solicitudes')).main).toContain(nota);
    // A developer sees downloads without their content.
    const scheduler = await newMiembro(panel, persona, 'DESARROLLADOR');
    for (const path of ['/solicitudes', `/solicitudes/${id}`]) {
      const { status, main } = await scheduler.get(path);
      expect([status, main.includes(TITULO), main.includes(PRO), main.includes(nota)]).toEqual([
        200,
        false,
        false,
        false,
      ]);
    }
  });

  test('leads from page to page', async () => {
    const rfcs = Array.from({ length: 26 }, (_, n) => `PRO0101${String(n).padStart(2, '0')}AB1`);
    await publish(
      panel,
      rfcs.map((rfc) => ({ rfc, situacion: 'PRESUNTO' as const })),
    );
    const { persona, taxpayer } = await ownerOfSolicitudes();
    const id = await finished(taxpayer, {}, { contrapartes: rfcs.map((rfc) => vista(rfc)) });
    const first = (await persona.get(`/solicitudes/${id}`)).$;
    expect(first('#contrapartes tbody tr')).toHaveLength(25);
    const next = first('#contrapartes nav a').last().attr('href') ?? '';
    expect(next).toMatch(/#contrapartes$/);
    const second = (await persona.get(next.replace('#contrapartes', ''))).$;
    expect(second('#contrapartes tbody th').text()).toContain(rfcs.at(-1));
    expect(second('#contrapartes nav a').attr('href')).toBe(`/solicitudes/${id}#contrapartes`);
  });

  test.each([
    ['no supplier was listed', [], '', 'Ningún proveedor de este ZIP estaba en una lista'],
    ['it was not crossed', null, '', 'no había ninguna lista cargada'],
    ['it is a reading of a subscription', null, 'reading', 'Ver los de'],
    ['who they were is deleted', [vista(PRO)], 'deleted', 'Quiénes eran ya se borró'],
  ] as const)('says so where %s', async (_, contrapartes, since, said) => {
    await publish(panel, [{ rfc: PRO, situacion: 'DEFINITIVO' }]);
    const { persona, taxpayer } = await ownerOfSolicitudes();
    const id = await finished(taxpayer, {}, { contrapartes });
    if (since === 'reading')
      await panel.sql`UPDATE solicitud SET sincronizacion_id = gen_random_uuid() WHERE id = ${id}`;
    if (since === 'deleted') await panel.sql`DELETE FROM riesgo_paquete WHERE solicitud_id = ${id}`;
    const { $ } = await persona.get(`/solicitudes/${id}`);
    expect($('#contrapartes').text()).toContain(said);
    expect($('#contrapartes table')).toHaveLength(0);
  });

  test('says nothing of them before there is a package', async () => {
    const { persona, taxpayer } = await ownerOfSolicitudes();
    expect((await persona.get(`/solicitudes/${await accepted(taxpayer)}`)).main).not.toContain(TITULO);
  });
});
