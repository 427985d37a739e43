import type { SentidoOpinion } from '@acuse/core';

/** How the document words each sense. */
export const TEXTO_DE: Readonly<Record<SentidoOpinion, string>> = {
  POSITIVO: 'POSITIVO',
  NEGATIVO: 'NEGATIVO',
  EN_SUSPENSION: 'EN SUSPENSIÓN DE ACTIVIDADES',
  INSCRITO_SIN_OBLIGACIONES: 'INSCRITO SIN OBLIGACIONES',
  NO_INSCRITO: 'NO INSCRITO',
};
const LETRA: Readonly<Record<SentidoOpinion, string>> = {
  POSITIVO: 'P',
  NEGATIVO: 'N',
  EN_SUSPENSION: 'S',
  INSCRITO_SIN_OBLIGACIONES: 'I',
  NO_INSCRITO: 'X',
};

interface OpinionDePrueba {
  readonly rfc: string;
  readonly sentido: SentidoOpinion;
  readonly nombre?: string;
  /** What a negative one lists. */
  readonly detalle?: readonly string[];
  /** General words, in the body and at the foot. */
  readonly cuerpo?: readonly string[];
  readonly notas?: readonly string[];
  /** How the table's cells come out of the document. */
  readonly celdas?: 'separadas' | 'juntas' | 'renglones';
}

/** Lines of the layout since June 2025; cells of a line are two blanks apart. */
export function layoutNuevo(o: OpinionDePrueba): string[] {
  const nombre = o.nombre ?? 'EMPRESA DE PRUEBA SA DE CV';
  const valores =
    o.celdas === 'renglones'
      ? [nombre, TEXTO_DE[o.sentido]]
      : [`${nombre}${o.celdas === 'juntas' ? ' ' : '  '}${TEXTO_DE[o.sentido]}`];
  return [
    'Opinión del cumplimiento de obligaciones fiscales',
    'Nombre, denominación o razón social  Sentido',
    ...valores,
    'RFC  Folio',
    `${o.rfc}  26NL1324942`,
    'Fecha y hora de emisión',
    '22 de septiembre de 2026 a las 12:52 horas',
    'Apreciable contribuyente',
    'Se le informa lo que muestran los controles electrónicos del servicio en el momento de esta revisión.',
    ...(o.cuerpo ?? []),
    ...(o.detalle ?? []),
    'Artículos: 17-D, 32-D del CFF; Reglas 2.1.27. y 2.1.36. de la RMF.',
    ...(o.notas ?? []),
    'Cadena Original',
    `||${o.rfc}|26NL1324942|22-09-2026|${LETRA[o.sentido]}||00001088888800000031||`,
    'Sello Digital',
    'q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=',
  ];
}

/** Lines of the layout before, whose notes explain every sense. */
export function layoutAnterior(o: OpinionDePrueba): string[] {
  return [
    'Servicio de Administración Tributaria',
    'Opinión del cumplimiento de obligaciones fiscales',
    'Folio  Clave de R.F.C.',
    `26NL1324942  ${o.rfc}`,
    'Nombre, Denominación o Razón social',
    o.nombre ?? 'EMPRESA DE PRUEBA SA DE CV',
    'Estimado contribuyente',
    'Respuesta de opinión:',
    'En atención a su consulta, se le informa lo siguiente:',
    ...(o.cuerpo ?? []),
    ...(o.detalle ?? []),
    'Por lo que se emite esta opinión del cumplimiento de obligaciones fiscales,',
    `en sentido ${TEXTO_DE[o.sentido]}.`,
    'Revisión practicada el día 22 de septiembre de 2026, a las 12:52 horas',
    'Notas',
    '1.- La opinión se genera en los sentidos: POSITIVA. - Cuando el contribuyente está al corriente; NEGATIVA. - Cuando',
    'no lo está; INSCRITO SIN OBLIGACIONES.- Cuando está inscrito y no tiene obligaciones.',
    '2.- La opinión Inscrito SIN OBLIGACIONES se tomará como Positiva para subsidios menores.',
    ...(o.notas ?? []),
    'Cadena Original:',
    `||${o.rfc}|26NL1324942|22-09-2026|${LETRA[o.sentido]}||00001088888800000031||`,
    'Sello Digital:',
    'q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=',
  ];
}
