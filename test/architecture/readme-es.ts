import { readFileSync } from 'node:fs';
import { ROOT } from './sources.ts';

/**
 * The rows of the table of operations: a path, its credits, a command and the names of fields, which need no
 * translation.
 */
const ROWS = /(?:^\| `[\w/-]+` \| [01] \| .*\n)+/m;

/** The text of README.es.md with the table of operations of README.md. */
export function readmeEsText(): string {
  const [rows] = ROWS.exec(readFileSync(`${ROOT}README.md`, 'utf8')) ?? [];
  if (rows === undefined) throw new Error('README.md has no table of operations');
  return readFileSync(`${ROOT}README.es.md`, 'utf8').replace(ROWS, () => rows);
}
