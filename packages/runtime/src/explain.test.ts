import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ExplainedError, explain, explainPrinted } from './explain.ts';

const dir = mkdtempSync(join(tmpdir(), 'acuse-explain-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** What `work` fails with. */
async function errorOf(work: () => unknown): Promise<unknown> {
  try {
    await work();
  } catch (error) {
    return error;
  }
  throw new Error('it did not fail');
}

const listenAt = async (port: number) => {
  const server = createServer();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
};
const portOf = (server: Awaited<ReturnType<typeof listenAt>>) => (server.address() as { port: number }).port;

describe('what an operator reads about an error of the system', () => {
  it('no server listening: the setting', async () => {
    const server = await listenAt(0);
    const port = portOf(server);
    server.close();
    await once(server, 'close');
    const error = await errorOf(() => once(connect(port, '127.0.0.1'), 'connect'));
    expect(explain(error)).toMatch(/^Nadie contesta en la dirección de DATABASE_URL\. Revise que PostgreSQL/);
    expect(explain(new Error('outer', { cause: error }), { server: 'S3_ENDPOINT' })).toMatch(
      /^Nadie contesta en la dirección de S3_ENDPOINT\. Revise que el almacén/,
    );
  });

  it('a port that is taken: its number and its setting', async () => {
    const server = await listenAt(0);
    const error = await errorOf(() => listenAt(portOf(server)));
    expect(explain(error, { port: 'API_PORT' })).toBe(
      `API_PORT: alguien escucha ya en el puerto ${portOf(server)}. Deténgalo, o elija otro.`,
    );
    server.close();
  });

  it.runIf(process.platform === 'linux')('a full disk: what could not be written, and the option', async () => {
    const error = await errorOf(() => writeFileSync('/dev/full', 'x'));
    expect(explain(error, { folder: '--data' })).toBe(
      'No queda espacio en el disco de ese archivo o carpeta. Libere espacio, o elija otra carpeta con --data.',
    );
  });

  it.runIf(process.platform === 'linux')('a folder of another user: its path, and the option', async () => {
    const folder = join(dir, 'ajena');
    mkdirSync(folder);
    chmodSync(folder, 0o500);
    chmodSync(dir, 0o755);
    const program = `try { fs.mkdirSync(process.argv[1]) } catch (e) { console.log(JSON.stringify({ code: e.code, path: e.path })) }`;
    const ids = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const out = execFileSync(process.execPath, ['-e', program, join(folder, 'x')], {
      ...ids,
      cwd: '/',
      encoding: 'utf8',
    });
    const error = Object.assign(new Error('mkdir'), JSON.parse(out));
    expect(error.code).toBe('EACCES');
    expect(explain(error, { folder: '--data' })).toBe(
      `No hay permiso para leer o escribir «${join(folder, 'x')}». Revise de quién es y con qué usuario da la orden, o elija otra carpeta con --data.`,
    );
    expect(explain(error)).toMatch(/da la orden\.$/);
  });

  it('a file where a folder should be', async () => {
    const path = join(dir, 'archivo');
    writeFileSync(path, '');
    expect(explain(await errorOf(() => mkdirSync(path, { recursive: true })), { folder: '--data' })).toBe(
      `«${path}» ya existe y no es una carpeta. Cambie su nombre, o elija otra carpeta con --data.`,
    );
  });

  it('a folder where a file should be, and a name that is too long', async () => {
    expect(explain(await errorOf(() => writeFileSync(dir, '')))).toBe(
      `«${dir}» es una carpeta. Dé el nombre de un archivo.`,
    );
    const long = join(dir, 'x'.repeat(300));
    expect(explain(await errorOf(() => writeFileSync(long, '')))).toBe(
      `El sistema no admite un nombre tan largo como el de «${long}». Dé uno más corto.`,
    );
  });

  it('keeps an explained error as it is, and prints any other as one line without a stack', () => {
    expect(explain(new ExplainedError('uno\ndos'))).toBe('uno\ndos');
    expect(explain(new TypeError('\nsomething\n    at file.ts:1'))).toBe('something');
    expect(explain(undefined)).toMatch(/^La orden falló sin decir por qué/);
  });

  it('what another program printed of the same', () => {
    const printed = 'FATAL:  could not write lock file "postmaster.pid": No space left on device';
    expect(explainPrinted(printed, {}, { path: '/datos' })).toBe(
      'No queda espacio en el disco de «/datos». Libere espacio.',
    );
    expect(explainPrinted('FATAL: something else', {}, {})).toBeNull();
  });
});
