import { beforeAll, describe, expect, it } from 'vitest';
import { askFor, darFilas, fail, llamadas, movimientosDe, UN_DIA, verificar } from '../fixtures/pedidos.ts';
import { expectOk, useServicio, waitForEnd } from '../fixtures/servicio.ts';
import { letTimePass } from '../fixtures/tiempo.ts';

const HORA = 3_600;
const TRES_MESES = { tipo: 'recibidos', desde: '2025-03-01', hasta: '2025-05-31' } as const;

describe('waiting for the SAT by CIEC, where a session lives for 15 minutes', () => {
  const servicio = useServicio(
    {
      workerEnv: {
        SAT_POLL_FIRST_SECONDS: '60',
        SAT_POLL_MAX_SECONDS: '1800',
        SAT_POLL_PORTAL_SECONDS: [1, 3, 6, 12].map((hours) => hours * HORA).join(','),
        SAT_POLL_LATE_SECONDS: String(12 * HORA),
      },
    },
    {},
  );
  beforeAll(async () => {
    const body = JSON.stringify({ minutos_sesion: 15 });
    const ajustes = await fetch(`${servicio.simulador.url}/cfdiau/simulador/ajustes`, { method: 'PUT', body });
    expect(ajustes.status).toBe(200);
  });

  it('logs in at most six times for a request of 24 h, whatever its number of months', async () => {
    servicio.simulador.world.settings.segundos_hasta_terminar = 21 * HORA;
    const caller = await servicio.newCiecCaller();
    darFilas(servicio, caller.rfc, TRES_MESES, 30);
    const id = await askFor(caller, TRES_MESES);
    let hours = 0;
    for (;;) {
      const seconds = await letTimePass(servicio, id);
      if (seconds === null) break;
      hours += seconds / HORA;
      expect(hours).toBeLessThan(40);
    }
    expect(await waitForEnd(caller, id)).toMatchObject({ estado: 'TERMINADA', registros: 30 });
    expect(hours).toBeGreaterThan(21);
    expect(llamadas(servicio, caller, 'EntrarCiec').length).toBeLessThanOrEqual(6);
  });

  it.each([
    ['the log-in itself', 'cfdiau', 'EntrarCiec'],
    ['what follows the log-in', 'portalcfdi', 'AbrirConsulta'],
  ] as const)(
    'logs in at most six times in 24 h also while %s fails',
    { tags: ['slow'] },
    async (_what, service, operation) => {
      const caller = await servicio.newCiecCaller();
      fail(servicio, caller, { service, operation, kind: 'status' });
      const id = await askFor(caller, TRES_MESES);
      const hours: number[] = [];
      for (let now = 0; now < 24; ) {
        now += ((await letTimePass(servicio, id, 5)) ?? Number.NaN) / HORA;
        hours.push(now);
      }
      // The last one may be behind the 24 hours.
      const logins = llamadas(servicio, caller, 'EntrarCiec').length;
      expect({ logins, hours }).toMatchObject({ logins: expect.toSatisfy((n: number) => n >= 4 && n <= 6) });
    },
  );

  it('goes on past 72 h, rarely and as retrasada, until it is there or its owner cancels it', {
    tags: ['slow'],
  }, async () => {
    const caller = await servicio.newCiecCaller({ rfc: 'ATO900215SI8' });
    darFilas(servicio, caller.rfc, UN_DIA, 3);
    const id = await askFor(caller);
    let hours = 0;
    while (hours < 72) {
      expect(await verificar(caller, id)).toMatchObject({ estado: 'EN_PROCESO', retrasada: false });
      hours += ((await letTimePass(servicio, id)) ?? Number.NaN) / HORA;
    }
    const before = llamadas(servicio, caller, 'EntrarCiec').length;
    expect(await verificar(caller, id)).toMatchObject({ estado: 'EN_PROCESO', retrasada: true });
    let late = 0;
    for (let look = 0; look < 4; look += 1) late += ((await letTimePass(servicio, id)) ?? Number.NaN) / HORA;
    expect(late).toBeGreaterThan(40);
    expect(llamadas(servicio, caller, 'EntrarCiec').length - before).toBeLessThanOrEqual(5);

    const cancelada = await expectOk(caller.call('descarga/cancelar', { solicitud_id: id }));
    expect(cancelada).toEqual({ solicitud_id: id, estado: 'CANCELADA' });
    expect(await verificar(caller, id)).toMatchObject({ estado: 'CANCELADA', retrasada: false });
    expect(await movimientosDe(servicio, id)).toEqual(['cargo -1', 'reembolso 1']);
  });
});
