import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { Taxpayer } from '../fixtures/database.ts';

const REQUIRED = `
SELECT a.attname AS columna, format_type(a.atttypid, NULL) AS tipo FROM pg_attribute a
WHERE a.attrelid = $1::text::regclass AND a.attnum > 0 AND NOT a.attisdropped AND a.attnotnull AND NOT a.atthasdef AND a.attidentity = ''`;

/** A value of each type, as SQL. */
const OF_TYPE = new Map([
  ...['integer', 'smallint', 'bigint', 'numeric'].map((type) => [type, '1'] as const),
  ...[['text', `'x'`] as const, ['uuid', 'gen_random_uuid()'] as const, ['boolean', 'true'] as const],
  ...[['bytea', `'\\x00'`] as const, ['jsonb', `'{}'`] as const, ['date', 'current_date'] as const],
  ...[['timestamp with time zone', 'now()'] as const, ['timestamp without time zone', 'localtimestamp'] as const],
  ...[['text[]', `'{x}'`] as const, ['character', `'E'`] as const],
]);

/** Puts one row of the taxpayer into each of these tables, in any order and without what triggers would make of it. */
export async function fillTables(
  pool: pg.Pool,
  tables: readonly string[],
  { cuentaId, contribuyenteId, rfc, apiKeyId }: Taxpayer,
): Promise<void> {
  const idOf: Record<string, string> = {};
  const id = (tabla: string) => {
    idOf[tabla] ??= `'${randomUUID()}'`;
    return idOf[tabla];
  };
  /** Values by column, then by table and column; `more` replaces defaults. */
  const named: Readonly<Record<string, string>> = {
    cuenta_id: `'${cuentaId}'`,
    contribuyente_id: `'${contribuyenteId}'`,
    rfc: `'${rfc}'`,
    api_key_id: `'${apiKeyId}'`,
    almacen_id: '1',
    tipo: `'ciec'`,
    cola: `'descargas'`,
    clave: `'x ${contribuyenteId} x'`,
    inicio: `'2026-01-01T00:00:00'`,
    fin: `'2026-01-01T00:00:00'`,
  };
  const own: Readonly<Record<string, string>> = {
    'solicitud.tipo': `'emitidos'`,
    'solicitud.canal': `'portal'`,
    'evento.tipo': `'ACEPTADA'`,
    'cfdi_cambio.clase': `'N'`,
    'tramo.tipo': `'recibidos'`,
    'lectura.tipo': `'recibidos'`,
    'webhook_evento.tipo': `'saldo.bajo'`,
    'operacion_deshabilitada.operacion': `'tax/facturas'`,
    'conexion.modo': `'test'`,
    'conexion.huella': `decode(repeat('00', 32), 'hex')`,
    'sincronizacion.frecuencia': `'DIARIA'`,
  };
  const more: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    almacen: { id: '1' },
    solicitud: { estado: `'ERROR'`, terminada_en: `now() - interval '1 hour'` },
    webhook_entrega: { id: id('entrega') },
    webhook_evento: { id: id('evento'), rfc: `'${rfc}'` },
  };
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT cfdi_meses(current_date, current_date)');
    await client.query('SET LOCAL session_replication_role = replica');
    await client.query(
      `INSERT INTO webhook (id, cuenta_id, url, eventos) VALUES (${id('webhook')}, '${cuentaId}', 'https://a.example', '{saldo.bajo}')`,
    );
    for (const tabla of tables) {
      const { rows } = await client.query<{ columna: string; tipo: string }>(REQUIRED, [tabla]);
      const values = Object.fromEntries(
        rows.map(({ columna, tipo }) => {
          const [, hung] = /^(?:(.*)_)?id$/.exec(columna) ?? [columna, null];
          const reference = tipo === 'uuid' && hung !== null ? id(hung ?? tabla) : OF_TYPE.get(tipo);
          return [columna, own[`${tabla}.${columna}`] ?? named[columna] ?? reference];
        }),
      );
      const all = { ...values, ...more[tabla] };
      await client.query(
        `INSERT INTO ${tabla} (${Object.keys(all).join(', ')}) OVERRIDING SYSTEM VALUE VALUES (${Object.values(all).join(', ')})`,
      );
    }
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}
