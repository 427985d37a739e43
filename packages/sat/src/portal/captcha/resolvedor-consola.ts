import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { ResolvedorCaptcha } from './resolvedor-captcha.ts';

export interface ResolvedorConsolaDeps {
  readonly entrada: NodeJS.ReadableStream;
  readonly salida: NodeJS.WritableStream;
  /** Where the image is written. Default: the temporary folder of the system. */
  readonly carpeta?: string;
}

/**
 * Asks the person at the terminal: writes the image to a file that only its owner can read, prints the path, waits for
 * a line and deletes the file. Questions wait for each other, since there is one terminal.
 */
export function createResolvedorConsola({ entrada, salida, carpeta }: ResolvedorConsolaDeps): ResolvedorCaptcha {
  let last: Promise<unknown> = Promise.resolve();

  async function ask(imagen: Buffer, signal: AbortSignal): Promise<string> {
    signal.throwIfAborted();
    const folder = await mkdtemp(join(carpeta ?? tmpdir(), 'acuse-captcha-'));
    const terminal = createInterface({ input: entrada, output: salida, terminal: false });
    try {
      const file = join(folder, `captcha.${extensionOf(imagen)}`);
      await writeFile(file, imagen, { mode: 0o600 });
      salida.write(`El SAT pide un captcha para entrar al portal.\nAbra la imagen: ${file}\n`);
      return await terminal.question('Escriba los caracteres de la imagen: ', { signal });
    } finally {
      terminal.close();
      await rm(folder, { recursive: true, force: true });
    }
  }

  return {
    resolve(imagen, signal) {
      const answer = last.then(() => ask(imagen, signal));
      last = answer.catch(() => {});
      return answer;
    },
  };
}

function extensionOf(imagen: Buffer): 'png' | 'jpg' {
  return imagen.subarray(0, 2).equals(Buffer.from([0xff, 0xd8])) ? 'jpg' : 'png';
}
