import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { explain, silentLogger } from '@acuse/runtime';
import yauzl from 'yauzl';
import { residentBytes } from '../children.ts';
import { readSettings } from '../settings.ts';
import { type RunningStack, startStack } from '../stack.ts';
import {
  askSimulator,
  type Call,
  createCaller,
  lastMonths,
  makeAccount,
  type ReadyAccount,
  Refused,
  storeCiec,
  storeEfirma,
} from './account.ts';
import { type CommandOptions, helpOf, readOptions } from './options.ts';

const HOME = fileURLToPath(new URL('../../../../.acuse', import.meta.url));
const MONTHS = 3;
const LOOK_EVERY_MS = 250;
const SAMPLE_EVERY_MS = 100;
const GIVE_UP_AFTER_SECONDS = 1_800;

interface Estado {
  readonly estado: string;
  readonly registros: number | null;
  readonly progreso: number;
  readonly intentos: number;
  readonly motivo: string | null;
}

/** With `--json` the standard output is for the result alone. */
let progress: NodeJS.WritableStream = process.stdout;
const say = (line: string) => progress.write(`${line}\n`);
const megabytes = (bytes: number) => `${(bytes / 1_048_576).toFixed(1)} MB`;

/** The main job as an integrator sees it, from an empty machine to a checked ZIP. */
async function runJob(stack: RunningStack, cuenta: ReadyAccount, options: CommandOptions, home: string) {
  const call = createCaller(stack.apiUrl, cuenta.api_key);
  const { desde, hasta } = lastMonths(MONTHS, new Date());
  if (options.rows !== undefined) {
    const filas = [{ tipo: 'recibidos', desde, hasta, cantidad: options.rows }];
    await askSimulator(stack, `contribuyentes/${cuenta.rfc}`, { method: 'PUT', body: { filas } });
  }
  await call('vault/rfc-registrar', { rfc: cuenta.rfc });
  if (options.credencial === 'ciec') await storeCiec(call, cuenta);
  else await storeEfirma(call, cuenta);
  say(`vault: RFC ${cuenta.rfc} registrado, ${options.credencial === 'ciec' ? 'CIEC' : 'e.firma'} guardada`);

  const started = performance.now();
  const solicitud = await call<{ solicitud_id: string; estado: string }>('tax/descarga-metadata', {
    rfc: cuenta.rfc,
    tipo: 'recibidos',
    desde,
    hasta,
  });
  say(
    `tax/descarga-metadata ${desde} a ${hasta}: ${solicitud.estado} en ${Math.round(performance.now() - started)} ms`,
  );
  const { solicitud_id } = solicitud;
  await expectUnfinished(call, solicitud_id);
  const final = await waitForEnd(call, solicitud_id);
  if (final.estado !== 'TERMINADA') throw new Error(`La solicitud terminó en ${final.estado}: ${final.motivo}`);

  const paquete = await call<{ paquete_url: string; expira_en: string }>('descarga/paquete', { solicitud_id });
  say(`descarga/paquete: URL válida hasta ${paquete.expira_en}`);
  const file = join(home, `demo-${solicitud_id}.zip`);
  const downloaded = await download(paquete.paquete_url, file);
  const checked = await verifyZip(file);
  if (checked.registros !== final.registros || (options.rows ?? checked.registros) !== checked.registros)
    throw new Error(
      `El paquete trae ${checked.registros} registros y se esperaban ${options.rows ?? final.registros}.`,
    );
  const segundos = Math.round((performance.now() - started) / 100) / 10;
  say(
    `ZIP descargado y comprobado: ${checked.entradas} entradas, ${checked.registros} registros, ${megabytes(downloaded.bytes)}`,
  );
  say(`sha256 ${downloaded.sha256}, ${segundos} s desde la petición`);
  say(`El ZIP quedó en ${file}`);
  const { bytes, sha256 } = downloaded;
  return {
    solicitud_id,
    estado: final.estado,
    paquete_url: paquete.paquete_url,
    zip: file,
    bytes,
    sha256,
    registros: checked.registros,
    segundos,
  };
}

/** `paquete` must answer 409/3002 as long as the solicitud is unfinished; a tiny one may have ended already. */
async function expectUnfinished(call: Call, solicitud_id: string): Promise<void> {
  try {
    await call('descarga/paquete', { solicitud_id });
    say('descarga/paquete: ya terminada');
  } catch (error) {
    if (!(error instanceof Refused) || error.codigo !== 3002) throw error;
    say(`descarga/paquete: ${error.status}/${error.codigo} mientras no termina`);
  }
}

