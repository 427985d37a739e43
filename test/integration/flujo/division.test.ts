import { describe, expect, it } from 'vitest';
import { newEfirmaCaller } from '../fixtures/efirma.ts';
import {
  askFor,
  darFilas,
  eventosDe,
  fail,
  llamadas,
  movimientosDe,
  openPaquete,
  openWhole,
  type Pedido,
  saldoDe,
  UN_DIA,
  uuidsDelSat,
  waitForLlamadas,
} from '../fixtures/pedidos.ts';
import { type Caller, expectOk, useServicio, waitForEnd } from '../fixtures/servicio.ts';

const MAX = 10;

describe('more rows than the SAT gives in one request', () => {
  const servicio = useServicio(
    {
      workerEnv: { SAT_POLL_MAX_SECONDS: '0.2' },
      simulador: { max_filas_metadata: MAX, verificaciones_hasta_terminar: 1 },
    },
    {},
  );

  type Fila = Record<'inicio' | 'fin' | 'registros', string>;
  const partes = (id: string) =>
    servicio.sql<Fila>`SELECT inicio, fin, registros FROM parte WHERE solicitud_id = ${id} ORDER BY inicio`;
  /** The parts cover the whole days from first to last second, none twice. */
  const expectTiled = async (id: string, { desde, hasta }: Pedido) => {
    const all = await partes(id);
    expect(all[0]?.inicio).toBe(`${desde}T00:00:00`);
    expect(all.at(-1)?.fin).toBe(`${hasta}T23:59:59`);
    for (const [i, parte] of all.slice(1).entries()) {
      const before = Date.parse(`${all[i]?.fin}Z`);
      expect(Date.parse(`${parte.inicio}Z`)).toBe(before + 1_000);
    }
    return all;
  };
  const finish = async (caller: Caller, pedido: Pedido) => {
    const id = await askFor(caller, pedido);
    const expected = uuidsDelSat(servicio, caller.rfc, pedido);
    const end = await waitForEnd(caller, id);
    expect(end).toMatchObject({ estado: 'TERMINADA', registros: expected.length });
    await openWhole(servicio, caller, id, pedido);
    expect(await movimientosDe(servicio, id)).toEqual(['cargo -1']);
    return id;
  };

  it('over SOAP: the period is halved until each half fits, nothing twice, nothing lost', async () => {
    const caller = await newEfirmaCaller(servicio);
    const pedido: Pedido = { tipo: 'emitidos', desde: '2025-05-01', hasta: '2025-05-03' };
    darFilas(servicio, caller.rfc, pedido, 47);
    const id = await finish(caller, pedido);
    const all = await expectTiled(id, pedido);
    expect(all.length).toBeGreaterThan(4);
    for (const { registros } of all) expect(Number(registros)).toBeLessThanOrEqual(MAX);
    expect((await eventosDe(servicio, id)).filter((tipo) => tipo === 'DIVIDIDA')).toHaveLength(all.length - 1);
    const asked = llamadas(servicio, caller, 'SolicitaDescargaEmitidos').map(({ detail }) => detail);
    const periods = asked.map((d) => `${d['FechaInicial']}/${d['FechaFinal']}`);
    expect(new Set(periods).size).toBe(periods.length);
  });

  it('over SOAP: also when the SAT says so at the request', { tags: ['slow'] }, async () => {
    const caller = await newEfirmaCaller(servicio);
    darFilas(servicio, caller.rfc, UN_DIA, 8);
    const [service, operation] = ['cfdidescargamasivasolicitud', 'SolicitaDescargaRecibidos'];
    fail(servicio, caller, { service, operation, kind: 'code', code: 5003, times: 1 });
    const id = await finish(caller, UN_DIA);
    expect(await expectTiled(id, UN_DIA)).toHaveLength(2);
  });

  it('in the portal: received ones by month, then by day, then by halves of a day', { tags: ['slow'] }, async () => {
    const caller = await servicio.newCiecCaller();
    const pedido: Pedido = { tipo: 'recibidos', desde: '2025-04-29', hasta: '2025-05-02' };
    darFilas(servicio, caller.rfc, pedido, 48);
    const id = await finish(caller, pedido);
    const all = await expectTiled(id, pedido);
    expect(all).toHaveLength(8);
    expect(all.map(({ inicio, fin }) => `${inicio.slice(5)} ${fin.slice(5)}`).slice(0, 2)).toEqual([
      '04-29T00:00:00 04-29T11:59:59',
      '04-29T12:00:00 04-29T23:59:59',
    ]);
  });

  it('in the portal: issued ones by halves of the period', { tags: ['slow'] }, async () => {
    const caller = await servicio.newCiecCaller();
    const pedido: Pedido = { tipo: 'emitidos', desde: '2025-04-30', hasta: '2025-05-01' };
    darFilas(servicio, caller.rfc, pedido, 33);
    const id = await finish(caller, pedido);
    expect(await expectTiled(id, pedido)).toHaveLength(4);
  });

  it('ends with a refund when a period that cannot be halved any more has too many', async () => {
    const caller = await newEfirmaCaller(servicio, { saldo: 2 });
    darFilas(servicio, caller.rfc, UN_DIA, 86_400 * MAX);
    const [service, operation] = ['cfdidescargamasivasolicitud', 'VerificaSolicitudDescarga'];
    const stuck = fail(servicio, caller, { service, operation, kind: 'stuck' });
    const id = await askFor(caller);
    await waitForLlamadas(servicio, caller, operation, 1);
    // As if the halving had come down to these two seconds, which takes thousands of requests.
    await servicio.sql`UPDATE parte SET inicio = '2025-05-14T12:00:00', fin = '2025-05-14T12:00:01'
      WHERE solicitud_id = ${id}`;
    servicio.simulador.world.faults.remove(stuck.id);
    expect(await waitForEnd(caller, id)).toMatchObject({
      estado: 'ERROR',
      motivo: 'DEMASIADOS_CFDI_POR_SEGUNDO',
      progreso: 1,
    });
    expect(await movimientosDe(servicio, id)).toEqual(['cargo -1', 'reembolso 1']);
    expect(await saldoDe(servicio, caller)).toBe(2);
  });

  it.each(['soap', 'portal'] as const)(
    'no rows over %s, which nobody else confirms: TERMINADA with 0, a ZIP with the header only, given back',
    async (canal) => {
      const caller = await (canal === 'soap' ? newEfirmaCaller(servicio) : servicio.newCiecCaller());
      darFilas(servicio, caller.rfc, UN_DIA, 0);
      const pedido: Pedido = { tipo: 'recibidos', desde: '2025-03-30', hasta: '2025-04-02' };
      const id = await askFor(caller, pedido);
      expect(await waitForEnd(caller, id)).toMatchObject({
        estado: 'TERMINADA',
        registros: 0,
        progreso: 1,
        motivo: null,
        confianza: 'sin_confirmar',
        reembolsada: true,
      });
      const { csv, names, entries, manifest } = await openPaquete(caller, id);
      expect(csv).toEqual([]);
      expect(entries.get('metadata.csv')?.toString()).toMatch(/^uuid,rfc_emisor,[^\n]+\r\n$/);
      expect(names.filter((name) => name.startsWith('originales/'))).toEqual([]);
      expect(manifest).toMatchObject({ rfc: caller.rfc, confianza: 'sin_confirmar' });
      const paquete = await expectOk(caller.call('descarga/paquete', { solicitud_id: id }));
      expect(paquete).toMatchObject({ confianza: 'sin_confirmar' });
      expect(await movimientosDe(servicio, id)).toEqual(['cargo -1', 'reembolso 1']);
      const detalles = await servicio.sql`SELECT detalle FROM movimiento WHERE op_id = ${id} AND tipo = 'reembolso'`;
      expect(detalles).toEqual([{ detalle: 'VACIA_SIN_CONFIRMAR' }]);
      expect(await saldoDe(servicio, caller)).toBe(10);
      expect(llamadas(servicio, caller, 'Descargar')).toEqual([]);
    },
  );

  it('leaves out the rows of the month that were not asked for, to none at all', async () => {
    const caller = await servicio.newCiecCaller();
    darFilas(servicio, caller.rfc, { ...UN_DIA, desde: '2025-05-01', hasta: '2025-05-02' }, 6);
    const id = await askFor(caller, { tipo: 'recibidos', desde: '2025-05-10', hasta: '2025-05-12' });
    const end = { estado: 'TERMINADA', registros: 0, confianza: 'confirmado', reembolsada: false };
    expect(await waitForEnd(caller, id)).toMatchObject(end);
    expect((await openPaquete(caller, id)).csv).toEqual([]);
    const data = await expectOk(caller.call('descarga/verificar', { solicitud_id: id }));
    expect(data).toMatchObject({ registros: 0 });
  });
});
