import { randomUUID } from 'node:crypto';
import type { ContraparteVista } from '@acuse/core';
import { createAlmacenes, createRiesgo, createSincronizaciones } from '@acuse/db';
import { describe, expect, test } from 'vitest';
import { csvOf } from '../almacen/csv.ts';
import { publish } from '../almacen/listar.ts';
import { attributesOf, textsOf } from './fixtures/cliente.ts';
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
  await createSincronizaciones(panel.db).subscribe(
    {
      ...{ id: randomUUID(), cuentaId, contribuyenteId, apiKeyId: row?.llave ?? '', rfc, actor: 'prueba', ip: null },
      ...{ version: BigInt(row?.version ?? 0), tipos: ['recibidos'], desde: '2026-01-01' },
      ...{ frecuencia: 'DIARIA', minuto: 1, meses: [] },
      consentimiento: { kid: 'w1', sobre: Buffer.alloc(9), finalidad: 'probar', expiraEn },
    },
    expiraEn,
  );
  return (await createSincronizaciones(panel.db).find(contribuyenteId, null))?.almacenId ?? 0;
}

test('a page shows who stands on a list with pesos and CFDI, and the first page of the account says that it is new', async () => {
  const { persona, rfc, contribuyenteId, pagina } = await owner();
  expect((await persona.get(pagina)).main).toContain('Mantenerlo al día');
  const almacenId = await subscribe(rfc, persona.cuentaId, contribuyenteId);
  expect((await persona.get(pagina)).main).toContain('Ninguna contraparte está en una lista');

  const fila = { emisor: [PRO, '<b>Proveedor</b>'], receptor: [rfc, 'Yo'], emitida: '2026-03-05T10:00:00' } as const;
  const uuid = randomUUID().toUpperCase();
  await createAlmacenes(panel.db).merge(
    {
      ...{ almacenId, solicitudId: randomUUID(), tipo: 'recibidos', pedidaEn: new Date() },
      ...{ desde: '2026-03-01', hasta: '2026-03-31', isConfirmada: true },
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
  expect(page.main).toMatch(/\$1,234,567\.50en 1 ingreso\s*\$10\.00en 1 egreso/);
  expect(page.main).toContain(uuid);
  expect(page.text).not.toContain('<b>Proveedor</b>');

  await panel.sql`UPDATE riesgo_contraparte SET cambiada_en = now() - interval '15 days' WHERE almacen_id = ${almacenId}`;
  const hint = `Una contraparte de ${rfc} está en una lista del SAT desde hace poco.`;
  expect((await persona.get('/inicio')).main).not.toContain(hint);
  await panel.sql`UPDATE riesgo_contraparte SET cambiada_en = now() WHERE almacen_id = ${almacenId}`;
  expect((await persona.get('/inicio')).main).toContain(hint);
});

test('a form says when an issuer was published, the page when its term ends, and a button takes it back', async () => {
  const { persona, pagina, rfc } = await owner();
  const good = { proveedor_rfc: PRO, publicado_en: '2026-07-10', nota: 'DOF' };
  for (const [campo, value] of [
    ['proveedor_rfc', 'nadie'],
    ['proveedor_rfc', rfc],
    ['publicado_en', '2031-01-01'],
    ['publicado_en', '2025-12-31'],
    ['nota', 'x'.repeat(501)],
  ] as const)
    expect((await persona.submit(pagina, pagina, { ...good, [campo]: value })).status).toBe(422);
  expect((await persona.get(pagina)).main).toContain('No hay ninguno anotado');
  expect((await persona.submit(pagina, pagina, good)).status).toBe(303);
  expect((await persona.get(pagina)).main).toMatch(/PRO010101AB1.*DOF.*9 ago 2026.*publicado el 10 jul 2026/s);
  expect((await persona.submit(pagina, pagina, { proveedor_rfc: PRO, accion: 'quitar' })).status).toBe(303);
  expect((await persona.get(pagina)).main).toContain('No hay ninguno anotado');
});

test('the terms are shown page by page, each once, beside the pages of those on a list', async () => {
  const { persona, rfc, contribuyenteId, pagina } = await owner();
  const almacenId = await subscribe(rfc, persona.cuentaId, contribuyenteId);
  const rfcs = Array.from({ length: 51 }, (_, n) => `PRO${String(n).padStart(2, '0')}0101AB1`);
  await panel.sql`
    INSERT INTO aviso_49bis (contribuyente_id, rfc, publicado_en) SELECT ${contribuyenteId}::uuid, r, '2026-07-10' FROM unnest(${rfcs}::text[]) r`;
  await createAlmacenes(panel.db).merge(
    {
      ...{ almacenId, solicitudId: randomUUID(), tipo: 'recibidos', pedidaEn: new Date() },
      ...{ desde: '2026-03-01', hasta: '2026-03-31', isConfirmada: true },
    },
    csvOf(
      rfcs.map((each) => ({
        ...{ uuid: randomUUID(), emisor: [each, 'Proveedor'], receptor: [rfc, 'Yo'] },
        ...{ emitida: '2026-03-05T10:00:00', monto: '1.00' },
      })),
    ),
    new AbortController().signal,
  );
  await publish(
    panel,
    rfcs.map((each) => ({ rfc: each, situacion: 'PRESUNTO' as const })),
  );
  await createRiesgo(panel.db).cross(almacenId, 100);

  const first = (await persona.get(pagina)).$;
  const shown = textsOf(first, '#plazos tbody th');
  expect(shown).toHaveLength(50);
  // Two navigations of one page are told from each other by their names.
  expect(attributesOf(first, 'main nav.paginacion', 'aria-label')).toEqual([
    'Páginas de contrapartes',
    'Páginas de plazos',
  ]);
  const listed = first('nav[aria-label="Páginas de contrapartes"] a').last().attr('href') ?? '';
  const next = first('nav[aria-label="Páginas de plazos"] a').last().attr('href') ?? '';
  expect(next).toMatch(/#plazos$/);

  const second = (await persona.get(next.replace('#plazos', ''))).$;
  const rest = textsOf(second, '#plazos tbody th');
  expect([...shown, ...rest].map((each) => each.trim().slice(0, 12))).toEqual(rfcs);
  expect(second('nav[aria-label="Páginas de plazos"] a').attr('href')).toBe(`${pagina}#plazos`);
  // The place in one list is kept while the other goes on.
  const both = second('nav[aria-label="Páginas de contrapartes"] a').last().attr('href') ?? '';
  expect(both).toContain('plazo=');
  expect(textsOf((await persona.get(both)).$, '#plazos tbody th')).toEqual(rest);
  expect(textsOf((await persona.get(listed)).$, '#plazos tbody th')).toEqual(shown);

  // A place that nobody gave is the beginning.
  expect(textsOf((await persona.get(`${pagina}?plazo=nadie`)).$, '#plazos tbody th')).toEqual(shown);

  const [last = ''] = rfcs.slice(-1);
  const gone = await persona.submit(next.replace('#plazos', ''), pagina, { proveedor_rfc: last, accion: 'quitar' });
  expect(gone.status).toBe(303);
  expect((await persona.get(pagina)).$('nav[aria-label="Páginas de plazos"]')).toHaveLength(0);
});

describe('the page of a download', () => {
  const { owner: ownerOfSolicitudes, accepted, finished } = createSolicitudesDePrueba(panel);
  const TITULO = 'Contrapartes en listas del SAT';
  const vista = (rfc: string, monto = '1234567.5'): ContraparteVista => ({
    ...{ rfc, nombre: '<b>Proveedor</b>' },
    ...{ ingresos: { cfdi: 2, monto }, egresos: { cfdi: 1, monto: '10.000001' } },
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
      /PRO010101AB1<b>Proveedor<\/b>69-B Definitivopublicado el 1 mar 2026\$1,234,567\.50en 2 ingresos\s*\$10\.00en 1 egreso/,
    );
    expect(page.$('#contrapartes').text()).toMatch(
      /2 contrapartes de este ZIP estaban .*, 1 por algo que habla en su contra/,
    );
    expect(page.text).not.toContain('<b>Proveedor</b>');
    const nota = '1 contraparte en listas del SAT';
    expect((await persona.get('/solicitudes')).main).toContain(nota);
    // Whoever writes the programs sees downloads, and nothing of what is in them.
    const programador = await newMiembro(panel, persona, 'DESARROLLADOR');
    for (const path of ['/solicitudes', `/solicitudes/${id}`]) {
      const { status, main } = await programador.get(path);
      expect([status, main.includes(TITULO), main.includes(PRO), main.includes(nota)]).toEqual([
        200,
        false,
        false,
        false,
      ]);
    }
  });

  test('leads from page to page', async () => {
    const rfcs = Array.from({ length: 51 }, (_, n) => `PRO0101${String(n).padStart(2, '0')}AB1`);
    await publish(
      panel,
      rfcs.map((rfc) => ({ rfc, situacion: 'PRESUNTO' as const })),
    );
    const { persona, taxpayer } = await ownerOfSolicitudes();
    const id = await finished(taxpayer, {}, { contrapartes: rfcs.map((rfc) => vista(rfc)) });
    const first = (await persona.get(`/solicitudes/${id}`)).$;
    expect(first('#contrapartes tbody tr')).toHaveLength(50);
    const next = first('#contrapartes nav a').last().attr('href') ?? '';
    expect(next).toMatch(/#contrapartes$/);
    const second = (await persona.get(next.replace('#contrapartes', ''))).$;
    expect(second('#contrapartes tbody th').text()).toContain(rfcs.at(-1));
    expect(second('#contrapartes nav a').attr('href')).toBe(`/solicitudes/${id}#contrapartes`);
  });

  test.each([
    ['nobody was listed', [], '', 'Ninguna contraparte de este ZIP estaba en una lista'],
    ['it was not crossed', null, '', 'no había ninguna lista cargada'],
    ['it is a reading of a subscription', null, 'reading', 'Ver las contrapartes de'],
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
