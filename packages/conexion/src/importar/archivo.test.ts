import { describe, expect, it } from 'vitest';
import { ArchivoIlegible, MAX_BYTES, MAX_LINEAS, readArchivo } from './archivo.ts';

const read = (text: string) => readArchivo(Buffer.from(text));
const RFC = 'ACU200101DB1';
const OTRO = 'PEÑA800101AB3';

describe('a file of RFCs', () => {
  it.each([
    ['commas', `rfc,nombre,correo\n${RFC},Uno,a@example.com\n`],
    ['semicolons, a byte order mark and CR LF', `\ufeffRFC;Nombre;Correo\r\n${RFC};Uno;a@example.com\r\n`],
    ['tabs', `rfc\tnombre\tcorreo\n${RFC}\tUno\ta@example.com`],
    ['lower case and spaces', `rfc , nombre, correo\n ${RFC.toLowerCase()} ,  Uno , A@Example.com `],
    ['quotes', `"rfc","nombre","correo"\n"${RFC}","Uno","a@example.com"`],
    ['another order', `correo,rfc,nombre\na@example.com,${RFC},Uno`],
    ['surplus empty cells', `rfc,nombre,correo\n${RFC},Uno,a@example.com,,,`],
  ])('may have %s', (_, text) => {
    expect(read(text)).toEqual({
      filas: [{ linea: 2, rfc: RFC, nombre: 'Uno', correo: 'a@example.com' }],
      faltas: [],
    });
  });

  it('needs the RFC alone, counts empty lines, and keeps separators within quotes', () => {
    const { filas } = read(`rfc,nombre\n\n${RFC}\n${OTRO},"Uno, S.A. ""de"" C.V."`);
    expect(filas).toEqual([
      { linea: 3, rfc: RFC, nombre: null, correo: null },
      { linea: 4, rfc: OTRO, nombre: 'Uno, S.A. "de" C.V.', correo: null },
    ]);
  });

  it('may be in Windows-1252, as spreadsheets in Spanish write it', () => {
    const { filas } = readArchivo(Buffer.from(`rfc;nombre\r\n${OTRO};Muñoz\r\n`, 'latin1'));
    expect(filas).toEqual([{ linea: 2, rfc: OTRO, nombre: 'Muñoz', correo: null }]);
  });

  it('names each faulty line with its value and what to do, and gives the good ones', () => {
    const { filas, faltas } = read(
      [
        'rfc,nombre,correo',
        `${RFC},Uno,`,
        'ACU200101,Corto,',
        'ACU201301DB1,Mes trece,',
        `${RFC.toLowerCase()},Otra vez,`,
        `${OTRO},Dos,dos@`,
        `${OTRO},Dos, S.A.,dos@example.com`,
        `${OTRO},"Dos,dos@example.com`,
        ',Sin RFC,x@example.com',
        `${OTRO},Dos,dos@example.com`,
      ].join('\n'),
    );
    expect(filas.map(({ linea, rfc }) => [linea, rfc])).toEqual([
      [2, RFC],
      [10, OTRO],
    ]);
    expect(faltas).toEqual([
      { linea: 3, valor: 'ACU200101', motivo: expect.stringContaining('Faltan caracteres') },
      { linea: 4, valor: 'ACU201301DB1', motivo: expect.stringContaining('fecha real') },
      { linea: 5, valor: RFC, motivo: 'El RFC ya está en la línea 2. Deje una de las dos.' },
      { linea: 6, valor: 'dos@', motivo: expect.stringContaining('No es una dirección de correo') },
      { linea: 7, valor: expect.stringContaining('S.A.'), motivo: expect.stringContaining('Tiene 4 columnas') },
      { linea: 8, valor: expect.stringContaining('"Dos'), motivo: expect.stringContaining('comillas') },
      { linea: 9, valor: '', motivo: 'Escriba el RFC.' },
    ]);
  });

  it.each([
    ['an empty file', '', 'está vacío'],
    ['spaces alone', ' \r\n \n', 'está vacío'],
    ['no header', `${RFC},Uno\n`, 'no tiene la columna rfc'],
    ['an unknown column', `rfc,email\n${RFC},a@example.com`, '«email»'],
    ['a column twice', `rfc,RFC\n${RFC},${RFC}`, 'dos veces'],
    ['no RFC', 'rfc,nombre\n', 'ningún RFC'],
    ['a workbook', 'PK\u0003\u0004\0\0', 'no es de texto'],
    ['too many lines', `rfc\n${`${RFC}\n`.repeat(MAX_LINEAS + 1)}`, '10,001 líneas y el máximo es 10,000'],
    ['too many bytes', `rfc\n${' '.repeat(MAX_BYTES)}`, 'pasa de 2 MiB'],
  ])('is refused with one clear error: %s', (_, text, motivo) => {
    expect(() => read(text)).toThrow(ArchivoIlegible);
    expect(() => read(text)).toThrow(motivo);
  });
});
