import { randomUUID } from 'node:crypto';
import { createSaldos } from '@acuse/db';
import { createLlamadas } from '@acuse/llamadas/db';
import { createAlmacenes, createSincronizaciones } from '@acuse/sincronizacion/db';
import { beforeAll, describe, expect, it } from 'vitest';
import { csvOf } from '../almacen/csv.ts';
import { credit } from '../fixtures/database.ts';
import { duringTests } from '../fixtures/during-tests.ts';
import { ciecOf, expectOk, useServicio } from '../fixtures/servicio.ts';
import { CHROMIUM, expectNoComplaints, openBrowser } from './browser/fixtures/browser.ts';
import { signIn } from './browser/fixtures/persona.ts';
import { addCaller, addRfc, startPanel, textsOf } from './fixtures/panel.ts';

const servicio = useServicio();
const panel = duringTests(() => startPanel({ database: servicio.database, env: { API_PUBLIC_URL: servicio.api.url } }));

/** More than two pages. */
const ROWS = 60;
const numbers = Array.from({ length: ROWS }, (_, n) => n);
const pad = (n: number) => String(n).padStart(3, '0');
const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

/** A person with a row of every list for each number, in the order of the numbers. */
async function fill() {
  const persona = await panel.registrar({ saldo: 5 });
  const caller = await addCaller(servicio, persona);
  const { rfc, contribuyenteId } = caller;
  await expectOk(caller.call('vault/rfc-guardar', { rfc, ciec: ciecOf(rfc) }));
  await expectOk(caller.call('sincronizacion/crear', { rfc, tipo: 'recibidos', desde: '2026-01-01' }));
  const almacenId = (await createSincronizaciones(servicio.db).find(contribuyenteId, null))?.almacenId ?? 0;
  const dias = { desde: '2026-01-01', hasta: '2026-03-31', pedidaEn: new Date(), isConfirmada: true } as const;
  // Three share each second of issue, so that the id breaks ties.
  const filas = numbers.map((n) => ({
    uuid: idOf(n),
    emisor: [`PRO010101${pad(n)}`, 'Uno'] as const,
    receptor: [rfc, 'Yo'] as const,
    emitida: `2026-0${1 + Math.floor(n / 30)}-10T10:00:${String(Math.floor(n / 3)).padStart(2, '0')}`,
    monto: '10.00',
  }));
  const lectura = { almacenId, solicitudId: randomUUID(), tipo: 'recibidos', ...dias } as const;
  await createAlmacenes(servicio.db).merge(lectura, csvOf(filas), new AbortController().signal);
  await servicio.sql`INSERT INTO riesgo_contraparte (almacen_id, rfc, lista, supuesto, es_adverso)
    SELECT ${almacenId}, 'PRO010101' || lpad((n / 2)::text, 3, '0'), CASE n % 2 WHEN 0 THEN '69' ELSE '69-B' END, 'Definitivo', true
    FROM generate_series(0, ${ROWS - 1}) n`;
  await createLlamadas(servicio.db).note(
    numbers.map((n) => ({
      contribuyenteId,
      at: new Date(Date.UTC(2026, 0, 1) + Math.floor(n / 3)),
      opId: idOf(n),
      operacion: 'tax/facturas',
      status: 200,
      codigo: 1,
      ms: 5,
      requestId: `llamada-${pad(n)}`,
      idempotencyKey: null,
    })),
  );
  await credit(servicio.db, persona.cuentaId, 900, randomUUID());
  const charge = { cuentaId: persona.cuentaId, contribuyenteId, operacion: 'tax/facturas', plazoSegundos: 60 };
  for (const _ of numbers) {
    const call = { ...charge, opId: randomUUID() };
    await createSaldos(servicio.db).charge(call);
    await createSaldos(servicio.db).settle(call.opId, null);
  }
  await servicio.sql`INSERT INTO auditoria (actor, accion, detalle) SELECT 'prueba:orden', 'prueba-orden', jsonb_build_object('n', lpad(n::text, 3, '0'))
    FROM generate_series(0, ${ROWS - 1}) n`;
  for (const n of numbers) await addRfc(servicio.db, persona, `ORD010101${pad(n)}`);
  const operador = await panel.registrar({ rol: 'OPERADOR' });
  return { persona, operador, rfc };
}

