import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { addDays, calendarDay } from '@acuse/core';
import { programEntry } from '@acuse/embedded';
import { manifestPublicKeyOf } from '@acuse/vault';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { newEfirmaCaller } from '../fixtures/efirma.ts';
import {
  askFor,
  darFilas,
  eventosDe,
  fail,
  filasDelSat,
  llamadas,
  openPaquete,
  type Pedido,
  saldoDe,
  verificar,
  XML_REFUSED,
} from '../fixtures/pedidos.ts';
import { type Caller, ciecOf, download, expectOk, useServicio, waitFor, waitForEnd } from '../fixtures/servicio.ts';
import { expectXml } from '../fixtures/xml.ts';

const run = promisify(execFile);
const PERIODO = { desde: '2025-02-27', hasta: '2025-03-02', contenido: 'xml' } as const;
const RECIBIDOS: Pedido = { tipo: 'recibidos', ...PERIODO };
const EMITIDOS: Pedido = { tipo: 'emitidos', ...PERIODO };

describe('the CFDI themselves, by e.firma', () => {
  const servicio = useServicio({ simulador: { filas_por_paquete: 40, max_filas_cfdi: 70 } }, {});
  const solicitadas = (caller: Caller) =>
    llamadas(servicio, caller).filter(({ operation }) => operation.startsWith('SolicitaDescarga'));

  it.each([RECIBIDOS, EMITIDOS])('come with their metadata: $tipo', async (pedido) => {
    const caller = await newEfirmaCaller(servicio, { saldo: 3 });
    darFilas(servicio, caller.rfc, pedido, 100);
    const id = await askFor(caller, pedido);
    await waitForEnd(caller, id);
    const reasons = await expectXml(servicio, caller, id, pedido);
    const cancelled = filasDelSat(servicio, caller.rfc, pedido).filter(({ estatus }) => estatus === 'Cancelado');
    expect(cancelled.length).toBeGreaterThan(0);
    const expected = pedido.tipo === 'recibidos' ? cancelled : [];
    expect([...reasons]).toEqual(expected.map(({ uuid }) => [uuid.toUpperCase(), 'CANCELADO_RECIBIDO']));
    expect(await saldoDe(servicio, caller)).toBe(2);
    const kinds = solicitadas(caller).map(({ detail }) => detail['TipoSolicitud']);
    // More than 70: the XML were asked in two periods more.
    expect(kinds.toSorted()).toEqual(['CFDI', 'CFDI', 'CFDI', 'Metadata']);
    const { entries, names } = await openPaquete(caller, id);
    const evidencia = names.filter((name) => name.startsWith('evidencia/'));
    // Four requests, and a last look at each.
    expect(evidencia).toHaveLength(8);
    for (const name of evidencia) expect(entries.get(name)?.toString()).toMatch(/CodEstatus="5000"/);
  });

  it('are never asked for a third time in the same words', async () => {
    const caller = await newEfirmaCaller(servicio, { saldo: 9 });
    darFilas(servicio, caller.rfc, RECIBIDOS, 10);
    for (let n = 0; n < 4; n += 1) {
      const id = await askFor(caller, RECIBIDOS);
      await waitForEnd(caller, id);
      await expectXml(servicio, caller, id, RECIBIDOS);
    }
    const asked = solicitadas(caller).filter(({ detail }) => detail['TipoSolicitud'] === 'CFDI');
    const periods = asked.map(({ detail }) => `${detail['FechaInicial']}/${detail['FechaFinal']}`);
    // The second equal one is refused while the first one is in force; the third one is not sent.
    const counts = new Map(periods.map((period) => [period, periods.filter((each) => each === period).length]));
    expect([...counts.values()]).toEqual([2, 2, 2, 1]);
  });

  it('are named as missing when the SAT gives them up, under one charge', async () => {
    const caller = await newEfirmaCaller(servicio, { saldo: 3 });
    darFilas(servicio, caller.rfc, RECIBIDOS, 10);
    fail(servicio, caller, XML_REFUSED);
    const id = await askFor(caller, RECIBIDOS);
    await waitForEnd(caller, id);
    const reasons = await expectXml(servicio, caller, id, RECIBIDOS);
    expect(new Set(reasons.values())).toEqual(new Set(['CANCELADO_RECIBIDO', 'NO_ENTREGADO_POR_EL_SAT']));
    expect(reasons.size).toBe(10);
    expect(await saldoDe(servicio, caller)).toBe(2);
  });
});

