import { randomBytes } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { createContribuyentes, createLibro, migrate } from '@acuse/db';
import { openRecords } from '@acuse/db/records';
import { buildPrograms, createDatabase, createProcessGroup, freePort, programEntry } from '@acuse/embedded';
import { silentLogger } from '@acuse/runtime';
import { generateWorkerKeyPair } from '@acuse/vault';
import { openUser } from '../../packages/embedded/src/commands/account.ts';

const SOLICITUDES = 100;
const RFC = 'ACU200101DB1';

const SEED = `
WITH nueva AS (
  INSERT INTO solicitud (id, cuenta_id, contribuyente_id, api_key_id, rfc, tipo, desde, hasta, canal, estado, deadline_at, creada_en, terminada_en)
  SELECT gen_random_uuid(), $1, $2, 'bench', '${RFC}', CASE n % 2 WHEN 0 THEN 'recibidos' ELSE 'emitidos' END,
    date '2020-01-01' + n * 10, date '2020-01-09' + n * 10, 'portal', 'ERROR', now(), now() - make_interval(hours => n), now()
  FROM generate_series(1, ${SOLICITUDES}) n RETURNING id
), cargo AS (
  INSERT INTO movimiento (cuenta_id, contribuyente_id, op_id, tipo, importe, operacion, solicitud_id)
  SELECT $1, $2, id, 'cargo', -1, 'tax/descarga-metadata', id FROM nueva
)
INSERT INTO evento (solicitud_id, tipo) SELECT id, 'ACEPTADA' FROM nueva`;

/** Milliseconds that `share` of the times do not pass. */
const percentile = (times: readonly number[], share: number) =>
  [...times].sort((a, b) => a - b)[Math.min(times.length - 1, Math.ceil(times.length * share) - 1)] ?? 0;

/**
 * Times of the panel's pages for an account with ${SOLICITUDES} solicitudes, beside an answer of the same process
 * without session, data or markup.
 */
export async function benchPanel(postgresUrl: string, requests: number): Promise<void> {
  const databaseUrl = await createDatabase(postgresUrl, `bench_${randomBytes(4).toString('hex')}`);
  await migrate(databaseUrl);
  const dir = await mkdtemp(join(tmpdir(), 'acuse-bench-'));
  await writeFile(join(dir, 'ca.pem'), rootCertificates[0] ?? '');
  const group = createProcessGroup({ log: silentLogger, logDir: dir, stopTimeoutMs: 10_000 });
  const db = openRecords({ url: databaseUrl, poolSize: 2, timeoutMs: 30_000, applicationName: 'bench' });
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const base64 = () => randomBytes(32).toString('base64');
  const programs = join(dir, 'programas');
  try {
    await buildPrograms(programs);
    await group.start({
      name: 'panel',
      entry: programEntry(programs, 'panel'),
      readyUrl: `${url}/readyz`,
      env: {
        PANEL_PORT: String(port),
        PANEL_PUBLIC_URL: url,
        COOKIE_HOST: 'false',
        LOG_LEVEL: 'error',
        DATABASE_URL: databaseUrl,
        PANEL_SECRETS: `p1:${base64()}`,
        API_KEY_PEPPERS: `1:${base64()}`,
        WEBHOOK_KEYS: `h1:${base64()}`,
        KEYRING: `k1:${base64()}`,
        WORKER_PUBLIC_KEY: `w1:${generateWorkerKeyPair().publicKey}`,
        WORKER_PSK: `p1:${base64()}`,
        EFIRMA_AUTORIDADES: join(dir, 'ca.pem'),
        S3_ENDPOINT: 'http://127.0.0.1:9',
        S3_ACCESS_KEY_ID: 'x',
        S3_SECRET_ACCESS_KEY: 'y',
      },
    });
    const { usuario, password } = await openUser(
      db,
      { url, publicUrl: url },
      { alias: 'bench', nombre: 'Bench', rol: 'CLIENTE', autor: { actor: 'bench', ip: null } },
    );
    const { cuentaId } = usuario;
    await createLibro(db).credit({
      cuentaId,
      creditos: 1_000,
      referencia: cuentaId,
      detalle: 'bench',
      actor: 'prueba',
      ip: null,
    });
    const { id } = await createContribuyentes(db).add({ cuentaId, rfc: RFC, actor: 'bench', ip: null });
    await db.pool.query(SEED, [cuentaId, id]);
    const { rows } = await db.pool.query('SELECT id FROM solicitud LIMIT 1');
    const cookie = await logIn(url, usuario.email, password);
    const floor = await measure(`${url}/healthz`, '', requests);
    console.log(`panel: floor, /healthz: p50 ${floor.p50} ms, p99 ${floor.p99} ms`);
    const paths = ['/inicio', '/solicitudes', `/solicitudes/${rows[0].id}`, '/rfcs', `/rfcs/${RFC}`];
    for (const path of [...paths, '/saldo', '/saldo/movimientos', '/cuenta']) {
      const { p50, p99, bytes } = await measure(`${url}${path}`, cookie, requests);
      console.log(
        `panel: ${path.replace(rows[0].id, 'ID')}: p50 ${p50} ms, p99 ${p99} ms, ${bytes} bytes (aim p99 50 ms)`,
      );
    }
  } finally {
    await group.stop();
    await db.close();
  }
}

async function logIn(url: string, email: string, password: string): Promise<string> {
  const page = await fetch(`${url}/entrar`);
  const before = page.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const [, _csrf = ''] = /name="_csrf" value="([^"]+)"/.exec(await page.text()) ?? [];
  const answer = await fetch(`${url}/entrar`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: url, cookie: before },
    body: new URLSearchParams({ _csrf, email, password }),
  });
  if (answer.status !== 303) throw new Error(`log-in: HTTP ${answer.status}`);
  return answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

/** One request after another, as a person makes them; the first tenth is not counted. */
async function measure(url: string, cookie: string, requests: number) {
  const times: number[] = [];
  let bytes = 0;
  for (let n = 0; n < requests; n += 1) {
    const started = performance.now();
    const answer = await fetch(url, { headers: { cookie }, redirect: 'manual' });
    bytes = (await answer.arrayBuffer()).byteLength;
    if (answer.status !== 200) throw new Error(`${url}: HTTP ${answer.status}`);
    if (n >= requests / 10) times.push(performance.now() - started);
  }
  return { p50: percentile(times, 0.5).toFixed(1), p99: percentile(times, 0.99).toFixed(1), bytes };
}
