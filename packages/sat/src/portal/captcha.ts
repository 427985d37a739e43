import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Captchas, SatError } from '@acuse/core';
import { DeadlineError, deadline } from '@acuse/runtime';
import { request } from 'undici';

/** Reads the captcha of the SAT's log-in page: a person, a service, a model of the operator. */
export interface ResolvedorCaptcha {
  /**
   * The characters on an image (PNG or JPEG). An impossible answer counts as a refused captcha. `signal` aborts when
   * the log-in is given up.
   */
  resolve(imagen: Buffer, signal: AbortSignal): Promise<string>;
}

/** What the portal's field takes: at most 16 characters, which its page turns into capitals. */
const RESPUESTA = /^[A-Z0-9]{1,16}$/;

/**
 * Asks a resolver and waits at most `esperaMs`. Null when its answer cannot be a captcha. Rejects with CANCELADA when
 * the caller gave up, else with CAPTCHA_RECHAZADO (codigo RESOLVEDOR): without an answer there is no log-in, but there
 * may be later.
 */
export async function askCaptcha(
  resolvedor: ResolvedorCaptcha,
  imagen: Buffer,
  esperaMs: number,
  signal: AbortSignal,
): Promise<string | null> {
  if (signal.aborted) throw new SatError('CANCELADA');
  try {
    const respuesta = await deadline(esperaMs, (limit) => resolvedor.resolve(imagen, limit), signal);
    const letras = respuesta.replace(/\s/g, '').toUpperCase();
    return RESPUESTA.test(letras) ? letras : null;
  } catch (error) {
    if (signal.aborted) throw new SatError('CANCELADA');
    if (error instanceof SatError) throw error;
    const detalle = error instanceof DeadlineError ? 'el resolvedor no contestó a tiempo' : 'el resolvedor falló';
    throw new SatError('CAPTCHA_RECHAZADO', { codigo: 'RESOLVEDOR', detalle });
  }
}

/** A service that takes the image inside a JSON object and answers with a JSON object. */
interface ResolvedorHttpSettings {
  readonly url: string;
  /** Sent as this header, value included (`Bearer …`). */
  readonly token?: { readonly cabecera: string; readonly valor: string };
  /** Name of the field that holds the image in base64. */
  readonly campoImagen: string;
  /** Further fields of the question. */
  readonly campos?: Readonly<Record<string, unknown>>;
  /** Path of the text in the answer, such as `resultado.texto`. */
  readonly campoRespuesta: string;
}

const MAX_RESPUESTA_BYTES = 64 * 1024;

/**
 * Asks a service over HTTP. Rejects when it does not answer 200 with the configured field; the URL and the token are in
 * no error.
 */
export function createResolvedorHttp(settings: ResolvedorHttpSettings): ResolvedorCaptcha {
  return {
    async resolve(imagen, signal) {
      const { statusCode, body } = await request(settings.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(settings.token && { [settings.token.cabecera]: settings.token.valor }),
        },
        body: JSON.stringify({ ...settings.campos, [settings.campoImagen]: imagen.toString('base64') }),
        signal,
      });
      const chunks: Buffer[] = [];
      let size = 0;
      for await (const chunk of body as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size > MAX_RESPUESTA_BYTES) throw new Error('captcha resolver: answer too large');
        chunks.push(chunk);
      }
      if (statusCode !== 200) throw new Error(`captcha resolver: HTTP ${statusCode}`);
      return readCampo(Buffer.concat(chunks).toString(), settings.campoRespuesta);
    },
  };
}

/** The resolver of the project's own simulated authority: `POST { imagen }` (base64) answers `{ respuesta }`. */
export function createResolvedorSimulador(settings: { readonly url: string }): ResolvedorCaptcha {
  return createResolvedorHttp({ url: settings.url, campoImagen: 'imagen', campoRespuesta: 'respuesta' });
}

function readCampo(json: string, ruta: string): string {
  let valor: unknown;
  try {
    valor = JSON.parse(json);
  } catch {
    throw new Error('captcha resolver: the answer is not JSON');
  }
  for (const nombre of ruta.split('.')) {
    valor =
      typeof valor === 'object' && valor !== null ? Object.entries(valor).find(([k]) => k === nombre)?.[1] : undefined;
  }
  if (typeof valor !== 'string') throw new Error('captcha resolver: the answer lacks the configured field');
  return valor;
}

interface ConsoleResolverDeps {
  readonly entrada: NodeJS.ReadableStream;
  readonly salida: NodeJS.WritableStream;
  /** Where the image is written. Default: the temporary folder of the system. */
  readonly carpeta?: string;
}

/**
 * Asks the person at the terminal: writes the image to a file that only its owner can read, prints the path, waits for
 * a line and deletes the file. Questions wait for each other, since there is one terminal.
 */
export function createResolvedorConsola({ entrada, salida, carpeta }: ConsoleResolverDeps): ResolvedorCaptcha {
  let last: Promise<unknown> = Promise.resolve();

  async function askConsole(imagen: Buffer, signal: AbortSignal): Promise<string> {
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
      const answer = last.then(() => askConsole(imagen, signal));
      last = answer.catch(() => {});
      return answer;
    },
  };
}

function extensionOf(imagen: Buffer): 'png' | 'jpg' {
  return imagen.subarray(0, 2).equals(Buffer.from([0xff, 0xd8])) ? 'jpg' : 'png';
}

interface PeopleResolverDeps {
  readonly captchas: Captchas;
  /** How long a captcha is shown to people, milliseconds. */
  readonly plazoMs: number;
  /** Milliseconds between two looks for the answer. Default: 500. */
  readonly cadaMs?: number;
}

/** Puts the captcha up for people (`acuse operador captchas`, the panel), waits for one to answer and takes it down. */
export function createPeopleResolver({ captchas, plazoMs, cadaMs = 500 }: PeopleResolverDeps): ResolvedorCaptcha {
  return {
    async resolve(imagen, signal) {
      signal.throwIfAborted();
      const id = await captchas.ask(imagen, plazoMs);
      try {
        for (;;) {
          const respuesta = await captchas.respuesta(id);
          if (respuesta !== null) return respuesta;
          await sleep(cadaMs, null, { signal });
        }
      } finally {
        await captchas.drop(id);
      }
    },
  };
}
