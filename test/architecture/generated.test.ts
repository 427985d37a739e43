import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { envExampleText } from './env-example.ts';
import { ROOT } from './sources.ts';

describe('what is generated', () => {
  it('.env.example describes the settings as they are', () => {
    expect(readFileSync(`${ROOT}.env.example`, 'utf8')).toBe(envExampleText());
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
