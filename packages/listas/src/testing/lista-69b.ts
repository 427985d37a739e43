import { Readable } from 'node:stream';

/** The names of the real file's columns (public readers of it name them). */
export const ENCABEZADO: readonly string[] = [
  'No',
  'RFC',
  'Nombre del Contribuyente',
  'Situación del contribuyente',
  ...[
    'presunción|presuntos',
    'contribuyentes que desvirtuaron|desvirtuados',
    'definitivos|definitivos',
    'sentencia favorable|sentencia favorable',
  ].flatMap((pair) => {
    const [oficio = '', paso = ''] = pair.split('|');
    const de = `Número y fecha de oficio global de ${oficio}`;
    return [`${de} SAT`, `Publicación página SAT ${paso}`, `${de} DOF`, `Publicación DOF ${paso}`];
  }),
];

export const PROSA =
  'Información actualizada al 31 de julio de 2026; los listados a que se hace mención son de carácter público, y pueden consultarse en el Portal del SAT.';

/** Cells of a row; stages by their place, four cells each. */
export function renglon(
  no: number,
  rfc: string,
  nombre: string,
  situacion: string,
  pasos: Partial<Record<0 | 1 | 2 | 3, readonly string[]>> = {
    0: ['500-05-2019-1 de fecha 2 de enero de 2019', '03/01/2019', '500-05-2019-1', '25/01/2019'],
  },
): string[] {
  const cells = ([0, 1, 2, 3] as const).flatMap((n) => [...(pasos[n] ?? []), '', '', '', ''].slice(0, 4));
  return [String(no), rfc, nombre, situacion, ...cells];
}

const quote = (cell: string) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
export const csv = (records: readonly (readonly string[])[]) =>
  records.map((record) => `${record.map(quote).join(',')}\r\n`).join('');

const padded = (text: string, width: number) => [text, ...Array<string>(width - 1).fill('')];

/** The text of a whole file. */
export function archivo(
  renglones: readonly (readonly string[])[],
  options: { readonly prosa?: string; readonly encabezado?: readonly string[] } = {},
): string {
  const encabezado = options.encabezado ?? ENCABEZADO;
  return csv([
    padded(options.prosa ?? PROSA, encabezado.length),
    padded('Listado completo de contribuyentes (Artículo 69-B del Código Fiscal de la Federación)', encabezado.length),
    encabezado,
    ...renglones,
  ]);
}

/** What windows-1252 has in place of the control characters 80 to 9f and these files use. */
const EXTRA: Readonly<Record<string, number>> = { '“': 0x93, '”': 0x94, '–': 0x96, '’': 0x92, '€': 0x80 };

/** Bytes as the SAT writes them; characters that the encoding lacks become a question mark. */
export function windows1252(text: string): Buffer {
  return Buffer.from(
    [...text].map(
      (character) =>
        EXTRA[character] ?? ((character.codePointAt(0) ?? 0) < 0x100 ? (character.codePointAt(0) ?? 0) : 0x3f),
    ),
  );
}

/** The bytes in pieces of a size. */
export function trozos(bytes: Buffer, size = 8_192): Readable {
  return Readable.from(
    (function* () {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    })(),
    { objectMode: false },
  );
}
