import { describe, expect, it } from 'vitest';
import { PaqueteSatInvalido, type PlanEnsamble } from '../ports/paquetes.ts';
import type { Respuesta } from '../ports/sat.ts';
import type { Avance, ClaimedSolicitud, Claims } from '../ports/solicitudes.ts';
import { advanceSolicitud } from './advance.ts';
import { type AdvanceDeps, noCheckpoint, sealedCopies } from './parte.ts';
import { AGENDA, claimed, NOW, parte } from './testing/un-paso.ts';

const STORED = { objectKey: 'k', sha256: 'aa' };
const RESUMEN = { porEfecto: {}, porMes: {}, cancelados: 0 };

/** Advances a solicitud whose parts become `after`, one list for each step that goes on; gives the writes in order. */
async function advance(
  first: ClaimedSolicitud,
  after: readonly ClaimedSolicitud['partes'][],
  answers: Record<string, unknown>,
  {
    signal = new AbortController().signal,
    bytes = 3,
    assembles = true,
    fails = null,
  }: { signal?: AbortSignal; bytes?: number; assembles?: boolean; fails?: Error | null } = {},
) {
  const writes: { write: string; avance: Avance; next?: { queue: string; inSeconds: number } }[] = [];
  const plans: PlanEnsamble[] = [];
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
    async finish({ claim }, _, avance = {}) {
      writes.push({ write: `finish after ${claim.eventos}`, avance });
      return true;
    },
  };
  const stored = { ...STORED, bytes };
  const assembly: Parameters<typeof advanceSolicitud>[0]['assembly'] = {
    paquetes: {
      async assemble(plan) {
        plans.push(plan);
        if (fails !== null) throw fails;
        return { ...stored, registros: 1, confianza: 'confirmado', resumen: RESUMEN, notas: {} };
      },
      async remove() {},
    },
    observe: [],
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
      saveSat: async () => stored,
      saveXml: async () => stored,
      saveEvidencia: async () => {},
      findSat: async () => null,
      ping: async () => {},
    },
    cuotas: { take: async () => true },
    sources: [
      sealedCopies(
        ({ tipo }, { rfc }) =>
          ({ tipo, rfc, cer: Buffer.alloc(0), key: Buffer.alloc(1), ciec: Buffer.alloc(1) }) as never,
      ),
    ],
    agenda: AGENDA,
    checkpoint: noCheckpoint,
  };
  const error = await advanceSolicitud(assembles ? { ...deps, assembly } : deps, first, signal).catch((each) => each);
  return { error, asked, writes, plans, names: writes.map(({ write }) => write) };
}

const READY = { 'verificar-metadata': { resultado: 'TERMINADA', registros: 1, paquetes: ['a'] } };
const paquetes = (...names: string[]) =>
  names.map((paquete, orden) => ({ paquete, orden, objectKey: null, relecturas: 0 }));

