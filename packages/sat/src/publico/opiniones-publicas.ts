import { type OpinionesPublicas, type RespuestaOpinionPublica, SatError, type SentidoOpinion } from '@acuse/core';
import { Agent, request } from 'undici';
import { z } from 'zod';
import { readText, startTimeLimit, toSatError } from '../http/cuerpo.ts';
import { ilegible, parseObjeto } from '../texto.ts';

const MAX_BYTES = 64 * 1024;
const SENTIDOS = [
  'POSITIVO',
  'NEGATIVO',
  'EN_SUSPENSION',
  'INSCRITO_SIN_OBLIGACIONES',
  'NO_INSCRITO',
] as const satisfies readonly SentidoOpinion[];

const PUBLICADA = z.strictObject({
  rfc: z.string(),
  opinion: z.enum(SENTIDOS),
  fecha_publicacion: z.iso.datetime({ offset: true }),
});
const NO_PUBLICADA = z.strictObject({ rfc: z.string(), publicada: z.literal(false) });

/**
 * A source of public opinions over HTTP, which an operator runs or rents:
 *
 *     GET {url}?rfc=EKU9003173C9
 *     200 {"rfc":"EKU9003173C9","opinion":"POSITIVO","fecha_publicacion":"2026-11-20T18:00:00Z"}
 *     404 {"rfc":"EKU9003173C9","publicada":false}
 *
 * `opinion` is a {@link SentidoOpinion}; both answers are `application/json`, in UTF-8, and name the RFC that was
 * asked. Anything else (another status or field, a page, a redirect, a cut body) is a SatError, never NO_PUBLICADA.
 * Throws a TypeError for an address that is none.
 *
 * @param settings `url`: `http` or `https`, without query and credentials. `timeoutMs`: from call to last byte.
 */
export function createOpinionesPublicas(settings: {
  readonly url: string;
  readonly timeoutMs?: number;
}): OpinionesPublicas & { close(): Promise<void> } {
  const base = new URL(settings.url);
  const hasCredencial = base.username !== '' || base.password !== '';
  if (!['http:', 'https:'].includes(base.protocol) || base.search !== '' || hasCredencial) {
    throw new TypeError('url: http or https, without query and credentials');
  }
  const { timeoutMs = 20_000 } = settings;
  const agent = new Agent({ connections: 8 });

  async function ask(rfc: string, signal: AbortSignal): Promise<RespuestaOpinionPublica> {
    const url = new URL(base);
    url.searchParams.set('rfc', rfc);
    const { statusCode, headers, body } = await request(url, {
      dispatcher: agent,
      headers: { accept: 'application/json', 'user-agent': 'acuse' },
      signal,
    });
    body.on('error', () => {});
    const type = String(headers['content-type'] ?? '');
    if ((statusCode !== 200 && statusCode !== 404) || !/^application\/json\b/i.test(type)) {
      body.destroy();
      throw new SatError('SERVICIO_CON_ERROR', { codigo: `HTTP ${statusCode}` });
    }
    return readRespuesta(statusCode, await readText(body, type, MAX_BYTES), rfc);
  }

  return {
    async consultar(rfc, signal) {
      const plazo = startTimeLimit(signal, timeoutMs);
      try {
        const already = plazo.reason();
        if (already !== undefined) throw already;
        return await ask(rfc.toUpperCase(), plazo.signal);
      } catch (error) {
        throw plazo.reason() ?? toSatError(error);
      } finally {
        plazo.release();
      }
    },
    close: () => agent.destroy(),
  };
}

function readRespuesta(status: number, texto: string, rfc: string): RespuestaOpinionPublica {
  const leida = (status === 404 ? NO_PUBLICADA : PUBLICADA).safeParse(parseObjeto(texto)).data;
  if (leida?.rfc !== rfc) throw ilegible('opinión pública');
  if ('publicada' in leida) return { resultado: 'NO_PUBLICADA' };
  return { resultado: 'PUBLICADA', sentido: leida.opinion, fechaPublicacion: new Date(leida.fecha_publicacion) };
}
