/** Quotas of the SAT that all processes share. */
export interface Cuotas {
  /** Takes `cuantos` from the quota `clave` of an RFC. False when fewer of `maximo` are left: nothing is taken. */
  take(cuota: { rfc: string; clave: string; maximo: number; cuantos: number }): Promise<boolean>;
}
