import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createCaptchas } from '@acuse/db';
import { programEntry } from '@acuse/embedded';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { eachAtLength } from '../fixtures/at-length.ts';
import { CONSULTAS, libroDe, newCallerFor } from '../fixtures/consultas.ts';
import { newEfirmaCaller } from '../fixtures/efirma.ts';
import { llamadas, saldoDe } from '../fixtures/pedidos.ts';
import { type Answer, expectOk, type Servicio, startServicio, useServicio, waitFor } from '../fixtures/servicio.ts';

const run = promisify(execFile);

/** Starts the command line several times, seconds each on a busy machine. */
const PATIENT = { timeout: 400_000 };

describe('captchas that people read', { ...PATIENT, shuffle: false }, () => {
  const servicio = useServicio({ apiEnv: { CAPTCHA_RESOLVER: 'personas', SAT_PRESUPUESTO_MS: '90000' } });

  /** The operator's command line, as a process. Gives its lines, read as JSON. */
  async function acuse(...args: string[]): Promise<Record<string, unknown>[]> {
    const { stdout } = await run(process.execPath, [programEntry(inject('programs'), 'cli'), 'operador', ...args], {
      env: { ...process.env, DATABASE_URL: servicio.databaseUrl },
    });
    return stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  }
  /** Text on the image, as a person reads it. */
  async function look(imagen: unknown): Promise<string> {
    const response = await fetch(`${servicio.simulador.url}/cfdiau/simulador/captcha`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ imagen }),
    });
    return String(((await response.json()) as { respuesta?: unknown }).respuesta);
  }
  /** The first that waits. The command line, asked before there is one, would only spend the time of the call. */
  const waiting = () =>
    waitFor(async () => {
      const [captcha] = await createCaptchas(servicio.db).pendientes();
      return captcha === undefined ? null : { id: captcha.id, imagen: captcha.imagen.toString('base64') };
    });

  eachAtLength(['tax/informacion-fiscal', 'tax/opinion-cumplimiento'])(
    '%s waits for one, and answers once the operator has typed it',
    async (path) => {
      const caller = await servicio.newCiecCaller();
      const answer = caller.call(path, { rfc: caller.rfc });
      const { id, imagen } = await waiting();
      expect(llamadas(servicio, caller, 'EntrarCiec')).toEqual([]);
      expect(await acuse('captchas', '--json')).toMatchObject([{ captcha_id: id, imagen }]);
      const typed = await acuse('captchas', 'contestar', id, await look(imagen));
      expect(typed).toEqual([{ captcha_id: id, aceptada: true }]);
      await expectOk(answer);
      expect(llamadas(servicio, caller, 'EntrarCiec')).toHaveLength(1);
      expect(await libroDe(servicio, caller)).toEqual([`cargo -1 ${path}`]);
      expect(await acuse('captchas', '--json')).toEqual([]);
      await expect(acuse('captchas', 'contestar', id, 'tarde')).rejects.toThrow(/ya no espera respuesta/);
    },
  );

  it('shows another one when the first was misread, and does not blame the CIEC', async () => {
    const caller = await servicio.newCiecCaller();
    const answer = caller.call('tax/comunicados', { rfc: caller.rfc });
    const first = await waiting();
    await acuse('captchas', 'contestar', first.id, 'NADA');
    const second = await waiting();
    expect(second.id).not.toBe(first.id);
    await acuse('captchas', 'contestar', second.id, await look(second.imagen));
    await expectOk(answer);
    expect(llamadas(servicio, caller, 'EntrarCiec')).toHaveLength(2);
  });

  it('that stay unread are 503/5041 with a refund, and are removed', async () => {
    const impatient = await servicio.startApi({ CAPTCHA_SECONDS: '1', SAT_PRESUPUESTO_MS: '10000' });
    const caller = await servicio.newCiecCaller({ saldo: 1 });
    const answer = await caller.at(impatient).call('tax/comunicados', { rfc: caller.rfc });
    expect([answer.status, answer.body.cfdi_codigo]).toEqual([503, 5041]);
    expect(await saldoDe(servicio, caller)).toBe(1);
    expect((await servicio.db.pool.query('SELECT FROM captcha_pendiente')).rowCount).toBe(0);
    expect(llamadas(servicio, caller, 'EntrarCiec')).toEqual([]);
  });
});

describe('unread captchas', () => {
  let servicio: Servicio;
  beforeAll(async () => {
    servicio = await startServicio({ apiEnv: { CAPTCHA_RESOLVER: 'ninguno' } });
  });
  afterAll(() => servicio.close());

  const expectMissing = ({ status, body }: Answer) => {
    expect([status, body.cfdi_codigo]).toEqual([503, 5041]);
    expect(body.data?.['motivo']).toMatch(/captcha.*CAPTCHA_RESOLVER.*e\.firma/);
  };

  it.each(CONSULTAS.filter(([, { credencial }]) => credencial === 'ciec'))(
    '%s with a CIEC: 503/5041 that says what is missing, a refund, and no log-in',
    async (path, testCase) => {
      const caller = await newCallerFor(servicio, testCase, 1);
      expectMissing(await caller.call(path, testCase.body(servicio, caller)));
      expect(await libroDe(servicio, caller)).toEqual([`cargo -1 ${path}`, `reembolso 1 ${path}`]);
      expect(llamadas(servicio, caller, 'EntrarCiec')).toEqual([]);
      // The CIEC is not to blame: the next call is refused for the same reason, not with 4004.
      expectMissing(await caller.call(path, testCase.body(servicio, caller)));
    },
  );

  it('are not asked for with an e.firma, nor where no credential is needed', async () => {
    const caller = await newEfirmaCaller(servicio);
    await expectOk(caller.call('tax/comunicados', { rfc: caller.rfc }));
    for (const [path, testCase] of CONSULTAS.filter(([, { credencial }]) => credencial === 'id-cif')) {
      const other = await newCallerFor(servicio, testCase, 1);
      await expectOk(other.call(path, testCase.body(servicio, other)));
    }
  });
});
