import { type MotivoSatError, SatError } from '@acuse/core';
import { describe, expect, it } from 'vitest';
import { createSatMemoria, type GuionSat } from '../../../packages/sat/src/testing/sat-memoria.ts';
import { efirmaDe, PASSWORD } from './efirma.ts';
import { type Alta, type Answer, createKitWithAlta, guardaCiec, type Kit, type KitOptions } from './kit.ts';

/** What has to be stored; `null` when the API key is enough. */
type Needs = 'ciec' | 'efirma' | 'any' | null;

interface ConsultaOptions {
  readonly path: string;
  readonly body: (rfc: string) => Record<string, unknown>;
  readonly cost: 0 | 1;
  readonly needs: Needs;
  /** The consultas that it puts to the authority. */
  readonly asks: readonly (keyof GuionSat)[];
}

/** Stores an e.firma through the API, as a caller would. */
export async function guardaEfirma(
  kit: Kit,
  { key, rfc }: Alta,
  options: Parameters<typeof efirmaDe>[1] = {},
): Promise<void> {
  const { cer, key: llave } = efirmaDe(rfc, options);
  const steps: readonly [string, Record<string, unknown>][] = [
    ['vault/firma-registrar', { rfc, cer: cer.toString('base64') }],
    ['vault/firma-guardar', { rfc, key: llave.toString('base64'), password: PASSWORD }],
  ];
  for (const [path, body] of steps) {
    const { status, text } = await kit.call(path, body, { key });
    if (status !== 200) throw new Error(text);
  }
}

/** A taxpayer with one credit and what the operation needs, in front of an authority that follows a script. */
export async function prepare(
  guion: GuionSat,
  needs: Needs,
  { saldo = 1, ...options }: KitOptions & { readonly saldo?: number; readonly rfc?: string } = {},
): Promise<{ kit: Kit; a: Alta; sat: ReturnType<typeof createSatMemoria> }> {
  const sat = createSatMemoria({ guion });
  const { kit, a } = await createKitWithAlta(
    { ...options, deps: { sat, ...options.deps } },
    { saldo, ...(options.rfc === undefined ? {} : { rfc: options.rfc }) },
  );
  if (needs === 'ciec' || needs === 'any') await guardaCiec(kit, a);
  if (needs === 'efirma') await guardaEfirma(kit, a);
  return { kit, a, sat };
}

/** The authority fails every consulta in the same way. */
const failing = (asks: readonly (keyof GuionSat)[], motivo: MotivoSatError): GuionSat =>
  Object.fromEntries(asks.map((name) => [name, [new SatError(motivo)]]));

/** Checks that nothing is left charged, and that no charge is left open. */
export async function expectGivenBack(kit: Kit, a: Alta, cost: 0 | 1, saldo = 1): Promise<void> {
  expect(await kit.saldo(a)).toBe(saldo);
  expect(await kit.movimientos(a)).toEqual(cost === 1 ? ['cargo', 'reembolso'] : []);
  expect(await kit.abiertas(a)).toBe(0);
}

/** Checks a paid answer: one charge that stays. */
export async function expectCharged(kit: Kit, a: Alta, answer: Answer): Promise<void> {
  expect([answer.status, answer.json.cfdi_codigo, answer.text]).toEqual([200, 1, answer.text]);
  expect(await kit.saldo(a)).toBe(0);
  expect(await kit.movimientos(a)).toEqual(['cargo']);
  expect(await kit.abiertas(a)).toBe(0);
}

const CODES: readonly [MotivoSatError, number, number][] = [
  ['TIEMPO_AGOTADO', 503, 5041],
  ['RESPUESTA_ILEGIBLE', 503, 5041],
  ['CORTACIRCUITOS_ABIERTO', 503, 5041],
  ['CAPTCHA_RECHAZADO', 503, 5041],
  ['SIN_RESOLVEDOR_DE_CAPTCHA', 503, 5041],
  ['CANAL_DESACTIVADO', 503, 5041],
  ['PETICION_RECHAZADA', 503, 5041],
  ['HOST_NO_PERMITIDO', 503, 5041],
];

/**
 * What every query does that asks the tax authority: the right credential is demanded before anything is charged,
 * whatever keeps the authority from answering is 503/5041 with the charge given back and a reason in Spanish, and a
 * credential that it refuses is never sent again.
 */
