/** States of a solicitud as callers see them (`EN_PROCESO` is the specification's word, the others are ours). */
export const ESTADOS_SOLICITUD = [
  'EN_PROCESO',
  'ESPERA_EFIRMA',
  'TERMINADA',
  'ERROR',
  'RECHAZADA',
  'VENCIDA',
  'CANCELADA',
] as const;
export type EstadoSolicitud = (typeof ESTADOS_SOLICITUD)[number];

/** States in which a solicitud is still being worked on. */
export const ESTADOS_ABIERTOS = ['EN_PROCESO', 'ESPERA_EFIRMA'] as const satisfies readonly EstadoSolicitud[];

export const ESTADOS_CFDI = ['VIGENTE', 'CANCELADO'] as const;
export const ESTADOS_CONTRIBUYENTE = ['ACTIVO', 'SUSPENDIDO', 'CANCELADO'] as const;
export const OPINIONES = ['POSITIVO', 'NEGATIVO', 'EN_SUSPENSION', 'INSCRITO_SIN_OBLIGACIONES', 'NO_INSCRITO'] as const;
