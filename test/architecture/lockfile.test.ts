import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ROOT } from './sources.ts';

interface Entry {
  readonly version?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly integrity?: string;
  readonly optional?: boolean;
  readonly dependencies?: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
}

const { packages } = JSON.parse(readFileSync(`${ROOT}package-lock.json`, 'utf8')) as {
  packages: Record<string, Entry>;
};

/** Where npm would find a dependency of the package at `path`, walking up as Node does. */
function find(path: string, name: string): Entry | undefined {
  for (let at = path; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const found = packages[at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`];
    if (found || at === '') return found;
    if (!at.includes('/node_modules/')) return packages[`node_modules/${name}`];
  }
}

describe('the lockfile', () => {
  it('has every dependency of every platform, as `npm ci` demands', () => {
    const missing = Object.entries(packages).flatMap(([path, entry]) =>
      Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })
        .filter((name) => !find(path, name))
        .map((name) => `${path}: ${name}`),
    );
    expect(missing).toEqual([]);
  });

  it('has an integrity for whatever is not optional, and names no registry', () => {
    const external = Object.entries(packages).filter(([path, entry]) => path.includes('node_modules/') && !entry.link);
    expect(external.filter(([, { integrity, optional }]) => !integrity && !optional).map(([path]) => path)).toEqual([]);
    expect(external.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([]);
  });
});
