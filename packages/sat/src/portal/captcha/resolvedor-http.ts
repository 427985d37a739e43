import { request } from 'undici';
import type { ResolvedorCaptcha } from './resolvedor-captcha.ts';

/** A service that takes the image inside a JSON object and answers with a JSON object. */
export interface ResolvedorHttpSettings {
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