const STORED_BEFORE = { paquete: 'a', orden: 0, objectKey: 'k', relecturas: 0 };

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

  const solicitada = parte({ estado: 'SOLICITADA', folio: 'f' });
  const ready = { ...solicitada, estado: 'DISPONIBLE' as const, paquetes: paquetes('a') };
  const SAVED = { partes: [{ estado: 'DESCARGADA', guardado: { paquete: 'a', objectKey: 'k' } }] };
  const FETCHED = { ...READY, 'descargar-paquete': { resultado: 'PAQUETE', zip: [] } };

  it('a request that is ready is fetched, and its small package assembled', async () => {
    const result = await advance(claimed({ partes: [solicitada] }), [[ready]], FETCHED);
    expect(result.asked).toEqual(['verificar-metadata', 'descargar-paquete']);
    expect(result.names).toEqual(['goOn', 'finish after PAQUETE_GUARDADO']);
    expect(result.writes.at(-1)?.avance).toMatchObject(SAVED);
    expect(result.plans).toMatchObject([{ partes: [{ folio: 'f', paquetes: [{ paquete: 'a', objectKey: 'k' }] }] }]);
  });

  it('a package that was fetched again is noted before its assembly: storage may have the one before', async () => {
    const again = { ...ready, paquetes: ready.paquetes.map((each) => ({ ...each, relecturas: 1 })) };
    const { names, writes } = await advance(claimed({ partes: [again] }), [], FETCHED);
    expect(names).toEqual(['save', 'finish after PAQUETE_GUARDADO']);
    expect(writes[0]?.avance).toMatchObject(SAVED);
    expect(writes.at(-1)?.avance).toEqual({});
  });

  it('a package is noted when its assembly fails, and when it cannot be read', async () => {
    const away = await advance(claimed({ partes: [ready] }), [], FETCHED, { fails: new Error('storage away') });
    expect(away.error).toEqual(new Error('storage away'));
    expect(away.writes).toMatchObject([{ write: 'save', avance: SAVED }]);
    const fails = new PaqueteSatInvalido('TRUNCADO', 'k', 'cut');
    const { error, names, writes } = await advance(claimed({ partes: [ready] }), [], FETCHED, { fails });
    expect([error, names]).toEqual([undefined, ['save', 'release']]);
    expect(writes[1]).toMatchObject({
      avance: { partes: [{ estado: 'DISPONIBLE', releer: { paquete: 'a' } }] },
      next: { queue: 'descargas', inSeconds: 0 },
    });
  });

  it('a request without CFDI is assembled as well', async () => {
    const again = parte({ estado: 'SOLICITADA', folio: 'f', canal: 'portal', vacias: ['soap'] });
    const sellada = {
      tipo: 'ciec',
      kid: 'k',
      sobre: Buffer.alloc(0),
      expiraEn: new Date(NOW.getTime() + 1_000),
    } as const;
    const both = claimed({ partes: [again], otra: sellada });
    const { plans, names, writes } = await advance(both, [], { 'verificar-metadata': { resultado: 'VACIA' } });
    expect(names).toEqual(['finish after SIN_CFDI,VACIA_CONFIRMADA']);
    expect(writes[0]?.avance.partes).toMatchObject([{ estado: 'VACIA', vacias: ['soap', 'portal'] }]);
    expect(plans).toMatchObject([{ partes: [{ confirmada: true, paquetes: [] }] }]);
  });

  it.each([
    ['a process without assembly', claimed({ partes: [ready] }), { assembles: false }],
    ['a large package', claimed({ partes: [ready] }), { bytes: 262_145 }],
    ['XML', claimed({ contenido: 'xml', partes: [ready] }), {}],
    ['several packages', claimed({ partes: [ready, { ...ready, id: 'p2', estado: 'DESCARGADA' }] }), {}],
    ['a package stored before', claimed({ partes: [{ ...ready, paquetes: [STORED_BEFORE] }] }), {}],
  ])('%s goes to the queue of the assembly', async (_, solicitud, options) => {
    const { names, writes, plans } = await advance(solicitud, [], FETCHED, options);
    expect(names).toEqual(['release']);
    expect(writes.at(-1)?.next).toEqual({ queue: 'ensambles', inSeconds: 0 });
    expect(plans).toEqual([]);
  });

  it('three steps are taken at most: a slot is not kept by one solicitud', async () => {
    const many = parte({ estado: 'DISPONIBLE', folio: 'f', paquetes: paquetes('a', 'b', 'c', 'd') });
    const result = await advance(claimed({ partes: [many] }), [[many], [many], [many]], FETCHED);
    expect(result.names).toEqual(['goOn', 'goOn', 'release']);
    expect(result.writes.at(-1)?.next).toEqual({ queue: 'descargas', inSeconds: 0 });
  });
});

it('a worker that stops releases the claim after its step', async () => {
  const asked = parte({ estado: 'SOLICITADA', folio: 'f' });
  const { names } = await advance(claimed({ partes: [asked] }), [], READY, { signal: AbortSignal.abort() });
  expect(names).toEqual(['release']);
});
