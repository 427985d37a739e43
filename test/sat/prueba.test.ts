import { scryptSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createPruebas } from '../../packages/sat/src/portal/sesion/prueba.ts';
import { newSellado } from './setup.ts';

const RFC = 'EKU9003173C9';
const ciecDe = (rfc: string, ciec: string) => ({ tipo: 'ciec', rfc, ciec: Buffer.from(ciec) }) as const;
const credencial = ciecDe(RFC, 'Correcta-1234567');

describe('proof of a credential', () => {
  it('is found by its credential among others, and by no other credential, RFC or kind', async () => {
    const { prove, find } = createPruebas(newSellado());
    const una = await prove(credencial);
    const otra = await prove(ciecDe(RFC, 'otra'), una.sal);
    expect(await find([otra, una], credencial)).toBe(una);
    expect(await find([otra], credencial)).toBeNull();
    expect(await find([una], ciecDe('XAXX010101000', 'Correcta-1234567'))).toBeNull();
    expect(await find([una], ciecDe(RFC.toLowerCase(), 'Correcta-1234567'))).toBe(una);
  });

  it('cannot be guessed at without the key: the hash itself is not in it', async () => {
    const { prove } = createPruebas(newSellado());
    const { sal, huella } = await prove(credencial);
    const hash = scryptSync(credencial.ciec, Buffer.from(sal, 'base64'), 32);
    expect(Buffer.from(huella, 'base64').includes(hash)).toBe(false);
    expect((await prove(credencial)).sal).not.toBe(sal);
  });

  it('proves nothing when it is damaged or sealed with another key', async () => {
    const { prove, find } = createPruebas(newSellado());
    const { sal, huella } = await prove(credencial);
    expect(await find([{ sal, huella: '' }], credencial)).toBeNull();
    expect(await find([{ sal: 'otra', huella }], credencial)).toBeNull();
    expect(await createPruebas(newSellado()).find([{ sal, huella }], credencial)).toBeNull();
  });
});
