import { loadAll } from '@acuse/api';
import type { FaultKind } from '@acuse/simulador';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { abiertas, CONSULTAS, costOf, libroDe, newCallerFor, renglonesDe, whileDown } from '../fixtures/consultas.ts';
import { brokenInvariants } from '../fixtures/database.ts';
import { FALLAS } from '../fixtures/mala-hora.ts';
import { saldoDe } from '../fixtures/pedidos.ts';
import { type Answer, type Servicio, startServicio } from '../fixtures/servicio.ts';

const operations = await loadAll();

/** Operations with a cost that answer a solicitud: workers carry it out, and the call asks no SAT. */
const ACEPTAN = ['tax/descarga-metadata'];

const SALDO = 40;

/** The first operation of each credential; the others take the same way and are tagged slow. */
const isFirst = (testCase: object) =>
  testCase ===
  CONSULTAS.find(([, { credencial }]) => 'credencial' in testCase && credencial === testCase.credencial)?.[1];

/** A port that the system assigns to no process. */
const NADIE = 'http://127.0.0.1:2';

describe('credits and the authority', () => {
  let servicio: Servicio;
  /** An API over the same database that waits a second at most. */
  let hurried: { readonly url: string };
  /** An API over the same database with no server at the address of the SAT. */
  let sinSat: { readonly url: string };
  beforeAll(async () => {
    servicio = await startServicio();
    hurried = await servicio.startApi({ SAT_PRESUPUESTO_MS: '1000' });
    sinSat = await servicio.startApi({ SAT_BASE_URL: NADIE });
  });
  afterAll(() => servicio.close());

  const key = () => ({ 'idempotency-key': crypto.randomUUID() });
  const expectUnavailable = ({ status, text, body }: Answer, what: string) => {
    expect([what, status, body.cfdi_codigo, text]).toEqual([what, 503, 5041, expect.any(String)]);
    // The answer is about the SAT, in Spanish, and holds no fact of the query.
    expect(body.data).toEqual({
      motivo: expect.stringMatching(/^(El SAT|El servicio del SAT) .*[.)]$/),
      reintentar_en: expect.any(Number),
    });
  };

  it('every operation with a cost is tried here, and no other', () => {
    const cost = operations.filter(({ cost }) => cost === 1).map(({ path }) => path);
    expect([...new Set([...CONSULTAS.map(([path]) => path), ...ACEPTAN])].sort()).toEqual(cost.sort());
  });

  it('every operation that asks the authority while its caller waits says 503/5041', () => {
    const silent = operations.filter(
      ({ path, asks, errors }) => asks.length > 0 && !ACEPTAN.includes(path) && !errors.includes('SAT_NO_DISPONIBLE'),
    );
    expect(silent.map(({ path }) => path)).toEqual([]);
  });

  describe.each(CONSULTAS.map(([path, testCase]) => [path, testCase.credencial, testCase] as const))(
    '%s, credential: %s',
    (path, _credencial, testCase) => {
      const tags = isFirst(testCase) ? [] : ['slow'];
      it('charges an answer once, and its repetition not at all', { tags }, async () => {
        const caller = await newCallerFor(servicio, testCase, SALDO);
        const body = testCase.body(servicio, caller);
        const headers = key();
        const first = await caller.call(path, body, headers);
        expect([first.status, first.body.cfdi_codigo, first.text]).toEqual([200, 1, expect.any(String)]);
        const asked = servicio.simulador.world.log.count();
        const again = await caller.call(path, body, headers);
        expect([again.status, again.text]).toEqual([200, first.text]);
        expect(again.headers.get('idempotent-replayed')).toBe('true');
        expect(servicio.simulador.world.log.count()).toBe(asked);
        const { data } = first.body;
        expect(await libroDe(servicio, caller)).toEqual(renglonesDe(path, data));
        expect([await saldoDe(servicio, caller), await abiertas(servicio)]).toEqual([SALDO - costOf(data), 0]);
      });

      const givesBack = async (faults: readonly FaultKind[]) => {
        const caller = await newCallerFor(servicio, testCase, SALDO);
        const body = testCase.body(servicio, caller);
        const libro: string[] = [];
        const fail = async (what: string, call: () => Promise<Answer>) => {
          expectUnavailable(await call(), what);
          libro.push(`cargo -1 ${path}`, `reembolso 1 ${path}`);
          expect([what, await libroDe(servicio, caller)]).toEqual([what, libro]);
        };
        const succeed = async (after: string) => {
          const answer = await caller.call(path, body);
          expect([after, answer.status, answer.text]).toEqual([after, 200, expect.any(String)]);
          libro.push(...renglonesDe(path, answer.body.data));
          expect(await libroDe(servicio, caller)).toEqual(libro);
        };
        // Before there is a session the log-in fails; with one, the query itself.
        for (const when of ['without', 'with']) {
          for (const kind of when === 'without' ? faults.slice(0, 1) : faults) {
            const api = kind === 'slow' ? hurried : servicio.api;
            const down = () => whileDown(servicio, kind, () => caller.at(api).call(path, body, key()));
            await fail(`${kind}, ${when} a session`, down);
            await succeed(kind);
          }
        }
        await fail('nobody listens', () => caller.at(sinSat).call(path, body));
        await succeed('nobody listens');
        const answers = libro.length - 2 * libro.filter((line) => line.startsWith('reembolso')).length;
        expect([await saldoDe(servicio, caller), await abiertas(servicio)]).toEqual([SALDO - answers, 0]);
      };
      if (isFirst(testCase))
        it('gives back what a call cost that the authority did not answer, and then answers', () =>
          givesBack(FALLAS.slice(0, 1)));
      it('gives it back whatever was wrong', { tags: ['slow'] }, () => givesBack(FALLAS));

      it('sends no call for a caller without credits: 402/1004', { tags }, async () => {
        const caller = await newCallerFor(servicio, testCase, 0);
        const asked = servicio.simulador.world.log.count();
        const answer = await caller.call(path, testCase.body(servicio, caller), key());
        expect([answer.status, answer.body.cfdi_codigo]).toEqual([402, 1004]);
        expect(servicio.simulador.world.log.count()).toBe(asked);
        expect([await libroDe(servicio, caller), await abiertas(servicio)]).toEqual([[], 0]);
      });
    },
  );

  it.each(FALLAS.slice(1))('gives back what a log-in cost that met %s, and does not blame the CIEC', async (kind) => {
    const [path, testCase] = CONSULTAS.find(([path]) => path === 'tax/opinion-cumplimiento') ?? [];
    if (path === undefined || testCase === undefined) throw new Error('no such case');
    const caller = await newCallerFor(servicio, testCase, 1);
    const api = kind === 'slow' ? hurried : servicio.api;
    const body = testCase.body(servicio, caller);
    expectUnavailable(await whileDown(servicio, kind, () => caller.at(api).call(path, body)), kind);
    expect((await caller.call(path, body)).status).toBe(200);
    expect(await libroDe(servicio, caller)).toEqual(
      ['cargo', 'reembolso', 'cargo'].map((tipo) => `${tipo} ${tipo === 'cargo' ? -1 : 1} ${path}`),
    );
  });

  it('descarga-metadata charges the solicitud when it accepts it, once, whether the authority is there or not', async () => {
    const path = 'tax/descarga-metadata';
    const caller = await servicio.newCiecCaller({ saldo: 1 });
    const body = { rfc: caller.rfc, tipo: 'recibidos', desde: '2025-05-14', hasta: '2025-05-14' };
    const headers = key();
    const first = await caller.at(sinSat).call(path, body, headers);
    expect([first.status, first.text]).toEqual([200, expect.any(String)]);
    expect((await caller.call(path, body, headers)).text).toBe(first.text);
    expect(await libroDe(servicio, caller)).toEqual([`cargo -1 ${path}`]);
    const other = await caller.call(path, { ...body, tipo: 'emitidos' });
    expect([other.status, other.body.cfdi_codigo]).toEqual([402, 1004]);
    expect([await saldoDe(servicio, caller), await abiertas(servicio)]).toEqual([0, 0]);
  });

  it('leaves the ledger in order', async () => {
    expect(await brokenInvariants(servicio.db)).toEqual([]);
  });
});