/** Address of each list, its column, its value of `orden`, and what tells a row. */
const LISTS = [
  ['CFDI', (rfc: string) => `/rfcs/${rfc}/cfdi`, 'Emisión', 'antiguas', /-8000-0{9}(\d{3})/],
  [
    'suppliers on lists',
    (rfc: string) => `/rfcs/${rfc}/proveedores`,
    'Cliente o proveedor',
    'z-a',
    /PRO010101(\d{3}).*?(69(?:-B)?) Definitivo/s,
  ],
  ['calls', (rfc: string) => `/rfcs/${rfc}/llamadas?hasta=2026-01-31`, 'Cuándo', 'antiguas', /llamada-(\d{3})/],
  ['movements', () => '/saldo/movimientos?operacion=tax/facturas', 'Fecha', 'antiguas', /−1\s*([\d,]+)\s*$/],
  ['audit', () => '/operador/auditoria?accion=prueba-orden', 'Cuándo', 'antiguas', /n: (\d{3})/],
  ['RFCs', () => '/rfcs?q=ORD', 'RFC', 'z-a', /ORD010101(\d{3})/],
] as const;

describe('the column of a list turns its order', () => {
  let filled: Awaited<ReturnType<typeof fill>>;
  beforeAll(async () => {
    filled = await fill();
  });

  it.each(LISTS)('of %s, over all of its pages', async (name, pathOf, titulo, word, row) => {
    const { persona, operador, rfc } = filled;
    const reader = name === 'audit' ? operador : persona;
    /** Rows of all pages from an address, and the links of their heads. */
    const walk = async (path: string, back = 'Siguientes') => {
      const rows: string[] = [];
      let next: string | undefined = path;
      const sorted = new Set<string | undefined>();
      while (next !== undefined) {
        expect(rows.length).toBeLessThanOrEqual(ROWS);
        const at: string = next;
        const { $ } = await reader.get(at);
        const head = $('thead [aria-sort]');
        expect([head.length, head.text()]).toEqual([1, titulo]);
        sorted.add(head.attr('aria-sort'));
        rows.push(
          ...textsOf($, '.tabla:has(thead [aria-sort]) tbody tr').map((text) =>
            (row.exec(text.trim()) ?? []).slice(1).join(' '),
          ),
        );
        next = $('.paginacion a')
          .filter((_, link) => $(link).text().includes(back))
          .attr('href');
        if (next === undefined) return { rows, sorted: [...sorted], last: at, turn: head.find('a').attr('href') ?? '' };
      }
      throw new Error('no page');
    };
    const path = pathOf(rfc);
    const near = await walk(path);
    expect(near.rows).toHaveLength(ROWS);
    expect(new Set(near.rows).size).toBe(ROWS);
    // The balance falls with each charge.
    const isAscending = word === 'z-a' || name === 'movements';
    expect(near.rows).toEqual([...near.rows].sort((a, b) => (a < b === isAscending ? -1 : 1)));
    expect(near.turn).toContain(`orden=${word}`);
    expect(near.turn).not.toMatch(/antes|despues/);
    const far = await walk(near.turn);
    expect(far.rows).toEqual([...near.rows].reverse());
    expect([near.sorted, far.sorted]).toEqual(
      word === 'z-a' ? [['ascending'], ['descending']] : [['descending'], ['ascending']],
    );
    expect(far.turn).not.toContain('orden=');
    const { $ } = await reader.get(near.turn);
    const fields = $('main form[method="get"]');
    expect(fields.find('input[name="orden"]').attr('value')).toBe(fields.length === 0 ? undefined : word);
  });

  it.runIf(CHROMIUM !== null)('on a phone too, by the keys alone', async () => {
    const browser = await openBrowser();
    try {
      const tab = await browser.abrir({ viewport: { width: 360, height: 740 } });
      const { page } = tab;
      await signIn(page, panel.url, filled.persona);
      await page.goto(`${panel.url}/rfcs`);
      const head = page.locator('thead').getByRole('link', { name: 'Orden: RFC' });
      expect((await head.boundingBox())?.height).toBeGreaterThanOrEqual(24);
      // A row still has its name and its value in one line.
      const [name, value] = await Promise.all(
        ['th', '.valor'].map((cell) => page.locator(`tbody tr ${cell}`).first().boundingBox()),
      );
      expect(Math.abs((name?.y ?? 0) - (value?.y ?? 99))).toBeLessThan(10);
      await head.press('Enter');
      await page.waitForURL(/orden=z-a/);
      expect(await page.locator('thead [aria-sort="descending"]').count()).toBe(1);
      await page.getByRole('searchbox').fill('ORD');
      await page.getByRole('searchbox').press('Enter');
      await page.waitForURL(/q=ORD/);
      expect(page.url()).toContain('orden=z-a');
      expectNoComplaints(tab);
    } finally {
      await browser.close();
    }
  });
});
