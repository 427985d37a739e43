import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProgram, openDeps } from '@acuse/cli';
import { newSecretos } from '@acuse/vault';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { ordenesOf, textOf } from '../documentos/ordenes.ts';
import { acuse, runOrder, UNSEEN } from '../fixtures/cli.ts';
import { testDatabase } from '../fixtures/database.ts';
import { duringTests } from '../fixtures/during-tests.ts';

/** An installation with the account, the RFC and the folder that the pages name. */
const its = duringTests(async () => {
  const [database, dir] = await Promise.all([testDatabase(), mkdtemp(join(tmpdir(), 'acuse-paginas-'))]);
  const { API_KEY_PEPPERS } = newSecretos();
  const config = { DATABASE_URL: database.url, ...(API_KEY_PEPPERS === undefined ? {} : { API_KEY_PEPPERS }) };
  await acuse(config, 'cuenta', 'crear', '--nombre', 'Mi empresa', '--email', 'yo@example.com');
  await acuse(config, 'rfc', 'agregar', '--cuenta', 'yo@example.com', '--rfc', 'ACU200101DB1');
  const [llave] = await acuse(config, 'llave', 'generar', '--cuenta', 'yo@example.com', '--rfc', 'ACU200101DB1');
  await acuse(config, 'secretos', '--carpeta', dir);
  return {
    config,
    dir,
    llave: String(llave?.['id']),
    async close() {
      await database.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
});

/** The words of a command line, as a shell would give them to the program. */
const wordsOf = (text: string) =>
  text
    .replaceAll('"$LLAVE"', its.llave)
    .replaceAll('/run/instalacion', its.dir)
    .split(/\s+/)
    .filter((word) => word !== '');

const program = createProgram(
  () =>
    openDeps(
      its.config,
      () => {},
      () => {},
    ),
  () => {},
  UNSEEN,
);
/** What of an order's words is no order and no option of the operator's. */
function unknownIn(words: readonly string[]): string[] {
  let command: Command = program;
  const unknown: string[] = [];
  for (const name of words.filter((word) => !word.startsWith('--'))) {
    const next = command.commands.find((each) => each.name() === name);
    if (next === undefined && command.commands.length > 0) unknown.push(name);
    command = next ?? command;
  }
  const flags = words.filter((word) => word.startsWith('--'));
  return [...unknown, ...flags.filter((flag) => !command.options.some(({ long }) => long === flag))];
}

describe('the orders of the documents', { shuffle: false }, () => {
  describe.each(['docs/operators/incidents.md', 'docs/operators/rotation.md'])('%s', (document) => {
    const ordenes = ordenesOf(document);

    it('shows orders of the operator alone', () => {
      expect(ordenes.filter(({ text }) => !text.startsWith('acuse operador '))).toEqual([]);
      expect(ordenes.length).toBeGreaterThan(4);
    });

    it('names existing commands and options only', () => {
      const named = [...textOf(document).matchAll(/`acuse operador ([a-z][^`…]*)/g)].map(([, rest = '']) =>
        rest.trim(),
      );
      expect(named.length).toBeGreaterThan(1);
      expect(named.flatMap((rest) => unknownIn(rest.split(/\s+/)))).toEqual([]);
    });

    it.each(ordenes)('$text', async ({ text }) => {
      const codes: number[] = [];
      const around = { env: {}, now: Date.now, exitWith: (code: number) => void codes.push(code) };
      const args = wordsOf(text).slice(2);
      const isReview = args[0] === 'revisar';
      const { said } = await runOrder(its.config, isReview ? [...args, '--json'] : args, around);
      // An installation without settings has faults, and the command reports them.
      expect([said, codes]).toEqual(['', isReview ? [2] : []]);
    });
  });

  it('the steps of docs/operators/rotation.md leave the new id of the keyring alone, in the folder of every process', async () => {
    const keyring = (folder: string) => readFile(join(its.dir, folder, 'KEYRING'), 'utf8');
    expect([await keyring('api'), await keyring('panel')]).toEqual([
      expect.stringMatching(/^k2:[^,]+$/),
      await keyring('api'),
    ]);
  });
});
