import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describeConfig } from '@acuse/runtime';
import { describe, expect, it } from 'vitest';
import { parse, safeParse } from 'zod';
import { envExampleText, SECTIONS } from './env-example.ts';
import { ROOT } from './sources.ts';

describe('what is generated', () => {
  it('.env.example describes the settings as they are', () => {
    expect(readFileSync(`${ROOT}.env.example`, 'utf8')).toBe(envExampleText());
  });

  it.each(SECTIONS)(
    '.env.example says what each setting of %s is, with a default that it reads again',
    (_, schema) => {
      for (const { name, description, default: written } of describeConfig(schema)) {
        expect(description.trim(), name).not.toBe('');
        const field = schema.shape[name];
        // What is left out when empty is optional: there is nothing to read again.
        if (written)
          expect([name, field && safeParse(field, written).data]).toEqual([
            name,
            field && parse(field, undefined),
          ]);
      }
    },
  );

  it('.env.example shows commands that run from a checkout', { timeout: 60_000 }, async () => {
    const shown = [...envExampleText().matchAll(/`(n(?:px|pm|ode) [^`]+)`/g)].map(
      ([, command = '']) => command,
    );
    expect([...new Set(shown)].sort()).toEqual([
      'npm run generate',
      'npm start',
      'npx acuse captchas',
      'npx acuse secretos',
    ]);
    const acuse = (...args: string[]) => promisify(execFile)('npx', ['acuse', ...args], { cwd: ROOT });
    const { stdout } = await acuse('secretos');
    expect(stdout).toMatch(/^KEYRING=k1:/m);
    expect((await acuse('captchas', '--help')).stdout).toContain('acuse captchas');
  });
});

describe('documents', () => {
  const documents = [
    'README.md',
    'README.es.md',
    ...readdirSync(`${ROOT}docs`)
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name}`),
    ...readdirSync(`${ROOT}docs/adr`).map((name) => `docs/adr/${name}`),
  ];

  it.each(documents)('%s cites only paths that exist', (document) => {
    const text = readFileSync(`${ROOT}${document}`, 'utf8');
    const cited = [...text.matchAll(/`((?:apps|packages|test|docs|prisma)\/[\w./-]+)`/g)].map(
      (match) => match[1] ?? '',
    );
    const linked = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)\)/g)].map((match) => match[1] ?? '');
    const folder = document.includes('/') ? `${document.slice(0, document.lastIndexOf('/'))}/` : '';
    const missing = [
      ...cited.filter((path) => !path.includes('/dist/') && !existsSync(`${ROOT}${path}`)),
      ...linked.filter((path) => !existsSync(`${ROOT}${folder}${path}`)),
    ];
    expect(missing).toEqual([]);
  });
});
