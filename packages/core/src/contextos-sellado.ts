import type { ClaveSesion } from './ports/autoridad/sesiones-portal.ts';

/** What the sealed cookies of a session belong to: they open for no other portal, taxpayer, credential or log-in. */
export const contextoDeSesion = ({ portal, rfc, tipo }: ClaveSesion, id: string): readonly string[] => [
  'acuse/v1/sesion',
  portal,
  rfc,
  tipo,
  id,
];

/** What the sealed proof of a credential belongs to. */
export const contextoDePrueba = ({ rfc, tipo }: Pick<ClaveSesion, 'rfc' | 'tipo'>, sal: string): readonly string[] => [
  'acuse/v1/prueba',
  rfc.toUpperCase(),
  tipo,
  sal,
];

/** What the sealed secret of a second factor belongs to. */
export const contextoDeSegundoFactor = (usuarioId: string): readonly string[] => ['panel/segundo-factor', usuarioId];
