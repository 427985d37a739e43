/** Who changes something and from where, for the audit log. */
export interface Autor {
  /** `usuario:<id>`, `api_key:<id>`, `operador:cli`, or a part of the service. */
  readonly actor: string;
  /** Address that the order came from; null for one that came over no network. */
  readonly ip: string | null;
}
