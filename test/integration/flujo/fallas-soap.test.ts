import { describe, expect, it } from 'vitest';
import { eachAtLength } from '../fixtures/at-length.ts';
import { newEfirmaCaller } from '../fixtures/efirma.ts';
import { darNueve, expectNueve, FALLAS, useMalaHora } from '../fixtures/mala-hora.ts';
import {
  askFor,
  eventosDe,
  fail,
  llamadas,
  movimientosDe,
  saldoDe,
  verificar,
  waitForLlamadas,
} from '../fixtures/pedidos.ts';
import { type Caller, waitForEnd } from '../fixtures/servicio.ts';

const SAT = 'cfdidescargamasivasolicitud';
const DESCARGAS = 'cfdidescargamasiva';

describe('the SAT’s web service has a bad hour', () => {
  const servicio = useMalaHora();

  const expectWhole = (caller: Caller, id: string) => expectNueve(servicio, caller, id);
  const newCaller = async () => darNueve(servicio, await newEfirmaCaller(servicio));

  eachAtLength([
    [SAT, 'SolicitaDescargaRecibidos'],
    [SAT, 'VerificaSolicitudDescarga'],
  ])(
    '%s %s: every kind of fault in a row, a slow answer at last, then a result, charged once',
    async (service, operation) => {
      const caller = await newCaller();
      for (const kind of FALLAS) fail(servicio, caller, { service, operation, kind, times: 1, ms: 200 });
      const id = await askFor(caller);
      await expectWhole(caller, id);
      const failed = (await eventosDe(servicio, id)).filter((tipo) => tipo === 'SAT_SIN_RESPUESTA');
      expect(failed).toHaveLength(FALLAS.length - 1);
    },
  );

  it('Autentica: every kind of fault in a row', { tags: ['slow'] }, async () => {
    const caller = await newCaller();
    // Before the log-in no taxpayer is named: the rule holds for every caller, and this is the only one.
    for (const kind of FALLAS)
      servicio.simulador.world.faults.add({ service: SAT, operation: 'Autentica', kind, times: 1, ms: 200 });
    const id = await askFor(caller);
    await expectWhole(caller, id);
  });

  it('a request whose answer was cut is not asked for twice in the same words', async () => {
    const caller = await newCaller();
    fail(servicio, caller, { service: SAT, operation: 'SolicitaDescargaRecibidos', kind: 'cut', times: 1 });
    await expectWhole(caller, await askFor(caller));
    const ends = llamadas(servicio, caller, 'SolicitaDescargaRecibidos').map((c) => c.detail['FechaFinal']);
    expect(ends).toEqual(['2025-05-14T23:59:59', '2025-05-14T23:59:59', '2025-05-15T00:00:00']);
  });

  eachAtLength(['404', '5006', '5011'])('%s of the service is tried again', async (codigo) => {
    const caller = await newCaller();
    for (const operation of ['SolicitaDescargaRecibidos', 'VerificaSolicitudDescarga'])
      fail(servicio, caller, { service: SAT, operation, kind: 'code', code: Number(codigo), times: 1 });
    await expectWhole(caller, await askFor(caller));
  });

  it('says that it waits, and when it looks again, while the SAT is down', async () => {
    const caller = await newCaller();
    const operation = 'VerificaSolicitudDescarga';
    const down = fail(servicio, caller, { service: SAT, operation, kind: 'status', status: 503 });
    const id = await askFor(caller);
    await waitForLlamadas(servicio, caller, operation, 3);
    const data = await verificar(caller, id);
    expect(data).toMatchObject({ estado: 'EN_PROCESO', terminada_en: null });
    expect(Number(data['intentos'])).toBeGreaterThanOrEqual(3);
    expect(data['proxima_consulta']).toMatch(/Z$/);
    servicio.simulador.world.faults.remove(down.id);
    await expectWhole(caller, id);
  });

  eachAtLength(['html200', 'empty200', 'status', 'slow'] as const)('Descargar %s: fetched again', async (kind) => {
    const caller = await newCaller();
    fail(servicio, caller, { service: DESCARGAS, operation: 'Descargar', kind, times: 2, ms: 200 });
    await expectWhole(caller, await askFor(caller));
    expect(llamadas(servicio, caller, 'Descargar')).toHaveLength(kind === 'slow' ? 1 : 3);
    expect(llamadas(servicio, caller, 'SolicitaDescargaRecibidos')).toHaveLength(1);
  });

  it.each(['cut', 'malformed'] as const)(
    'a package that is %s on its way is fetched again, within the two that the SAT gives',
    async (kind) => {
      const caller = await newCaller();
      fail(servicio, caller, { service: DESCARGAS, operation: 'Descargar', kind, times: 1 });
      await expectWhole(caller, await askFor(caller));
      expect(llamadas(servicio, caller, 'Descargar')).toHaveLength(2);
      expect(llamadas(servicio, caller, 'SolicitaDescargaRecibidos')).toHaveLength(1);
    },
  );

  it('a package cut until the SAT refuses it (5008) is requested again', async () => {
    const caller = await newCaller();
    fail(servicio, caller, { service: DESCARGAS, operation: 'Descargar', kind: 'cut', times: 2 });
    const id = await askFor(caller);
    await expectWhole(caller, id);
    const descargas = llamadas(servicio, caller, 'Descargar').map(({ detail }) => detail['IdPaquete']);
    expect(descargas).toHaveLength(4);
    expect(new Set(descargas).size).toBe(2);
    expect(llamadas(servicio, caller, 'SolicitaDescargaRecibidos')).toHaveLength(2);
    expect(await eventosDe(servicio, id)).toContain('REENVIADA');
  });

  it('fetches a package again that is no ZIP', async () => {
    const caller = await newCaller();
    fail(servicio, caller, { service: DESCARGAS, operation: 'Descargar', kind: 'wrong-content', times: 1 });
    const id = await askFor(caller);
    await expectWhole(caller, id);
    expect(llamadas(servicio, caller, 'Descargar')).toHaveLength(2);
    expect(await eventosDe(servicio, id)).toContain('PAQUETE_ILEGIBLE');
  });

  it('a package that is never a ZIP ends the solicitud with a refund', async () => {
    const caller = await newCaller();
    fail(servicio, caller, { service: DESCARGAS, operation: 'Descargar', kind: 'wrong-content' });
    const id = await askFor(caller);
    const end = await waitForEnd(caller, id);
    expect(end).toMatchObject({ estado: 'ERROR', motivo: 'PAQUETE_SAT_INVALIDO' });
    expect(await movimientosDe(servicio, id)).toEqual(['cargo -1', 'reembolso 1']);
    expect(await saldoDe(servicio, caller)).toBe(10);
  });

  eachAtLength([5007, 5008])('%i every time: asked anew twice, then ends with a refund', async (code) => {
    const caller = await newCaller();
    fail(servicio, caller, { service: DESCARGAS, operation: 'Descargar', kind: 'code', code });
    const id = await askFor(caller);
    const end = await waitForEnd(caller, id);
    expect(end).toMatchObject({ estado: 'ERROR', motivo: 'PAQUETE_SAT_AGOTADO' });
    expect(llamadas(servicio, caller, 'SolicitaDescargaRecibidos')).toHaveLength(3);
    expect(await movimientosDe(servicio, id)).toEqual(['cargo -1', 'reembolso 1']);
  });
});
