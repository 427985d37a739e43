import type { TipoCredencial } from '../credencial.ts';
import type { MotivoSatError } from '../sat-error.ts';
import type { Autor } from './boveda.ts';
import type { SentidoOpinion } from './consultas.ts';

/** A taxpayer and a kind of credential: what the SAT counts wrong log-ins by, whatever the portal. */
export interface TitularAcceso {
  readonly rfc: string;
  readonly tipo: TipoCredencial;
}

/** Whose session it is and where. There is at most one live session for each. */
export interface ClaveSesion extends TitularAcceso {
  /** Name of the portal, such as `cfdi`. */
  readonly portal: string;
}

/** Proof of a credential without its content: a sealed slow hash and its salt, both base64. */
export interface PruebaCredencial {
  readonly sal: string;
  readonly huella: string;
}

/** A session with a portal of the SAT. */
export interface SesionPortal extends PruebaCredencial {
  /** A UUID, new with every log-in. */
  readonly id: string;
  /** The cookies, sealed: they are as good as the password while they live. The store never sees them open. */
  readonly cookies: Buffer;
}

export interface SesionViva {
  readonly sesion: SesionPortal;
  readonly idleMs: number;
  readonly isNueva: boolean;
}

/** A credential that the SAT refused. */
export interface RechazoAcceso extends PruebaCredencial {
  readonly motivo: MotivoSatError;
  readonly codigo: string | null;
}

/** The right to log in, of one process at a time. */
export interface LoginLock {
  /** Tells this holder from the one after it. */
  readonly token: string;
}

/** How many may log in at the same time, among all processes, and for which account this one does (null: none). */
export interface LoginShare {
  readonly plazas: number;
  readonly cuentaId: string | null;
}

/**
 * Sessions with the portals, the turns to open them and the refusals, shared by all processes. Times are the store's
 * own clock. Rejects when the store is away.
 */
export interface SesionesPortal {
  /** The live session, the milliseconds since its last use, and whether it was ever used; null without one. */
  load(clave: ClaveSesion): Promise<SesionViva | null>;
  /** Puts a new session in the place of the live one, which is kept apart to be logged out. */
  save(clave: ClaveSesion, sesion: SesionPortal): Promise<void>;
  /** Notes that a session was used and keeps its cookies; does nothing when another one has taken its place. */
  touch(clave: ClaveSesion, id: string, cookies: Buffer): Promise<void>;
  /** Forgets a session that the portal has forgotten; does nothing when another one has taken its place. */
  drop(clave: ClaveSesion, id: string): Promise<void>;

  /**
   * Takes the turn to log in for `leaseMs`; null while another process holds it. With `share` it also takes one of
   * the places and queues for {@link ESPERA_TURNO_MS} until one is free; asking again extends the wait. The n-th log-in
   * of an account, those under way included, comes after every (n-1)-th of other accounts; among equals, the account
   * served longest ago comes first. n is at most {@link PARTE_POR_CUENTA} times the free places.
   */
  acquireTurn(titular: TitularAcceso, leaseMs: number, share?: LoginShare): Promise<LoginLock | null>;
  /** Holds on to it for `leaseMs` from now at least; false when it was lost. */
  extendTurn(titular: TitularAcceso, turno: LoginLock, leaseMs: number): Promise<boolean>;
  /** Gives it back; does nothing when it was lost. */
  releaseTurn(titular: TitularAcceso, turno: LoginLock): Promise<void>;

  /** The refused credentials, newest first; at most {@link MAX_RECHAZOS}. */
  rechazos(titular: TitularAcceso): Promise<readonly RechazoAcceso[]>;
  /**
   * Remembers a refused credential until {@link SesionesPortal.forget}. Past {@link MAX_RECHAZOS} the oldest is
   * forgotten.
   */
  saveRechazo(titular: TitularAcceso, rechazo: RechazoAcceso): Promise<void>;

