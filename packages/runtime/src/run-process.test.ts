import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { listen } from './http-server.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

it('a process that cannot start says why in one line, with the setting, and ends with 1', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'acuse-run-'));
  const server = createServer();
  const port = await listen(server, 0, '127.0.0.1');
  const main = join(dir, 'main.mts');
  writeFileSync(
    main,
    `import { createServer } from 'node:http';
     import { listen, runProcess } from '${ROOT}/packages/runtime/src/index.ts';
     await runProcess({
       name: 'prueba',
       readConfig: () => ({ LOG_LEVEL: 'info', OTHER_PORT: 1, PRUEBA_PORT: ${port} }),
       start: async (config) => ({ port: await listen(createServer(), config.PRUEBA_PORT, '127.0.0.1') }),
     });`,
  );
  const child = spawn(process.execPath, ['--import', 'tsx', main], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  expect(err).toBe(`PRUEBA_PORT: alguien escucha ya en el puerto ${port}. Deténgalo, o elija otro.\n`);
  expect(JSON.parse(out)).toMatchObject({ level: 'fatal', msg: 'prueba could not start' });
  expect(code).toBe(1);
  server.close();
  rmSync(dir, { recursive: true });
});
