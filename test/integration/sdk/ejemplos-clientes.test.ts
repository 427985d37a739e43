import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '@acuse/embedded';
import { Webhook } from 'standardwebhooks';
import { beforeAll, describe, expect, it } from 'vitest';
import { ciecOf, useServicio, waitFor } from '../fixtures/servicio.ts';
import { LANGUAGES, type Language } from './clientes.ts';

const SECRETO = `whsec_${Buffer.from('a secret of this test').toString('base64')}`;
/** What each program prints, in the order of the page, by the heading that it stands under. */
const PRINTS: readonly (readonly [title: string, printed: RegExp])[] = [
  ['La primera descarga', /^EN_PROCESO \d+%[\s\S]*TERMINADA 100%\nenero\.zip: \d+ bytes, \d+ CFDI\n$/],
  ['Operaciones', /^(2026-03-\d\d \S+ [\d.]+\n){3}$/],
  ['Listas por páginas', /^\d{3,}\.\d\d\n$/],
  ['Esperar días, y continuar', /^[0-9a-f]{64}\ntrue\n?$/i],
  ['Errores', /^2002 No existe una solicitud/],
  ['Al día', /^\d+ créditos la primera carga\n(nuevo [0-9A-F-]{36}\n)*$/],
];

/** The programs of a page, by the heading that they stand under. */
function samplesOf({ paquete, marca }: Language): ReadonlyMap<string, string> {
  const sections = readFileSync(`${paquete}/README.md`, 'utf8').split(/^## /m);
  return new Map(
    sections.flatMap((section) => {
      const [, title = '', code] =
        new RegExp(`^(.*)\\n[\\s\\S]*?\`\`\`${marca}\\n([\\s\\S]*?)\`\`\``).exec(section) ?? [];
      return code === undefined ? [] : [[title, code] as const];
    }),
  );
}

const servicio = useServicio({}, {});

describe.each(LANGUAGES)('the page of the client for $nombre', (language) => {
  const samples = samplesOf(language);

  it('has every program', () => {
    expect([...samples.keys()]).toEqual([...PRINTS.map(([title]) => title), 'Avisos (webhooks)']);
  });

  describe.skipIf(language.falta !== null)(language.falta ?? 'has programs that run', () => {
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

    /** Starts a program as somebody would who pasted it, in a folder of its own. */
    async function start(title: string, args: readonly string[] = [], more: Record<string, string> = {}) {
      const cwd = await mkdtemp(join(servicio.dir, 'sample-'));
      await writeFile(join(cwd, language.archivo), samples.get(title) ?? '');
      const child = spawn(language.programa, [...language.flags, ...args, language.archivo], {
        cwd,
        env: { ...env, ...more },
      });
      const said = { out: '', err: '' };
      child.stdout.on('data', (chunk) => (said.out += chunk));
      child.stderr.on('data', (chunk) => (said.err += chunk));
      return { cwd, child, said, ended: once(child, 'close').then(([code]) => code as number | null) };
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
      const send = (signature: string, body: string, at: Date) =>
        fetch(`http://127.0.0.1:${PUERTO}`, {
          method: 'POST',
          headers: {
            'webhook-id': 'msg_1',
            'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
            'webhook-signature': signature,
          },
          body,
        }).then(({ status }) => status);
      const now = new Date();
      const body = JSON.stringify({ type: 'solicitud.terminada', timestamp: now.toISOString(), data: {} });
      const signature = new Webhook(SECRETO).sign('msg_1', now, body);
      try {
        expect(await waitFor(() => send(signature, body, now).catch(() => null))).toBe(204);
        expect(await send(signature, `${body} `, now)).toBe(400);
        await expect.poll(() => said.out).toContain('msg_1 solicitud.terminada\n');
      } finally {
        child.kill();
        await ended;
      }
    });
  });
});
