import type { TipoDescarga } from '@acuse/core';
import { type Connection, rowsOf } from '@acuse/db';

/** Where a CFDI is: the SAT gives it and it is in force, gives it as cancelled, or does not give it any more. */
export type EstadoConocido = 'VIGENTE' | 'CANCELADO' | 'AUSENTE';

/** Which CFDI of a store are meant. */
export interface FiltroCfdi {
  /** At least one. */
  readonly tipos: readonly TipoDescarga[];
  /** Days of issue, `yyyy-MM-dd`, both included. */
  readonly desde?: string | undefined;
  readonly hasta?: string | undefined;
  readonly uuid?: string | undefined;
  /** RFC, whatever names the SAT gave it. */
  readonly contraparte?: string | undefined;
  readonly estado?: EstadoConocido | undefined;
  /** `I`, `E`, `T`, `N` or `P`. */
  readonly efecto?: string | undefined;
  /** Decimals, both included; a CFDI without an amount is in no range. */
  readonly montoMin?: string | undefined;
  readonly montoMax?: string | undefined;
}

/** Values of a statement that is put together: `$n` for each. */
export class Values {
  readonly all: unknown[] = [];

  add(value: unknown): string {
    return `$${this.all.push(value)}`;
  }
}

/** Names of one RFC up to which each is looked up by itself. The generic RFC of foreigners has thousands. */
const FEW_NAMES = 8;

/** A filter as conditions of SQL on `cfdi x`. */
export interface Corte {
  /** Conditions that an index serves. */
  readonly indexed: readonly string[];
  /** Which each row that was found is then asked. */
  readonly asked: readonly string[];
  /** The parts in which the rows are found in their order, when more than by kind: ids of the counterparty. */
  readonly contrapartes: readonly number[] | null;
}

const ESTADOS: Readonly<Record<EstadoConocido, string>> = {
  VIGENTE: 'x.vigente AND x.ausente IS NULL',
  CANCELADO: 'NOT x.vigente AND x.ausente IS NULL',
  AUSENTE: 'x.ausente IS NOT NULL',
};

/** Under which ids a store has an RFC; none when it does not know it. */
export async function idsOf(connection: Connection, almacenId: number, rfc: string): Promise<number[]> {
  const text = 'SELECT id FROM nombrado WHERE almacen_id = $1 AND rfc = $2';
  return (await rowsOf<{ id: number }>(connection, text, [almacenId, rfc])).map(({ id }) => id);
}

/** The conditions of a filter; `ids` are those of its counterparty, null when it names none. */
export function corteOf(almacenId: number, filtro: FiltroCfdi, ids: readonly number[] | null, values: Values): Corte {
  const { desde, hasta, uuid, estado, efecto, montoMin, montoMax } = filtro;
  const indexed = [`x.almacen_id = ${values.add(almacenId)}`];
  const asked: string[] = [];
  if (desde !== undefined) indexed.push(`x.emitida >= ${values.add(desde)}::date`);
  if (hasta !== undefined) indexed.push(`x.emitida < ${values.add(hasta)}::date + 1`);
  if (uuid !== undefined) {
    const value = `${values.add(uuid)}::uuid`;
    indexed.push(`uuid_hash(x.uuid) = uuid_hash(${value})`, `x.uuid = ${value}`);
  }
  if (estado !== undefined) asked.push(ESTADOS[estado]);
  if (efecto !== undefined) asked.push(`x.efecto = ${values.add(efecto)}::char(1)`);
  if (montoMin !== undefined) asked.push(`x.monto >= ${values.add(montoMin)}::numeric`);
  if (montoMax !== undefined) asked.push(`x.monto <= ${values.add(montoMax)}::numeric`);
  if (ids === null) return { indexed, asked, contrapartes: null };
  if (ids.length <= FEW_NAMES && uuid === undefined) return { indexed, asked, contrapartes: ids };
  return { indexed, asked: [...asked, `x.contraparte_id = ANY (${values.add(ids)}::int[])`], contrapartes: null };
}
