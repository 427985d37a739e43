import { describe, expect, it } from 'vitest';
import { CIEC, createKitWithAlta } from '../../../test/kit.ts';

const PATH = 'vault/rfc-guardar';

describe(PATH, () => {
  it('answers no data and stores nothing in clear', async () => {
    const { kit, a } = await createKitWithAlta();
    const { json } = await kit.call(PATH, { rfc: a.rfc, ciec: CIEC }, { key: a.key });
    expect(json).toEqual({ cfdi_codigo: 1, cfdi_texto: 'OK' });
    const [row] = await kit.filas<{ sobre: Buffer }>('credencial', a);
    expect(row).toMatchObject({ tipo: 'ciec', api_key_id: a.keyId, kid: 'k1' });
    for (const form of [CIEC, Buffer.from(CIEC).toString('base64'), Buffer.from(CIEC).toString('hex')]) {
      expect(row?.sobre.includes(form)).toBe(false);
    }
  });

  it('counts characters and not bytes', async () => {
    const { kit, a } = await createKitWithAlta();
    const codeOf = async (ciec: string) =>
      (await kit.call(PATH, { rfc: a.rfc, ciec }, { key: a.key })).json.cfdi_codigo;
    expect(await codeOf('ñ'.repeat(16))).toBe(1);
    expect(await codeOf('\u{1F600}'.repeat(16))).toBe(1);
    expect(await codeOf('ñ'.repeat(8))).toBe(2001);
    expect(await codeOf('a'.repeat(15))).toBe(2001);
    expect(await codeOf('a'.repeat(17))).toBe(2001);
    expect(await codeOf('"\\/ÁÉÍÓÚ😀1234567')).toBe(1);
  });

  it.each(['\u0000', '\t', '\n', '\u001b', '\u007f', '\u0085', '\u200b', '\u2028'])(
    'refuses control characters (%j), and says so',
    async (control) => {
      const { kit, a } = await createKitWithAlta();
      for (const ciec of [control.repeat(16), `123456789012345${control}`]) {
        const { status, json } = await kit.call(PATH, { rfc: a.rfc, ciec }, { key: a.key });
        expect([status, json.cfdi_codigo]).toEqual([400, 2001]);
        expect(json.data).toMatchObject({ campo: 'ciec', motivo: expect.stringMatching(/imprimibles/) });
      }
      expect(await kit.filas('credencial', a)).toEqual([]);
    },
  );

  it('takes a range when the operator sets one', async () => {
    const { kit, a } = await createKitWithAlta({ settings: { ciecLength: { min: 8, max: 16 } } });
    const ask = (ciec: string) => kit.call(PATH, { rfc: a.rfc, ciec }, { key: a.key });
    expect((await ask('a'.repeat(8))).status).toBe(200);
    const answer = await ask('a'.repeat(7));
    expect(answer.json.data).toMatchObject({ campo: 'ciec', motivo: 'debe tener de 8 a 16 caracteres' });
  });

  it('answers 1002 when the key dies between the pass and the write', async () => {
    const { kit, a } = await createKitWithAlta();
    kit.watch.before = (text) =>
      text.includes('INSERT INTO credencial') && kit.update('api_key', a.keyId, { estado: 'REVOCADA' });
    const answer = await kit.call(PATH, { rfc: a.rfc, ciec: CIEC }, { key: a.key });
    expect([answer.status, answer.json.cfdi_codigo]).toEqual([401, 1002]);
    expect(await kit.filas('credencial', a)).toEqual([]);
  });
});
