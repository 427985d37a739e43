import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { compile, compiledCopies, ROOT, run, runTests } from '../mutants/copy.ts';

/** A change of one file: a new file, or lines before, after or over the only line that holds `at.line`. */
interface Edit {
  readonly path: string;
  readonly text: string;
  readonly at: { readonly where: string; readonly line: string } | null;
}

/** A section of the recipes: an example that can be applied to a checkout. */
interface Recipe {
  readonly name: string;
  /** Files that the title promises. */
  readonly files: number;
  readonly edits: readonly Edit[];
  readonly tests: readonly string[];
}

const SECTION = /^## (.+?)(?: \((\d+) files?\))?$/m;
/** ` ```ts file=path ` writes a file; ` ```ts in=path after="text" ` adds lines; so does `before`, and `over` replaces. */
const BLOCK = /^( *)```\w+ (?:file|in)=(\S+)(?: (before|after|over)="([^"]+)")?\n([\s\S]*?)^\1```$/gm;
/** Names the file that holds the blocks of a long example. */
const ELSEWHERE = /^Blocks: `([^`]+)`/m;

/** Recipes of a document. The blocks stand in the section, in the file that it names, or in both. */
function readRecipes(document: string): readonly Recipe[] {
  const parts = document.split(SECTION).slice(1);
  return Array.from({ length: parts.length / 3 }, (_, at) => {
    const [name = '', files = '0', body = ''] = parts.slice(3 * at, 3 * at + 3);
    const elsewhere = ELSEWHERE.exec(body)?.[1];
    const blocks = elsewhere === undefined ? body : body + readFileSync(`${ROOT}${elsewhere}`, 'utf8');
    const edits = [...blocks.matchAll(BLOCK)].map(([, indent = '', path = '', where, line = '', text = '']): Edit => {
      const lines = text.split('\n').map((each) => (each.startsWith(indent) ? each.slice(indent.length) : each));
      return { path, text: lines.join('\n'), at: where === undefined ? null : { where, line } };
    });
    const named = [...(/^Tests: .*$/m.exec(body)?.[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, path = '']) => path);
    const own = edits
      .filter(({ path, at: place }) => place === null && path.includes('.test.'))
      .map(({ path }) => path);
    return { name, files: Number(files), edits, tests: [...named, ...own] };
  });
}

/** Applies the example to the checkout at `root`. Throws for a file that is there, or a line that is not there once. */
function applyRecipe(root: string, { name, edits }: Recipe): void {
  for (const { path, text, at } of edits) {
    const file = join(root, path);
    if (at === null) {
      if (existsSync(file)) throw new Error(`${name}: ${path} exists already`);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      continue;
    }
    const lines = readFileSync(file, 'utf8').split('\n');
    const found = lines.flatMap((line, index) => (line.includes(at.line) ? [index] : []));
    if (found.length !== 1) throw new Error(`${name}: ${path} has ${found.length} lines with ${at.line}`);
    const start = (found[0] ?? 0) + (at.where === 'after' ? 1 : 0);
    lines.splice(start, at.where === 'over' ? 1 : 0, ...text.replace(/\n$/, '').split('\n'));
    writeFileSync(file, lines.join('\n'));
  }
}

const RECIPES = readRecipes(readFileSync(`${ROOT}docs/developers/recipes.md`, 'utf8'));

it.each(RECIPES)('the recipe "$name" has a block for each of its files, and tests', ({ files, edits, tests }) => {
  expect(new Set(edits.map(({ path }) => path)).size).toBe(files);
  expect([files > 0, tests.length > 0]).toEqual([true, true]);
});

const copies = compiledCopies();
afterAll(() => copies.delete());

it.each(RECIPES)('the recipe "$name" holds in a copy', { tags: ['slow'], timeout: 1_800_000 }, (recipe) =>
  copies.inCopy(async (copy) => {
    applyRecipe(copy, recipe);
    const generated = await run(copy, ['packages/embedded/bin/acuse.mjs', 'generate']);
    expect(generated.status, generated.output).toBe(0);
    expect(await compile(copy)).toEqual({ status: 0, output: '' });
    const { isGreen, passed, failures, output } = await runTests(copy, recipe.tests);
    expect([failures, isGreen], output).toEqual([[], true]);
    expect(passed).toBeGreaterThan(0);
  }),
);
