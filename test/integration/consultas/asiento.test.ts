import { randomUUID } from 'node:crypto';
import { createSaldos } from '@acuse/db';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eachAtLength } from '../fixtures/at-length.ts';
import { abiertas, CONSULTAS, libroDe, newCallerFor } from '../fixtures/consultas.ts';
import { brokenInvariants } from '../fixtures/database.ts';
import { newEfirmaCaller } from '../fixtures/efirma.ts';
import { saldoDe } from '../fixtures/pedidos.ts';
import { type Pipe, startPipe } from '../fixtures/pipe.ts';
import { urlAs } from '../fixtures/roles.ts';
import { type Answer, type Caller, expectOk, type Servicio, startServicio, waitFor } from '../fixtures/servicio.ts';
import { type OwnPostgres, ownPostgres } from '../fixtures/servidores.ts';

/** Asks the authority without a log-in, so that nothing touches the database between the answer and its settling. */
const PATH = 'descarga/consulta-cfdi';
const CASE = CONSULTAS.find(([path]) => path === PATH)?.[1];
const CARGO = `cargo -1 ${PATH}`;
const REEMBOLSO = `reembolso 1 ${PATH}`;
const NO_DISPONIBLE = [503, 5041];

describe('PostgreSQL goes away during a charged call', () => {
  let postgres: OwnPostgres;
  let servicio: Servicio;
  /** Between one API, which gives up as soon as one of an installation, and the database. */
  let pipe: Pipe;
  /** Between the same API and the authority. */
  let sat: Pipe;
  let api: { readonly url: string };

  beforeAll(async () => {
    postgres = await ownPostgres();
    servicio = await startServicio({ database: postgres.database });
    pipe = await startPipe(servicio.databaseUrl);
    const url = new URL(urlAs(servicio.databaseUrl, 'api'));
    url.host = new URL(pipe.url).host;
    sat = await startPipe(servicio.simulador.url);
    api = await servicio.startApi({ DATABASE_URL: url.href, SAT_BASE_URL: sat.url, API_DATABASE_TIMEOUT_MS: '1500' });
  });
  afterEach(async () => {
    pipe.open();
    await start();
  });
  afterAll(async () => {
    await servicio.close();
    await Promise.all([pipe.close(), sat.close()]);
  });

  let isAway = false;
  const kill = async () => {
    isAway = true;
    await postgres.end('kill');
  };
  const start = async () => {
    if (isAway) await postgres.start();
    isAway = false;
  };

  const newCaller = async () => {
    if (CASE === undefined) throw new Error(`no case for ${PATH}`);
    const caller = await newCallerFor(servicio, CASE, 10);
    const body = CASE.body(servicio, caller);
    return { caller, ask: (headers = {}) => caller.at(api).call(PATH, body, headers) };
  };

  /**
   * Something happens between the moment in which the authority has got the question (`text` is in it) and its answer.
   */
  async function whileThinking(text: string, call: () => Promise<Answer>, happens: () => Promise<unknown>) {
    const caught = sat.catchReply(text);
    const answer = call();
    const reply = await caught;
    await happens();
    reply.deliver();
    return answer;
  }

  const solicitudesDe = async ({ cuentaId }: Caller) => {
    const sql = 'SELECT id FROM solicitud WHERE cuenta_id = $1';
    return (await servicio.db.pool.query<{ id: string }>(sql, [cuentaId])).rows.map(({ id }) => id);
  };
  const codes = ({ status, body }: Answer) => [status, body.cfdi_codigo];
  /** The credit is back, once, and nothing is open. */
  const expectGivenBack = async (caller: Caller, [cargo, reembolso] = [CARGO, REEMBOLSO]) => {
    await waitFor(async () => (await libroDe(servicio, caller)).length > 1 || null);
    expect(await libroDe(servicio, caller)).toEqual([cargo, reembolso]);
    expect([await saldoDe(servicio, caller), await abiertas(servicio)]).toEqual([10, 0]);
  };
  const expectCharged = async (caller: Caller) => {
    expect(await libroDe(servicio, caller)).toEqual([CARGO]);
    expect([await saldoDe(servicio, caller), await abiertas(servicio)]).toEqual([9, 0]);
  };

  it('killed while the authority thinks: 503/5041, not 200, and the credit is given back when it is there again', async () => {
    const { caller, ask } = await newCaller();
    const answer = await whileThinking(caller.rfc, ask, kill);
    expect([...codes(answer), answer.text]).toEqual([...NO_DISPONIBLE, expect.any(String)]);
    await start();
    await expectGivenBack(caller);
    await expectOk(waitFor(async () => ask().then((again) => (again.status === 503 ? null : again))));
  });

  eachAtLength([
    ['tax/comunicados', 'ciec', 'Ecom_Password'],
    ['tax/facturas-fiel', 'efirma', 'token='],
  ] as const)(
    'killed during the log-in of %s (%s): 503/5041, never 500, and given back',
    async (path, credencial, text) => {
      const testCase = CONSULTAS.find(([p, c]) => p === path && c.credencial === credencial)?.[1];
      if (testCase === undefined) throw new Error(`no case for ${path}`);
      const caller = await newCallerFor(servicio, testCase, 10);
      const call = () => caller.at(api).call(path, testCase.body(servicio, caller));
      const answer = await whileThinking(text, call, kill);
      expect([...codes(answer), answer.text]).toEqual([...NO_DISPONIBLE, expect.any(String)]);
      await start();
      await expectGivenBack(caller, [`cargo -1 ${path}`, `reembolso 1 ${path}`]);
    },
  );

  it('a charge that a sweep gave back while the authority thought is answered 503/5041, not 200', async () => {
    const { caller, ask } = await newCaller();
    const answer = await whileThinking(caller.rfc, ask, async () => {
      await servicio.db.pool.query(`UPDATE llamada SET vence_en = now() - interval '1 second'`);
      expect(await createSaldos(servicio.db).refundAbandoned(10)).toBe(1);
    });
    expect(codes(answer)).toEqual(NO_DISPONIBLE);
    await expectGivenBack(caller);
  });

  /** The settling of a call is written, but its confirmation is held. */
  async function whileSettling(call: () => Promise<Answer>, happens: (reply: { lose(): void }) => void) {
    const caught = pipe.catchReply('settle');
    const answer = call();
    const reply = await caught;
    await waitFor(async () => (await abiertas(servicio)) === 0 || null);
    happens(reply);
    return answer;
  }

  it('a settling whose confirmation was lost is read again before the answer: 200, charged', async () => {
    const { caller, ask } = await newCaller();
    const answer = await whileSettling(ask, (reply) => reply.lose());
    expect([...codes(answer), answer.text]).toEqual([200, 1, expect.any(String)]);
    await expectCharged(caller);
  });

  it('a settling with an unknown outcome: 503/5041, and refunded although it was written', {
    tags: ['slow'],
  }, async () => {
    const { caller, ask } = await newCaller();
    const answer = await whileSettling(ask, () => pipe.shut());
    expect(codes(answer)).toEqual(NO_DISPONIBLE);
    await expectCharged(caller);
    pipe.open();
    await expectGivenBack(caller);
  });

  it('the same with an Idempotency-Key: 503/5041 says that it is not known, and the repetition gets the answer, charged once', {
    tags: ['slow'],
  }, async () => {
    const { caller, ask } = await newCaller();
    const headers = { 'idempotency-key': randomUUID() };
    const answer = await whileSettling(
      () => ask(headers),
      () => pipe.shut(),
    );
    expect([...codes(answer), answer.text]).toEqual([...NO_DISPONIBLE, expect.stringContaining('No se sabe')]);
    pipe.open();
    const again = await waitFor(async () => ask(headers).then((it) => (it.status === 503 ? null : it)));
    expect([...codes(again), again.headers.get('idempotent-replayed')]).toEqual([200, 1, 'true']);
    await expectCharged(caller);
  });

  /** A list that is empty and cannot be confirmed: its settling gives the charge back. */
  const newEmptyCaller = async () => {
    const path = 'tax/facturas-fiel';
    const caller = await newEfirmaCaller(servicio, { rfc: 'VAC900215SI6', saldo: 10 });
    const body = { rfc: caller.rfc, desde: '2025-05-14', hasta: '2025-05-14' };
    return {
      ask: (headers = {}) => caller.at(api).call(path, body, headers),
      expectOnce: () => expectGivenBack(caller, [`cargo -1 ${path}`, `reembolso 1 ${path}`]),
    };
  };
  const VACIA = { total: 0, confianza: 'sin_confirmar', reembolsada: true };

  it('an empty list with an unconfirmed refund is read again before the answer: 200, refunded once', {
    tags: ['slow'],
  }, async () => {
    const { ask, expectOnce } = await newEmptyCaller();
    const answer = await whileSettling(ask, (reply) => reply.lose());
    expect([...codes(answer), answer.body.data]).toEqual([200, 1, expect.objectContaining(VACIA)]);
    await expectOnce();
  });

  eachAtLength([{}, { 'idempotency-key': 'vacia-1' }])(
    'an empty list of whose giving back nothing is known: 503/5041, and given back once (%j)',
    async (headers) => {
      const { ask, expectOnce } = await newEmptyCaller();
      const answer = await whileSettling(
        () => ask(headers),
        () => pipe.shut(),
      );
      expect(codes(answer)).toEqual(NO_DISPONIBLE);
      pipe.open();
      await expectOnce();
      if (!('idempotency-key' in headers)) return;
      const again = await waitFor(async () => ask(headers).then((it) => (it.status === 503 ? null : it)));
      expect([again.body.data, again.headers.get('idempotent-replayed')]).toMatchObject([VACIA, 'true']);
      await expectOnce();
    },
  );

  it('keeps nothing of an answer in clear under an Idempotency-Key', async () => {
    const { caller, ask } = await newCaller();
    const headers = { 'idempotency-key': randomUUID() };
    const data = await expectOk(ask(headers));
    const { rows } = await servicio.db.pool.query<{ text: string }>(
      `SELECT concat(encode(i.sobre, 'escape'), encode(i.cuerpo_hash, 'hex')) AS text FROM idempotencia i WHERE clave = $1`,
      [headers['idempotency-key']],
    );
    expect(rows).toHaveLength(1);
    for (const secret of [String(data['uuid']), caller.rfc, 'cfdi_codigo'])
      expect(rows[0]?.text.toLowerCase()).not.toContain(secret.toLowerCase());
    expect((await ask(headers)).headers.get('idempotent-replayed')).toBe('true');
  });

  const PEDIDO = { tipo: 'recibidos', desde: '2025-05-14', hasta: '2025-05-14' };
  const DESCARGA = 'tax/descarga-metadata';

  it('an acceptance whose confirmation was lost is put once more before the answer: the same solicitud, charged once', async () => {
    const caller = await servicio.newCiecCaller({ saldo: 10 });
    const caught = pipe.catchReply('accept');
    const answer = caller.at(api).call(DESCARGA, { rfc: caller.rfc, ...PEDIDO });
    const reply = await caught;
    await waitFor(async () => (await solicitudesDe(caller)).length > 0 || null);
    reply.lose();
    const data = await expectOk(answer);
    expect(await solicitudesDe(caller)).toEqual([data['solicitud_id']]);
    expect(data).not.toHaveProperty('duplicada');
    expect([await libroDe(servicio, caller), await saldoDe(servicio, caller)]).toEqual([[`cargo -1 ${DESCARGA}`], 9]);
  });

  it.each([{}, { 'idempotency-key': 'pedido-1' }])(
    'an acceptance of which nothing is known: 503/5041 names the solicitud, and the repetition gets it, charged once (%j)',
    async (headers) => {
      const caller = await servicio.newCiecCaller({ saldo: 10 });
      const ask = () => caller.at(api).call(DESCARGA, { rfc: caller.rfc, ...PEDIDO }, headers);
      const caught = pipe.catchReply('accept');
      const asked = ask();
      await caught;
      const [id] = await waitFor(async () => {
        const ids = await solicitudesDe(caller);
        return ids.length > 0 ? ids : null;
      });
      pipe.shut();
      const answer = await asked;
      expect([...codes(answer), answer.body.cfdi_texto]).toEqual([
        ...NO_DISPONIBLE,
        expect.stringContaining('No se sabe'),
      ]);
      expect(answer.body.data?.['motivo']).toEqual(expect.stringContaining(String(id)));
      pipe.open();
      const ended = `UPDATE idempotencia SET bloqueada_hasta = now() - interval '1 second' WHERE api_key_id = $1 AND status IS NULL`;
      await servicio.db.pool.query(ended, [caller.apiKeyId]);
      const again = await waitFor(async () => ask().then((it) => (it.status === 503 ? null : it)));
      expect([again.status, again.body.data?.['solicitud_id']]).toEqual([200, id]);
      expect([await solicitudesDe(caller), await saldoDe(servicio, caller)]).toEqual([[id], 9]);
    },
  );

  it('leaves the ledger in order', async () => {
    expect(await brokenInvariants(servicio.db)).toEqual([]);
  });
});
