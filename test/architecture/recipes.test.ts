import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { inCopy, ROOT, run, runTests } from '../mutants/copy.ts';

/** A change of one file: a new file, or lines behind the only line that holds `after`. */
interface Edit {
  readonly path: string;
  readonly text: string;
  readonly after: string | null;
}

/** A section of the recipes whose example can be applied to a checkout. */
interface Recipe {
  readonly name: string;
  /** Files that the title promises. */
  readonly files: number;
  readonly edits: readonly Edit[];
  readonly tests: readonly string[];
}

const SECTION = /^## (.+) \((\d+) files\)$/m;
/** ` ```ts file=path ` writes a file; ` ```ts in=path after="text" ` adds lines behind a line. */
const BLOCK = /^( *)```\w+ (file|in)=(\S+)(?: after="([^"]+)")?\n([\s\S]*?)^\1```$/gm;

/** Recipes of a document that have an example for each file. */
function readRecipes(document: string): readonly Recipe[] {
  const parts = document.split(SECTION).slice(1);
  return Array.from({ length: parts.length / 3 }, (_, at) => {
    const [name = '', files = '', body = ''] = parts.slice(3 * at, 3 * at + 3);
    const edits = [...body.matchAll(BLOCK)].map(([, indent = '', kind, path = '', after, text = '']): Edit => {
      const lines = text.split('\n').map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line));
      return { path, text: lines.join('\n'), after: kind === 'in' ? (after ?? '') : null };
    });
    const tests = [...(/^Tests: .*$/m.exec(body)?.[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, path = '']) => path);
    return { name, files: Number(files), edits, tests };
  }).filter(({ edits }) => edits.length > 0);
}

/** Applies the example to the checkout at `root`. Throws for a file that is there, or a line that is not there once. */
function applyRecipe(root: string, { name, edits }: Recipe): void {
  for (const { path, text, after } of edits) {
    const file = join(root, path);
    if (after === null) {
      if (existsSync(file)) throw new Error(`${name}: ${path} exists already`);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      continue;
    }
    const lines = readFileSync(file, 'utf8').split('\n');
    const at = lines.flatMap((line, index) => (line.includes(after) ? [index] : []));
    if (at.length !== 1) throw new Error(`${name}: ${path} has ${at.length} lines with ${after}`);
    lines.splice((at[0] ?? 0) + 1, 0, ...text.replace(/\n$/, '').split('\n'));
    writeFileSync(file, lines.join('\n'));
  }
}

const RECIPES = readRecipes(readFileSync(`${ROOT}docs/developers/recipes.md`, 'utf8'));

it.each(RECIPES)('the recipe "$name" holds in a copy', { tags: ['slow'], timeout: 1_800_000 }, (recipe) =>
  inCopy(async (copy) => {
    applyRecipe(copy, recipe);
    expect(new Set(recipe.edits.map(({ path }) => path)).size).toBe(recipe.files);
    const generated = await run(copy, ['packages/embedded/bin/acuse.mjs', 'generate']);
    expect(generated.status, generated.output).toBe(0);
    expect(await run(copy, ['node_modules/typescript/bin/tsc', '-b'])).toEqual({ status: 0, output: '' });
    const { isGreen, passed, failures, output } = await runTests(copy, recipe.tests);
    expect([failures, isGreen], output).toEqual([[], true]);
    expect(passed).toBeGreaterThan(0);
  }),
);
