/**
 * Note of a feature in the transaction that ends a solicitud with its package. The statement is composed of all notes
 * once, at start-up. `observed` is a parameter of type jsonb: the observation of the rows under `name`, null without one.
 */
export interface FinishNote {
  /** Name of the observation. */
  readonly name: string;
  /** Common table expressions before the end, each followed by a comma. */
  before(observed: string): string;
  /** Columns of `solicitud` that the end sets, each after a comma. */
  set(observed: string): string;
  /** Common table expressions after the end, each after a comma; `fin` has the id of the ended row. */
  readonly after: string;
}
