import { inspectDatabase } from '@acuse/db';
import { explain } from '@acuse/runtime';
import { expect, inject, it } from 'vitest';
import { acuse, runOrder } from '../fixtures/cli.ts';
import { useDatabase } from '../fixtures/database.ts';
import { accesosTo, urlAs } from '../fixtures/roles.ts';

const base = useDatabase();

/** Findings of «revisar» about logins, migrations and queue, without calls to the SAT. */
async function revisar(env: Readonly<Record<string, string>>, ...processes: readonly string[]) {
  const s3 = inject('s3');
  const { rows } = await runOrder(
    { DATABASE_URL: 'postgres://nobody@127.0.0.1:9/x' },
    ['revisar', '--json', '--proceso', ...processes],
    {
      env: {
        SAT_CANALES_DESACTIVADOS: 'soap,portal,publico',
        S3_ENDPOINT: s3.endpoint,
        S3_BUCKET: 'nadie',
        S3_ACCESS_KEY_ID: s3.accessKeyId,
        S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
        ...env,
      },
      now: Date.now,
      exitWith: () => {},
    },
  );
  return (revision: string) =>
    rows
      .filter((row) => row['revision'] === revision)
      .map(({ resultado, que, remedio }) => `${resultado}: ${que}. ${remedio}`);
}

it('acuse operador revisar reports logins with too many rights, and failing logins', async () => {
  const { url } = base;
  const all = { DATABASE_URL: url, ...accesosTo(url) };
  const fine = (await revisar(all, 'api', 'worker', 'panel'))('usuarios');
  expect(fine).toEqual([
    expect.stringContaining('bien: api: entra como «acuse_prueba_api», que puede lo suyo y nada más'),
    expect.stringContaining('bien: worker: entra como «acuse_prueba_worker»'),
    expect.stringContaining('bien: panel: entra como «acuse_prueba_panel»'),
  ]);
  // The owner of a table has every right on it; here the panel's login becomes the owner.
  await base.sql`ALTER TABLE solicitud OWNER TO acuse_prueba_panel`;
  const of = await revisar(
    { ...all, DATABASE_URL_API: url, DATABASE_URL_WORKER: all.DATABASE_URL_WORKER.replace('_worker', '_nadie') },
    ...['api', 'worker', 'panel'],
  );
  await base.sql`ALTER TABLE solicitud OWNER TO CURRENT_USER`;
  expect(of('usuarios')).toEqual([
    expect.stringMatching(/^aviso: api: entra como .*superusuario.*migrar/),
    expect.stringMatching(/^falla: no se pudo preguntar.*la contraseña de DATABASE_URL_WORKER/),
    expect.stringMatching(/^aviso: panel: entra como «acuse_prueba_panel», el dueño de las tablas.*migrar/),
  ]);
});

it('acuse operador revisar looks from inside of a process too, as the user that it has there', async () => {
  const name = new URL(base.url).pathname.slice(1);
  // A clone has not the rights to connect of its template.
  await base.db.pool.query(
    `REVOKE CONNECT ON DATABASE ${name} FROM PUBLIC; GRANT CONNECT ON DATABASE ${name} TO acuse_prueba_api, acuse_prueba_panel, acuse_prueba_worker`,
  );
  const inside = { DATABASE_URL: urlAs(base.url, 'worker') };
  const of = await revisar({ ...inside, QUEUE_URL: base.url }, 'worker');
  expect([of('migraciones'), of('usuarios'), of('cola')]).toEqual([
    [expect.stringContaining('bien: ')],
    [expect.stringContaining('bien: worker: entra como «acuse_prueba_worker»')],
    [expect.stringContaining('bien: ')],
  ]);
  // The queue has its tables in a database of its own, or cannot be used by who may make none.
  expect((await revisar(inside, 'worker'))('cola')).toEqual([expect.stringMatching(/^falla: .*DATABASE_URL_COLA/)]);
});

it('acuse operador migrar says that the database is of a later version, changes nothing, and says how to go back', async () => {
  await base.sql`INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at)
    VALUES ('later', 'x', '99990101000000_later', now())`;
  const order = acuse({ DATABASE_URL: base.url }, 'migrar');
  await expect(order.catch((error) => explain(error))).resolves.toBe(
    'La base de datos es de una versión posterior de Acuse: tiene la migración 99990101000000_later, que esta no conoce. No se cambió nada. Use el programa de esa versión. Para volver a esta, inicie sus procesos sin «migrar» (docs/operators/operate.md, paso 11).',
  );
  await base.sql`DELETE FROM _prisma_migrations WHERE id = 'later'`;
});

it('acuse operador revisar counts the connections of others too, as an owner who is no superuser', async () => {
  const clients = await Promise.all(Array.from({ length: 8 }, () => base.db.pool.connect()));
  const { connections } = await inspectDatabase(urlAs(base.url, 'worker'), { timeoutMs: 10_000, now: Date.now });
  for (const client of clients) client.release();
  expect(connections).toBeGreaterThan(clients.length);
});

it('acuse operador revisar refuses a process that logs in as another one', async () => {
  const all = { DATABASE_URL: base.url, ...accesosTo(base.url) };
  const of = await revisar({ ...all, DATABASE_URL_API: all.DATABASE_URL_PANEL }, 'api', 'worker', 'panel');
  expect(of('usuarios')).toEqual([
    expect.stringMatching(
      /^falla: api, panel: entran como «acuse_prueba_panel», que no tiene los permisos de api\. .*migrar/,
    ),
    expect.stringContaining('bien: worker: entra como «acuse_prueba_worker»'),
  ]);
});
