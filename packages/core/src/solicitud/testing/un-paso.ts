import { expect } from 'vitest';
import type { CopiaCerrada, CredentialSource } from '../../ports/credential-source.ts';
import type { NombrePaso, Respuesta, Sat } from '../../ports/sat.ts';
import type { Avance, ClaimedSolicitud, Claims, Parte } from '../../ports/solicitudes.ts';
import { newParte } from '../cambios.ts';
import { type AdvanceDeps, noCheckpoint, sealedCopies } from '../parte.ts';
import { takeStep } from '../solicitud.ts';

export const NOW = new Date('2025-06-01T12:00:00Z');
export const PERIODO = { inicio: '2025-01-01T00:00:00', fin: '2025-01-31T23:59:59' };

export const AGENDA: AdvanceDeps['agenda'] = {
  primeraSegundos: 60,
  factor: 2,
  maximaSegundos: 600,
  portalSegundos: [3_600, 10_800],
  retrasadaSegundos: 43_200,
  vaciaSegundos: 3_600,
};

export const parte = (change: Partial<Parte> = {}): Parte => ({
  ...newParte({ canal: 'soap', now: NOW }, PERIODO),
  id: 'p1',
  ...change,
});

export const claimed = (change: Partial<ClaimedSolicitud> = {}): ClaimedSolicitud => ({
  id: '01936f5e-7c3a-7b1e-8f00-2a4b6c8d0e1f',
  modo: 'live',
  cuentaId: 'c1',
  contribuyenteId: 't1',
  rfc: 'ACU200101DB1',
  tipo: 'recibidos',
  desde: '2025-01-01',
  hasta: '2025-01-31',
  formato: 'csv',
  filtros: null,
  contenido: 'metadata',
  tablas: false,
  canal: 'soap',
  canalDejado: null,
  origenId: null,
  fase: 'DESCARGA',
  epoch: 1,
  creadaEn: NOW,
  deadlineAt: new Date(NOW.getTime() + 3_600_000),
  now: NOW,
  claim: { at: NOW, eventos: [] },
  traceparent: null,
  dueAt: NOW,
  wokenAt: NOW,
  partes: [parte({ canal: change.canal ?? 'soap' })],
  isCredencialRechazada: false,
  sellada: { tipo: 'efirma', kid: 'k', sobre: Buffer.alloc(0), expiraEn: new Date(NOW.getTime() + 1_000) },
  otra: null,
  mayPresign: false,
  presigned: null,
  ...change,
});

type Answers = {
  [N in NombrePaso]?: Respuesta<N> | Error;
};

/** Runs one step; gives everything that was written and asked, in order. */
export async function step(
  solicitud: ClaimedSolicitud,
  answers: Answers = {},
  stored: string | null = null,
  opened: CopiaCerrada | null = null,
  sources: (calls: unknown[][]) => readonly CredentialSource[] = () => [],
  /** Answers of the quotas, in order; then all are granted. */
  granted: readonly boolean[] = [],
) {
  const grants = [...granted];
  const calls: unknown[][] = [];
  const consultas: object[] = [];
  const claims = new Proxy({} as Claims, {
    get:
      (_, name: string) =>
      async (held: ClaimedSolicitud, ...rest: unknown[]) => {
        calls.push([name, ...rest]);
        return held;
      },
  });
  const sat: Sat<NombrePaso> = {
    async send(consulta, credencial) {
      calls.push(['sat', consulta.consulta, credencial.tipo]);
      consultas.push(consulta);
      const answer = answers[consulta.consulta];
      if (answer === undefined) throw new Error(`unexpected ${consulta.consulta}`);
      if (answer instanceof Error) throw answer;
      return answer as never;
    },
  };
  const object = { objectKey: 'k', bytes: 3, sha256: 'aa' };
  const paquetes: AdvanceDeps['paquetes'] = {
    async saveEvidencia() {},
    async saveXml() {
      calls.push(['saveXml']);
      return object;
    },
    async saveSat() {
      calls.push(['saveSat']);
      return object;
    },
    findSat: async ({ paquete }) => (stored === paquete ? object : null),
    async ping() {
      calls.push(['ping']);
    },
  };
  const key = Buffer.from('secret');
  const deps: AdvanceDeps = {
    claims,
    sat,
    paquetes,
    cuotas: {
      async take({ clave, cuantos }) {
        calls.push(['take', clave, cuantos]);
        return grants.shift() ?? true;
      },
    },
    sources: [
      sealedCopies(() => opened ?? { tipo: 'efirma', rfc: solicitud.rfc, cer: Buffer.alloc(0), key }),
      ...sources(calls),
    ],
    agenda: AGENDA,
    checkpoint: noCheckpoint,
  };
  await takeStep(deps, solicitud, new AbortController().signal);
  const [name, first, second] = calls.at(-1) ?? [];
  return {
    calls,
    consultas,
    names: calls.map((call) => call.slice(0, call[0] === 'sat' ? 2 : 1).join(' ')),
    name,
    first,
    second,
    key,
  };
}

export const released = (result: Awaited<ReturnType<typeof step>>) => {
  expect(result.name).toBe('release');
  return { avance: result.first as Avance, next: result.second as { queue: string; inSeconds: number } };
};