export function describeConsulta({ path, body, cost, needs, asks }: ConsultaOptions): void {
  describe(path, () => {
    it.each(CODES)('answers %s with %i/%i, says why and gives back what it charged', async (motivo, http, code) => {
      const { kit, a } = await prepare(failing(asks, motivo), needs);
      const answer = await kit.call(path, body(a.rfc), { key: a.key });
      expect([answer.status, answer.json.cfdi_codigo]).toEqual([http, code]);
      expect(String(answer.json.data?.['motivo'])).toMatch(/^[A-ZÁÉÍÓÚ].{20,}\.?/);
      await expectGivenBack(kit, a, cost);
    });

    it('ends with 503/5041 when the authority does not answer within the budget', async () => {
      const never: GuionSat = Object.fromEntries(asks.map((name) => [name, [() => new Promise<never>(() => {})]]));
      const sat = createSatMemoria({ guion: never });
      const patient = { ...sat, send: withSignal(sat.send) };
      const { kit, a } = await prepare({}, needs, {
        settings: { presupuestoMs: 60 },
        deps: { sat: patient as typeof sat },
      });
      const answer = await kit.call(path, body(a.rfc), { key: a.key });
      expect([answer.status, answer.json.cfdi_codigo]).toEqual([503, 5041]);
      await expectGivenBack(kit, a, cost);
    });

    it('demands its credential before anything is charged', async () => {
      const { kit, a } = await createKitWithAlta(
        { deps: { sat: createSatMemoria({ guion: failing(asks, 'RESPUESTA_ILEGIBLE') }) } },
        { saldo: 0 },
      );
      const codeOf = async () => (await kit.call(path, body(a.rfc), { key: a.key })).json.cfdi_codigo;
      const last = cost === 1 ? 1004 : 5041;
      if (needs === null) return expect(await codeOf()).toBe(last);
      expect(await codeOf()).toBe(needs === 'efirma' ? 4002 : 4003);
      await (needs === 'efirma' ? guardaCiec : guardaEfirma)(kit, a);
      if (needs === 'any') expect(await codeOf()).toBe(last);
      else expect(await codeOf()).toBe(needs === 'efirma' ? 4002 : 4003);
      await (needs === 'efirma' ? guardaEfirma : guardaCiec)(kit, a);
      expect(await codeOf()).toBe(last);
    });

    if (needs === 'ciec' || needs === 'any')
      it('sends a refused CIEC once', async () => {
        const { kit, a, sat } = await prepare(failing(asks, 'CIEC_RECHAZADA'), 'ciec', { saldo: 1 });
        for (let i = 0; i < 3; i += 1) {
          const answer = await kit.call(path, body(a.rfc), { key: a.key });
          expect([answer.status, answer.json.cfdi_codigo]).toEqual([400, 4004]);
        }
        expect(sat.consultas).toHaveLength(1);
        await expectGivenBack(kit, a, cost);
        await guardaCiec(kit, a);
        await kit.call(path, body(a.rfc), { key: a.key });
        expect(sat.consultas).toHaveLength(2);
      });

    if (needs === 'efirma')
      it('sends a refused e.firma once', async () => {
        const { kit, a, sat } = await prepare(failing(asks, 'EFIRMA_RECHAZADA'), 'efirma');
        for (let i = 0; i < 3; i += 1) {
          const answer = await kit.call(path, body(a.rfc), { key: a.key });
          expect([answer.status, answer.json.cfdi_codigo]).toEqual([400, 4002]);
        }
        expect(sat.consultas).toHaveLength(1);
        await expectGivenBack(kit, a, cost);
      });
  });
}

type Send = ReturnType<typeof createSatMemoria>['send'];

/** An authority that hears when the caller gives up, as the real channels do. */
export function withSignal(send: Send): Send {
  const patient = (...[consulta, credencial, envio]: Parameters<Send>) =>
    new Promise<unknown>((resolve, reject) => {
      envio.signal.addEventListener('abort', () => reject(new SatError('CANCELADA')), { once: true });
      send(consulta, credencial, envio).then(resolve, reject);
    });
  return patient as Send;
}
