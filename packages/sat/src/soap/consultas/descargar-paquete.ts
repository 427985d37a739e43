import type { Readable } from 'node:stream';
import type { DescargarPaquete, RespuestaDescargarPaquete, SatError } from '@acuse/core';
import { endWithSignal, pullStream } from '../../http/cuerpo.ts';
import { toSatError } from '../../http/errores.ts';
import { ACEPTADO, errorOf } from '../codigos.ts';
import { llamarStream } from '../llamar.ts';
import { sobreFirmado } from '../sobres.ts';
import { type ContextoSoap, conToken } from './contexto.ts';
import { createLectorPaquete, type LectorPaquete, type RespuestaDescarga } from './lector-paquete.ts';

/**
 * Fetches a package. 5004 is given for a package that the SAT does not know, which asks for the same as 5007: a new
 * request.
 */
export async function descargarPaquete(
  contexto: ContextoSoap,
  { rfc, paquete }: DescargarPaquete,
): Promise<RespuestaDescargarPaquete> {
  const sobre = sobreFirmado(contexto.firmante, 'PeticionDescargaMasivaTercerosEntrada', 'peticionDescarga', {
    IdPaquete: paquete,
    RfcSolicitante: rfc,
  });
  const { codigo, mensaje, zip } = await conToken(contexto, (token) => openPaquete(contexto, sobre, token));
  if (codigo === ACEPTADO && zip !== undefined) return { resultado: 'PAQUETE', zip };
  if (['5004', '5007', '5008'].includes(codigo)) return { resultado: 'AGOTADO', codigo, mensaje };
  throw errorOf(codigo);
}

/** Reads until the first byte of the package, or to the end when there is none. */
async function openPaquete(
  { http, servicio, signal, settings }: ContextoSoap,
  sobre: string,
  token: string,
): Promise<RespuestaDescarga & { zip?: Readable }> {
  const { body, markFailed } = await llamarStream(http, {
    paso: servicio.descarga,
    sobre,
    token,
    signal,
  });
  const chunks = (body as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  const lector = createLectorPaquete(settings.maxPackageBytes);
  const fail = async (error: unknown): Promise<SatError> => {
    body.destroy();
    const mapped = toSatError(error);
    if (mapped.motivo === 'RESPUESTA_ILEGIBLE') await markFailed();
    return mapped;
  };
  try {
    for (;;) {
      const { value, done } = await chunks.next();
      if (done) break;
      const first = lector.write(value);
      const respuesta = lector.respuesta();
      if (first.length === 0 || respuesta?.codigo !== ACEPTADO) continue;
      const zip = toReadable(first, chunks, lector, fail, body);
      endWithSignal(zip, signal);
      return { ...respuesta, zip };
    }
    lector.end();
  } catch (error) {
    throw await fail(error);
  }
  // `end` returned, so the answer was whole and its code is known.
  return lector.respuesta() as RespuestaDescarga;
}

/** The package from its first bytes on. It ends only after the document around it was found whole. */
function toReadable(
  first: Buffer[],
  chunks: AsyncIterator<Buffer>,
  lector: LectorPaquete,
  fail: (error: unknown) => Promise<SatError>,
  body: Readable,
): Readable {
  let pending = first;
  return pullStream(
    async () => {
      try {
        while (pending.length === 0) {
          const { value, done } = await chunks.next();
          if (done) {
            lector.end();
            return null;
          }
          pending = lector.write(value);
        }
        const bytes = Buffer.concat(pending);
        pending = [];
        return bytes;
      } catch (error) {
        throw await fail(error);
      }
    },
    () => body.destroy(),
  );
}
