/**
 * A closed interval of whole seconds in wall-clock time of central Mexico, without a zone
 * (`yyyy-MM-ddTHH:mm:ss`), as the SAT takes it in FechaInicial and FechaFinal. Both ends are included.
 */
export interface Periodo {
  readonly inicio: string;
  readonly fin: string;
}
