import type { Documento } from '@acuse/core';
import type { DireccionSat } from '../http/direcciones.ts';

/** One SOAP 1.1 operation: where it is sent and the value of its SOAPAction header (written without quotes). */
export interface PasoSoap {
  readonly direccion: DireccionSat;
  readonly accion: string;
}

/** Namespace of request, verify and download. */
export const NS_DESCARGA = 'http://DescargaMasivaTerceros.sat.gob.mx';
/** Namespace of authenticate: it has no `sat.` in it. */
export const NS_AUTENTICA = 'http://DescargaMasivaTerceros.gob.mx';

/** The steps of one service of bulk download. */
export type ServicioSoap = Readonly<Record<'autentica' | 'emitidos' | 'recibidos' | 'verifica' | 'descarga', PasoSoap>>;

/**
 * The service "Descarga Masiva", version 1.5, in force since 2025-05-30, once for CFDI and once for CFDI de retenciones
 * e información de pagos: the same operations at other hosts, each with an authentication of its own, since a token of
 * one is not used on the other (addresses as in phpcfdi/sat-ws-descarga-masiva, `ServiceEndpoints`, and
 * SAT-CFDI/python-satcfdi, `pacs/sat.py`).
 */
export const SERVICIOS: Readonly<Record<Documento, ServicioSoap>> = {
  cfdi: servicioEn('cfdidescargamasivasolicitud.clouda.sat.gob.mx', 'cfdidescargamasiva.clouda.sat.gob.mx'),
  retenciones: servicioEn('retendescargamasivasolicitud.clouda.sat.gob.mx', 'retendescargamasiva.clouda.sat.gob.mx'),
};

function servicioEn(solicitud: string, descarga: string): ServicioSoap {
  return {
    autentica: {
      direccion: { host: solicitud, path: '/Autenticacion/Autenticacion.svc' },
      accion: `${NS_AUTENTICA}/IAutenticacion/Autentica`,
    },
    emitidos: {
      direccion: { host: solicitud, path: '/SolicitaDescargaService.svc' },
      accion: `${NS_DESCARGA}/ISolicitaDescargaService/SolicitaDescargaEmitidos`,
    },
    recibidos: {
      direccion: { host: solicitud, path: '/SolicitaDescargaService.svc' },
      accion: `${NS_DESCARGA}/ISolicitaDescargaService/SolicitaDescargaRecibidos`,
    },
    verifica: {
      direccion: { host: solicitud, path: '/VerificaSolicitudDescargaService.svc' },
      accion: `${NS_DESCARGA}/IVerificaSolicitudDescargaService/VerificaSolicitudDescarga`,
    },
    descarga: {
      direccion: { host: descarga, path: '/DescargaMasivaService.svc' },
      accion: `${NS_DESCARGA}/IDescargaMasivaTercerosService/Descargar`,
    },
  };
}
