/** Entries of `CatalogoConsultas` about the state of a CFDI. */
export interface ConsultasEstadoCfdi {
  'consultar-cfdi': { consulta: ConsultarCfdi; respuesta: RespuestaConsultarCfdi; credencial: null };
}

/** Asks the public service for the state of one CFDI. Needs no credential. Idempotent. */
export interface ConsultarCfdi {
  readonly consulta: 'consultar-cfdi';
  readonly emisorRfc: string;
  readonly receptorRfc: string;
  /** 36 characters with hyphens; the letter case does not matter. */
  readonly uuid: string;
  /** Pesos, at most six decimals. The SAT compares it: another total is another CFDI. */
  readonly total: number;
}

export type RespuestaConsultarCfdi =
  | {
      readonly resultado: 'ENCONTRADO';
      readonly estado: 'VIGENTE' | 'CANCELADO';
      /** The SAT's words (`Cancelable con aceptación`), null when the answer has none. */
      readonly esCancelable: string | null;
      readonly estatusCancelacion: string | null;
      /**
       * `ValidacionEFOS`: 100 to 104 somebody is listed under article 69-B, 200 and 201 nobody; null when the answer
       * has none.
       */
      readonly validacionEfos: string | null;
    }
  /** `N - 602`: the SAT knows no CFDI with exactly these four values. */
  | { readonly resultado: 'NO_ENCONTRADO' };
