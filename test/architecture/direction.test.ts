import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  FEATURES,
  importsOf,
  isTest,
  ownerOf,
  ROOT,
  reachableFrom,
  readSources,
  type Source,
  valuesImportedBy,
} from './sources.ts';

/** What each workspace's production code may import of the others. */
const MAY: Record<string, readonly string[]> = {
  'packages/borrado': ['core', 'db', 'queue', 'roles', 'storage'],
  'packages/capsula': ['core', 'db', 'runtime', 'sat', 'vault'],
  'packages/cfdi': [],
  'packages/conexion': ['contract', 'core', 'db', 'operation', 'page', 'roles', 'runtime', 'vault'],
  'packages/contract': [],
  'packages/core': ['contract'],
  'packages/correo': ['contract', 'core', 'db', 'metrics', 'page', 'roles', 'runtime'],
  'packages/db': ['contract', 'core'],
  'packages/embedded': ['db', 'runtime', 'vault'],
  'packages/listas': ['contract', 'core', 'db', 'operation', 'page', 'queue', 'roles', 'runtime', 'sat'],
  'packages/llamadas': ['contract', 'db', 'operation', 'page', 'runtime'],
  'packages/metrics': ['core', 'runtime'],
  'packages/operation': ['contract', 'core', 'db', 'vault'],
  'packages/page': ['contract', 'core', 'db', 'runtime', 'vault'],
  'packages/queue': ['core', 'db', 'runtime'],
  'packages/riesgo': [
    'contract',
    'core',
    'db',
    'listas',
    'metrics',
    'operation',
    'page',
    'roles',
    'runtime',
    'sincronizacion',
    'storage',
  ],
  'packages/roles': ['contract', 'core', 'db', 'metrics', 'queue', 'runtime', 'sdk', 'storage', 'tracing', 'vault'],
  'packages/runtime': [],
  'packages/sat': ['core', 'runtime'],
  'packages/sdk': [],
  'packages/settings': [
    'conexion',
    'correo',
    'listas',
    'llamadas',
    'roles',
    'runtime',
    'sat',
    'sincronizacion',
    'webhooks',
  ],
  'packages/sincronizacion': ['contract', 'core', 'db', 'operation', 'page', 'roles', 'runtime', 'storage', 'vault'],
  'packages/storage': ['cfdi', 'core'],
  'packages/tracing': ['core', 'runtime'],
  'packages/vault': ['core'],
  'packages/webhooks': [
    'contract',
    'core',
    'db',
    'metrics',
    'operation',
    'page',
    'roles',
    'runtime',
    'sdk',
    'tracing',
    'vault',
  ],
  'apps/api': [
    'conexion',
    'contract',
    'core',
    'db',
    'listas',
    'llamadas',
    'metrics',
    'operation',
    'queue',
    'riesgo',
    'roles',
    'runtime',
    'sat',
    'settings',
    'sincronizacion',
    'storage',
    'tracing',
    'vault',
    'webhooks',
  ],
  'apps/cli': [
    'borrado',
    'conexion',
    'contract',
    'core',
    'correo',
    'db',
    'listas',
    'queue',
    'roles',
    'runtime',
    'sat',
    'sdk',
    'settings',
    'sincronizacion',
    'storage',
    'vault',
    'webhooks',
  ],
  'apps/panel': [
    'conexion',
    'contract',
    'core',
    'correo',
    'db',
    'listas',
    'llamadas',
    'metrics',
    'page',
    'queue',
    'riesgo',
    'roles',
    'runtime',
    'settings',
    'sincronizacion',
    'storage',
    'vault',
    'webhooks',
  ],
  'apps/simulador': [],
  'apps/worker': [
    'capsula',
    'conexion',
    'core',
    'correo',
    'db',
    'listas',
    'metrics',
    'queue',
    'riesgo',
    'roles',
    'runtime',
    'sat',
    'settings',
    'sincronizacion',
    'storage',
    'tracing',
    'vault',
    'webhooks',
  ],
};

