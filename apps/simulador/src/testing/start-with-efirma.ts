import type { RunningSimulador, StartOptions } from '../start.ts';
import type { Efirma, EfirmaOrder } from '../world/pki.ts';
import { createSignedClient, type SignedClient } from './signed-client.ts';
import { startForTests } from './start-for-tests.ts';

const DAY = 86_400_000;

/** Starts a simulator for the tests of a file, as `startForTests` does, and gives a client of its bulk service. */
export async function startWithEfirma(rfc: string, options: StartOptions = {}, now: Date | null = null) {
  const simulador = await startForTests(options, now);
  const efirma = await issue(simulador, { rfc });
  return { simulador, efirma, client: createSignedClient({ url: simulador.url, ...efirma }) };
}

/** An e.firma valid around now unless the order says otherwise. */
export function issue(
  { world }: Pick<RunningSimulador, 'world'>,
  order: Partial<EfirmaOrder> & { rfc: string },
): Promise<Efirma> {
  const now = world.clock.now().getTime();
  return world.pki.issue({
    nombre: 'CONTRIBUYENTE DE PRUEBA',
    password: '12345678a',
    desde: new Date(now - 8 * DAY),
    vence: new Date(now + 365 * DAY),
    ...order,
  });
}

/** Asks for the metadata of a period of issued ones and gives the answer's attributes. */
export async function requestEmitidos(
  client: SignedClient,
  token: string,
  rfc: string,
  change: Record<string, string> = {},
): Promise<Record<string, string>> {
  const { attributes } = await client.send(
    'SolicitaDescargaEmitidos',
    {
      EstadoComprobante: 'Todos',
      FechaInicial: '2026-05-01T00:00:00',
      FechaFinal: '2026-05-31T23:59:59',
      RfcEmisor: rfc,
      RfcSolicitante: rfc,
      TipoSolicitud: 'Metadata',
      ...change,
    },
    { token },
  );
  return attributes;
}
