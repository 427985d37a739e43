import type { Credencial } from '../credencial.ts';
import type {
  ListarComunicados,
  ListarNotificaciones,
  RespuestaListarComunicados,
  RespuestaListarNotificaciones,
} from './consultas/buzon.ts';
import type {
  ConsultarConstanciaQr,
  DescargarConstancia,
  RespuestaConsultarConstanciaQr,
  RespuestaDescargarConstancia,
} from './consultas/constancia.ts';
import type { ListarDeclaraciones, RespuestaListarDeclaraciones } from './consultas/declaraciones.ts';
import type { ConsultarCfdi, RespuestaConsultarCfdi } from './consultas/estado-cfdi.ts';
import type { ListarFacturas, RespuestaListarFacturas } from './consultas/facturas.ts';
import type {
  DescargarPaquete,
  RespuestaDescargarPaquete,
  RespuestaSolicitarMetadata,
  RespuestaVerificarMetadata,
  SolicitarMetadata,
  VerificarMetadata,
} from './consultas/metadata.ts';
import type { ConsultarOpinion, RespuestaConsultarOpinion } from './consultas/opinion.ts';
import type { ListarRetenciones, RespuestaListarRetenciones } from './consultas/retenciones.ts';

/**
 * The way a bulk download travels: the SOAP web service (signed with the e.firma) or the taxpayer portal (CIEC).
 * A folio or a package id of one channel means nothing to the other.
 */
export type CanalSat = 'soap' | 'portal';

/** Every question that can be put to the SAT, by name, with its answer and what it is asked with (`null`: anybody may). */
export interface CatalogoConsultas {
  'solicitar-metadata': {
    consulta: SolicitarMetadata;
    respuesta: RespuestaSolicitarMetadata;
    credencial: Credencial;
  };
  'verificar-metadata': {
    consulta: VerificarMetadata;
    respuesta: RespuestaVerificarMetadata;
    credencial: Credencial;
  };
  'descargar-paquete': {
    consulta: DescargarPaquete;
    respuesta: RespuestaDescargarPaquete;
    credencial: Credencial;
  };
  'consultar-cfdi': { consulta: ConsultarCfdi; respuesta: RespuestaConsultarCfdi; credencial: null };
  'consultar-constancia-qr': {
    consulta: ConsultarConstanciaQr;
    respuesta: RespuestaConsultarConstanciaQr;
    credencial: null;
  };
  'listar-facturas': { consulta: ListarFacturas; respuesta: RespuestaListarFacturas; credencial: Credencial };
  'listar-retenciones': {
    consulta: ListarRetenciones;
    respuesta: RespuestaListarRetenciones;
    credencial: Credencial;
  };
  'listar-declaraciones': {
    consulta: ListarDeclaraciones;
    respuesta: RespuestaListarDeclaraciones;
    credencial: Credencial;
  };
  'listar-comunicados': {
    consulta: ListarComunicados;
    respuesta: RespuestaListarComunicados;
    credencial: Credencial;
  };
  'listar-notificaciones': {
    consulta: ListarNotificaciones;
    respuesta: RespuestaListarNotificaciones;
    credencial: Credencial;
  };
  'descargar-constancia': {
    consulta: DescargarConstancia;
    respuesta: RespuestaDescargarConstancia;
    credencial: Credencial;
  };
  'consultar-opinion': {
    consulta: ConsultarOpinion;
    respuesta: RespuestaConsultarOpinion;
    credencial: Credencial;
  };
}

export type NombreConsulta = keyof CatalogoConsultas;
export type Consulta<N extends NombreConsulta = NombreConsulta> = CatalogoConsultas[N]['consulta'];
export type Respuesta<N extends NombreConsulta> = CatalogoConsultas[N]['respuesta'];
export type CredencialDe<N extends NombreConsulta> = CatalogoConsultas[N]['credencial'];

/** The steps of a bulk download. */
export type NombreDescarga = 'solicitar-metadata' | 'verificar-metadata' | 'descargar-paquete';

export interface EnvioSat {
  /** Ends the query early (shutdown, lost lease, budget). */
  readonly signal: AbortSignal;
  /** On whose behalf, a UUID: log-ins that cost a captcha are shared out among the accounts. */
  readonly cuentaId?: string;
}

/**
 * The tax authority. Answers are what the SAT said about the question; everything that kept it from answering
 * is a `SatError`. `M` are the consultas that it takes.
 */
export interface Sat<M extends NombreConsulta = NombreConsulta> {
  send<N extends M>(
    consulta: CatalogoConsultas[N]['consulta'] & { readonly consulta: N },
    credencial: CatalogoConsultas[N]['credencial'],
    envio: EnvioSat,
  ): Promise<Respuesta<N>>;
}

/** The channel that a credential leads to, for a bulk download. */
export function canalDe(credencial: Pick<Credencial, 'tipo'>): CanalSat {
  return credencial.tipo === 'efirma' ? 'soap' : 'portal';
}
