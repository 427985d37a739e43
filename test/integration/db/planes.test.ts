import { createCuentas } from '@acuse/db';
import type pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { readSources } from '../../architecture/sources.ts';
import { useDatabase } from '../fixtures/database.ts';
import { fillDatabase } from '../fixtures/gran-base.ts';
import { examine, expectedPlan } from '../fixtures/planes.ts';
import { creatorsIn, PORTS, type Recording, readRecording, silentIn } from '../fixtures/recording.ts';

/** Enough that reading all of a table shows. */
const SOLICITUDES = 50_000;
/** Rows that one step of a statement may read: the greatest batch of a loop, or a limit of counting. */
const MOST_READ = 8_000;
/** Estimated cost of a statement, in pages read in order: a little more than reading all solicitudes. */
const MOST_COST = 5_000;
/** Tables that grow with what customers do. */
const GROWING = [
  'solicitud',
  'parte',
  'paquete_sat',
  'evento',
  'paso',
  'movimiento',
  'auditoria',
  'documento',
  'idempotencia',
  'llamada_hecha',
  'webhook_evento',
  'webhook_entrega',
  'webhook_intento',
  'correo',
];
/** Statements for the operator may read the rows of all accounts. */
const OPERATORS = new Set(['createCuentas.search', 'createListaSolicitudes.all', 'createTrazas.read']);
/** Functions that keep sums or states in memory. */
const WITHOUT = ['createSatMetrics.record', 'createEsperas.note', 'createBreakerState.learn'];
/** Tables of a transaction, and those that the queue makes for itself. */
const ELSEWHERE = /relation "(leida|migration|bullmq\.migration)" does not exist/;

const folder = process.env['ACUSE_RECORDING'];
const t = useDatabase({ timeoutMs: 60_000 });
beforeAll(async () => {
  await fillDatabase(t.url, { solicitudes: SOLICITUDES });
});

async function faultsOf(connection: pg.ClientBase, text: string, isOperators: boolean): Promise<string[]> {
  const plan = await expectedPlan(connection, text).catch((error: Error) => {
    if (ELSEWHERE.test(error.message)) return null;
    throw new Error(`${error.message}: ${text}`);
  });
  if (plan === null) return [];
  const growing = plan.nodes.filter(({ table }) => GROWING.includes(table ?? ''));
  const scanned = growing.filter(({ kind }) => kind === 'Seq Scan').map(({ table }) => `reads all of ${table}`);
  const most = Math.max(0, ...growing.map(({ read }) => read));
  return [
    ...scanned,
    ...(most > MOST_READ && !isOperators ? [`reads ${most} rows`] : []),
    ...(plan.cost > MOST_COST && !isOperators ? [`costs ${plan.cost}`] : []),
    ...(plan.jit ? ['is compiled'] : []),
  ];
}

/** Faults of every statement of a recording, and the functions that sent none. */
async function faultsIn(recording: Recording): Promise<string[]> {
  const senders = new Map<string, string[]>();
  for (const [name, texts] of recording)
    for (const text of texts) senders.set(text, [...(senders.get(text) ?? []), name]);
  const faults = silentIn(recording).map((name) => `${name}: asked nothing`);
  const connection = await t.db.pool.connect();
  try {
    for (const [text, names] of senders) {
      const isOperators = names.every((name) => OPERATORS.has(name));
      const found = await faultsOf(connection, text, isOperators);
      faults.push(...found.map((fault) => `${names.join(', ')}: ${fault}: ${text}`));
    }
  } finally {
    connection.release(true);
  }
  return faults;
}

test('reports scans, long reads, and functions without a statement', async () => {
  const scan = 'SELECT id FROM solicitud WHERE motivo = $1';
  const long = 'SELECT sum(importe) FROM movimiento WHERE creado_en > $1';
  const page = 'SELECT id FROM solicitud ORDER BY id DESC LIMIT $1';
  const recording = new Map([
    ['createA', new Set<string>()],
    ['createA.all', new Set([scan, page])],
    ['createA.sum', new Set([long])],
    ['createA.never', new Set<string>()],
    ['createB', new Set<string>()],
  ]);
  expect(await faultsIn(recording)).toEqual([
    'createA.never: asked nothing',
    'createB: asked nothing',
    `createA.all: reads all of solicitud: ${scan}`,
    `createA.sum: reads all of movimiento: ${long}`,
    expect.stringMatching(/^createA\.sum: reads \d{5} rows: /),
  ]);
});

test('searches accounts without reading more rows than a page needs', async () => {
  // Its generic plan knows neither words nor counts: it is run and measured instead.
  const plans = await examine(() => createCuentas(t.db).search({ texto: 'cuenta5', salta: 0, limite: 25 }));
  expect(plans.length).toBeGreaterThan(0);
  const growing = plans.flatMap(({ nodes }) => nodes).filter(({ table }) => GROWING.includes(table ?? ''));
  expect(growing.filter(({ kind, read }) => (kind === 'Seq Scan' && read > 1_000) || read > MOST_READ)).toEqual([]);
});

test('no statement of the whole run reads a growing table from end to end, nor more rows than a page or a batch needs', async ({
  skip,
}) => {
  if (folder === undefined) {
    console.log('planes.test.ts: only a run of all files records every statement (npm test)');
    return skip();
  }
  const recording = readRecording(folder);
  const ports = readSources().filter(({ path }) => PORTS.test(`/${path}`));
  const creators = ports.flatMap(({ text }) => creatorsIn(text));
  expect(creators.length).toBeGreaterThan(30);
  // A source that no process has loaded records nothing, not even its names.
  expect(creators.filter((name) => !recording.has(name))).toEqual([]);
  const faults = await faultsIn(recording);
  expect(faults.filter((fault) => !WITHOUT.some((name) => fault === `${name}: asked nothing`))).toEqual([]);
}, 300_000);
