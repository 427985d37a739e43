import { beforeAll, describe, expect, it, vi } from 'vitest';
import { newEfirmaCaller } from '../fixtures/efirma.ts';
import { expectOk, LISTAS_TOO, useServicio, waitForEnd } from '../fixtures/servicio.ts';

interface SumaHost {
  readonly host: string;
  readonly canal: string;
  readonly peticiones: number;
  readonly fallos: number;
  readonly medidas: number;
}

describe('the sums of the requests to the SAT', () => {
  const servicio = useServicio();
  beforeAll(async () => {
    await servicio.startWorker(LISTAS_TOO);
  });

  const hosts = () => servicio.sql<SumaHost>`
    SELECT host, canal, sum(exitos + rechazos + fallos + canceladas)::int AS peticiones, sum(fallos)::int AS fallos,
           sum((SELECT sum(n) FROM unnest(cubetas) n))::int AS medidas
    FROM salud_sat GROUP BY host, canal`;
  const counted = (seen: readonly SumaHost[]) =>
    Object.fromEntries(seen.map(({ host, peticiones }) => [host.split('.')[0], peticiones]));
  const logged = () => {
    const counts: Record<string, number> = {};
    for (const { service } of servicio.simulador.world.log.list()) counts[service] = (counts[service] ?? 0) + 1;
    return counts;
  };

  it('counts host by host what the authority itself counts, of the API and of the workers', async () => {
    const { taxpayers, faults } = servicio.simulador.world;
    faults.add({ service: 'cfdidescargamasivasolicitud', operation: 'Autentica', kind: 'status', times: 1 });
    const ciec = await servicio.newCiecCaller();
    const efirma = await newEfirmaCaller(servicio, {});
    const periodo = { desde: '2025-05-14', hasta: '2025-05-14' };
    await expectOk(ciec.call('tax/facturas', { rfc: ciec.rfc, ...periodo }));
    const { idCif } = taxpayers.profile(ciec.rfc);
    await expectOk(ciec.call('vault/rfc-registrar', { rfc: ciec.rfc, id_cif: idCif }));
    await expectOk(ciec.call('usuario/datos-fiscales', { rfc: ciec.rfc }));
    const { solicitud_id: id } = await expectOk(
      efirma.call('tax/descarga-metadata', { rfc: efirma.rfc, tipo: 'recibidos', ...periodo }),
    );
    await waitForEnd(efirma, String(id));

    // The worker also loads its list meanwhile, and tells what it asked in its own time.
    let seen: readonly SumaHost[] = [];
    const look = async () => {
      seen = await hosts();
      expect(counted(seen)).toEqual(logged());
      expect(new Set(seen.map(({ canal }) => canal))).toEqual(new Set(['soap', 'portal', 'publico', 'lista']));
    };
    await vi.waitFor(look, { timeout: 60_000 });
    const soap = seen.find(({ host }) => host.startsWith('cfdidescargamasivasolicitud'));
    expect(soap?.fallos).toBe(1);
    expect(soap?.medidas).toBe(soap?.peticiones);
    expect(await servicio.sql`SELECT host FROM estado_host WHERE abierto_hasta > 0`).toEqual([]);
  });
});
