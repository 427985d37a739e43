import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { packImages } from '../../../packages/embedded/src/release/artifacts.ts';
import { run } from '../../containers/shell.ts';

/** Client of Docker and arguments of the builds, given by `npm run test:containers`. */
const BUILD = process.env['ACUSE_TEST_BUILD'];

it.skipIf(BUILD === undefined)('a release has images with labels, which start', { timeout: 600_000 }, async () => {
  const docker = async (...args: string[]) => (await run('docker', args)).trim();
  const to = await mkdtemp(join(tmpdir(), 'acuse-imagenes-'));
  onTestFinished(() => rm(to, { recursive: true, force: true }));
  const release = { to, version: '9.8.7', license: 'LicenseRef-Prueba', commit: 'c0ffee', epoch: '1764000000' };
  expect(await packImages(release, JSON.parse(BUILD ?? '[]'))).toEqual([
    'acuse-image-9.8.7.tar',
    'acuse-simulador-image-9.8.7.tar',
  ]);
  for (const image of ['acuse', 'acuse-simulador']) {
    const tag = `${image}:9.8.7`;
    await docker('image', 'rm', tag);
    expect(await docker('load', '--input', join(to, `${image}-image-9.8.7.tar`))).toContain(tag);
    expect(JSON.parse(await docker('image', 'inspect', '--format', '{{json .Config.Labels}}', tag))).toMatchObject({
      'org.opencontainers.image.version': '9.8.7',
      'org.opencontainers.image.revision': 'c0ffee',
      'org.opencontainers.image.licenses': 'LicenseRef-Prueba',
      'org.opencontainers.image.created': '2025-11-24T16:00:00.000Z',
    });
  }
  expect(await docker('run', '--rm', '--entrypoint', 'acuse', 'acuse:9.8.7', '--version')).toMatch(/^\d+\.\d+\.\d+$/);
  const find = ['/acuse', '-name', '*.ts', '-o', '-name', '*.tsbuildinfo', '-o', '-name', '*.map'];
  expect(await docker('run', '--rm', '--entrypoint', 'find', 'acuse:9.8.7', ...find)).toBe('');
  const licenses = await docker('run', '--rm', '--entrypoint', 'cat', 'acuse:9.8.7', 'THIRD-PARTY-LICENSES.txt');
  for (const name of ['@bull-board/api', 'hono', 'pino'])
    expect(licenses).toMatch(new RegExp(`^${name} \\d.*\\(MIT\\)$`, 'm'));
  expect(await docker('run', '--rm', 'acuse-simulador:9.8.7', '--help')).toContain('--efirma');
});
