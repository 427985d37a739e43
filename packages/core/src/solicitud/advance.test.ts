import { describe, expect, it } from 'vitest';
import type { Respuesta } from '../ports/sat.ts';
import type { Avance, ClaimedSolicitud, Claims } from '../ports/solicitudes.ts';
import { advanceSolicitud } from './advance.ts';
import { type AdvanceDeps, noCheckpoint, sealedCopies } from './parte.ts';
import { AGENDA, claimed, parte } from './testing/un-paso.ts';

const STORED = { objectKey: 'k', bytes: 3, sha256: 'aa' };

/** Advances a solicitud whose parts become `after`, one list for each step that goes on; gives the writes in order. */
async function advance(
  first: ClaimedSolicitud,
  after: readonly ClaimedSolicitud['partes'][],
  answers: Record<string, unknown>,
  signal = new AbortController().signal,
) {
  const writes: { write: string; avance: Avance; next?: { queue: string; inSeconds: number } }[] = [];
  const asked: string[] = [];
  const left = [...after];
  const claims: Partial<Claims> = {
    async save(_, avance) {
      writes.push({ write: 'save', avance });
    },
    async goOn(held, avance) {
      writes.push({ write: 'goOn', avance });
      return { ...held, partes: left.shift() ?? [] };
    },
    async release(_, avance, next) {
      writes.push({ write: 'release', avance, next });
    },
  };
  const deps: AdvanceDeps = {
    claims: claims as Claims,
    sat: {
      async send({ consulta }) {
        asked.push(consulta);
        return answers[consulta] as Respuesta<'verificar-metadata'> as never;
      },
    },
    paquetes: {
      saveSat: async () => STORED,
      saveXml: async () => STORED,
      saveEvidencia: async () => {},
      findSat: async () => null,
      ping: async () => {},
    },
    cuotas: { take: async () => true },
    sources: [
      sealedCopies(({ tipo }, { rfc }) => ({ tipo, rfc, cer: Buffer.alloc(0), key: Buffer.alloc(1) }) as never),
    ],
    agenda: AGENDA,
    checkpoint: noCheckpoint,
  };
  await advanceSolicitud(deps, first, signal);
  return { asked, writes, names: writes.map(({ write }) => write) };
}

const READY = { 'verificar-metadata': { resultado: 'TERMINADA', registros: 1, paquetes: ['a'] } };
const paquetes = (...names: string[]) =>
  names.map((paquete, orden) => ({ paquete, orden, objectKey: null, relecturas: 0 }));

describe('under one claim', () => {
  it('a new solicitud is divided into parts and asked for', async () => {
    const { asked, names, writes } = await advance(claimed({ partes: [] }), [], {
      'solicitar-metadata': { resultado: 'ACEPTADA', folio: 'f' },
    });
    expect(asked).toEqual(['solicitar-metadata']);
    expect(names).toEqual(['save', 'release']);
    expect(writes.at(-1)).toMatchObject({
      avance: { partes: [{ estado: 'SOLICITADA' }] },
      next: { queue: 'descargas', inSeconds: writes.at(-1)?.avance.partes?.[0]?.dueInSeconds },
    });
  });

  it('a request that is ready is fetched, then goes to the assembly', async () => {
    const asked = parte({ estado: 'SOLICITADA', folio: 'f' });
    const ready = { ...asked, estado: 'DISPONIBLE' as const, paquetes: paquetes('a') };
    const answers = { ...READY, 'descargar-paquete': { resultado: 'PAQUETE', zip: [] } };
    const result = await advance(claimed({ partes: [asked] }), [[ready]], answers);
    expect(result.asked).toEqual(['verificar-metadata', 'descargar-paquete']);
    expect(result.names).toEqual(['goOn', 'release']);
    expect(result.writes.at(-1)?.next).toEqual({ queue: 'ensambles', inSeconds: 0 });
  });

  it('three steps are taken at most: a slot is not kept by one solicitud', async () => {
    const ready = parte({ estado: 'DISPONIBLE', folio: 'f', paquetes: paquetes('a', 'b', 'c', 'd') });
    const answers = { 'descargar-paquete': { resultado: 'PAQUETE', zip: [] } };
    const result = await advance(claimed({ partes: [ready] }), [[ready], [ready], [ready]], answers);
    expect(result.names).toEqual(['goOn', 'goOn', 'release']);
    expect(result.writes.at(-1)?.next).toEqual({ queue: 'descargas', inSeconds: 0 });
  });
});

it('a worker that stops releases the claim after its step', async () => {
  const asked = parte({ estado: 'SOLICITADA', folio: 'f' });
  const { names } = await advance(claimed({ partes: [asked] }), [], READY, AbortSignal.abort());
  expect(names).toEqual(['release']);
});
