import { describe, expect, it } from 'vitest';
import { efirmaDe, PASSWORD } from './efirma.ts';
import { type Alta, alta, createKit, guardaCiec, type Kit } from './kit.ts';

export interface ConsultaOptions {
  readonly path: string;
  readonly body: (rfc: string) => Record<string, unknown>;
  readonly cost: 0 | 1;
  /** What has to be stored; `null` when the API key is enough. */
  readonly needs: 'ciec' | 'efirma' | 'any' | null;
}

/** Stores an e.firma through the API, as a caller would. */
export async function guardaEfirma(kit: Kit, { key, rfc }: Alta): Promise<void> {
  const { cer, key: llave } = efirmaDe(rfc);
  const steps: readonly [string, Record<string, unknown>][] = [
    ['vault/firma-registrar', { rfc, cer: cer.toString('base64') }],
    ['vault/firma-guardar', { rfc, key: llave.toString('base64'), password: PASSWORD }],
  ];
  for (const [path, body] of steps) {
    const { status, text } = await kit.call(path, body, { key });
    if (status !== 200) throw new Error(text);
  }
}

/**
 * What every query does that asks the tax authority while its channel is not connected: the right credential is demanded, nothing stays
 * charged, and the answer is 503/5041.
 */
export function describeConsulta({ path, body, cost, needs }: ConsultaOptions): void {
  describe(path, () => {
    it('answers 503/5041 and gives back what it charged', async () => {
      const kit = await createKit();
      const a = alta(kit.store, { saldo: 1 });
      if (needs === 'ciec' || needs === 'any') await guardaCiec(kit, a);
      if (needs === 'efirma') await guardaEfirma(kit, a);
      const answer = await kit.call(path, body(a.rfc), { key: a.key });
      expect([answer.status, answer.json.cfdi_codigo]).toEqual([503, 5041]);
      expect(kit.store.saldos.get(a.cuentaId)).toBe(1);
      const kinds = kit.store.movimientos.map(({ tipo }) => tipo);
      expect(kinds).toEqual(cost === 1 ? ['cargo', 'reembolso'] : []);
    });

    it('demands its credential before anything is charged', async () => {
      const kit = await createKit();
      const a = alta(kit.store, { saldo: 0 });
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
  });
}
