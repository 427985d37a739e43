import { describe, expect, it, onTestFinished } from 'vitest';
import { run } from '../../containers/shell.ts';
import { waitFor } from '../fixtures/wait-for.ts';

/** Given by `npm run test:containers`, which has built the images. */
const HAS_IMAGES = process.env['ACUSE_TEST_COMPOSE'] !== undefined;

describe.skipIf(!HAS_IMAGES)('the image of the simulator alone', { timeout: 120_000 }, () => {
  it('listens on its published port, takes options, writes an e.firma and ends on SIGTERM', async () => {
    const docker = async (...args: string[]) => (await run('docker', args)).trim();
    const id = await docker(
      'run',
      '--detach',
      '--publish',
      '127.0.0.1::4500',
      'acuse-simulador',
      '--efirma',
      'EKU9003173C9',
    );
    onTestFinished(() => docker('rm', '--force', '--volumes', id).then(() => {}));
    // Its port may take a call and lose it while the container has no network yet: it says when it listens.
    await waitFor(async () => (await docker('logs', id)).includes('e.firma de EKU9003173C9') || null);
    const salud = await fetch(`http://${await docker('port', id, '4500/tcp')}/salud`);
    expect(await salud.json()).toMatchObject({ estado: 'ok' });
    expect(await docker('exec', id, 'ls', '/var/lib/acuse')).toMatch(/EKU9003173C9\.cer\nEKU9003173C9\.key\n/);
    await docker('stop', id);
    expect(await docker('inspect', '--format', '{{.State.ExitCode}}', id)).toBe('0');
  });
});
