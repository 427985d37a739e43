import {
  type Consulta,
  type CredencialDe,
  type EnvioSat,
  type NombreDescarga,
  type Respuesta,
  type Sat,
  SatError,
} from '@acuse/core';
import { inNameOf, type SatHttp } from '../http/sat-http.ts';
import { type ContextoSoap, SAT_SOAP_DEFAULTS } from './contexto.ts';
import { descargarPaquete } from './descargar-paquete.ts';
import { openEfirma } from './efirma.ts';
import { solicitarMetadata, verificarMetadata } from './metadata.ts';
import { openPresigned } from './presigned.ts';
import { SERVICIOS, type ServicioSoap } from './sobres.ts';
import { createTokens, requestToken } from './tokens.ts';

type Consultas = {
  readonly [N in NombreDescarga]: (contexto: ContextoSoap, consulta: Consulta<N>) => Promise<Respuesta<N>>;
};

const CONSULTAS: Consultas = {
  'solicitar-metadata': solicitarMetadata,
  'verificar-metadata': verificarMetadata,
  'descargar-paquete': descargarPaquete,
};

/**
 * The SOAP channel: the SAT's services "Descarga Masiva" 1.5 of CFDI and of retenciones, signed with the e.firma. The
 * `documento` of a consulta chooses the service; each has its own tokens.
 */
export function createSatSoap(deps: {
  http: SatHttp;
  settings?: Partial<typeof SAT_SOAP_DEFAULTS>;
  now?: () => number;
}): Sat<NombreDescarga> {
  const settings = { ...SAT_SOAP_DEFAULTS, ...deps.settings };
  const now = deps.now ?? Date.now;
  const open = (servicio: ServicioSoap) => ({
    servicio,
    tokens: createTokens({
      authenticate: (signer, signal) =>
        requestToken(inNameOf(deps.http, signer.huella), servicio, signer, now, {
          maxBytes: settings.maxAnswerBytes,
          signal,
        }),
      now,
      marginMs: settings.tokenMarginMs,
    }),
  });
  const estados = { areRefused: false };
  const servicios = { cfdi: open(SERVICIOS.cfdi), retenciones: open(SERVICIOS.retenciones) };
  return {
    async send<N extends NombreDescarga>(
      consulta: Consulta<N> & { readonly consulta: N },
      credencial: CredencialDe<N>,
      { signal, onAnswer }: EnvioSat,
    ): Promise<Respuesta<N>> {
      if (signal.aborted) throw new SatError('CANCELADA');
      if (credencial.tipo === 'ciec') throw new SatError('CANAL_DESACTIVADO', { detalle: 'soap pide e.firma' });
      const { servicio, tokens } = servicios[consulta.documento ?? 'cfdi'];
      const paso = consulta.consulta === 'descargar-paquete' ? servicio.descarga : servicio.verifica;
      deps.http.assertRoom(paso.direccion.host);
      const signer = credencial.tipo === 'presigned' ? openPresigned(credencial) : openEfirma(credencial);
      const http = inNameOf(deps.http, signer.huella);
      const contexto = { http, servicio, tokens, signer, signal, settings, estados, onAnswer };
      return await CONSULTAS[consulta.consulta](contexto, consulta);
    },
  };
}
