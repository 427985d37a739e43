/** Why a webhook message got no answer. `SECRETO_ILEGIBLE`: it could not be signed, and was not sent. */
export const FALLOS_DE_ENTREGA = [
  'DIRECCION_NO_PERMITIDA',
  'NOMBRE_SIN_DIRECCION',
  'TIEMPO_AGOTADO',
  'CONEXION_RECHAZADA',
  'CONEXION_CORTADA',
  'TLS_INVALIDO',
  'SECRETO_ILEGIBLE',
] as const;
export type FalloDeEntrega = (typeof FALLOS_DE_ENTREGA)[number];
