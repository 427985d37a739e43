import { type Consulta, type EnvioSat, type Respuesta, type Sat, SatError } from '@acuse/core';
import type { SatHttp } from '../http/sat-http.ts';
import { consultarCfdi } from './consultar-cfdi.ts';

export type NombreConsultaPublica = 'consultar-cfdi' | 'consultar-constancia-qr';

type Consultas = {
  readonly [N in NombreConsultaPublica]: (
    http: SatHttp,
    consulta: Consulta<N>,
    signal: AbortSignal,
  ) => Promise<Respuesta<N>>;
};

export const CONSULTAS_PUBLICAS: Consultas = {
  'consultar-cfdi': consultarCfdi,
  'consultar-constancia-qr': async (...args) =>
    (await import('./consultar-constancia-qr.ts')).consultarConstanciaQr(...args),
};

/** Public pages of the SAT, without a log-in. */
export function createPublico({ http }: { readonly http: SatHttp }): Sat<NombreConsultaPublica> {
  return {
    async send<N extends NombreConsultaPublica>(
      consulta: Consulta<N> & { readonly consulta: N },
      _credencial: null,
      { signal }: EnvioSat,
    ): Promise<Respuesta<N>> {
      if (signal.aborted) throw new SatError('CANCELADA');
      return await CONSULTAS_PUBLICAS[consulta.consulta](http, consulta, signal);
    },
  };
}
