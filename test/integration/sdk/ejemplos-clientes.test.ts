import { spawn } from 'node:child_process';
import { mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '@acuse/embedded';
import { beforeAll, describe, expect, it } from 'vitest';
import { ciecOf, useServicio } from '../fixtures/servicio.ts';
import { LANGUAGES } from './clientes.ts';
import { expectTakesSignedOnly, listenTo, SECRETO, samplesOf } from './muestras.ts';

/** What each program prints, in the order of the page, by the heading that it stands under. */
const PRINTS: readonly (readonly [title: string, printed: RegExp])[] = [
  ['La primera descarga', /^EN_PROCESO \d+%[\s\S]*TERMINADA 100%\nenero\.zip: \d+ bytes, \d+ CFDI\n$/],
  ['Los CFDI', /^([0-9A-F-]{36} cfdi\/2026-02\/[0-9A-F-]{36}\.xml \d+\n)+([0-9A-F-]{36} CANCELADO_RECIBIDO\n)*$/],
  ['Operaciones', /^(2026-03-\d\d \S+ [\d.]+\n){3}$/],
  ['Listas por páginas', /^\d{3,}\.\d\d\n$/],
  ['Esperar días, y continuar', /^[0-9a-f]{64}\ntrue\n?$/i],
  ['Errores', /^2002 No existe una solicitud/],
  ['Al día', /^\d+ créditos la primera carga\n(nuevo [0-9A-F-]{36}\n)*$/],
];

const servicio = useServicio({}, {});

describe.each(LANGUAGES)('the page of the client for $nombre', (language) => {
  const samples = samplesOf(`${language.paquete}/README.md`, language.marca);

  it('has every program', () => {
    expect([...samples.keys()]).toEqual([...PRINTS.map(([title]) => title), 'Avisos (webhooks)']);
  });

  describe.skipIf(language.falta !== null)(language.falta ?? 'has programs that run', { shuffle: false }, () => {
    let env: NodeJS.ProcessEnv;
    beforeAll(async () => {
      const { rfc, apiKey } = await servicio.newCaller({ rfc: 'ACU200101DB1', saldo: 10 });
      const own = { ACUSE_URL: servicio.api.url, ACUSE_API_KEY: apiKey, RFC: rfc, CIEC: ciecOf(rfc), SECRETO };
      env = {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        ...language.env,
        ACUSE_PHP: language.paquete,
        ...own,
      };
    });

    /** Starts a pasted program in its own folder. */
    async function start(title: string, args: readonly string[] = [], more: Record<string, string> = {}) {
      const cwd = await mkdtemp(join(servicio.dir, 'sample-'));
      await writeFile(join(cwd, language.archivo), samples.get(title) ?? '');
      const child = spawn(language.entryProgram, [...language.flags, ...args, language.archivo], {
        cwd,
        env: { ...env, ...more },
      });
      return { cwd, ...listenTo(child) };
    }

    it.each(PRINTS)('“%s”', async (title, printed) => {
      const { cwd, said, ended } = await start(title);
      expect([await ended, said.err]).toEqual([0, '']);
      expect(said.out).toMatch(printed);
      if (said.out.includes('enero.zip')) expect(await readdir(cwd)).toContain('enero.zip');
    });

    it('“Avisos” answers 204 to a webhook that is signed, and 400 to one that is not', async () => {
      const PUERTO = String(await freePort());
      const served = language.marca === 'php' ? ['-S', `127.0.0.1:${PUERTO}`] : [];
      const { child, said, ended } = await start('Avisos (webhooks)', served, { PUERTO });
      try {
        await expectTakesSignedOnly(PUERTO, said);
      } finally {
        child.kill();
        await ended;
      }
    });
  });
});
