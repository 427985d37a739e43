import { randomUUID } from 'node:crypto';
import { createMedidorSat } from '@acuse/db';
import { load } from 'cheerio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Panel, type Persona, startPanel } from './fixtures/panel.ts';

let panel: Panel;
let operador: Persona;
beforeAll(async () => {
  panel = await startPanel();
  operador = await panel.registrar({ rol: 'OPERADOR' });
});
afterAll(() => panel.close());

describe('the audit log', () => {
  it('is walked page by page, each line once, and narrowed', async () => {
    const accion = `prueba-${randomUUID()}`;
    await panel.db.pool.query(
      `INSERT INTO auditoria (actor, accion, detalle, en)
       SELECT 'prueba:' || n % 2, $1, jsonb_build_object('n', n), '2026-01-10 05:59:59.5Z'::timestamptz + n * interval '1 second'
       FROM generate_series(0, 119) AS n`,
      [accion],
    );
    const seen: string[] = [];
    let next: string | undefined = `/operador/auditoria?accion=${accion}`;
    for (let page = 0; next !== undefined; page += 1) {
      expect(page).toBeLessThan(4);
      const $ = load((await operador.get(next)).text);
      seen.push(
        ...$('tbody tr')
          .map((_, row) => /n: (\d+)/.exec($(row).text())?.[1] ?? '')
          .get(),
      );
      next = $('.paginacion a')
        .filter((_, link) => $(link).text().includes('Siguientes'))
        .attr('href');
    }
    expect(seen).toEqual(Array.from({ length: 120 }, (_, n) => String(119 - n)));
    const count = async (filters: string) =>
      load((await operador.get(`/operador/auditoria?accion=${accion}&${filters}`)).text)('tbody tr').length;
    expect(await count('actor=prueba:1&antes=999999999')).toBe(50);
    // The first line is of the tenth of January, the others of the day after: 6:00 UTC is midnight in central Mexico.
    expect([await count('hasta=2026-01-09'), await count('desde=2026-01-11')]).toEqual([1, 0]);
    expect(await count(`cuenta=${operador.cuentaId}`)).toBe(0);
    expect(await count(`cuenta='x&antes=x&desde=ayer`)).toBe(0);
  });
});

describe('the health of the authority', () => {
  it('shows each host with its channel, share of failures, latency and breaker', async () => {
    const host = 'cfdiau.sat.gob.mx';
    const medidor = createMedidorSat(panel.db);
    const see = (resultado: 'exito' | 'fallo' | 'evitada', ms: number) =>
      medidor.record({ host, canal: 'portal', resultado, ms });
    for (let n = 0; n < 90; n += 1) see('exito', 16);
    for (let n = 0; n < 10; n += 1) see('fallo', 1_000);
    see('evitada', 0);
    await medidor.close();
    await panel.db.pool.query(
      `INSERT INTO estado_host (host, fallos, fallos_antes, abierto_hasta, sonda_hasta)
       VALUES ($1, 8, 0, (extract(epoch FROM now()) * 1000)::bigint + 60000, 0)`,
      [host],
    );
    for (const periodo of ['hora', 'dia']) {
      const $ = load((await operador.get(`/operador/salud?periodo=${periodo}`)).text);
      const cells = $('.tabla tbody tr')
        .first()
        .find('th, td')
        .map((_, cell) => $(cell).text())
        .get();
      expect(cells.slice(0, 3)).toEqual([host, 'Portales', '100']);
      expect(cells[4]).toBe('10 (10 %)');
      const ms = (text = '') => Number(text.replace(/[^\d]/g, ''));
      expect(ms(cells[6])).toBeGreaterThan(11);
      expect(ms(cells[6])).toBeLessThanOrEqual(16);
      expect(ms(cells[7])).toBeGreaterThan(724);
      expect(ms(cells[7])).toBeLessThanOrEqual(1_024);
      expect(cells[8]).toBe('1');
      expect(cells[9]).toContain('Se le deja descansar');
      expect($('svg[role="img"]')).toHaveLength(3);
    }
    expect((await operador.get('/operador')).text).toContain(`no contesta en ${host}`);
  });
});
