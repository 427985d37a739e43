import type { Consulta, Credencial, NombreConsulta, Respuesta, TipoCredencial } from '@acuse/core';
import type { ReadPdf } from '../pdf/lector-pdf.ts';
import type { PageClient } from './page-client.ts';
import type { Portal } from './sesion/portal.ts';
import type { PortalSettings } from './settings.ts';

/** Everything that is asked with a log-in. */
export type NombreConsultaPortal = Exclude<NombreConsulta, 'consultar-cfdi' | 'consultar-constancia-qr'>;

export interface ContextoPortal {
  readonly settings: Required<PortalSettings>;
  readonly signal: AbortSignal;
  /** The credential of the session, for the rare page that asks for it again. Never kept. */
  readonly credencial: Credencial;
  /** Text of a document that the portal gave. */
  readonly readPdf: ReadPdf;
}

/** One consulta of the portals: where it logs in, with what, and how it asks. */
export interface ConsultaPortal<N extends NombreConsultaPortal> {
  readonly portal: Portal;
  readonly credenciales: readonly TipoCredencial[];
  /** Its hosts, and the public sources that its wire format was taken from: what docs/operations.md tells. */
  readonly origen: { readonly servidor: string; readonly fuentes: readonly string[] };
  /** Throws, before anything is sent, for a question that the portal cannot be asked. */
  check?(consulta: Consulta<N>): void;
  /**
   * Asks with a browser that holds a live session. Throws `SesionVencida` when the portal has forgotten it: it is then
   * called once more.
   */
  ask(pageClient: PageClient, consulta: Consulta<N>, contexto: ContextoPortal): Promise<Respuesta<N>>;
  /** Another portal that has the answer to some of the questions. */
  readonly otro?: Omit<ConsultaPortal<N>, 'credenciales' | 'origen' | 'check' | 'otro'> & {
    takes(consulta: Consulta<N>): boolean;
  };
}

export type ConsultasPortal = { readonly [N in NombreConsultaPortal]: ConsultaPortal<N> };
