/** Places between an effect outside of the database and its record, where a process may die. */
export const PUNTOS = [
  'tras-tomar',
  'tras-intencion',
  'tras-solicitar',
  'tras-verificar',
  'tras-bajar',
  'tras-ensamblar',
  'tras-terminar',
] as const;
type Punto = (typeof PUNTOS)[number];

/** Called at each place; does nothing outside of tests. */
export type Checkpoint = (punto: Punto, solicitudId: string) => Promise<void>;

export const noCheckpoint: Checkpoint = async () => {};
