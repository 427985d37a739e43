import type { Autor } from '@acuse/core';
import type { Database } from '../database.ts';
import { type Connection, execute, rowsOf } from '../statements.ts';
import { inTransaction } from '../transaction.ts';
import { nota } from './auditoria.ts';
import { type NuevaLlave, personOf } from './llaves.ts';

/** An RFC (already normalised) to be in an account; its name is kept where the RFC is new. */
export interface NewRfc {
  readonly rfc: string;
  readonly nombre: string | null;
}

/** A taxpayer without any key so far, locked until the transaction ends. */
export interface SinLlave {
  readonly contribuyenteId: string;
  readonly rfc: string;
  /** True when the account did not have the RFC. */
  readonly isNuevo: boolean;
}

/** The first key of a taxpayer. */
export interface PrimeraLlave extends NuevaLlave {
  readonly contribuyenteId: string;
}

const ADD = `
WITH nuevo AS (
  INSERT INTO contribuyente (id, cuenta_id, rfc, nombre)
  SELECT gen_random_uuid(), $1, a.rfc, a.nombre FROM unnest($2::text[], $3::text[]) AS a (rfc, nombre) ORDER BY a.rfc
  ON CONFLICT (cuenta_id, rfc) DO NOTHING RETURNING id, cuenta_id, rfc
), libro AS (${nota({ accion: 'agregar-rfc', de: 'nuevo', contribuyente: 'id', actor: '$4', ip: '$5' })})
SELECT rfc FROM nuevo`;

const HAD_KEY = 'EXISTS (SELECT FROM api_key k WHERE k.contribuyente_id = c.id)';

const WITH_KEY = `SELECT c.rfc FROM contribuyente c WHERE c.cuenta_id = $1 AND c.rfc = ANY ($2::text[]) AND ${HAD_KEY}`;

const LOCK = 'SELECT id FROM contribuyente WHERE cuenta_id = $1 AND rfc = ANY ($2::text[]) ORDER BY rfc FOR UPDATE';

/** Asked once the rows are locked: of a key that was made meanwhile the statement that locks would not know. */
const WITHOUT_KEY = `
SELECT c.id AS "contribuyenteId", c.rfc FROM contribuyente c WHERE c.id = ANY ($1::uuid[]) AND NOT ${HAD_KEY} ORDER BY c.rfc`;

const ACTIVATE = `
WITH hecha AS (
  INSERT INTO api_key (id, contribuyente_id, modo, hash, pepper_version, ultimos4, usuario_id)
  SELECT l.*, $7::uuid FROM unnest($1::text[], $2::uuid[], $3::text[], $4::bytea[], $5::int[], $6::text[]) AS l
  RETURNING id, contribuyente_id
)
${nota({
  accion: 'generar-llave',
  de: 'hecha JOIN contribuyente c ON c.id = hecha.contribuyente_id',
  cuenta: 'c.cuenta_id',
  contribuyente: 'c.id',
  detalle: `jsonb_build_object('api_key', hecha.id, 'anterior', NULL::text)`,
  actor: '$8',
  ip: '$9',
})}`;

/** Many RFCs of an account, each with its first key. */
export function createRfcBatches({ pool }: Pick<Database, 'pool'>) {
  return {
    /** Which of these RFCs the account has with a key, be it an active one or one that ended. */
    async withKey(cuentaId: string, rfcs: readonly string[]): Promise<Set<string>> {
      return new Set((await rowsOf<{ rfc: string }>(pool, WITH_KEY, [cuentaId, rfcs])).map(({ rfc }) => rfc));
    },

    /**
     * Adds the RFCs that the account does not have, and makes a first key for each that never had one, in one
     * transaction. `provide` makes those keys and hands them over before they are active; its rejection undoes
     * everything. `provide`, and `follow`, which runs after the keys, may use the transaction. Changes nothing of an RFC that had a key.
     */
    add(
      { cuentaId, rfcs: nuevos, actor, ip }: Autor & { readonly cuentaId: string; readonly rfcs: readonly NewRfc[] },
      provide: (sinLlave: readonly SinLlave[], connection: Connection) => Promise<readonly PrimeraLlave[]>,
      follow: (connection: Connection) => Promise<void>,
    ): Promise<void> {
      return inTransaction(pool, async (client) => {
        const rfcs = nuevos.map(({ rfc }) => rfc);
        const values = [cuentaId, rfcs, nuevos.map(({ nombre }) => nombre), actor, ip];
        const added = new Set((await rowsOf<{ rfc: string }>(client, ADD, values)).map(({ rfc }) => rfc));
        const locked = await rowsOf<{ id: string }>(client, LOCK, [cuentaId, rfcs]);
        const rows = await rowsOf<Omit<SinLlave, 'isNuevo'>>(client, WITHOUT_KEY, [locked.map(({ id }) => id)]);
        if (rows.length === 0) return;
        const sinLlave = rows.map((row) => ({ ...row, isNuevo: added.has(row.rfc) }));
        const llaves = await provide(sinLlave, client);
        await execute(client, ACTIVATE, [
          ...[llaves.map(({ id }) => id), llaves.map(({ contribuyenteId }) => contribuyenteId)],
          ...[llaves.map(({ modo }) => modo), llaves.map(({ hash }) => hash)],
          ...[llaves.map(({ pepperVersion }) => pepperVersion), llaves.map(({ ultimos4 }) => ultimos4)],
          ...[personOf(actor), actor, ip],
        ]);
        await follow(client);
      });
    },
  };
}
