import { existsSync, readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { createProgram, openDeps } from '@acuse/cli';
import { createCaptchas } from '@acuse/db';
import { createResolvedorPersonas } from '@acuse/sat';
import { describe, expect, it } from 'vitest';
import { useDatabase } from '../fixtures/database.ts';

const t = useDatabase();

const PNG = Buffer.from('89504e470d0a1a0a00ff', 'hex');

/** The operator's command line with a terminal whose other end the test holds. */
async function acuse(args: string[], terminal = { entrada: new PassThrough(), salida: new PassThrough() }) {
  const lines: string[] = [];
  const print = (line: string) => lines.push(line);
  const deps = { ...openDeps({ DATABASE_URL: t.url }, print), terminal };
  try {
    await createProgram(() => deps, print)
      .exitOverride()
      .parseAsync(args, { from: 'user' });
  } finally {
    await deps.close();
  }
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

function openResolvedor(plazoMs = 60_000) {
  const leaving = new AbortController();
  const captchas = createCaptchas(t.db);
  const resolvedor = createResolvedorPersonas({ captchas, plazoMs, cadaMs: 5 });
  const answer = resolvedor.resolve(PNG, leaving.signal);
  answer.catch(() => {});
  return { answer, leaving, captchas };
}

async function untilPending() {
  for (;;) {
    const [captcha] = await createCaptchas(t.db).pendientes();
    if (captcha) return captcha;
  }
}

const leftOver = async () => (await t.db.pool.query('SELECT count(*)::int AS n FROM captcha_pendiente')).rows[0]?.n;

describe('a captcha that a person answers', () => {
  it('is shown in a file of its owner only, asked for, answered and deleted', async () => {
    const { answer } = openResolvedor();
    const { id } = await untilPending();
    const terminal = { entrada: new PassThrough(), salida: new PassThrough() };
    const shown = new Promise<string>((resolve) => {
      let text = '';
      terminal.salida.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        if (text.includes('Escriba')) resolve(text);
      });
    });
    const command = acuse(['captchas'], terminal);
    const file = /Abra la imagen: (\S+)/.exec(await shown)?.[1] ?? '';
    expect(readFileSync(file)).toEqual(PNG);
    terminal.entrada.write(' aB12cd \n');
    expect(await command).toEqual([{ captcha_id: id, aceptada: true }]);
    expect(await answer).toBe('aB12cd');
    expect(existsSync(file)).toBe(false);
    expect(await leftOver()).toBe(0);
  });

  it('is listed with its image for programs, and answered by its id', async () => {
    const { answer } = openResolvedor();
    const { id } = await untilPending();
    const [listed] = await acuse(['captchas', '--json']);
    expect(listed).toMatchObject({ captcha_id: id, imagen: PNG.toString('base64') });
    expect(await acuse(['captchas', 'contestar', id, 'XYZ'])).toEqual([{ captcha_id: id, aceptada: true }]);
    expect(await answer).toBe('XYZ');
    await expect(acuse(['captchas', 'contestar', id, 'XYZ'])).rejects.toThrow('ya no espera');
    expect(await acuse(['captchas', '--json'])).toEqual([]);
  });

  it('is taken down when nobody waits any more', async () => {
    const { answer, leaving } = openResolvedor();
    await untilPending();
    leaving.abort();
    await expect(answer).rejects.toThrow();
    expect(await leftOver()).toBe(0);
  });
});
