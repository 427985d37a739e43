import type { Credencial } from '../credencial.ts';
import type { ConsultasBuzon } from './consultas/buzon.ts';
import type { ConsultasConstancia } from './consultas/constancia.ts';
import type { ConsultasDeclaraciones } from './consultas/declaraciones.ts';
import type { ConsultasEstadoCfdi } from './consultas/estado-cfdi.ts';
import type { ConsultasFacturas } from './consultas/facturas.ts';
import type { ConsultasMetadata } from './consultas/metadata.ts';
import type { ConsultasOpinion } from './consultas/opinion.ts';
import type { ConsultasRetenciones } from './consultas/retenciones.ts';

export type * from './consultas/buzon.ts';
export type * from './consultas/constancia.ts';
export type * from './consultas/declaraciones.ts';
export type * from './consultas/estado-cfdi.ts';
export type * from './consultas/facturas.ts';
export type * from './consultas/metadata.ts';
export type * from './consultas/opinion.ts';
export type * from './consultas/retenciones.ts';

/**
 * The way a bulk download travels: the SOAP web service (signed with the e.firma) or the taxpayer portal (CIEC).
 * A folio or a package id of one channel means nothing to the other.
 */
export type CanalSat = 'soap' | 'portal';

/**
 * Every question that can be put to the SAT, by name, with its answer and what it is asked with (`null`: anybody may).
 */
export interface CatalogoConsultas
  extends ConsultasBuzon,
    ConsultasConstancia,
    ConsultasDeclaraciones,
    ConsultasEstadoCfdi,
    ConsultasFacturas,
    ConsultasMetadata,
    ConsultasOpinion,
    ConsultasRetenciones {}

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
