import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ArchivoRechazado, readRfcs } from './rfcs-csv.ts';

async function* bytes(text: string, size = 1_024) {
  const all = Buffer.from(text);
  for (let at = 0; at < all.length; at += size) yield all.subarray(at, at + size);
}
const read = (text: string, size?: number) => readRfcs(bytes(text, size));
const refused = (text: string) =>
  read(text).then(
    () => 'imported',
    (error: unknown) => (error instanceof ArchivoRechazado ? error.message : error),
  );

describe('a CSV of RFCs', () => {
  it.each([
    ['one column', 'ACU200101DB1\nÑAÑ200101AB1\n'],
    ['a header', 'rfc\r\nACU200101DB1\r\nÑAÑ200101AB1'],
    [
      'a header among others, and a mark',
      '\ufeffNombre,RFC,Nota\n"UNO, S.A.",ACU200101DB1,\nDOS,ñañ200101ab1,"x\ny"\n',
    ],
    ['spaces, empty lines and repetitions', 'RFC\n\n ACU200101DB1 \nÑAÑ200101AB1\nacu200101db1\n\n'],
  ])('is read: %s', async (_name, text) => {
    const expected = ['ACU200101DB1', 'ÑAÑ200101AB1'];
    expect(await read(text)).toEqual(expected);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 40 }), async (size) => {
        expect(await read(text, size)).toEqual(expected);
      }),
      { numRuns: 20 },
    );
  });

  it('names every bad line with its number and imports nothing', async () => {
    const message = await refused('rfc,nota\nACU200101DB1,\nACU209901AB1,día que no existe\n,vacío\nXXXXXXXXXXXX,\n');
    expect(message).toContain('No se importó nada');
    expect(message).toContain('línea 3: "ACU209901AB1"');
    expect(message).toContain('línea 4: ""');
    expect(message).toContain('línea 5: "XXXXXXXXXXXX"');
    expect(message).not.toContain('línea 2');
  });

  it('names the first twenty of many', async () => {
    const message = String(await refused(`rfc\n${'nada\n'.repeat(30)}`));
    expect(message.match(/línea/g)).toHaveLength(20 + 1);
    expect(message).toContain('y 10 más');
  });

  it.each([
    ['', 'ningún RFC'],
    ['rfc\n', 'ningún RFC'],
    ['nombre,clave\nUNO,ACU200101DB1\n', 'ninguna se llama rfc'],
    ['<!DOCTYPE html>\n<html></html>', 'formato de un RFC'],
    ['rfc\n"ACU200101DB1', 'no es CSV'],
    [`rfc\n${'A'.repeat(100_000)}`, 'no es CSV'],
  ])('refuses %j', async (text, why) => {
    expect(await refused(text)).toContain(why);
  });

  it('passes on that the file cannot be read', async () => {
    async function* broken() {
      yield Buffer.from('rfc\n');
      throw new Error('EACCES');
    }
    await expect(readRfcs(broken())).rejects.toThrow('EACCES');
  });
});
