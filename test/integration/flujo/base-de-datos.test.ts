import { beforeAll, describe, expect, it } from 'vitest';
import { eachAtLength } from '../fixtures/at-length.ts';
import { block, cutConexiones } from '../fixtures/candado.ts';
import { askFor, fail, saldoDe, UN_DIA } from '../fixtures/pedidos.ts';
import { type Caller, expectOk, useServicio, waitFor, waitForEnd } from '../fixtures/servicio.ts';

/**
 * Longer than the API may take to say that the database does not answer; each lock is held for as long, or until the
 * answer.
 */
const PATIENCE_MS = 10_000;

describe('PostgreSQL does not answer', () => {
  // A claim whose worker could not give it back, its connection being cut, lapses soon.
  const servicio = useServicio({}, { LEASE_SECONDS: '3' });
  /** The API that meets the locks: it gives up as soon as one of an installation. */
  let hasty: { readonly url: string };
  beforeAll(async () => {
    hasty = await servicio.startApi({ API_DATABASE_TIMEOUT_MS: '1500' });
  });

  const solicitudesDe = async ({ cuentaId }: Caller) => {
    return (await servicio.sql<{ id: string }>`SELECT id FROM solicitud WHERE cuenta_id = ${cuentaId}`).map(
      ({ id }) => id,
    );
  };
  /** The answer, given while the lock is still held. */
  const whileLocked = async (tables: readonly string[], ask: () => ReturnType<Caller['call']>) => {
    const lock = await block(servicio, tables);
    try {
      const late = new Promise<null>((resolve) => setTimeout(resolve, PATIENCE_MS, null).unref());
      return await Promise.race([ask(), late]);
    } finally {
      await lock.release();
    }
  };

  eachAtLength([
    ['nothing at all answers', ['api_key', 'contribuyente', 'cuenta', 'movimiento', 'solicitud', 'outbox']],
    ['the pass cannot be read', ['api_key']],
    ['the balance cannot be debited', ['cuenta']],
    ['the ledger cannot be written', ['movimiento']],
    ['the request cannot be written', ['solicitud']],
    ['the wake-up cannot be written', ['outbox']],
  ])('%s: 503/5041 in time, nothing charged, and the next call works', async (_name, tables) => {
    const caller = await servicio.newCiecCaller({ saldo: 3 });
    const ask = (here: Caller) => here.call('tax/descarga-metadata', { rfc: caller.rfc, ...UN_DIA });
    const answer = await whileLocked(tables, () => ask(caller.at(hasty)));
    expect([answer?.status, answer?.body.cfdi_codigo]).toEqual([503, 5041]);
    expect(answer?.body.data).toMatchObject({ reintentar_en: expect.any(Number) });
    expect(answer?.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(await solicitudesDe(caller)).toEqual([]);
    expect(await saldoDe(servicio, caller)).toBe(3);

    const data = await expectOk(ask(caller));
    expect(data).not.toHaveProperty('duplicada');
    await waitForEnd(caller, String(data['solicitud_id']));
    expect(await saldoDe(servicio, caller)).toBe(2);
  });

  it('more requests than statements at a time: each is refused and none is accepted afterwards', {
    tags: ['slow'],
  }, async () => {
    const callers = await Promise.all(Array.from({ length: 8 }, () => servicio.newCiecCaller({ saldo: 3 })));
    const lock = await block(servicio, ['solicitud']);
    const ask = (caller: Caller) => caller.at(hasty).call('tax/descarga-metadata', { rfc: caller.rfc, ...UN_DIA });
    const answers = await Promise.all(callers.map(ask)).finally(() => lock.release());
    for (const { status, body } of answers) {
      expect([status, body.cfdi_codigo]).toEqual([503, 5041]);
      expect(body.cfdi_texto).toContain('No se cobró nada');
    }
    // Whatever came after them in the same database is done.
    const [last] = callers;
    if (last) await waitFor(() => askFor(last.at(hasty), UN_DIA).catch(() => null));
    for (const caller of callers.slice(1)) {
      expect(await solicitudesDe(caller)).toEqual([]);
      expect(await saldoDe(servicio, caller)).toBe(3);
    }
  });

  eachAtLength(['descarga/verificar', 'descarga/paquete'])('%s: 503/5041, and the answer afterwards', async (path) => {
    const caller = await servicio.newCiecCaller();
    const id = await askFor(caller);
    await waitForEnd(caller, id);
    const ask = (here: Caller) => here.call(path, { solicitud_id: id });
    const answer = await whileLocked(['solicitud'], () => ask(caller.at(hasty)));
    expect([answer?.status, answer?.body.cfdi_codigo]).toEqual([503, 5041]);
    await expectOk(ask(caller));
  });

  it('a CIEC that could not be stored is not half stored', async () => {
    const caller = await servicio.newCaller();
    const store = (here: Caller) => here.call('vault/rfc-guardar', { rfc: caller.rfc, ciec: 'C'.repeat(16) });
    const answer = await whileLocked(['credencial'], () => store(caller.at(hasty)));
    expect([answer?.status, answer?.body.cfdi_codigo]).toEqual([503, 5041]);
    const missing = await caller.call('tax/descarga-metadata', { rfc: caller.rfc, ...UN_DIA });
    expect(missing.body.cfdi_codigo).toBe(4003);
    await expectOk(store(caller));
  });

  it('an Idempotency-Key of a call that failed so is free for the next one, which is charged once', async () => {
    const caller = await servicio.newCiecCaller({ saldo: 3 });
    const ask = (here: Caller) =>
      here.call('tax/descarga-metadata', { rfc: caller.rfc, ...UN_DIA }, { 'idempotency-key': 'a' });
    const answer = await whileLocked(['movimiento'], () => ask(caller.at(hasty)));
    expect(answer?.body.cfdi_codigo).toBe(5041);
    const data = await expectOk(ask(caller));
    expect(await solicitudesDe(caller)).toEqual([data['solicitud_id']]);
    expect(await saldoDe(servicio, caller)).toBe(2);
  });

  it('every connection cut, again and again, while solicitudes run: all of them end, each charged once', {
    tags: ['slow'],
  }, async () => {
    const callers = await Promise.all(Array.from({ length: 4 }, () => servicio.newCiecCaller({ saldo: 2 })));
    for (const caller of callers)
      fail(servicio, caller, { service: 'portalcfdi', operation: 'AbrirConsulta', kind: 'slow', ms: 400, times: 3 });
    const ids = await Promise.all(callers.map((caller) => askFor(caller)));
    let cuts = 0;
    for (let round = 0; round < 6; round += 1) {
      const before = cuts;
      // Only once there are new connections is there something to cut.
      await waitFor(async () => {
        cuts += await cutConexiones(servicio);
        return cuts > before + 2 ? true : null;
      });
    }
    for (const [i, caller] of callers.entries()) {
      const id = ids[i] ?? '';
      const end = await waitFor(async () => {
        const { status, body } = await caller.call('descarga/verificar', { solicitud_id: id });
        // A call that meets a dead connection may say so, and nothing else.
        if (status !== 200) expect([status, body.cfdi_codigo]).toEqual([503, 5041]);
        return status === 200 && body.data?.['terminada_en'] !== null ? body.data : null;
      }, 90);
      expect(end).toMatchObject({ estado: 'TERMINADA' });
      expect(await saldoDe(servicio, caller)).toBe(1);
    }
  });
});
