import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describeConfig } from '@acuse/runtime';
import { describe, expect, it } from 'vitest';
import { parse, safeParse } from 'zod';
import { chartSchemaText } from './chart-schema.ts';
import { dataModelText } from './data-model.ts';
import { envExampleText, SECTIONS } from './env-example.ts';
import { metricsText } from './metrics-table.ts';
import { ROOT } from './sources.ts';

describe('what is generated', () => {
  it('.env.example describes the settings as they are', () => {
    expect(readFileSync(`${ROOT}.env.example`, 'utf8')).toBe(envExampleText());
  });

  it('the schema of the chart’s values has every setting that is no secret', () => {
    expect(readFileSync(`${ROOT}ops/helm/acuse/values.schema.json`, 'utf8')).toBe(chartSchemaText());
  });

  it('docs/developers/data-model.md has every table of prisma/schema.prisma with a purpose, under its feature', () => {
    const text = dataModelText();
    expect(readFileSync(`${ROOT}docs/developers/data-model.md`, 'utf8')).toBe(text);
    const schema = readFileSync(`${ROOT}prisma/schema.prisma`, 'utf8');
    const headings = [...text.matchAll(/^## (\w+)$/gm)].map(([, name = '']) => name);
    expect(headings.filter((name) => name !== 'core' && !existsSync(`${ROOT}packages/${name}`))).toEqual([]);
    for (const [, table = ''] of schema.matchAll(/@@map\("(\w+)"\)/g))
      expect(text).toMatch(new RegExp(`^- \`${table}\`: [A-Z].*\\.$`, 'm'));
  });

  it('docs/operators/metrics.md has every metric', () => {
    expect(readFileSync(`${ROOT}docs/operators/metrics.md`, 'utf8')).toBe(metricsText());
  });

  it.each(SECTIONS)('.env.example says what each setting of %s is, with a default that it reads again', (_, schema) => {
    for (const { name, description, default: written } of describeConfig(schema)) {
      expect(description.trim(), name).not.toBe('');
      const field = schema.shape[name];
      // What is left out when empty is optional: there is nothing to read again.
      if (written)
        expect([name, field && safeParse(field, written).data]).toEqual([name, field && parse(field, undefined)]);
    }
  });

  it('.env.example shows commands that run from a checkout', { timeout: 300_000 }, async () => {
    const shown = [...envExampleText().matchAll(/`(n(?:px|pm|ode) [^`]+)`/g)].map(([, command = '']) => command);
    expect([...new Set(shown)].sort()).toEqual([
      'npm run generate',
      'npm start',
      'npx acuse operador captchas',
      'npx acuse operador secretos',
    ]);
    const acuse = (...args: string[]) => promisify(execFile)('npx', ['acuse', ...args], { cwd: ROOT });
    const { stdout } = await acuse('operador', 'secretos');
    expect(stdout).toMatch(/^KEYRING=k1:/m);
    expect((await acuse('operador', 'captchas', '--help')).stdout).toContain('acuse operador captchas');
  });
});

describe('documents', () => {
  const inside = (folder: string) => readdirSync(`${ROOT}${folder}`).map((name) => `${folder}/${name}`);
  const documents = [
    ...[
      ...readdirSync(ROOT),
      ...[
        'docs',
        'docs/developers',
        'docs/developers/adr',
        'docs/operators',
        'docs/integrators/es',
        'docs/integrators/en',
      ].flatMap(inside),
    ],
    ...[...inside('apps'), ...inside('packages')].flatMap((workspace) => [
      `${workspace}/README.md`,
      `${workspace}/src/README.md`,
    ]),
  ].filter((path) => path.endsWith('.md') && existsSync(`${ROOT}${path}`));

  it.each(documents)('%s cites only paths that exist', (document) => {
    const text = readFileSync(`${ROOT}${document}`, 'utf8');
    const spans = [...text.matchAll(/`([^`\n]+)`/g)].flatMap(([, span = '']) => span.split(' '));
    const cited = spans.filter((word) => /^(?:apps|packages|test|docs|prisma)\/[\w./-]+$/.test(word));
    expect(cited.filter((path) => !path.includes('/dist/') && !existsSync(`${ROOT}${path}`))).toEqual([]);
  });

  it('.vscode/launch.json starts only what exists', () => {
    const text = readFileSync(`${ROOT}.vscode/launch.json`, 'utf8');
    const started = [...text.matchAll(/"program": "\$\{workspaceFolder\}\/([^"]+)"/g)].map(([, path]) => path);
    expect(started.length).toBeGreaterThan(3);
    expect(started.filter((path) => !existsSync(`${ROOT}${path}`))).toEqual([]);
  });
});
