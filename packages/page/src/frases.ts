/** What the audit log noted of a change. */
export type Detalle = Readonly<Record<string, unknown>>;

/** Changes of the audit log by action: name of the kind, and sentence about one case. */
export type Frases = Readonly<
  Record<string, readonly [nombre: string, texto: string | ((detalle: Detalle) => string)]>
>;

/** A noted value in a sentence. */
export const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value ?? ''));
/** A noted number; 0 when it is none. */
export const count = (value: unknown) => (typeof value === 'number' ? value : Number(value) || 0);
