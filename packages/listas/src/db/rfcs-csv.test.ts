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
    ['every end of a line', 'rfc\r\nACU200101DB1\r"ÑAÑ200101AB1"\n\racu200101db1'],
    ['quotation marks in a cell', 'rfc,nota\n"ACU200101DB1","""UNO"", S.A."\nÑAÑ200101AB1,""\n'],
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

  it.each([
    ['empty lines', 'rfc\r\n\r\nnada\r\n', 3],
    ['lines inside a cell', 'rfc,nota\nACU200101DB1,"x\ny"\nnada,\n', 4],
    ['lines inside a cell that end in CR LF', 'rfc,nota\r\nACU200101DB1,"x\r\ny"\r\nnada,"\r\n"\r\n', 5],
    ['a bad line before what is no CSV', 'rfc\nnada\n\n"b', 2],
    ['a quotation mark that does not close', 'rfc\nnada\n\n"b', 4],
    ['a quotation mark inside a cell', 'rfc\na"b\n', 2],
    ['text after a quotation mark', 'rfc\nACU200101DB1\n"b"c\n', 3],
    ['a line that is too long', `rfc\n${'b'.repeat(100_000)}`, 2],
  ])('tells the line of %s', async (_name, text, linea) => {
    expect(await refused(text)).toContain(`línea ${linea}: `);
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
    ['rfc\na"b\n', 'no es CSV'],
    ['rfc\n"b"c\n', 'no es CSV'],
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