describe('the CFDI themselves, by CIEC', () => {
  const servicio = useServicio({ simulador: { max_xml_por_dia: 130 } }, {});

  it.each([RECIBIDOS, EMITIDOS])('come with their metadata: $tipo', async (pedido) => {
    const caller = await servicio.newCiecCaller({ saldo: 3 });
    darFilas(servicio, caller.rfc, pedido, 60);
    const id = await askFor(caller, pedido);
    await waitForEnd(caller, id);
    const reasons = await expectXml(servicio, caller, id, pedido);
    const cancelled = filasDelSat(servicio, caller.rfc, pedido).filter(({ estatus }) => estatus === 'Cancelado');
    expect(cancelled.length).toBeGreaterThan(0);
    const expected = pedido.tipo === 'recibidos' ? cancelled : [];
    expect([...reasons]).toEqual(expected.map(({ uuid }) => [uuid.toUpperCase(), 'CANCELADO_RECIBIDO']));
    expect(await saldoDe(servicio, caller)).toBe(2);
  });

  it('wait for the quota of the next day, with `completo_hacia`', async () => {
    const caller = await servicio.newCiecCaller({ saldo: 3 });
    darFilas(servicio, caller.rfc, EMITIDOS, 100);
    await waitForEnd(caller, await askFor(caller, EMITIDOS));
    const before = new Date();
    const id = await askFor(caller, { ...EMITIDOS, formato: 'ndjson' });
    const waiting = await waitFor(async () => {
      const open = await servicio.sql`SELECT motivo FROM parte WHERE solicitud_id = ${id} AND estado <> 'DESCARGADA'`;
      const held = await servicio.sql`SELECT FROM solicitud WHERE id = ${id} AND lease_until IS NOT NULL`;
      return open.length === 1 && open[0]?.['motivo'] !== null && held.length === 0 ? verificar(caller, id) : null;
    });
    expect(waiting).toMatchObject({ estado: 'EN_PROCESO', xml: null });
    // A minute after the next midnight of central Mexico; the test may run over one.
    const nights = [before, new Date()].map((now) => `${addDays(calendarDay(now), 1)}T06:01`);
    expect(nights).toContain(String(waiting['completo_hacia']).slice(0, 16));

    // Once nine tenths of its time are over, it ends with what it has.
    await servicio.sql`UPDATE solicitud SET creada_en = now() - interval '80 hours', deadline_at = now() + interval '5 minutes', due_at = now(),
      gen = gen + 1 WHERE id = ${id}`;
    await servicio.sql`UPDATE outbox SET gen = gen + 1, due_at = now(), rung_at = NULL WHERE solicitud_id = ${id}`;
    const end = await waitForEnd(caller, id);
    expect(end).toMatchObject({ estado: 'TERMINADA', xml: { esperados: 100, por_motivo: { CUOTA_DEL_DIA: 100 } } });
  });

  it('come from the portal when the web service refuses', async () => {
    const caller = await newEfirmaCaller(servicio, { saldo: 3 });
    const { rfc } = caller;
    await expectOk(caller.call('vault/rfc-guardar', { rfc, ciec: ciecOf(rfc) }));
    darFilas(servicio, rfc, RECIBIDOS, 20);
    fail(servicio, caller, XML_REFUSED);
    const id = await askFor(caller, RECIBIDOS);
    await waitForEnd(caller, id);
    const reasons = await expectXml(servicio, caller, id, RECIBIDOS);
    expect(new Set(reasons.values())).toEqual(new Set(['CANCELADO_RECIBIDO']));
    expect(await eventosDe(servicio, id)).toContain('XML_SIN_ENTREGA');
  });
});

describe('damaged packages of XML', () => {
  const servicio = useServicio({ simulador: { paquetes_xml: 'todo' } }, {});

  it('lose one, bring one twice and name one wrongly: each is delivered or named', async () => {
    const caller = await newEfirmaCaller(servicio, { saldo: 3 });
    darFilas(servicio, caller.rfc, EMITIDOS, 30);
    const id = await askFor(caller, EMITIDOS);
    await waitForEnd(caller, id);
    const reasons = await expectXml(servicio, caller, id, EMITIDOS);
    const [first] = filasDelSat(servicio, caller.rfc, EMITIDOS);
    expect([...reasons]).toEqual([[first?.uuid.toUpperCase(), 'NO_ENTREGADO_POR_EL_SAT']]);
  });
});

describe('a package with XML of an installation that signs', () => {
  const seed = randomBytes(32).toString('base64');
  const publica = manifestPublicKeyOf(seed);
  const servicio = useServicio(
    { apiEnv: { MANIFEST_PUBLIC_KEYS: `m1:${publica}` }, workerEnv: { MANIFEST_KEYS: `m1:${seed}` } },
    {},
  );

  it('passes `acuse verificar` by the keys that the API publishes, and fails once a byte differs', async () => {
    const caller = await newEfirmaCaller(servicio, { saldo: 3 });
    darFilas(servicio, caller.rfc, RECIBIDOS, 30);
    const id = await askFor(caller, { ...RECIBIDOS, tablas: true });
    await waitForEnd(caller, id);
    const { zip } = await download(caller, id);
    const dir = await mkdtemp(join(tmpdir(), 'acuse-verificar-'));
    onTestFinished(() => rm(dir, { recursive: true, force: true }));
    const path = join(dir, 'paquete.zip');
    const verify = async (bytes: Buffer) => {
      await writeFile(path, bytes);
      const llaves = `${servicio.api.url}/.well-known/acuse-manifiesto.json`;
      const args = [programEntry(inject('programs'), 'cli'), 'verificar', path, '--llaves', llaves];
      return run(process.execPath, args).then(
        ({ stdout }) => ({ code: 0, stdout }),
        ({ code, stdout }: { code: number; stdout: string }) => ({ code, stdout }),
      );
    };
    expect(await verify(zip)).toMatchObject({ code: 0, stdout: expect.stringContaining('m1') });
    const altered = Buffer.from(zip);
    altered[zip.length >> 1] = (altered[zip.length >> 1] ?? 0) ^ 1;
    expect((await verify(altered)).code).toBe(1);
  });
});
