import { expect, it } from 'vitest';
import { flowOnEachDriver } from '../fixtures/drivers.ts';
import { newEfirmaCaller } from '../fixtures/efirma.ts';
import { askFor, eventosDe, fail, llamadas } from '../fixtures/pedidos.ts';
import { isStopped, LOOPS, logOf, MORTAL, STEPS } from '../fixtures/procesos.ts';
import { askedOfSat, expectWhole, MES } from '../fixtures/resultado.ts';
import { useServicio, waitFor } from '../fixtures/servicio.ts';

flowOnEachDriver('a worker that was frozen and comes back', (queueUrl) => {
  const servicio = useServicio({ queueUrl, simulador: { filas_por_paquete: 40 } }, LOOPS);

  const frozenAt = async (punto: string) => {
    const victim = await servicio.startWorker({ ...MORTAL, FAILPOINT: `${punto}:freeze` });
    return { ...victim, isFrozen: () => waitFor(async () => (await isStopped(victim.pid)) || null) };
  };
  const isRefused = (name: string) => waitFor(async () => (await logOf(servicio, name)).includes('lease_lost') || null);

  it('cannot note what the SAT told it once another has the solicitud', async () => {
    const caller = await newEfirmaCaller(servicio);
    const stuck = fail(servicio, caller, {
      service: 'cfdidescargamasivasolicitud',
      operation: 'VerificaSolicitudDescarga',
      kind: 'stuck',
    });
    const victim = await frozenAt('tras-solicitar');
    const id = await askFor(caller, MES);
    await victim.isFrozen();
    const rescuer = await servicio.startWorker(STEPS);
    const folioOf = async (): Promise<string | null> => {
      const rows = await servicio.sql`SELECT folio FROM parte WHERE solicitud_id = ${id}`;
      return rows[0]?.folio ?? null;
    };
    const folio = await waitFor(folioOf);

    victim.kill('SIGCONT');
    await isRefused(victim.name);
    expect(await folioOf()).toBe(folio);
    expect((await eventosDe(servicio, id)).filter((tipo) => tipo === 'SOLICITADA')).toHaveLength(1);

    servicio.simulador.world.faults.remove(stuck.id);
    await expectWhole(servicio, caller, id);
    expect(await victim.stop()).toBe(true);
    expect(await rescuer.stop()).toBe(true);
  });

  it('cannot end what another has ended', { tags: ['slow'] }, async () => {
    const caller = await newEfirmaCaller(servicio);
    const victim = await frozenAt('tras-ensamblar');
    const id = await askFor(caller, MES);
    await victim.isFrozen();
    const rescuer = await servicio.startWorker(STEPS);
    await expectWhole(servicio, caller, id);
    const row = async () => await servicio.sql`SELECT * FROM solicitud WHERE id = ${id}`;
    const ended = await row();

    victim.kill('SIGCONT');
    await isRefused(victim.name);
    expect(await row()).toEqual(ended);
    await expectWhole(servicio, caller, id);
    expect(await victim.stop()).toBe(true);
    expect(await rescuer.stop()).toBe(true);
  });

  it('does not ask the SAT for what another has already got', { tags: ['slow'] }, async () => {
    const caller = await newEfirmaCaller(servicio);
    const first = await servicio.startWorker({ ...MORTAL, FAILPOINT: 'tras-intencion:kill' });
    const id = await askFor(caller, MES);
    await waitFor(async () => !first.isRunning() || null);
    const victim = await frozenAt('tras-tomar');
    await victim.isFrozen();
    const rescuer = await servicio.startWorker(STEPS);
    await expectWhole(servicio, caller, id);

    const before = llamadas(servicio, caller).length;
    victim.kill('SIGCONT');
    await isRefused(victim.name);
    expect(await victim.stop()).toBe(true);
    expect(llamadas(servicio, caller)).toHaveLength(before);
    expect(askedOfSat(servicio, caller.rfc).sends).toBe(1);
    expect(await rescuer.stop()).toBe(true);
  });
});
