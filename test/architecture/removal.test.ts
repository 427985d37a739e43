import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, expect, it } from 'vitest';
import { compile, compiledCopies, ROOT, runTests } from '../mutants/copy.ts';
import { FEATURES } from './sources.ts';

/** Features that are also removed together; the tests of the core then pass too. */
const TOGETHER = ['riesgo', 'sincronizacion', 'webhooks', 'correo'];

/** Tests of the core, which pass without any feature. */
const CORE_TESTS = [
  ...[
    'contract',
    'core',
    'metrics',
    'operation',
    'queue',
    'roles',
    'runtime',
    'sat',
    'storage',
    'tracing',
    'vault',
  ].map((name) => `packages/${name}/`),
  ...['apps/api/src/http', 'apps/api/src/operations', 'apps/worker'],
];

interface Manifest {
  readonly dependencies?: Record<string, string>;
}

const readJson = <T>(path: string): T => JSON.parse(readFileSync(path, 'utf8'));
const writeJson = (path: string, value: unknown) => writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);

/** The features and those that import one of them, in the checkout at `root`. */
function withDependents(root: string, features: readonly string[]): readonly string[] {
  const dependents = FEATURES.filter((name) => {
    const { dependencies = {} } = readJson<Manifest>(join(root, `packages/${name}/package.json`));
    return features.some((feature) => `@acuse/${feature}` in dependencies);
  });
  const all = [...new Set([...features, ...dependents])];
  return all.length === features.length ? all : withDependents(root, all);
}

/** Workspaces with a file that registers features. */
function packagesOf(root: string): readonly string[] {
  return ['apps', 'packages'].flatMap((folder) =>
    readdirSync(join(root, folder))
      .map((name) => `${folder}/${name}`)
      .filter((path) => existsSync(join(root, path, 'package.json'))),
  );
}

/** Deletes the folders of features and their lines in every `src/features.ts` of the checkout at `root`. */
function removeFeatures(root: string, features: readonly string[]): void {
  for (const feature of features) {
    rmSync(join(root, 'packages', feature), { recursive: true });
    rmSync(join(root, 'node_modules/@acuse', feature), { force: true });
  }
  for (const path of ['', ...packagesOf(root)]) {
    for (const name of ['src/features.ts', 'src/features.tsx']) {
      const file = join(root, path, name);
      if (existsSync(file)) writeFileSync(file, textWithoutFeatures(readFileSync(file, 'utf8'), features));
    }
    const config = join(root, path, 'tsconfig.json');
    if (!existsSync(config)) continue;
    const { references = [], ...rest } = readJson<{ references?: readonly { path: string }[] }>(config);
    const isGone = ({ path: to }: { path: string }) => features.some((feature) => to.endsWith(`packages/${feature}`));
    writeJson(config, { ...rest, references: references.filter((reference) => !isGone(reference)) });
  }
}

/** The text of a `features.ts` without imports of the features and without the entries that use one of them. */
function textWithoutFeatures(text: string, features: readonly string[]): string {
  const source = ts.createSourceFile('features.tsx', text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const isGone = (specifier: ts.Node) => features.includes(/^.@acuse\/(\w+)/.exec(specifier.getText())?.[1] ?? '');
  const imports = source.statements.filter(ts.isImportDeclaration).filter((one) => isGone(one.moduleSpecifier));
  const names = new Set(imports.flatMap(namesOf));
  const entries = new Set<ts.Node>();
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) return;
    const isUse = ts.isIdentifier(node) ? names.has(node.text) : ts.isStringLiteral(node) && isGone(node);
    if (isUse) entries.add(entryOf(node));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...imports, ...entries]
    .sort((a, b) => b.getFullStart() - a.getFullStart())
    .reduce((rest, node) => {
      const after = rest.slice(node.getEnd());
      return rest.slice(0, node.getFullStart()) + after.replace(/^\s*,/, '');
    }, text);
}

const namesOf = ({ importClause }: ts.ImportDeclaration): string[] => {
  const bindings = importClause?.namedBindings;
  return bindings && ts.isNamedImports(bindings) ? bindings.elements.map(({ name }) => name.text) : [];
};

/** The element of a list or the statement of a block that a node belongs to; else the property of the outermost object. */
function entryOf(node: ts.Node): ts.Node {
  let property: ts.Node | null = null;
  for (let at = node; at.parent !== undefined; at = at.parent) {
    if (ts.isArrayLiteralExpression(at.parent) || ts.isBlock(at.parent)) return at;
    if (ts.isObjectLiteralExpression(at.parent)) property = at;
  }
  if (property === null) throw new Error(`${node.getText()} stands in no list: features.ts must hold lists only`);
  return property;
}

const SLOW = { tags: ['slow'], timeout: 1_800_000 };

const REMOVALS = [...FEATURES.map((name) => [name]), TOGETHER].map(
  (features) => [features.join(', '), features] as const,
);

const copies = compiledCopies();
afterAll(() => copies.delete());

it.each(REMOVALS)('compiles without %s', SLOW, (_, features) =>
  copies.inCopy(async (copy) => {
    removeFeatures(copy, withDependents(copy, features));
    expect(await compile(copy)).toEqual({ status: 0, output: '' });
    if (features !== TOGETHER) return;
    const { isGreen, passed, failures, output } = await runTests(copy, CORE_TESTS);
    expect([failures, isGreen], output).toEqual([[], true]);
    expect(passed).toBeGreaterThan(1_000);
  }),
);

it('removes entries of lists, and imports, of a feature alone', () => {
  const text = readFileSync(`${ROOT}apps/worker/src/features.ts`, 'utf8');
  const rest = textWithoutFeatures(text, ['riesgo']);
  expect(rest).not.toMatch(/@acuse\/riesgo|openCruces/);
  expect(rest).toContain('openSincronizacion');
});