async function waitForEnd(call: Call, solicitud_id: string): Promise<Estado> {
  const until = Date.now() + GIVE_UP_AFTER_SECONDS * 1_000;
  let last = '';
  for (;;) {
    const now = await call<Estado>('descarga/verificar', { solicitud_id });
    const line = `descarga/verificar: ${now.estado}, ${Math.round(now.progreso * 100)} %, ${now.intentos} consultas al SAT`;
    if (line !== last) say(line);
    last = line;
    if (now.estado !== 'EN_PROCESO') return now;
    if (Date.now() > until) throw new Error(`La solicitud sigue sin terminar tras ${GIVE_UP_AFTER_SECONDS} s.`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

function processesOf(stack: RunningStack): Record<string, number> {
  const workers = stack.workers.map(({ name, pid }) => [name, pid]);
  // The embedded storage runs in this process.
  return {
    api: stack.api.pid,
    ...Object.fromEntries(workers),
    simulador: stack.simulador.pid,
    's3 y demostración': process.pid,
  };
}

function reportMemory(uses: readonly MemoryUse[]): void {
  for (const { name, idle, peak } of uses)
    say(
      `memoria de ${name}: ${megabytes(idle)} en reposo, ${megabytes(peak)} como máximo (+${megabytes(peak - idle)})`,
    );
}

async function main(): Promise<void> {
  const options = readOptions('demo', process.argv.slice(2));
  if (options === null) {
    say(helpOf('demo'));
    return;
  }
  if (options.json) progress = process.stderr;
  const settings = readSettings(process.env);
  const redisUrl = options.redisUrl ?? settings.redisUrl;
  const home = options.dataDir ?? HOME;
  await mkdir(home, { recursive: true, mode: 0o700 });
  const dir = await mkdtemp(join(tmpdir(), 'acuse-demo-'));
  say('Iniciando PostgreSQL, S3, el simulador del SAT, la API y el worker…');
  const stack = await startStack({
    dataDir: dir,
    logDir: join(dir, 'log'),
    log: silentLogger,
    ...settings,
    ...(redisUrl === undefined ? {} : { redisUrl }),
  });
  // A Ctrl-C ends the stack's children with this process; the folder goes with the next clean-up of the system.
  let result: Awaited<ReturnType<typeof runJob>>;
  try {
    say(`API ${stack.apiUrl}, cola en ${redisUrl?.startsWith('redis') ? 'Redis' : 'PostgreSQL'}`);
    const cuenta = await makeAccount(stack, dir);
    const memory = await watchMemory(processesOf(stack), SAMPLE_EVERY_MS);
    result = await runJob(stack, cuenta, options, home);
    reportMemory(memory.stop());
  } finally {
    await stack.stop();
    await rm(dir, { recursive: true, force: true });
  }
  if (options.json) process.stdout.write(`${JSON.stringify(result)}\n`);
}

try {
  await main();
} catch (error) {
  process.stderr.write(`La demostración falló: ${explain(error, { folder: '--data o TMPDIR' })}\n`);
  process.exitCode = 1;
}

interface Downloaded {
  readonly bytes: number;
  readonly sha256: string;
}

/** Fetches a URL to a file without further credentials, counting and hashing on the way. */
async function download(url: string, path: string): Promise<Downloaded> {
  const response = await fetch(url);
  if (!response.ok || !response.body) throw new Error(`La URL del paquete respondió ${response.status}.`);
  const hash = createHash('sha256');
  let bytes = 0;
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  await pipeline(Readable.fromWeb(response.body), count, createWriteStream(path));
  return { bytes, sha256: hash.digest('hex') };
}

interface Manifest {
  readonly registros: number;
  readonly entradas: readonly { readonly nombre: string; readonly bytes: number; readonly sha256: string }[];
}

/**
 * Checks a package as its receiver can: every entry inflates to the size and hash that the manifest names, and
 * `metadata.csv` has as many rows as the manifest says. Gives the number of rows. @throws an Error that names the first
 * entry that does not fit.
 */
async function verifyZip(path: string): Promise<{ registros: number; entradas: number }> {
  const zip = await yauzl.openPromise(path);
  const found = new Map<string, Downloaded>();
  let manifest: Manifest | undefined;
  for await (const entry of zip.eachEntry()) {
    const hash = createHash('sha256');
    const kept: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
      hash.update(chunk);
      bytes += chunk.length;
      if (entry.fileName === 'manifest.json') kept.push(chunk);
    }
    if (entry.fileName === 'manifest.json') manifest = JSON.parse(Buffer.concat(kept).toString());
    else found.set(entry.fileName, { bytes, sha256: hash.digest('hex') });
  }
  if (!manifest) throw new Error('El paquete no tiene manifest.json.');
  for (const { nombre, bytes, sha256 } of manifest.entradas) {
    const entry = found.get(nombre);
    if (entry?.bytes !== bytes || entry.sha256 !== sha256)
      throw new Error(`La entrada ${nombre} no es la que dice el manifiesto.`);
    found.delete(nombre);
  }
  if (found.size > 0)
    throw new Error(`El paquete trae entradas que el manifiesto no nombra: ${[...found.keys()].join(', ')}.`);
  return { registros: manifest.registros, entradas: manifest.entradas.length + 1 };
}

interface MemoryUse {
  readonly name: string;
  readonly idle: number;
  readonly peak: number;
}

/**
 * Watches the resident memory of processes from now on: what they have idle, and the most that they have until asked.
 */
async function watchMemory(processes: Readonly<Record<string, number>>, everyMs: number) {
  const seen = new Map<string, { idle: number; peak: number }>();
  const sample = async () => {
    for (const [name, pid] of Object.entries(processes)) {
      const bytes = await residentBytes(pid);
      if (bytes === null) continue;
      const known = seen.get(name);
      if (known) known.peak = Math.max(known.peak, bytes);
      else seen.set(name, { idle: bytes, peak: bytes });
    }
  };
  await sample();
  const timer = setInterval(() => void sample(), everyMs);
  return {
    stop(): MemoryUse[] {
      clearInterval(timer);
      return [...seen].map(([name, use]) => ({ name, ...use }));
    },
  };
}
