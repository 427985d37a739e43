import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { NAMED, USUAL } from './measures.ts';
import { scriptOf } from './statement.ts';

const ACUSE = fileURLToPath(new URL('../../packages/embedded/bin/acuse.mjs', import.meta.url));

/** Figures of the measures that print no line under their own name. */
const FIGURES: Readonly<Record<string, RegExp>> = {
  assemble: /"assemblyMBs":\d/,
  capacity: /^\| e\.firma \| 1 h \| \d/m,
  year: /^\| restore \| \d/m,
};

describe('npm run bench', () => {
  it('has SQL for every column of the acceptance statement', () => {
    const constants = { contribuyente_id: 't', api_key_id: 'k', version: '1', kid: 'i', sobre: '00' };
    expect(scriptOf(constants)).not.toMatch(/\$\d|undefined/);
  });

  it.each([...Object.keys(USUAL), ...Object.keys(NAMED)])('runs %s to its end', { tags: ['slow'] }, async (name) => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [ACUSE, 'bench', name, '--share', '0.01', '--to', '1e4', '--minutes', '0.1'],
      { maxBuffer: 16 * 1_024 * 1_024 },
    );
    expect(stdout).toMatch(FIGURES[name] ?? new RegExp(`^${name}\\b.*: `, 'm'));
  });
});
