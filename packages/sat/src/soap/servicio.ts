import type { DireccionSat } from '../http/direcciones.ts';

/** One SOAP 1.1 operation: where it is sent and the value of its SOAPAction header (written without quotes). */
export interface PasoSoap {
  readonly direccion: DireccionSat;
  readonly accion: string;
}

const SOLICITUD = 'cfdidescargamasivasolicitud.clouda.sat.gob.mx';
const DESCARGA = 'cfdidescargamasiva.clouda.sat.gob.mx';

/** Namespace of request, verify and download. */
export const NS_DESCARGA = 'http://DescargaMasivaTerceros.sat.gob.mx';
/** Namespace of authenticate: it has no `sat.` in it. */
export const NS_AUTENTICA = 'http://DescargaMasivaTerceros.gob.mx';

/**
 * The service "Descarga Masiva" of CFDI, version 1.5, in force since 2025-05-30 (addresses as in
 * phpcfdi/sat-ws-descarga-masiva, `ServiceEndpoints`, and SAT-CFDI/python-satcfdi, `pacs/sat.py`).
 */
export const SERVICIO_CFDI = {
  autentica: {
    direccion: { host: SOLICITUD, path: '/Autenticacion/Autenticacion.svc' },
    accion: `${NS_AUTENTICA}/IAutenticacion/Autentica`,
  },
  emitidos: {
    direccion: { host: SOLICITUD, path: '/SolicitaDescargaService.svc' },
    accion: `${NS_DESCARGA}/ISolicitaDescargaService/SolicitaDescargaEmitidos`,
  },
  recibidos: {
    direccion: { host: SOLICITUD, path: '/SolicitaDescargaService.svc' },
    accion: `${NS_DESCARGA}/ISolicitaDescargaService/SolicitaDescargaRecibidos`,
  },
  verifica: {
    direccion: { host: SOLICITUD, path: '/VerificaSolicitudDescargaService.svc' },
    accion: `${NS_DESCARGA}/IVerificaSolicitudDescargaService/VerificaSolicitudDescarga`,
  },
  descarga: {
    direccion: { host: DESCARGA, path: '/DescargaMasivaService.svc' },
    accion: `${NS_DESCARGA}/IDescargaMasivaTercerosService/Descargar`,
  },
} as const satisfies Record<string, PasoSoap>;
