import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { NAMED, USUAL } from './measures.ts';
import { scriptOf } from './statement.ts';

const ACUSE = fileURLToPath(new URL('../../packages/embedded/bin/acuse.mjs', import.meta.url));

describe('npm run bench', () => {
  it('has SQL for every column of the acceptance statement', () => {
    const constants = { contribuyente_id: 't', api_key_id: 'k', version: '1', kid: 'i', sobre: '00' };
    expect(scriptOf(constants)).not.toMatch(/\$\d|undefined/);
  });

  it('runs every measure to its end', { tags: ['slow'] }, async () => {
    const measures = [...Object.keys(USUAL), ...Object.keys(NAMED)];
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [ACUSE, 'bench', ...measures, '--share', '0.01', '--to', '1e4', '--minutes', '0.1'],
      { maxBuffer: 16 * 1_024 * 1_024 },
    );
    for (const name of measures.filter((each) => !['assemble', 'capacity'].includes(each)))
      expect(stdout, name).toMatch(new RegExp(`^${name}\\b.*: `, 'm'));
  });
});
