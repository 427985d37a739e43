import type { TestDatabase } from '../../integration/fixtures/database.ts';

/** What PostgreSQL looks for names in, from now on: ours is found before the `now()` of its own. */
const PATH = 'public, reloj, pg_catalog, pg_temp';

/**
 * Gives a database a clock that stands still until it is set: every `now()` of the product's statements, functions and
 * columns reads it. The connections that are open would not: they are closed, and must not be in use.
 */
export async function installClock({ db }: Pick<TestDatabase, 'db'>, start: Date): Promise<void> {
  const client = await db.pool.connect();
  await client.query(`
    CREATE SCHEMA reloj;
    CREATE TABLE reloj.hora (ahora timestamptz(3) NOT NULL);
    CREATE FUNCTION reloj.now() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT ahora::timestamptz FROM reloj.hora';
    GRANT USAGE ON SCHEMA reloj TO PUBLIC; GRANT SELECT ON reloj.hora TO PUBLIC;`);
  await client.query('INSERT INTO reloj.hora VALUES ($1)', [start]);
  await client.query(`
    DO $$
    DECLARE f record; c record;
    BEGIN
      EXECUTE format('ALTER DATABASE %I SET search_path = ${PATH}', current_database());
      FOR f IN SELECT p.oid::regprocedure AS nombre FROM pg_proc p
        WHERE p.pronamespace = 'public'::regnamespace AND p.proconfig::text LIKE '%search_path%' LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = ${PATH}', f.nombre);
      END LOOP;
      FOR c IN SELECT d.adrelid::regclass AS tabla, a.attname AS columna, pg_get_expr(d.adbin, d.adrelid) AS valor
        FROM pg_attrdef d JOIN pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum JOIN pg_class k ON k.oid = d.adrelid
        WHERE k.relnamespace = 'public'::regnamespace AND pg_get_expr(d.adbin, d.adrelid) LIKE '%now()%' LOOP
        EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET DEFAULT %s', c.tabla, c.columna, replace(c.valor, 'now()', 'reloj.now()'));
      END LOOP;
    END $$`);
  await client.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
  client.release(true);
}

/** Sets the clock of every process that uses the database. */
export const setClock = async ({ db }: Pick<TestDatabase, 'db'>, now: number): Promise<void> => {
  await db.pool.query('UPDATE reloj.hora SET ahora = $1', [new Date(now)]);
};
