/** A made-up list of article 69-B in the form of the real one: encoding, head, columns. */
export interface Renglon {
  readonly rfc: string;
  readonly situacion: string;
  readonly nombre?: string;
  /** dd/mm/yyyy of the stage of `situacion`. */
  readonly fecha?: string;
}

const PASOS = ['Presunto', 'Desvirtuado', 'Definitivo', 'Sentencia Favorable'];
const NOMBRES = [
  ['presunción', 'presuntos'],
  ['contribuyentes que desvirtuaron', 'desvirtuados'],
  ['definitivos', 'definitivos'],
  ['sentencia favorable', 'sentencia favorable'],
] as const;

export function listaFingida(corte: string, renglones: readonly Renglon[]): Buffer {
  const encabezado = [
    'No,RFC,Nombre del Contribuyente,Situación del contribuyente',
    ...NOMBRES.flatMap(([oficio, paso]) =>
      ['SAT', 'DOF'].flatMap((donde) => [
        `Número y fecha de oficio global de ${oficio} ${donde}`,
        `Publicación ${donde === 'SAT' ? 'página SAT' : 'DOF'} ${paso}`,
      ]),
    ),
  ].join(',');
  const lines = renglones.map(({ rfc, situacion, nombre = 'EMPRESA, S.A. "DE" C.V.', fecha = '05/03/2024' }, n) => {
    const celdas = PASOS.map((paso) => (paso === situacion ? `500-05-${n},${fecha},500-05-${n},${fecha}` : ',,,'));
    return `${n + 1},${rfc},"${nombre.replaceAll('"', '""')}",${situacion},${celdas.join(',')}`;
  });
  const comas = ','.repeat(19);
  return Buffer.from(
    [
      `"Información actualizada al ${corte}; los listados son públicos, y se consultan en el portal."${comas}`,
      `Listado completo de contribuyentes (Artículo 69-B)${comas}`,
      encabezado,
      ...lines,
      '',
    ].join('\r\n'),
    'latin1',
  );
}

/** `n` RFCs, all different. */
export const rfcs = (n: number, from = 0) =>
  Array.from({ length: n }, (_, i) => `AAA010101${(from + i).toString(36).toUpperCase().padStart(3, '0')}`);
