import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createAuthority, rsaPair } from '../../../../../packages/vault/test/authority.ts';
import { guardaEfirma } from '../../../test/consulta.ts';
import { type EfirmaDePrueba, efirmaDe, PASSWORD } from '../../../test/efirma.ts';
import { type Alta, createKitWithAlta, type Kit } from '../../../test/kit.ts';

const PATH = 'vault/firma-registrar';
const register = (kit: Kit, a: Alta, cer: Buffer | string, more: Record<string, unknown> = {}) =>
  kit.call(PATH, { rfc: a.rfc, cer: typeof cer === 'string' ? cer : cer.toString('base64'), ...more }, { key: a.key });

describe(PATH, () => {
  it('answers the serial number of a valid certificate', async () => {
    const { kit, a } = await createKitWithAlta();
    const { cer, noSerie } = efirmaDe(a.rfc);
    expect((await register(kit, a, cer)).json.data).toEqual({ rfc: a.rfc, no_serie: noSerie, advertencias: [] });
    expect((await register(kit, a, cer, { password: 'la que sea' })).status).toBe(200);
    expect((await register(kit, a, cer.toString('base64').replaceAll(/.{76}/g, '$&\r\n'))).status).toBe(200);
  });

  it('says of a certificate what may go wrong with it, and firma-estado says it again', async () => {
    const { kit, a } = await createKitWithAlta();
    const { cer } = efirmaDe(a.rfc, { curp: 'XIQB891116MCHZRÑ72' });
    const advertencias = [{ codigo: 'TEXTO_MAL_FORMADO', texto: expect.stringMatching(/305.*CIEC/) }];
    expect((await register(kit, a, cer)).json.data).toMatchObject({ advertencias });
    const look = async () => (await kit.call('vault/firma-estado', { rfc: a.rfc }, { key: a.key })).json.data;
    expect(await look()).toMatchObject({ tiene_cer: true, advertencias });
    await register(kit, a, efirmaDe(a.rfc).cer);
    expect(await look()).toMatchObject({ tiene_cer: true, advertencias: [] });
  });

  const other = () => createAuthority({ pair: rsaPair(), from: '2019-01-01T00:00:00Z', to: '2031-01-01T00:00:00Z' });
  it.each<[string, (rfc: string) => EfirmaDePrueba, RegExp]>([
    ['expired', (rfc) => efirmaDe(rfc, { from: '2020-01-01T00:00:00Z', to: '2024-01-01T00:00:00Z' }), /venció/],
    ['not yet valid', (rfc) => efirmaDe(rfc, { from: '2027-01-01T00:00:00Z' }), /entra en vigor/],
    ['a CSD', (rfc) => efirmaDe(rfc, { unit: 'MATRIZ' }), /sello digital/],
    ['of another RFC', () => efirmaDe('XIQB891116QE4'), /otro RFC/],
    ['of an unknown authority', (rfc) => efirmaDe(rfc, { authority: other() }), /autoridad conocida/],
  ])('answers 400/4001 with its reason to one that is %s', async (_name, make, reason) => {
    const { kit, a } = await createKitWithAlta();
    const answer = await register(kit, a, make(a.rfc).cer);
    expect([answer.status, answer.json.cfdi_codigo]).toEqual([400, 4001]);
    expect(answer.json.data?.['motivo']).toMatch(reason);
    expect(await kit.filas('credencial', a)).toEqual([]);
  });

  it('answers 4001 to bytes that are no certificate and 2001 to text that is not base64', async () => {
    const { kit, a } = await createKitWithAlta();
    expect((await register(kit, a, randomBytes(900))).json.cfdi_codigo).toBe(4001);
    expect((await register(kit, a, efirmaDe(a.rfc).key)).json.cfdi_codigo).toBe(4001);
    expect((await register(kit, a, '***')).json.cfdi_codigo).toBe(2001);
    expect((await register(kit, a, '')).json.cfdi_codigo).toBe(2001);
    expect((await register(kit, a, randomBytes(129 * 1_024))).json.cfdi_codigo).toBe(2001);
  });

  it('keeps the stored key for the same certificate and drops it for another', async () => {
    const { kit, a } = await createKitWithAlta();
    const own = efirmaDe(a.rfc);
    await register(kit, a, own.cer);
    const key = own.key.toString('base64');
    await kit.call('vault/firma-guardar', { rfc: a.rfc, key, password: PASSWORD }, { key: a.key });
    const hasKey = async () =>
      (await kit.call('vault/firma-estado', { rfc: a.rfc }, { key: a.key })).json.data?.['tiene_key'];
    await register(kit, a, own.cer);
    expect(await hasKey()).toBe(true);
    await register(kit, a, efirmaDe(a.rfc).cer);
    expect(await hasKey()).toBe(false);
    await guardaEfirma(kit, a);
    expect(await hasKey()).toBe(true);
  });
});
