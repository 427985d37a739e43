import { existsSync, readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { createProgram, openDeps } from '@acuse/cli';
import { createCaptchas } from '@acuse/db';
import { createPeopleResolver } from '@acuse/sat';
import { beforeEach, describe, expect, it } from 'vitest';
import { UNSEEN } from '../fixtures/cli.ts';
import { useDatabase } from '../fixtures/database.ts';

const t = useDatabase();

const PNG = Buffer.from('89504e470d0a1a0a00ff', 'hex');

/** The operator's command line with a terminal whose other end the test holds. */
async function acuse(args: string[], terminal = { entrada: new PassThrough(), salida: new PassThrough() }) {
  const lines: string[] = [];
  const print = (line: string) => lines.push(line);
  const deps = { ...openDeps({ DATABASE_URL: t.url }, print, () => {}), terminal };
  try {
    await createProgram(() => deps, print, UNSEEN)
      .exitOverride()
      .parseAsync(args, { from: 'user' });
  } finally {
    await deps.close();
  }
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

function openResolver(plazoMs = 60_000) {
  const leaving = new AbortController();
  const captchas = createCaptchas(t.db);
  const resolvedor = createPeopleResolver({ captchas, plazoMs, cadaMs: 5 });
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

beforeEach(() => t.sql`DELETE FROM captcha_pendiente`);

const leftOver = async () => (await t.sql`SELECT count(*)::int AS n FROM captcha_pendiente`)[0]?.n;

describe('a captcha that a person answers', () => {
  it('is shown in a file of its owner only, asked for, answered and deleted', async () => {
    const { answer } = openResolver();
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
    const { answer } = openResolver();
    const { id } = await untilPending();
    const [listed] = await acuse(['captchas', '--json']);
    expect(listed).toMatchObject({ captcha_id: id, imagen: PNG.toString('base64') });
    expect(await acuse(['captchas', 'contestar', id, 'XYZ'])).toEqual([{ captcha_id: id, aceptada: true }]);
    expect(await answer).toBe('XYZ');
    await expect(acuse(['captchas', 'contestar', id, 'XYZ'])).rejects.toThrow('ya no espera');
    expect(await acuse(['captchas', '--json'])).toEqual([]);
  });

  it('is taken down when no caller waits any more', async () => {
    const { answer, leaving } = openResolver();
    await untilPending();
    leaving.abort();
    await expect(answer).rejects.toThrow();
    expect(await leftOver()).toBe(0);
  });
});

const PERSONA = { actor: 'prueba', ip: null };

describe('captchas that wait for a person', () => {
  it('go to the person as they came, oldest first, and the answer comes back', async () => {
    const captchas = createCaptchas(t.db);
    const imagen = Buffer.from([0x89, 0, 255, 13, 10]);
    const id = await captchas.ask(imagen, 60_000);
    const otro = await captchas.ask(Buffer.from('b'), 60_000);
    // Two connections of a virtual machine may read its clock in the other order.
    await t.sql`UPDATE captcha_pendiente SET creado_en = creado_en - interval '1 second', vence_en = vence_en - interval '1 second'
      WHERE id = ${id}`;
    const pendientes = await captchas.pendientes();
    expect(pendientes.map((each) => each.id)).toEqual([id, otro]);
    expect(pendientes[0]?.imagen).toEqual(imagen);
    expect(pendientes[0]?.venceEn.getTime()).toBe((pendientes[0]?.creadoEn.getTime() ?? 0) + 60_000);
    expect(await captchas.respuesta(id)).toBeNull();
    expect(await captchas.answer(id, 'ABC123', PERSONA)).toBe(true);
    expect(await captchas.answer(id, 'tarde', PERSONA)).toBe(false);
    expect(await captchas.respuesta(id)).toBe('ABC123');
    expect((await captchas.pendientes()).map((each) => each.id)).toEqual([otro]);
    await captchas.drop(id);
    await captchas.drop(otro);
    expect(await captchas.respuesta(id)).toBeNull();
    expect(await captchas.answer(otro, 'X', PERSONA)).toBe(false);
    expect(await captchas.answer('no es un id', 'X', PERSONA)).toBe(false);
  });

  it('are not shown nor answered once they are over, and are deleted', async () => {
    const captchas = createCaptchas(t.db);
    const id = await captchas.ask(Buffer.from('a'), 60_000);
    const running = await captchas.ask(Buffer.from('b'), 60_000);
    await t.sql`UPDATE captcha_pendiente SET vence_en = now() - interval '1 second' WHERE id = ${id}`;
    expect((await captchas.pendientes()).map((each) => each.id)).toEqual([running]);
    expect(await captchas.answer(id, 'X', PERSONA)).toBe(false);
    expect([await captchas.tidy(), await captchas.tidy()]).toEqual([1, 0]);
    expect(await captchas.answer(running, 'X', PERSONA)).toBe(true);
  });
});
