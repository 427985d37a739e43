import { randomUUID } from 'node:crypto';
import { createLlaves, createSatMetrics } from '@acuse/db';
import { describe, expect, it } from 'vitest';
import { newLlave, seedCuenta } from '../fixtures/database.ts';
import { attributesOf, type Respuesta, textsOf, usePanel, usePersona } from './fixtures/panel.ts';

const panel = usePanel();
const operador = usePersona(panel, { rol: 'OPERADOR' });

describe('the audit log', () => {
  it('is walked page by page, each line once, and narrowed', async () => {
    const accion = `prueba-${randomUUID()}`;
    // Older than whatever else is in the log, as their ids say, too.
    await panel.sql`UPDATE auditoria SET id = id + 1000000`;
    await panel.sql`SELECT setval('auditoria_id_seq', 2000000)`;
    await panel.sql`INSERT INTO auditoria (id, actor, accion, detalle, en)
       SELECT n + 1, 'prueba:' || n % 2, ${accion}, jsonb_build_object('n', n), '2026-01-10 05:59:59.5Z'::timestamptz + n * interval '1 second'
       FROM generate_series(0, 119) AS n`;
    const seen: string[] = [];
    let next: string | undefined = `/operador/auditoria?accion=${accion}`;
    for (let page = 0; next !== undefined; page += 1) {
      expect(page).toBeLessThan(6);
      const { $ }: Respuesta = await operador.get(next);
      seen.push(...textsOf($, 'tbody tr').map((row) => /n: (\d+)/.exec(row)?.[1] ?? ''));
      next = $('.paginacion a')
        .filter((_, link) => $(link).text().includes('Siguientes'))
        .attr('href');
    }
    expect(seen).toEqual(Array.from({ length: 120 }, (_, n) => String(119 - n)));
    const count = async (filters: string) =>
      (await operador.get(`/operador/auditoria?accion=${accion}&${filters}`)).$('tbody tr').length;
    expect(await count('actor=prueba:1&antes=999999999')).toBe(25);
    // The first line is of the tenth of January, the others of the day after: 6:00 UTC is midnight in central Mexico.
    expect([await count('hasta=2026-01-09'), await count('desde=2026-01-11')]).toEqual([1, 0]);
    expect(await count(`cuenta=${operador.cuentaId}`)).toBe(0);
    expect(await count(`cuenta='x&antes=x&desde=ayer`)).toBe(0);
  });
});

describe('a failing SAT and dead workers', () => {
  const first = async () => (await operador.get('/operador')).$('.aviso').first().text().replace(/\s+/g, ' ');

  it('shows a failing channel and a server with an open breaker, with the way to /estado', async () => {
    const metrics = createSatMetrics(panel.db);
    const see = (resultado: 'exito' | 'fallo') =>
      metrics.record({ host: 'pstcdi.clouda.sat.gob.mx', canal: 'soap', resultado, ms: 16 });
    for (let n = 0; n < 58; n += 1) see('exito');
    for (let n = 0; n < 42; n += 1) see('fallo');
    await metrics.close();
    expect(await first()).toContain('El SAT falla: Servicios web.');
    const host = 'cfdiau.sat.gob.mx';
    await panel.sql`INSERT INTO estado_host (host, fallos, fallos_antes, abierto_hasta, sonda_hasta)
       VALUES (${host}, 8, 0, (extract(epoch FROM now()) * 1000)::bigint + 60000, 0)`;
    expect(await first()).toContain(`El SAT no contesta en ${host}`);
    const { $ } = await operador.get('/operador');
    expect(attributesOf($, '.aviso.alerta a', 'href')).toEqual(
      Array(2).fill(`${panel.deps.settings.apiPublicUrl}/estado`),
    );
  });

  it('says which work no worker does, and shows a silent process of any role as such', async () => {
    const { sql } = panel;
    await sql`INSERT INTO latido (proceso, rol, visto_en, slots)
      VALUES ('uno', 'descargas', now(), 5), ('dos', 'listas', now() - interval '2 minutes', 0)`;
    expect(await first()).toContain('Ningún worker prepara los ZIP: arranque uno.');
    const { $ } = await operador.get('/operador');
    const rows = textsOf($, 'tbody tr').map((row) => row.replace(/\s+/g, ' '));
    expect(rows).toContainEqual(expect.stringMatching(/^uno ?descargas ?Vivo/));
    expect(rows).toContainEqual(expect.stringMatching(/^dos ?listas ?Callado/));
    await sql`UPDATE latido SET visto_en = now() - interval '2 minutes'`;
    expect(await first()).toContain('Ningún worker lleva las descargas por el SAT ni prepara los ZIP: arranque uno.');
  });
});

it('shows the operator, and nobody else, what hangs on each id of a secret that is being rotated', async () => {
  for (const pepperVersion of [1, 1, 2]) {
    const { contribuyenteId } = await seedCuenta(panel.db);
    const llave = { ...newLlave(), pepperVersion };
    await createLlaves(panel.db).activate({ contribuyenteId, llave, actor: 'prueba', ip: null });
  }
  const { $ } = await operador.get('/operador/secretos');
  const rows = textsOf($, 'tbody tr').map((row) => row.replace(/\s+/g, ' ').trim());
  expect(rows.filter((row) => row.startsWith('API_KEY_PEPPERS'))).toEqual([
    expect.stringMatching(/En rotación *1 *API keys activas *2$/),
    expect.stringMatching(/En rotación *2 *API keys activas *1$/),
  ]);
  expect(rows).toContainEqual(expect.stringMatching(/^PANEL_SECRETS *p1 *contraseñas del panel *1$/));
  const cliente = await panel.registrar();
  expect((await cliente.get('/operador/secretos')).status).not.toBe(200);
});