/** Libraries that belong to one workspace. */
const ONLY: Record<string, RegExp> = {
  '@prisma/client': /^packages\/db\//,
  '@prisma/adapter-pg': /^packages\/db\//,
  bullmq: /^packages\/queue\//,
  ioredis: /^packages\/queue\//,
  '@aws-sdk/client-s3': /^packages\/storage\//,
  archiver: /^(packages\/storage|packages\/embedded\/src\/release|apps\/simulador)\//,
  'hyparquet-writer': /^packages\/storage\//,
  'prom-client': /^packages\/metrics\//,
  '@opentelemetry/sdk-trace': /^packages\/tracing\//,
  nodemailer: /^packages\/correo\//,
  undici: /^packages\/(sat|webhooks)\//,
  hono: /^(apps|packages\/page|packages\/\w+\/src\/panel)\//,
  '@modelcontextprotocol/sdk': /^apps\/cli\/src\/mcp\//,
};

const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/\/\/.*$/gm, '');

const sources = readSources();
const production = sources.filter((source) => !isTest(source));

/** Imports of production code that `isWrong` finds wrong: `path imports name`. */
const importsThat = (isWrong: (name: string, path: string) => boolean) =>
  production.flatMap((source) =>
    importsOf(source)
      .filter((name) => isWrong(name, source.path))
      .map((name) => `${source.path} imports ${name}`),
  );

