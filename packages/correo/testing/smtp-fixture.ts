import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { createAuthority, rsaPair } from '../../vault/test/authority.ts';

/** A mail as a server took it, or was about to. */
export interface Recibido {
  readonly de: string;
  readonly para: readonly string[];
  readonly isSecure: boolean;
  readonly user: string | null;
  /** By their names in small letters, unfolded and decoded (RFC 2047). */
  readonly headers: Readonly<Record<string, string>>;
  readonly texto: string;
  readonly html: string;
}

/** What a server says: nothing, which is yes, or a code and a text. */
type Answer = readonly [code: number, text: string] | undefined;
type Step = (address: string) => Answer;

export interface SmtpOptions {
  readonly user?: string;
  readonly pass?: string;
  /** Offers TLS, from the first byte or by STARTTLS; without it none at all. */
  readonly tls?: 'inicio' | 'starttls';
  readonly onFrom?: Step;
  readonly onTo?: Step;
  /** After the whole mail came; may wait as long as it likes. */
  readonly onMail?: (recibido: Recibido) => Answer | Promise<Answer>;
}

const PAIR = rsaPair();
/** What its certificate is signed by: itself, for `localhost`. */
export const AUTORIDAD_SMTP = createAuthority({
  pair: PAIR,
  from: '2020-01-01',
  to: '2040-01-01',
  isAuthority: false,
  commonName: 'localhost',
}).pem;

/** A real SMTP server on this machine, which keeps what it takes. */
export async function startSmtp(options: SmtpOptions = {}) {
  const { user, pass, tls, onFrom, onTo, onMail } = options;
  const recibidos: Recibido[] = [];
  const says = (answer: Answer, done: (error?: Error | null) => void) =>
    done(answer && Object.assign(new Error(answer[1]), { responseCode: answer[0] }));
  const server = new SMTPServer({
    secure: tls === 'inicio',
    key: PAIR.privateKey.export({ type: 'pkcs8', format: 'pem' }),
    cert: AUTORIDAD_SMTP,
    // Tests also cover a server without TLS.
    disabledCommands: [...(tls === 'starttls' ? [] : ['STARTTLS']), ...(user === undefined ? ['AUTH'] : [])],
    allowInsecureAuth: true,
    authOptional: user === undefined,
    logger: false,
    closeTimeout: 100,
    onAuth: (auth, _, done) =>
      auth.username === user && auth.password === pass
        ? done(null, { user })
        : done(Object.assign(new Error('5.7.8 wrong'), { responseCode: 535 })),
    onMailFrom: ({ address }, _, done) => says(onFrom?.(address), done),
    onRcptTo: ({ address }, _, done) => says(onTo?.(address), done),
    onData(stream, session, done) {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', async () => {
        const { mailFrom, rcptTo } = session.envelope;
        const recibido = {
          de: mailFrom ? mailFrom.address : '',
          para: rcptTo.map(({ address }) => address),
          isSecure: session.secure,
          user: typeof session.user === 'string' ? session.user : null,
          ...readMail(Buffer.concat(parts).toString('latin1')),
        };
        const answer = await onMail?.(recibido);
        if (answer === undefined) recibidos.push(recibido);
        says(answer, (error) => done(error ?? null));
      });
    },
  });
  // A client that disconnects is not a failure of the server.
  server.on('error', () => {});
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.server.address() as AddressInfo;
  const scheme = tls === 'inicio' ? 'smtps' : 'smtp';
  const login = user === undefined ? '' : `${encodeURIComponent(user)}:${encodeURIComponent(pass ?? '')}@`;
  return {
    port,
    url: `${scheme}://${login}localhost:${port}`,
    /** Those that were taken. */
    recibidos,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

/** The headers and the two bodies of a mail of ours: multipart/alternative of text and HTML. */
function readMail(raw: string): Pick<Recibido, 'headers' | 'texto' | 'html'> {
  const { headers, body } = splitPart(raw);
  const boundary = /boundary="([^"]+)"/.exec(headers['content-type'] ?? '')?.[1] ?? '';
  const bodies = body.split(`--${boundary}`).map(splitPart);
  const of = (type: string) => {
    const part = bodies.find((each) => each.headers['content-type']?.startsWith(type));
    return part === undefined ? '' : decodeBody(part);
  };
  return { headers, texto: of('text/plain'), html: of('text/html') };
}

function splitPart(raw: string) {
  const text = raw.replace(/^\r\n/, '');
  const end = text.indexOf('\r\n\r\n');
  const lines = text
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(':');
      return [line.slice(0, at).toLowerCase(), decodeWords(line.slice(at + 1).trim())] as const;
    }),
  );
  return { headers, body: text.slice(end + 4) };
}

function decodeBody({ headers, body }: ReturnType<typeof splitPart>): string {
  const encoding = headers['content-transfer-encoding'];
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8');
  return encoding === 'quoted-printable' ? decodeQuoted(body.replace(/=\r\n/g, '')) : body;
}

const decodeQuoted = (text: string) =>
  Buffer.from(
    text.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString('utf8');

const decodeWords = (text: string) =>
  text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([qb])\?([^?]*)\?=/gi, (_, kind: string, word: string) =>
      kind.toLowerCase() === 'b' ? Buffer.from(word, 'base64').toString('utf8') : decodeQuoted(word.replace(/_/g, ' ')),
    );
