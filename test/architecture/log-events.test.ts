import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { isTest, ROOT, readSources, type Source } from './sources.ts';

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'];
/** Programs that are no process of an installation, and who writes a line for others. */
const ELSEWHERE = /^(apps\/(cli|simulador)|packages\/(embedded|sdk))\//;

/** Every line of the log that a source writes: its name, and its level. */
function* linesOf({ path, text }: Source): Generator<readonly [name: string, level: string]> {
  const calls: ts.CallExpression[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) calls.push(node);
    ts.forEachChild(node, visit);
  };
  visit(
    ts.createSourceFile(
      path,
      text,
      ts.ScriptTarget.Latest,
      true,
      path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS,
    ),
  );
  for (const { expression, arguments: given } of calls) {
    if (!ts.isPropertyAccessExpression(expression) || !LEVELS.includes(expression.name.text)) continue;
    if (!/(^|\.)log$/.test(expression.expression.getText())) continue;
    const name = given.at(-1);
    yield [name !== undefined && ts.isStringLiteral(name) ? name.text : `no name in ${path}`, expression.name.text];
  }
}

const written = new Map<string, Set<string>>();
for (const source of readSources()) {
  if (isTest(source) || ELSEWHERE.test(source.path)) continue;
  for (const [name, level] of linesOf(source)) written.set(name, (written.get(name) ?? new Set()).add(level));
}
const told = [...readFileSync(`${ROOT}docs/operators/log-events.md`, 'utf8').matchAll(/^\| `(\w+)` \| ([\w, ]+) \|/gm)];

it('every line of the log has a name that operators can look up, with its level, and no other is promised', () => {
  const inCode = [...written].map(([name, levels]) => `${name}: ${[...levels].sort().join(', ')}`).sort();
  expect(inCode.length).toBeGreaterThan(50);
  expect(new Set(told.map(([, name]) => name)).size).toBe(told.length);
  expect(told.map(([, name, level]) => `${name}: ${level}`).sort()).toEqual(inCode);
});
