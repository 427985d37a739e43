import type { Consulta, CredencialDe, NombreDescarga } from '@acuse/core';
import { createSatSoap } from '@acuse/sat';
import type { Fault } from '@acuse/simulador';
import { efirmaDe, MARZO, record, simulate } from './setup.ts';

export const RFC = 'EKU9003173C9';
const base = {
  rfc: RFC,
  tipo: 'recibidos',
  periodo: MARZO,
  folio: '4e80345d-917f-40bb-a98f-4a73939343c5',
  paquete: '4E80345D-917F-40BB-A98F-4A73939343C5_01',
} as const;

/** The three steps of the bulk download, for a folio that the service does not know, and their operations. */
export const SOLICITAR = { ...base, consulta: 'solicitar-metadata' } as const;
export const VERIFICAR = { ...base, consulta: 'verificar-metadata' } as const;
export const DESCARGAR = { ...base, consulta: 'descargar-paquete' } as const;
export const OPERACIONES = {
  'solicitar-metadata': 'SolicitaDescargaRecibidos',
  'verificar-metadata': 'VerificaSolicitudDescarga',
  'descargar-paquete': 'Descargar',
} as const;

/** The web service's channel in front of the simulated authority. Its own clock stands still until it is moved. */
export async function setUp(
  options: { soap?: Parameters<typeof createSatSoap>[0]['settings']; http?: Parameters<typeof record>[1] } = {},
) {
  const simulador = await simulate();
  const { world } = simulador;
  const { http, requests } = record(simulador, options.http);
  let now = Date.now();
  const sat = createSatSoap({ http, now: () => now, settings: { refusalPauseMs: 0, ...options.soap } });
  const efirma = await efirmaDe(RFC);
  const calls = (operation: string) => world.log.list({ operation });
  return {
    world,
    requests,
    efirma,
    /** What its clock says. */
    now: () => new Date(now),
    ask: <N extends NombreDescarga>(
      consulta: Consulta<N> & { consulta: N },
      credencial: CredencialDe<N> = efirma,
      signal = new AbortController().signal,
    ) => sat.send<N>(consulta, credencial, { signal }),
    /** Moves the clocks of both, milliseconds. */
    advance(ms: number) {
      now += ms;
      world.clock.advance(ms);
    },
    /** The same, and the SAT believes it when a signed message says what time it is. */
    live(ms: number) {
      now += ms;
      world.clock.advanceMachine(ms);
    },
    /** From now on, this fault alone spoils the operation. */
    fault(operation: string, fault: Omit<Fault, 'service' | 'operation'>) {
      world.faults.remove();
      world.faults.add({ service: '*', operation, ...fault });
    },
    count: (operation: string) => calls(operation).length,
    services: (operation: string) => calls(operation).map(({ service }) => service),
  };
}

/** Makes an answer of the service say something else: its attributes, its packages, the bytes of a package. */
export function says(attrs: Readonly<Record<string, string>>, paquetes: readonly string[] = [], zip = '') {
  const pairs = Object.entries(attrs).map(([name, value]) => ` ${name}="${value.replaceAll('&', '&amp;')}"`);
  const ids = paquetes.map((id) => `<IdsPaquetes>${id}</IdsPaquetes>`).join('');
  return (xml: string) =>
    xml
      .replace(/(<(?:\w+Result|h:respuesta))(?: \w+="[^"]*")+/, (_, tag: string) => tag + pairs.join(''))
      .replace(/(?:<IdsPaquetes>.*)?(?=<\/VerificaSolicitudDescargaResult>)/, ids)
      .replace(/<Paquete>[^<]*/, () => `<Paquete>${zip}`);
}
