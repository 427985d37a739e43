/**
 * A write was sent and nothing is known of what became of it: the connection was lost, or nobody waited any longer.
 * Whoever gets this may claim neither that it was done nor that it was not.
 */
export class ResultadoIncierto extends Error {
  constructor(options: ErrorOptions) {
    super('it is not known whether the write was carried out', options);
    this.name = 'ResultadoIncierto';
  }
}