  /** After a credential was stored again: forgets refusals and logs every session of the RFC out. */
  forget(rfc: string): Promise<void>;
  /**
   * Takes up to `limit` sessions out of the store to log them out, each for one caller: replaced sessions, sessions of
   * a replaced credential, and sessions unused for `idleMs`. Deletes turns that ended long ago.
   */
  takeEnded(
    idleMs: number,
    limit: number,
  ): Promise<ReadonlyArray<{ readonly clave: ClaveSesion; readonly sesion: SesionPortal }>>;
}

/**
 * Milliseconds after which a process in line for a turn that did not ask again loses its place: longer than any pause
 * between two askings.
 */
export const ESPERA_TURNO_MS = 5_000;

/** How many refused credentials of one RFC are remembered. */
export const MAX_RECHAZOS = 16;

/**
 * Authenticated encryption of what the processes share. `contexto` is bound to the bytes: they do not open under
 * another one.
 */
export interface Sellado {
  seal(claro: Buffer, contexto: readonly string[]): Buffer;
  /** Null for bytes that were changed, sealed under another context or under a key that is not here. */
  open(sellado: Buffer, contexto: readonly string[]): Buffer | null;
}

/** What the sealed cookies of a session belong to: they open for no other portal, taxpayer, credential or log-in. */
export const contextoDeSesion = ({ portal, rfc, tipo }: ClaveSesion, id: string): readonly string[] => [
  'acuse/v1/sesion',
  portal,
  rfc,
  tipo,
  id,
];

/** What the sealed proof of a credential belongs to. */
export const contextoDePrueba = ({ rfc, tipo }: Pick<ClaveSesion, 'rfc' | 'tipo'>, sal: string): readonly string[] => [
  'acuse/v1/prueba',
  rfc.toUpperCase(),
  tipo,
  sal,
];

/** What the sealed secret of a second factor belongs to. */
export const contextoDeSegundoFactor = (usuarioId: string): readonly string[] => ['panel/segundo-factor', usuarioId];

/** What a sealed key that a webhook's messages are signed with belongs to. */
export const contextoDeWebhook = (webhookId: string, secretoId: string): readonly string[] => [
  'acuse/v1/webhook',
  webhookId,
  secretoId,
];

/** A captcha that waits for a person. */
export interface CaptchaPendiente {
  readonly id: string;
  /** As the SAT sent it, PNG or JPEG. */
  readonly imagen: Buffer;
  readonly creadoEn: Date;
  /** End of the wait for the answer. */
  readonly venceEn: Date;
}

/** Captchas on their way from the process that logs in to a person and back. */
export interface Captchas {
  /** Puts a captcha up for `plazoMs` milliseconds; gives its id. */
  ask(imagen: Buffer, plazoMs: number): Promise<string>;
  /** Answer of a person; null before it. */
  respuesta(id: string): Promise<string | null>;
  /** Takes a captcha down, answered or not. */
  drop(id: string): Promise<void>;

  /** Those that wait for an answer, oldest first. */
  pendientes(): Promise<readonly CaptchaPendiente[]>;
  /** Answers a captcha; false when it is gone, over or answered already. */
  answer(id: string, texto: string, autor: Autor): Promise<boolean>;
  /** Deletes those that are over, left by processes that died. Gives their number. */
  tidy(): Promise<number>;
}

/** Memory of the breaker about one host of the SAT. Times are milliseconds of the Unix epoch. */
export interface EstadoHost {
  /** Failures since the last success, but those that may be one account's. */
  readonly fallos: number;
  /** Failures before the last success: what a success that is withdrawn goes back to. */
  readonly fallosAntes: number;
  /** Whose requests it answered with an error since the last success: short hashes, separated by spaces. */
  readonly titulares: string;
  /** The same before the last success. */
  readonly titularesAntes: string;
  /** Nothing is sent before this instant. */
  readonly abiertoHasta: number;
  /** A probe is under way and no other is sent before this instant. */
  readonly sondaHasta: number;
}

