import { Readable } from 'node:stream';
import { type Consulta, type Credencial, type NombreConsulta, type Respuesta, type Sat, SatError } from '@acuse/core';
import { endWithSignal } from '../http/cuerpo.ts';

/** What the script says to one consulta: an answer (a package as its bytes), an error, or a function that decides. */
export type RespuestaGuion<N extends NombreConsulta> =
  | RespuestaEscrita<N>
  | SatError
  | ((
      consulta: Consulta<N>,
      credencial: Credencial,
    ) => RespuestaEscrita<N> | SatError | Promise<RespuestaEscrita<N> | SatError>);

type RespuestaEscrita<N extends NombreConsulta> =
  | Exclude<Respuesta<N>, { zip: Readable }>
  | (N extends 'descargar-paquete' ? { readonly resultado: 'PAQUETE'; readonly zip: Buffer } : never);

/** Answers in their order; the last one stays. */
export type GuionSat = { readonly [N in NombreConsulta]?: readonly RespuestaGuion<N>[] };

interface SatMemoria extends Sat {
  /** Every consulta that was asked, in order. */
  readonly consultas: readonly Consulta[];
}

/**
 * A tax authority that answers by a script, for unit tests of what uses one. A consulta that the script does not know is a mistake of the test and rejects with a plain Error.
 */
export function createSatMemoria({ guion }: { guion: GuionSat }): SatMemoria {
  const consultas: Consulta[] = [];
  const next = new Map<NombreConsulta, number>();

  function line<N extends NombreConsulta>(nombre: N): RespuestaGuion<N> {
    const lines: readonly RespuestaGuion<N>[] = guion[nombre] ?? [];
    const at = Math.min(next.get(nombre) ?? 0, lines.length - 1);
    next.set(nombre, at + 1);
    const found = lines[at];
    if (found === undefined) throw new Error(`the script has no answer to ${nombre}`);
    return found;
  }

  return {
    consultas,
    async send<N extends NombreConsulta>(
      consulta: Consulta<N> & { readonly consulta: N },
      credencial: Credencial,
      { signal }: { readonly signal: AbortSignal },
    ): Promise<Respuesta<N>> {
      if (signal.aborted) throw new SatError('CANCELADA');
      consultas.push(consulta);
      const scripted = line(consulta.consulta);
      const answer = typeof scripted === 'function' ? await scripted(consulta, credencial) : scripted;
      if (signal.aborted) throw new SatError('CANCELADA');
      if (answer instanceof SatError) throw answer;
      return toRespuesta<N>(answer, signal);
    },
  };
}

function toRespuesta<N extends NombreConsulta>(answer: RespuestaEscrita<N>, signal: AbortSignal): Respuesta<N> {
  // `RespuestaEscrita` is `Respuesta` but for the package, whose bytes become a stream here.
  if (!('zip' in answer)) return answer as Respuesta<N>;
  return { ...answer, zip: toStream(answer.zip, signal) } as Respuesta<N>;
}

function toStream(bytes: Buffer, signal: AbortSignal): Readable {
  let at = 0;
  const stream = new Readable({
    read(size) {
      const chunk = bytes.subarray(at, at + size);
      at += chunk.length;
      this.push(chunk.length === 0 ? null : Buffer.from(chunk));
    },
  });
  stream.on('error', () => {});
  endWithSignal(stream, signal);
  return stream;
}
