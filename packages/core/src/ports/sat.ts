import type { Credencial, Presigned } from '../credencial.ts';
import type { ConsultasDeLlamada, Entrada } from './consultas.ts';
import type * as M from './metadata.ts';

/** Every question that can be put to the SAT, by name. */
export interface CatalogoConsultas extends ConsultasDeLlamada {
  'solicitar-metadata': Entrada<M.SolicitarMetadata, M.RespuestaSolicitarMetadata>;
  'verificar-metadata': Entrada<M.VerificarMetadata, M.RespuestaVerificarMetadata, Credencial | Presigned>;
  'descargar-paquete': Entrada<M.DescargarPaquete, M.RespuestaDescargarPaquete, Credencial | Presigned>;
  'bajar-xml': Entrada<M.BajarXml, M.RespuestaBajarXml>;
}

export type NombreConsulta = keyof CatalogoConsultas;
export type Consulta<N extends NombreConsulta = NombreConsulta> = CatalogoConsultas[N]['consulta'];
export type Respuesta<N extends NombreConsulta> = CatalogoConsultas[N]['respuesta'];
export type CredencialDe<N extends NombreConsulta> = CatalogoConsultas[N]['credencial'];

/** The steps of a bulk download that both channels take. */
export type NombreDescarga = 'solicitar-metadata' | 'verificar-metadata' | 'descargar-paquete';

/** Every step of a bulk download; the portal alone takes `bajar-xml`. */
export type NombrePaso = NombreDescarga | 'bajar-xml';

export interface EnvioSat {
  /** Ends the query early (shutdown, lost lease, budget). */
  readonly signal: AbortSignal;
  /** On whose behalf, a UUID: log-ins that cost a captcha are shared out among the accounts. */
  readonly cuentaId?: string;
  /** Receives what the SAT answered, without tokens, where the channel can tell it. */
  readonly onAnswer?: ((texto: string) => void) | undefined;
}

/**
 * The tax authority. Answers are what the SAT said about the question; everything that kept it from answering is a
 * `SatError`. `M` are the consultas that it takes.
 */
export interface Sat<M extends NombreConsulta = NombreConsulta> {
  send<N extends M>(
    consulta: CatalogoConsultas[N]['consulta'] & { readonly consulta: N },
    credencial: CatalogoConsultas[N]['credencial'],
    envio: EnvioSat,
  ): Promise<Respuesta<N>>;
}
