/** Public description of an operation of the API, without its code. */
export interface OperacionPublicada {
  /** Path without /api/v1/, such as `tax/facturas`: how an operation is named when it is switched off. */
  readonly path: string;
  /** One line, Spanish. */
  readonly resumen: string;
  readonly descripcion: string;
  /** Credits. */
  readonly costo: 0 | 1;
  /** The credential label of the specification, such as `API key + CIEC`. */
  readonly credencial: string;
}
