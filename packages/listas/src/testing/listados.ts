import { csv } from './lista-69b.ts';

/** The headers of the real files (public repositories that read them in August 2026 name them). */
export const ENCABEZADOS = {
  firmes: ['RFC', 'RAZON SOCIAL', 'TIPO PERSONA', 'SUPUESTO', 'FECHA DE PRIMERA PUBLICACION', 'ENTIDAD FEDERATIVA'],
  sentencias: [
    'RFC',
    'RAZÓN SOCIAL',
    'TIPO PERSONA',
    'SUPUESTO',
    'FECHAS DE PRIMERA PUBLICACION',
    'ENTIDAD FEDERATIVA',
  ],
  cancelados: [
    ...['RFC', 'RAZON SOCIAL', 'TIPO PERSONA', 'SUPUESTO', 'FECHA DE CANCELACION', 'MONTO ', 'FECHA DE PUBLICACION'],
    'ENTIDAD FEDERATIVA',
  ],
  csd: ['RFC', 'NOMBRE O RAZON SOCIAL', 'SUPUESTO DE CANCELACION CSD', 'FECHA DE PRIMERA PUBLICACION'],
} as const;

/** The text of a file of article 69, or of the seals without effect: no prose, the header first. */
export const listado = (encabezado: readonly string[], renglones: readonly (readonly string[])[]) =>
  csv([encabezado, ...renglones]);

/** Cells of a row of the credits that are final. */
export const firme = (rfc: string, nombre: string, fecha = '01/01/2014', supuesto = 'FIRMES') => [
  ...[rfc, nombre, rfc.length === 12 ? 'M' : 'F', supuesto, fecha, 'CIUDAD DE MEXICO'],
];
