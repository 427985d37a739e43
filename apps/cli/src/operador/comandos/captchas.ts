import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { AUTOR } from '@acuse/roles/operator';
import type { Command } from 'commander';
import type { CliDeps } from '../deps.ts';

type Captcha = Awaited<ReturnType<CliDeps['captchas']['pendientes']>>[number];

/** Milliseconds between two looks for captchas while it keeps watch. */
const CADA_MS = 1_000;

/** Every captcha needs one answer: those seen are not asked for again, answered or not. */
async function attend(deps: CliDeps, terminal: Interface, carpeta: string, vistos: Set<string>) {
  for (const captcha of await deps.captchas.pendientes()) {
    if (vistos.has(captcha.id)) continue;
    vistos.add(captcha.id);
    const texto = await ask(deps, terminal, carpeta, captcha);
    if (texto === '') continue;
    const aceptada = await deps.captchas.answer(captcha.id, texto, AUTOR);
    deps.show({ captcha_id: captcha.id, aceptada });
  }
}

async function ask(deps: CliDeps, terminal: Interface, carpeta: string, captcha: Captcha): Promise<string> {
  const { id, imagen, venceEn } = captcha;
  const file = join(carpeta, `${id}.${extensionOf(imagen)}`);
  await writeFile(file, imagen, { mode: 0o600 });
  const segundos = Math.max(0, Math.round((venceEn.getTime() - Date.now()) / 1_000));
  deps.terminal.salida.write(`Abra la imagen: ${file} (quedan ${segundos} s)\n`);
  try {
    return (await terminal.question('Escriba los caracteres de la imagen (vacío: saltarla): ')).trim();
  } finally {
    await rm(file, { force: true });
  }
}

function extensionOf(imagen: Buffer): 'png' | 'jpg' {
  return imagen.subarray(0, 2).equals(Buffer.from([0xff, 0xd8])) ? 'jpg' : 'png';
}

async function attendAtTerminal(deps: CliDeps, vigilar: boolean): Promise<void> {
  const carpeta = await mkdtemp(join(tmpdir(), 'acuse-captchas-'));
  const { entrada, salida } = deps.terminal;
  const terminal = createInterface({ input: entrada, output: salida, terminal: false });
  const ended = new AbortController();
  terminal.once('close', () => ended.abort());
  const vistos = new Set<string>();
  try {
    do {
      await attend(deps, terminal, carpeta, vistos);
      if (vigilar) await sleep(CADA_MS, null, { signal: ended.signal }).catch(() => {});
    } while (vigilar && !ended.signal.aborted);
    if (vistos.size === 0) salida.write('No hay captchas pendientes.\n');
  } finally {
    terminal.close();
    await rm(carpeta, { recursive: true, force: true });
  }
}

export function addCaptchas(program: Command, deps: () => CliDeps): void {
  const captchas = program
    .command('captchas')
    .description(
      'Captchas de los portales del SAT que esperan a una persona (CAPTCHA_RESOLVER=personas). Sin más, los muestra y pide su texto.',
    )
    .option('--json', 'solo los lista, uno por línea, con la imagen en base64')
    .option('--vigilar', 'sigue esperando captchas nuevos')
    .action(async ({ json = false, vigilar = false }: { json?: boolean; vigilar?: boolean }) => {
      if (!json) return attendAtTerminal(deps(), vigilar);
      for (const { id, imagen, creadoEn, venceEn } of await deps().captchas.pendientes())
        deps().show({ captcha_id: id, creado_en: creadoEn, vence_en: venceEn, imagen: imagen.toString('base64') });
    });
  captchas
    .command('contestar')
    .description('Contesta un captcha.')
    .argument('<captcha_id>', 'el que da la lista')
    .argument('<texto>', 'los caracteres de la imagen')
    .action(async (id: string, texto: string) => {
      const aceptada = await deps().captchas.answer(id, texto, AUTOR);
      deps().show({ captcha_id: id, aceptada });
      if (!aceptada) throw new Error('ese captcha ya no espera respuesta');
    });
}
