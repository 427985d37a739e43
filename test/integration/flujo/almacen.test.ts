import { describe, expect, inject, it } from 'vitest';
import { duringTests } from '../fixtures/during-tests.ts';
import { newEfirmaCaller } from '../fixtures/efirma.ts';
import {
  askFor,
  darFilas,
  eventosDe,
  fail,
  llamadas,
  movimientosDe,
  openWhole,
  UN_DIA,
  verificar,
  waitForLlamadas,
} from '../fixtures/pedidos.ts';
import { startPipe } from '../fixtures/pipe.ts';
import { useServicio, waitFor, waitForEnd } from '../fixtures/servicio.ts';

const SAT = 'cfdidescargamasivasolicitud';
const VERIFICA = 'VerificaSolicitudDescarga';

describe('the storage is away', () => {
  const pipe = duringTests(() => startPipe(inject('s3').endpoint));
  const servicio = useServicio(
    () => ({ simulador: { filas_por_paquete: 5 }, workerEnv: { S3_ENDPOINT: pipe.url } }),
    {},
  );

  const failures = async (id: string) =>
    (await eventosDe(servicio, id)).filter((tipo) => tipo === 'FALLO_INTERNO').length;

  it('when packages are ready: none is asked of the SAT until it is back, and each is given once', async () => {
    const caller = await newEfirmaCaller(servicio);
    darFilas(servicio, caller.rfc, UN_DIA, 14);
    const stuck = fail(servicio, caller, { service: SAT, operation: VERIFICA, kind: 'stuck' });
    const id = await askFor(caller);
    await waitForLlamadas(servicio, caller, VERIFICA, 1);
    pipe.shut();
    servicio.simulador.world.faults.remove(stuck.id);
    await waitFor(async () => ((await failures(id)) >= 2 ? true : null));
    expect(llamadas(servicio, caller, 'Descargar')).toEqual([]);
    expect(await verificar(caller, id)).toMatchObject({ estado: 'EN_PROCESO', motivo: null });

    pipe.open();
    expect(await waitForEnd(caller, id)).toMatchObject({ estado: 'TERMINADA', registros: 14 });
    expect(llamadas(servicio, caller, 'Descargar')).toHaveLength(3);
    expect(llamadas(servicio, caller, 'SolicitaDescargaRecibidos')).toHaveLength(1);
    await openWhole(servicio, caller, id);
    expect(await movimientosDe(servicio, id)).toEqual(['cargo -1']);
  });

  it('between two packages: stored packages stay, the rest comes when it is back', { tags: ['slow'] }, async () => {
    const caller = await newEfirmaCaller(servicio);
    darFilas(servicio, caller.rfc, UN_DIA, 14);
    // The second package waits at the SAT for long enough to lose the storage meanwhile.
    const slow = { service: 'cfdidescargamasiva', operation: 'Descargar', kind: 'slow', ms: 8_000 } as const;
    fail(servicio, caller, { ...slow, after: 1, times: 1 });
    const id = await askFor(caller);
    await waitForLlamadas(servicio, caller, 'Descargar', 2);
    pipe.shut();
    await waitFor(async () => ((await failures(id)) >= 2 ? true : null));
    const asked = llamadas(servicio, caller, 'Descargar').length;
    expect(asked).toBe(2);
    pipe.open();
    expect(await waitForEnd(caller, id)).toMatchObject({ estado: 'TERMINADA', registros: 14 });
    expect(llamadas(servicio, caller, 'Descargar')).toHaveLength(4);
    expect(llamadas(servicio, caller, 'SolicitaDescargaRecibidos')).toHaveLength(1);
    expect(await movimientosDe(servicio, id)).toEqual(['cargo -1']);
  });

  it('at the end: the ZIP is made when it is back', async () => {
    const caller = await newEfirmaCaller(servicio);
    darFilas(servicio, caller.rfc, UN_DIA, 4);
    const id = await askFor(caller);
    await waitFor(async () => ((await eventosDe(servicio, id)).includes('PAQUETE_GUARDADO') ? true : null));
    pipe.shut();
    pipe.open();
    expect(await waitForEnd(caller, id)).toMatchObject({ estado: 'TERMINADA', registros: 4 });
    expect(llamadas(servicio, caller, 'Descargar')).toHaveLength(1);
  });
});