/**
 * Where the breaker keeps its memory. `update` must be atomic per host. The given function is pure and may be called
 * more than once; an answer equal to what it was given changes nothing, and need not be written.
 */
export interface BreakerState {
  update(host: string, change: (estado: EstadoHost) => EstadoHost): Promise<void>;
}

export const ESTADO_INICIAL: EstadoHost = {
  fallos: 0,
  fallosAntes: 0,
  titulares: '',
  titularesAntes: '',
  abiertoHasta: 0,
  sondaHasta: 0,
};

/** Which way to the authority a host belongs to. */
export const CANALES_MEDIDOS = ['soap', 'portal', 'publico', 'lista'] as const;
export type CanalMedido = (typeof CANALES_MEDIDOS)[number];

/**
 * How a request to the authority ended. `exito`: answered. `rechazo`: answered with a 4xx that the caller did not
 * expect. `fallo`: no usable answer. `cancelada`: the caller gave up. `evitada`: not sent, the breaker was open.
 * `desmentida`: what counted as `exito` before proved worthless when it was read; it is no further request.
 */
export const RESULTADOS_MEDIDOS = ['exito', 'rechazo', 'fallo', 'cancelada', 'evitada', 'desmentida'] as const;
export type ResultadoMedido = (typeof RESULTADOS_MEDIDOS)[number];

/** One request as it was seen where all of them pass. */
export interface SatMeasurement {
  readonly host: string;
  readonly canal: CanalMedido;
  /** Milliseconds to the whole answer, or to its headers when the body is streamed; 0 where nothing was sent. */
  readonly ms: number;
  readonly resultado: ResultadoMedido;
  /** Why it was no success: a status (`HTTP 503`) or what became of the connection. */
  readonly codigo?: string;
}

/**
 * Sees every request to the authority. Called in the middle of it: it must return at once, and what it throws is
 * ignored.
 */
export interface SatMetrics {
  record(measurement: SatMeasurement): void;
}

/**
 * Outcome of a log-in at a portal. `credencial`: the SAT refused the credential. `captcha`: no text was read, or the
 * SAT refused the text. `fallo`: the portal answered unexpectedly. `cancelada`: the caller left.
 */
export const RESULTADOS_ACCESO = ['exito', 'credencial', 'captcha', 'fallo', 'cancelada'] as const;
export type ResultadoAcceso = (typeof RESULTADOS_ACCESO)[number];

/** Sees every log-in attempt at a portal, and every captcha that was shown to a resolver. */
export interface AccesoMetrics {
  /** `portal` is the name of its sessions; `ms` from its first page to its end. */
  login(acceso: {
    readonly portal: string;
    readonly credencial: TipoCredencial;
    readonly resultado: ResultadoAcceso;
    readonly ms: number;
  }): void;
  /** `leido`: the resolver answered, right or wrong. `ms` from the question to its end. */
  captcha(captcha: { readonly resultado: 'leido' | 'sin_respuesta'; readonly ms: number }): void;
}

export type RespuestaOpinionPublica =
  | { readonly resultado: 'PUBLICADA'; readonly sentido: SentidoOpinion; readonly fechaPublicacion: Date }
  /**
   * The taxpayer has not authorised the publication of the opinion, or the source does not know the RFC. Says nothing
   * about its sense.
   */
  | { readonly resultado: 'NO_PUBLICADA' };

/**
 * Opinions of compliance that taxpayers let the SAT publish (rule 2.1.25 of the Resolución Miscelánea Fiscal). The SAT
 * documents no way to ask for one: the operator names a source, and without one there is no answer.
 */
export interface OpinionesPublicas {
  /** Rejects with a SatError when the source gave no answer that can be read. */
  consultar(rfc: string, signal: AbortSignal): Promise<RespuestaOpinionPublica>;
}