describe('direction', () => {
  it('imports other workspaces only as the design allows', () => {
    const isWrong = (name: string, path: string) =>
      name.startsWith('@acuse/') && !MAY[ownerOf(path)]?.includes(name.split('/')[1] ?? '');
    expect(importsThat(isWrong)).toEqual([]);
  });

  it('imports no feature in a workspace of the core', () => {
    const core = Object.entries(MAY).filter(
      ([path]) => path.startsWith('packages/') && ![...FEATURES, 'settings'].includes(path.slice('packages/'.length)),
    );
    expect(core).toHaveLength(16);
    expect(
      core.flatMap(([path, may]) => may.filter((name) => FEATURES.includes(name)).map((name) => [path, name])),
    ).toEqual([]);
  });

  it.each(['apps/api', 'apps/cli', 'apps/panel', 'apps/worker', 'packages/settings'])(
    'names features of %s in features.ts alone',
    (owner) => {
      const named = production
        .filter(({ path }) => ownerOf(path) === owner)
        .filter((source) => importsOf(source).some((name) => FEATURES.includes(name.split('/')[1] ?? '')))
        .map(({ path }) => path);
      expect(named).toEqual([`${owner}/src/features.ts`]);
    },
  );

  it('imports no app', () => {
    expect(importsThat((name) => /^@acuse\/(api|cli|panel|simulador|worker)\b/.test(name))).toEqual([]);
  });

  it.each(Object.entries(MAY))('the README of %s says what it may import', (path, may) => {
    // A published README keeps the part for developers beside the sources.
    const texts = [`${path}/README.md`, `${path}/src/README.md`].filter((file) => existsSync(`${ROOT}${file}`));
    const lines = texts.flatMap(
      (file) => readFileSync(`${ROOT}${file}`, 'utf8').match(/^May import of ours: .*$/gm) ?? [],
    );
    expect(lines).toHaveLength(1);
    const [line = ''] = lines;
    expect([...line.matchAll(/`@acuse\/(\w+)`/g)].map(([, name]) => name)).toEqual(may);
  });

  it('never reaches into another workspace by path', () => {
    const isWrong = (name: string, path: string) =>
      name.startsWith('.') && ownerOf(new URL(name, `file:///${path}`).pathname.slice(1)) !== ownerOf(path);
    expect(importsThat(isWrong)).toEqual([]);
  });

  it('keeps each library where it belongs', () => {
    const isWrong = (name: string, path: string) => {
      const library = Object.keys(ONLY).find((one) => name === one || name.startsWith(`${one}/`));
      return library !== undefined && !ONLY[library]?.test(path);
    };
    expect(importsThat(isWrong)).toEqual([]);
  });

  it('adds types only to modules that the same file imports: a build, which leaves the tests out, finds no others', () => {
    const wrong = production.flatMap((source) =>
      [...withoutComments(source.text).matchAll(/declare module '([^']+)'/g)]
        .filter(([, name = '']) => !importsOf(source).includes(name))
        .map(([, name]) => `${source.path} adds to ${name}`),
    );
    expect(wrong).toEqual([]);
  });

  it('knows every workspace, and each declares exactly the workspaces that it imports', () => {
    const dockerfile = readFileSync(`${ROOT}apps/Dockerfile`, 'utf8');
    for (const folder of ['packages', 'apps'])
      for (const name of readdirSync(`${ROOT}${folder}`)) {
        const path = `${folder}/${name}`;
        if (!existsSync(`${ROOT}${path}/package.json`)) continue;
        expect(MAY, path).toHaveProperty([path]);
        // Without its manifest, npm in the image links no workspace.
        expect(dockerfile).toContain(`\nCOPY ${path}/package.json ${path}/\n`);
        const manifest = JSON.parse(readFileSync(`${ROOT}${path}/package.json`, 'utf8'));
        const declared = Object.keys(manifest.dependencies ?? {}).filter((dependency) =>
          dependency.startsWith('@acuse/'),
        );
        const imported = new Set(
          production
            .filter((source) => ownerOf(source.path) === path)
            .flatMap(importsOf)
            .filter((one) => one.startsWith('@acuse/'))
            .map((one) => one.split('/').slice(0, 2).join('/')),
        );
        expect([...imported].sort(), path).toEqual(declared.sort());
      }
  });

  it('reads the environment only in config files and entry points of the embedded stack', () => {
    const wrong = production
      .filter(({ path }) => !/\/config\.ts$|^packages\/(embedded|settings)\//.test(path))
      .filter(({ text }) =>
        /process\.env(?!\['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'\] = )/.test(withoutComments(text)),
      )
      .map(({ path }) => path);
    expect(wrong).toEqual([]);
  });

  it('asks no PostgreSQL server to compile a statement (JIT): every connection says so itself', () => {
    const wrong = production
      .filter(({ path }) => /^(apps|packages\/(borrado|db|queue|sincronizacion))\//.test(path))
      .filter(
        ({ path, text }) =>
          !path.endsWith('/client.ts') &&
          /new (pg\.)?(Client|Pool)\(/.test(text) &&
          !/SESSION_OPTIONS|jit=off/.test(text),
      )
      .map(({ path }) => path);
    expect(wrong).toEqual([]);
  });

  it('ends nothing at now(): a column of milliseconds may round it up, and the end would still be to come', () => {
    const wrong = sources
      .filter(({ text }) => /\b(vence_en|expira_en|deadline_at|\w+_hasta) = now\(\)(?! [-+])/.test(text))
      .map(({ path }) => path);
    expect(wrong).toEqual([]);
  });

  const operations = production
    .map(({ path }) => path)
    .filter((path) => /^(apps\/api\/src|packages\/\w+\/src\/api)\/operations\//.test(path));

  it('starts the API without the code that only some of its calls need', () => {
    const atStart = (source: Source) => valuesImportedBy({ ...source, text: source.text.replaceAll('import(', '') });
    const reachable = [...reachableFrom(['apps/api/src/main.ts', ...operations], atStart)];
    expect(reachable).toContain('packages/sat/src/settings.ts');
    const code =
      /^packages\/(storage\/src\/(?!keys)|sat\/src\/\w+\/|webhooks\/src\/envio)|^apps\/api\/src\/(site\/site|openapi)/;
    expect(reachable.filter((path) => code.test(path))).toEqual([]);
  });

  it.each([
    ['api', false],
    ['worker', false],
    ['panel', true],
  ])('loads Prisma in the process %s: %s', (app, isLoaded) => {
    const roots = [`apps/${app}/src/main.ts`, ...(app === 'api' ? operations : [])];
    const reachable = reachableFrom(roots, valuesImportedBy);
    const users = production
      .filter((source) => valuesImportedBy(source).some((name) => /prisma|generated\/client/.test(name)))
      .map(({ path }) => path);
    expect(reachable).toContain('packages/db/src/database.ts');
    expect(users.some((path) => reachable.has(path))).toBe(isLoaded);
  });

  it('keeps the simulator independent of the connectors', () => {
    const wrong = sources
      .filter(({ path }) => path.startsWith('apps/simulador/') || path.startsWith('packages/sat/'))
      .flatMap((source) => importsOf(source).map((name) => [source.path, name] as const))
      .filter(([path, name]) => (path.startsWith('apps/') ? /@acuse\/sat|packages\/sat/ : /simulador/).test(name));
    expect(wrong).toEqual([]);
  });
});
