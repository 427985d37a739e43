import { type ConsultarCfdi, type RespuestaConsultarCfdi, SatError } from '@acuse/core';
import type { SatHttp } from '../http/sat-http.ts';

export async function consultarCfdi(
  _http: SatHttp,
  _consulta: ConsultarCfdi,
  _signal: AbortSignal,
): Promise<RespuestaConsultarCfdi> {
  throw new SatError('CANAL_DESACTIVADO', { detalle: 'consultar-cfdi' });
}
