import { createLlaves } from '@acuse/db';
import { expect, inject } from 'vitest';
import { newEfirmaCaller } from '../../fixtures/efirma.ts';
import {
  askFor,
  llamadas,
  openPaquete,
  type Pedido,
  saldoDe,
  uuidsDelSat,
  verificar,
  waitForLlamadas,
} from '../../fixtures/pedidos.ts';
import { type Caller, expectOk, type Servicio, waitFor, waitForEnd } from '../../fixtures/servicio.ts';
import type { Prueba } from './prueba.ts';

const MES: Pedido = { tipo: 'recibidos', desde: '2025-05-01', hasta: '2025-05-31' };
/** Looks at the authority that are more than any request of the simulator needs to end. */
const LOOKS = 5;

/**
 * However often it is looked at, the request has not ended at the authority, by either channel: it stays charged and in
 * process.
 */
export async function expectEspera(
  hurried: Servicio,
  rfc: string,
): Promise<Readonly<Record<'ciec' | 'efirma', Caller>>> {
  const ciec = await hurried.newCiecCaller({ rfc });
  const efirma = await newEfirmaCaller(hurried, { rfc });
  for (const [caller, look] of [
    [ciec, 'ConsultaDescargaMasiva.aspx'],
    [efirma, 'VerificaSolicitudDescarga'],
  ] as const) {
    const id = await askFor(caller, MES);
    await waitForLlamadas(hurried, caller, look, LOOKS);
    expect(await verificar(caller, id)).toMatchObject({ estado: 'EN_PROCESO', terminada_en: null });
    expect(await saldoDe(hurried, caller)).toBe(9);
  }
  return { ciec, efirma };
}

/** The request never ends, and no more does what has to be answered at once by the same service. */
export const expectEnProceso: Prueba = async ({ hurried }, rfc) => {
  const { efirma } = await expectEspera(hurried, rfc);
  // What has to be answered at once is answered without a fact and without a charge; asking again goes on with the same
  // request. Time enough to note both requests, however busy the machine is.
  const patient = await hurried.startApi({ SAT_PRESUPUESTO_MS: '15000' });
  for (let n = 0; n < 2; n += 1) {
    const { status, body } = await efirma.at(patient).call('tax/retenciones', { rfc, ejercicio: 2025 });
    expect([status, body.cfdi_codigo, body.data?.['motivo']]).toEqual([
      503,
      5041,
      expect.stringContaining('repita la consulta'),
    ]);
  }
  expect(await saldoDe(hurried, efirma)).toBe(9);
  const asked = llamadas(hurried, { rfc }).filter(
    ({ service, operation }) => service === 'retendescargamasivasolicitud' && operation.startsWith('SolicitaDescarga'),
  );
  expect(asked.map(({ operation }) => operation).sort()).toEqual([
    'SolicitaDescargaEmitidos',
    'SolicitaDescargaRecibidos',
  ]);
};

/** The portal cannot show what lies in one second; the bulk service gives it. */
export const expectSegundo: Prueba = async ({ relaxed }, rfc) => {
  const mes = { desde: '2026-03-01', hasta: '2026-03-31' };
  const ciec = await relaxed.newCiecCaller({ rfc });
  const efirma = await newEfirmaCaller(relaxed, { rfc });
  for (const [caller, path] of [
    [ciec, 'tax/facturas'],
    [efirma, 'tax/facturas-fiel'],
  ] as const) {
    const { status, body } = await caller.call(path, { rfc, ...mes });
    expect([path, status, body.cfdi_codigo]).toEqual([path, 503, 5041]);
    expect(await saldoDe(relaxed, caller)).toBe(10);
  }
  const pedido: Pedido = { tipo: 'recibidos', ...mes };
  const id = await askFor(efirma, pedido);
  expect(await waitForEnd(efirma, id)).toMatchObject({ estado: 'TERMINADA', registros: 601 });
  const { csv } = await openPaquete(efirma, id);
  expect(csv.map((row) => row['uuid'])).toEqual(uuidsDelSat(relaxed, rfc, pedido));
  expect(await saldoDe(relaxed, efirma)).toBe(9);
};

const SECONDS = 600;

/**
 * A million rows in one request of the legal person; one row more, in two, of the natural one. Downloaded to the last
 * byte in fault runs (`npm run test:faults`) and slow runs; else only until the SAT gives the number.
 */
export const expectMillion: Prueba = async ({ relaxed }, rfc, { moral }) => {
  const isMoral = rfc === moral;
  const [pedido, registros] = isMoral
    ? [{ tipo: 'recibidos', desde: '2026-05-01', hasta: '2026-05-31' } as const, 1_000_000]
    : [{ tipo: 'emitidos', desde: '2026-06-01', hasta: '2026-06-30' } as const, 1_000_001];
  const caller = await newEfirmaCaller(relaxed, { rfc });
  const id = await askFor(caller, pedido);
  if (inject('isThorough')) await expectWhole(relaxed, caller, id, registros);
  else {
    await waitFor(async () => ((await countedBySat(relaxed, id)) === registros ? true : null), SECONDS);
    await createLlaves(relaxed.db).revoke({ apiKeyId: caller.apiKeyId, actor: 'prueba', ip: null });
    expect(await saldoDe(relaxed, caller)).toBe(10);
  }
  const operation = isMoral ? 'SolicitaDescargaRecibidos' : 'SolicitaDescargaEmitidos';
  const asked = llamadas(relaxed, caller, operation).length;
  expect([asked === 1, asked === 3]).toEqual([isMoral, !isMoral]);
};

/** What the authority told of the parts of a solicitud, together; null before it has told of all. */
async function countedBySat({ db }: Servicio, id: string): Promise<number | null> {
  const { rows } = await db.pool.query<{ n: string | null; open: string }>(
    'SELECT sum(registros) AS n, count(*) FILTER (WHERE registros IS NULL) AS open FROM parte WHERE solicitud_id = $1',
    [id],
  );
  return rows[0]?.open === '0' ? Number(rows[0].n) : null;
}

async function expectWhole(relaxed: Servicio, caller: Caller, id: string, registros: number): Promise<void> {
  expect(await waitForEnd(caller, id, SECONDS)).toMatchObject({ estado: 'TERMINADA', registros });
  expect(await saldoDe(relaxed, caller)).toBe(9);
  const { paquete_url: url } = await expectOk(caller.call('descarga/paquete', { solicitud_id: id }));
  const bytes = await sizeOf(String(url));
  expect(bytes).toBe(await storedBytes(relaxed, id));
}

/** Downloads without keeping anything. */
async function sizeOf(url: string): Promise<number> {
  const response = await fetch(url);
  expect(response.status).toBe(200);
  let bytes = 0;
  for await (const chunk of response.body ?? []) bytes += (chunk as Uint8Array).length;
  return bytes;
}

async function storedBytes({ db }: Servicio, id: string): Promise<number> {
  const { rows } = await db.pool.query<{ bytes: string }>('SELECT bytes FROM solicitud WHERE id = $1', [id]);
  return Number(rows[0]?.bytes);
}
