// Makes a checkout ready to run: the dependencies of package-lock.json, and the generated code.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runNode } from './children.mjs';
import { exclusively } from './exclusive.mjs';

/** Runs TypeScript from its source. */
const SOURCE = ['--conditions=acuse-source', '--import', 'tsx'];

/** Between two lines about an installation that is not on a terminal. */
const PROGRESS_MS = 5_000;

/**
 * What is generated from sources, and how. `sources` decide when it is made again before a command; one without sources is made by
 * `npm run generate` only.
 */
export const GENERATORS = [
  {
    name: 'prisma',
    sources: ['prisma/schema.prisma'],
    output: 'packages/db/src/generated',
    command: ['node_modules/prisma/build/index.js', 'generate', '--schema', 'prisma/schema.prisma'],
    // Generating needs no schema engine, but Prisma wants to see the file, and would download it.
    env: { PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: '1', PRISMA_HIDE_UPDATE_MESSAGE: '1' },
  },
  // Committed, and compared by tests: made anew only by `npm run generate`.
  {
    name: 'operations',
    output:
      'docs/openapi.json, operations, errors and codes of the SAT in docs/integrators, packages/contract/src/operaciones.ts',
    command: [...SOURCE, 'apps/api/src/docs/write.ts'],
  },
  {
    name: 'sdk',
    sources: [
      'docs/openapi.json',
      'packages/sdk/package.json',
      'packages/sdk/src/errors.ts',
      'packages/sdk/generate/documento.ts',
      'packages/sdk/generate/php-files.ts',
      'packages/sdk/generate/python-files.ts',
      'packages/sdk/generate/sdk-files.ts',
      'packages/sdk/generate/write.ts',
    ],
    output: 'packages/sdk/src/generated, packages/sdk-python/acuse/generated, packages/sdk-php/src/generated',
    command: [...SOURCE, 'packages/sdk/generate/write.ts'],
  },
  {
    name: 'conexion',
    sources: ['package-lock.json', 'packages/conexion/generate.ts', 'packages/conexion/src/web/conectar.js'],
    output: 'packages/conexion/src/generated',
    command: [...SOURCE, 'packages/conexion/generate.ts'],
  },
  {
    name: 'documents',
    output: '.env.example, docs/developers/data-model.md',
    command: [...SOURCE, 'test/architecture/write-documents.ts'],
  },
];

/** Installs and generates what is missing or out of date. @throws Error with a text for the user. */
export async function prepare(root) {
  const isReady = () => installedHash(root) === lockHash(root) && GENERATORS.every((each) => isFresh(root, each));
  if (isReady()) return;
  await exclusively(join(root, '.acuse', 'preparar.lock'), async () => {
    if (installedHash(root) !== lockHash(root)) await install(root);
    for (const generator of GENERATORS) if (!isFresh(root, generator)) await generate(root, generator);
  });
}

/** Runs one generator. @throws Error with its output. */
export async function generate(root, generator) {
  const { code, output } = await runNode(generator.command, { root, env: generator.env ?? {}, capture: true });
  if (code !== 0) throw new Error(`No se pudo generar ${generator.output}:\n${output.trim()}`);
  if (generator.sources) writeFileSync(stampOf(root, generator), sourcesHash(root, generator));
}

function isFresh(root, generator) {
  if (!generator.sources?.every((source) => existsSync(join(root, source)))) return true;
  const isThere = generator.output.split(', ').every((path) => existsSync(join(root, path)));
  return isThere && read(stampOf(root, generator)) === sourcesHash(root, generator);
}

async function install(root) {
  const record = join(root, 'node_modules', '.acuse-lock');
  if (matchesLock(root)) {
    writeFileSync(record, lockHash(root));
    return;
  }
  process.stderr.write('Instalando dependencias (npm ci)…\n');
  const npm = npmProgram();
  if (npm === undefined)
    throw new Error('No se encontró npm junto a Node.js. Instálelo, o ejecute «npm ci» y repita la orden.');
  // No package needs its install script: those of Prisma and others would only download what is not used.
  const args = [npm, 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { code, output } = await withProgress(root, () => runNode(args, { root, capture: true }));
  if (code !== 0) throw new Error(`npm ci falló (código ${code}):\n${output.trim()}`);
  writeFileSync(record, lockHash(root));
}

/** Tells on the standard error how many packages are there: every second in one line of a terminal, else a line now and then. */
async function withProgress(root, work) {
  const { isTTY: isTerminal = false } = process.stderr;
  const wanted = Object.entries(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages)
    .filter(([path, { link, optional }]) => path.includes('node_modules/') && !link && !optional)
    .map(([path]) => join(root, path, 'package.json'));
  const startedAt = Date.now();
  const tell = () => {
    const seconds = Math.round((Date.now() - startedAt) / 1_000);
    const text = `Instalando dependencias: ${wanted.filter(existsSync).length} de ${wanted.length} paquetes, ${seconds} s`;
    process.stderr.write(isTerminal ? `\r${text}` : `${text}\n`);
  };
  const timer = setInterval(tell, isTerminal ? 1_000 : PROGRESS_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    if (isTerminal) process.stderr.write('\n');
  }
}

/** True when what npm says it has installed is what package-lock.json asks for on this platform. */
function matchesLock(root) {
  try {
    const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
    const installed = JSON.parse(readFileSync(join(root, 'node_modules', '.package-lock.json'), 'utf8')).packages;
    return Object.entries(wanted).every(([path, { version, optional, link }]) => {
      if (!path.startsWith('node_modules/') && !path.includes('/node_modules/')) return true;
      const found = installed[path];
      if (found === undefined) return optional === true;
      return link === true ? found.link === true : found.version === version && existsSync(join(root, path));
    });
  } catch {
    return false;
  }
}

function npmProgram() {
  const bin = dirname(process.execPath);
  return [
    process.env.npm_execpath,
    join(bin, '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    join(bin, 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    join(bin, '..', 'share', 'nodejs', 'npm', 'bin', 'npm-cli.js'),
  ].find((path) => path !== undefined && /npm-cli\.c?js$/.test(path) && existsSync(path));
}

function installedHash(root) {
  return read(join(root, 'node_modules', '.acuse-lock'));
}

function lockHash(root) {
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
}

function sourcesHash(root, { sources, command }) {
  const hash = createHash('sha256').update(JSON.stringify(command));
  for (const source of sources) hash.update(readFileSync(join(root, source)));
  return hash.digest('hex');
}

function stampOf(root, { name }) {
  return join(root, 'node_modules', `.acuse-${name}`);
}

function read(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}
