import type { Consulta, Credencial, EnvioSat, NombreConsulta, Respuesta, TipoCredencial } from '@acuse/core';
import type { DireccionSat } from '../http/direcciones.ts';
import type { SatHttp } from '../http/sat-http.ts';
import type { ReadPdf } from '../pdf/lector-pdf.ts';
import type { ResolvedorCaptcha } from './captcha.ts';
import type { PageClient } from './page-client.ts';
import type { PortalSettings } from './settings.ts';

/** A log-in under way: with a new browser, which holds the session afterwards. */
export interface Login {
  readonly pageClient: PageClient;
  readonly credencial: Credencial;
  /** Null: no captcha can be read, so a CIEC opens no session. */
  readonly captcha: ResolvedorCaptcha | null;
  readonly settings: PortalSettings;
  /** Called when the SAT has taken the credential: from then on there is something to log out. */
  readonly onAceptada?: () => void;
}

/** A place of the SAT with a log-in of its own. */
export interface Portal {
  /** Name of its sessions: `cfdi`. Consultas of the same portal share one session for each RFC. */
  readonly nombre: string;
  /** Narrows what its browsers may ask for, log-in and log-out included. Absent: every allowed host. */
  guard?(http: SatHttp): SatHttp;
  /**
   * Rejects with CIEC_RECHAZADA or EFIRMA_RECHAZADA when the SAT refused the credential, which is never sent a second
   * time; CAPTCHA_RECHAZADO; SIN_RESOLVEDOR_DE_CAPTCHA; RESPUESTA_ILEGIBLE for a page that is not the expected one or
   * does not name the RFC.
   */
  enter(login: Login): Promise<void>;
  /** Where the session is ended; null when the portal has no such address. */
  readonly salida: DireccionSat | null;
}

/** Everything that is asked with a log-in. */
export type NombreConsultaPortal = Exclude<NombreConsulta, 'consultar-cfdi' | 'consultar-constancia-qr'>;

export interface ContextoPortal {
  readonly settings: PortalSettings;
  /** The credential of the session, for the rare page that asks for it again. Never kept. */
  readonly credencial: Credencial;
  /** Text of a document that the portal gave. */
  readonly readPdf: ReadPdf;
  readonly onAnswer?: EnvioSat['onAnswer'];
}

/** One consulta of the portals: where it logs in, with what, and how it asks. */
export interface ConsultaPortal<N extends NombreConsultaPortal> {
  readonly portal: Portal;
  readonly credenciales: readonly TipoCredencial[];
  /** Its hosts, and the public sources that its wire format was taken from: see docs/operators/channels.md. */
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
