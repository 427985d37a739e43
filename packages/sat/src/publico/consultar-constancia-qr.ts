import { type ConsultarConstanciaQr, type RespuestaConsultarConstanciaQr, SatError } from '@acuse/core';
import type { SatHttp } from '../http/sat-http.ts';

export async function consultarConstanciaQr(
  _http: SatHttp,
  _consulta: ConsultarConstanciaQr,
  _signal: AbortSignal,
): Promise<RespuestaConsultarConstanciaQr> {
  throw new SatError('CANAL_DESACTIVADO', { detalle: 'consultar-constancia-qr' });
}
