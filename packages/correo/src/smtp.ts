import { constants } from 'node:os';
import { isDireccion, linkSignals, type Remitente, untilAborted } from '@acuse/runtime';
import { createTransport } from 'nodemailer';
import { type Contenido, renderCorreo } from './plantilla.ts';
import type { ServidorSmtp } from './settings.ts';

/** Why a server did not take a mail. */
export type FallaSmtp =
  | 'NOMBRE_SIN_DIRECCION'
  | 'SIN_CONEXION'
  | 'CONEXION_CORTADA'
  | 'TIEMPO_AGOTADO'
  | 'TLS_RECHAZADO'
  | 'ACCESO_RECHAZADO'
  | 'REMITENTE_RECHAZADO'
  | 'DIRECCION_INVALIDA'
  | 'APLAZADO'
  | 'RECHAZADO';

/** What came of one try. */
export interface Envio {
  readonly ms: number;
  /** Null: the server took it. */
  readonly falla: FallaSmtp | null;
  /** What the server answered (RFC 5321), on one line and without addresses; null where it said nothing. */
  readonly respuesta: string | null;
  /** This mail is never taken, whenever it is tried: it is refused for what it is, and not for how we came. */
  readonly isRefused: boolean;
}

export interface Mensaje {
  /** The same at every try: receivers know a second copy by it. */
  readonly id: string;
  readonly para: string;
  readonly contenido: Contenido;
  /** Where such mails are switched off by one request (RFC 8058); null for those that always come. */
  readonly baja: string | null;
}

export interface Mailer {
  /** Hands one mail over. Never rejects; `signal` gives the try up. */
  send(mensaje: Mensaje, signal: AbortSignal): Promise<Envio>;
  /** Connects, encrypts and logs in, and sends nothing. Never rejects. */
  probe(signal: AbortSignal): Promise<Envio>;
}

/**
 * Hands mails to one server. One deadline covers the whole conversation, so a server that sends one letter a minute
 * cannot block the sender. Unless `tls` is `sin`, the client sends nothing before the connection is encrypted; the
 * certificate must be valid, by `autoridades` (PEM) where they are given.
 */
export function createMailer({
  servidor: { host, port, secure, auth },
  de,
  tls,
  timeoutMs,
  autoridades,
}: {
  readonly servidor: ServidorSmtp;
  readonly de: Remitente;
  readonly tls: 'exigir' | 'sin';
  /** Milliseconds that one mail may take from the first packet to the server's last word. */
  readonly timeoutMs: number;
  readonly autoridades?: string;
}): Mailer {
  const transport = createTransport({
    host,
    port,
    secure,
    ...(auth === null ? {} : { auth, forceAuth: true }),
    ...(tls === 'exigir' ? { requireTLS: true } : { ignoreTLS: true }),
    tls: { rejectUnauthorized: true, ...(autoridades === undefined ? {} : { ca: autoridades }) },
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = de.email.slice(de.email.lastIndexOf('@') + 1);

  async function tryOnce(run: (signal: AbortSignal) => Promise<unknown>, parent: AbortSignal): Promise<Envio> {
    const started = performance.now();
    const limit = linkSignals([parent], timeoutMs);
    const ended = (rest: Partial<Envio> = {}): Envio => ({
      ms: Math.round(performance.now() - started),
      falla: null,
      respuesta: null,
      isRefused: false,
      ...rest,
    });
    try {
      await run(limit.signal);
      return ended();
    } catch (error) {
      return ended(limit.signal.aborted ? { falla: 'TIEMPO_AGOTADO' } : failureOf(error as ErrorSmtp));
    } finally {
      limit.release();
    }
  }

  return {
    async send({ id, para, contenido, baja }, parent) {
      // Of another text nodemailer would read several addresses, or one that is part of it.
      if (!isDireccion(para)) return { ms: 0, falla: 'DIRECCION_INVALIDA', respuesta: null, isRefused: true };
      const { texto, html } = renderCorreo(contenido);
      return tryOnce(
        (signal) =>
          transport.sendMail({
            signal,
            messageId: `<${id}@${domain}>`,
            from: { name: de.nombre, address: de.email },
            to: { name: '', address: para },
            envelope: { from: de.email, to: [para] },
            subject: contenido.asunto,
            text: texto,
            html,
            headers: {
              // No answer of a machine to a machine (RFC 3834).
              'Auto-Submitted': 'auto-generated',
              ...(baja === null
                ? {}
                : { 'List-Unsubscribe': `<${baja}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
            },
          }),
        parent,
      );
    },
    probe: (parent) => tryOnce((signal) => untilAborted(() => transport.verify(), signal), parent),
  };
}

/** What nodemailer says of a failure. */
interface ErrorSmtp {
  readonly code?: string;
  /** What the system or OpenSSL said. */
  readonly originalCode?: string;
  readonly command?: string;
  readonly response?: string;
  readonly responseCode?: number;
  readonly permanent?: boolean;
}

function failureOf(error: ErrorSmtp): Pick<Envio, 'falla' | 'respuesta' | 'isRefused'> {
  const falla = nameOf(error);
  const isRefused = falla === 'RECHAZADO' || falla === 'DIRECCION_INVALIDA';
  return { falla, respuesta: error.response === undefined ? null : withoutAddresses(error.response), isRefused };
}

const BY_CODE: Readonly<Record<string, FallaSmtp>> = {
  ETIMEDOUT: 'TIEMPO_AGOTADO',
  EDNS: 'NOMBRE_SIN_DIRECCION',
  ETLS: 'TLS_RECHAZADO',
  EAUTH: 'ACCESO_RECHAZADO',
  ENOAUTH: 'ACCESO_RECHAZADO',
};

/**
 * Only a refusal of the mail itself can be final. Every other failure is a problem between the sender and the server.
 */
function nameOf({ code = '', originalCode, command, responseCode, permanent }: ErrorSmtp): FallaSmtp {
  const known = BY_CODE[code];
  if (known !== undefined) return known;
  if (responseCode !== undefined) {
    if (permanent !== true) return 'APLAZADO';
    if (command === 'MAIL FROM') return 'REMITENTE_RECHAZADO';
    return command === 'RCPT TO' || command === 'DATA' ? 'RECHAZADO' : 'APLAZADO';
  }
  if (code === 'EENVELOPE') return 'DIRECCION_INVALIDA';
  if (originalCode === undefined) return 'CONEXION_CORTADA';
  if (originalCode === 'EPROTO' || !(originalCode in constants.errno)) return 'TLS_RECHAZADO';
  return ['ECONNRESET', 'EPIPE'].includes(originalCode) ? 'CONEXION_CORTADA' : 'SIN_CONEXION';
}

const MAX_RESPUESTA = 300;
const withoutAddresses = (text: string): string =>
  text
    .replace(/\S*(?:@|codigo=)\S*/g, '…')
    .replace(/\p{C}+/gu, ' ')
    .trim()
    .slice(0, MAX_RESPUESTA);
