import { afterEach, expect, it } from 'vitest';
import { type SmtpOptions, startSmtp } from '../testing/smtp-fixture.ts';
import { MAIL_CHECK } from './cli.ts';

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});
const smtp = async (options?: SmtpOptions) => {
  const server = await startSmtp(options);
  open.push(server);
  return server;
};
const de = { nombre: 'Acuse', email: 'avisos@acuse.example' };
const review = (settings: Parameters<typeof MAIL_CHECK.review>[0]) =>
  MAIL_CHECK.review({ CORREO_DE: de, ...settings }, 5_000);

it('finds a server that would take mails, and says when they go there in plain text', async () => {
  const server = await smtp();
  expect(await review({ SMTP_URL: server.url, SMTP_TLS: 'sin' })).toMatchObject([
    { mark: 'bien', seen: expect.stringContaining(`localhost:${server.port} toma correos`) },
    { mark: 'aviso', seen: expect.stringContaining('sin cifrar') },
  ]);
  expect(server.recibidos).toEqual([]);
});

it.each([
  [{ tls: 'starttls' }, 'el certificado no es válido'],
  [{}, 'no ofrece STARTTLS'],
] as const)('says of a server with %j why no mail goes there, and what to do', async (options, seen) => {
  const server = await smtp(options);
  const [finding] = await review({ SMTP_URL: server.url });
  expect(finding).toMatchObject({ mark: 'falla', seen: expect.stringContaining(seen) });
  expect(finding?.remedy).toContain('SMTP_TLS=sin');
});

it('names a wrong password, a server that is away and a name that is none', async () => {
  const server = await smtp({ user: 'acuse', pass: 'buena' });
  const wrong = await review({ SMTP_URL: server.url.replace('buena', 'mala'), SMTP_TLS: 'sin' });
  expect(wrong[0]).toMatchObject({ mark: 'falla', seen: expect.stringContaining('usuario o la contraseña') });
  expect(await review({ SMTP_URL: 'smtp://127.0.0.1:1' })).toMatchObject([
    { mark: 'falla', seen: expect.stringContaining('no se alcanza') },
  ]);
  expect(await review({ SMTP_URL: 'smtp://nadie.invalid' })).toMatchObject([
    { mark: 'falla', seen: expect.stringContaining('no existe') },
  ]);
});

it('leaves out unset settings, and a worker without mail', async () => {
  expect(await review({})).toMatchObject([{ mark: 'omitida' }]);
  expect(await review({ SMTP_URL: 'smtp://x.example', WORKER_ROLES: ['descargas'] })).toMatchObject([
    { mark: 'omitida' },
  ]);
});
