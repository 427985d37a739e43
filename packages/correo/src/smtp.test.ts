import { randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { AUTORIDAD_SMTP, type SmtpOptions, startSmtp } from '../testing/smtp-fixture.ts';
import { readServidor } from './settings.ts';
import { createMailer, type Mensaje } from './smtp.ts';

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});
const smtp = async (options?: SmtpOptions) => {
  const server = await startSmtp(options);
  open.push(server);
  return server;
};

const never = new AbortController().signal;
const contenido = { asunto: 'Su ZIP está listo', parrafos: ['Ñandú.'], notas: [] };
const mensaje = (more: Partial<Mensaje> = {}): Mensaje => ({
  id: randomUUID(),
  para: 'ana@example.com',
  contenido,
  baja: null,
  ...more,
});
function mailer(url: string, options: Partial<Parameters<typeof createMailer>[0]> = {}) {
  const servidor = readServidor(url);
  if (servidor === null) throw new Error(`${url} is none`);
  return createMailer({
    servidor,
    de: { nombre: 'Acuse', email: 'avisos@acuse.example' },
    tls: 'sin',
    timeoutMs: 20_000,
    ...options,
  });
}
const send = (url: string, options: Parameters<typeof mailer>[1] = {}, more?: Partial<Mensaje>) =>
  mailer(url, options).send(mensaje(more), never);

describe('a mail', () => {
  it('comes whole, from and to one address, under its own id, as text and HTML in Spanish', async () => {
    const server = await smtp();
    const id = randomUUID();
    const baja = 'https://panel.example/correos/baja/1';
    expect(await send(server.url, {}, { id, baja })).toMatchObject({ falla: null, isRefused: false });
    const [recibido] = server.recibidos;
    expect(recibido).toMatchObject({ de: 'avisos@acuse.example', para: ['ana@example.com'] });
    expect(recibido?.headers).toMatchObject({
      from: 'Acuse <avisos@acuse.example>',
      to: 'ana@example.com',
      subject: 'Su ZIP está listo',
      'message-id': `<${id}@acuse.example>`,
      'auto-submitted': 'auto-generated',
      'list-unsubscribe': `<${baja}>`,
      'list-unsubscribe-post': 'List-Unsubscribe=One-Click',
    });
    expect(recibido?.texto).toContain('Ñandú.');
    expect(recibido?.html).toContain('<p>Ñandú.</p>');
  });

  it('that always comes has no way to switch it off', async () => {
    const server = await smtp();
    await send(server.url);
    expect(Object.keys(server.recibidos[0]?.headers ?? {}).filter((name) => name.startsWith('list-'))).toEqual([]);
  });

  it.each([
    ['a line break in the subject', { contenido: { ...contenido, asunto: 'Hola\r\nBcc: otro@example.com' } }],
    ['a line break in the address', { para: 'ana@example.com\r\nBcc: otro@example.com' }],
    ['a second address', { para: 'ana@example.com, otro@example.com' }],
    ['a line break in the link to switch it off', { baja: 'https://x.example/\r\nBcc: otro@example.com' }],
  ])('with %s goes to nobody else and gains no header', async (_, more) => {
    const server = await smtp();
    const { falla } = await send(server.url, {}, more);
    expect(falla).toBe('para' in more ? 'DIRECCION_INVALIDA' : null);
    expect(server.recibidos).toHaveLength('para' in more ? 0 : 1);
    for (const { para, headers } of server.recibidos) {
      expect(para).toEqual(['ana@example.com']);
      expect(headers).not.toHaveProperty('bcc');
    }
  });
});

describe('a server', () => {
  const CASES: readonly (readonly [string, SmtpOptions, string, boolean])[] = [
    ['puts it off', { onTo: () => [451, '4.3.0 later'] }, 'APLAZADO', false],
    ['is about to close', { onMail: () => [421, '4.3.2 closing'] }, 'APLAZADO', false],
    ['has no such mailbox', { onTo: () => [550, '5.1.1 <ana@example.com> unknown'] }, 'RECHAZADO', true],
    ['wants no such mail', { onMail: () => [554, '5.7.1 spam'] }, 'RECHAZADO', true],
    ['does not take our sender', { onFrom: () => [553, '5.7.1 not yours'] }, 'REMITENTE_RECHAZADO', false],
  ];
  it.each(CASES)('that %s', async (_, options, falla, isRefused) => {
    const server = await smtp(options);
    const envio = await send(server.url);
    expect(envio).toMatchObject({ falla, isRefused });
    // What it said is for the operator, without whom it was about.
    expect(envio.respuesta).toMatch(/^[45]\d\d [45]\.\d/);
    expect(envio.respuesta).not.toContain('@');
    expect(server.recibidos).toEqual([]);
  });

  it('is given the password by TLS alone, and no mail when the password is wrong', async () => {
    const server = await smtp({ tls: 'starttls', user: 'acuse', pass: 'ñ@/:' });
    const options = { tls: 'exigir', autoridades: AUTORIDAD_SMTP } as const;
    expect(await send(server.url, options)).toMatchObject({ falla: null });
    expect(server.recibidos).toMatchObject([{ isSecure: true, user: 'acuse' }]);
    const wrong = server.url.replace('acuse:', 'otro:');
    expect(await send(wrong, options)).toMatchObject({ falla: 'ACCESO_RECHAZADO', isRefused: false });
    expect(await mailer(wrong, options).probe(never)).toMatchObject({ falla: 'ACCESO_RECHAZADO' });
    expect(await mailer(server.url, options).probe(never)).toMatchObject({ falla: null });
    expect(server.recibidos).toHaveLength(1);
  });

  it.each(['inicio', 'starttls'] as const)('with an untrusted certificate gets nothing (%s)', async (tls) => {
    const server = await smtp({ tls });
    expect(await send(server.url, { tls: 'exigir' })).toMatchObject({ falla: 'TLS_RECHAZADO', isRefused: false });
    expect(await mailer(server.url, { tls: 'exigir' }).probe(never)).toMatchObject({ falla: 'TLS_RECHAZADO' });
    expect(await send(server.url, { tls: 'exigir', autoridades: AUTORIDAD_SMTP })).toMatchObject({ falla: null });
    expect(server.recibidos).toMatchObject([{ isSecure: true }]);
  });

  it('that offers no TLS gets nothing where it is demanded', async () => {
    const server = await smtp();
    expect(await send(server.url, { tls: 'exigir' })).toMatchObject({ falla: 'TLS_RECHAZADO' });
    expect(server.recibidos).toEqual([]);
  });

  it('that hangs up, is not there or has no address is one to try again', async () => {
    const hangUp = createServer((socket) => socket.end('220 hola\r\n', () => socket.destroy()));
    await new Promise<void>((resolve) => {
      hangUp.listen(0, '127.0.0.1', resolve);
    });
    open.push({ close: () => new Promise((resolve) => hangUp.close(resolve)) });
    const address = hangUp.address();
    const port = typeof address === 'object' ? address?.port : 0;
    expect(await send(`smtp://localhost:${port}`)).toMatchObject({ falla: 'CONEXION_CORTADA', isRefused: false });
    expect(await send('smtp://127.0.0.1:1')).toMatchObject({ falla: 'SIN_CONEXION', isRefused: false });
    expect(await send('smtp://nadie.invalid')).toMatchObject({ falla: 'NOMBRE_SIN_DIRECCION', isRefused: false });
  });

  it('that speaks a letter at a time is given up in time, whatever it says', async () => {
    const timers = new Set<NodeJS.Timeout>();
    const slow = createServer((socket) => {
      socket.on('error', () => {});
      const timer = setInterval(() => socket.write('2'), 20);
      timers.add(timer);
      socket.on('close', () => clearInterval(timer));
    });
    await new Promise<void>((resolve) => {
      slow.listen(0, '127.0.0.1', resolve);
    });
    open.push({ close: () => new Promise((resolve) => slow.close(resolve)) });
    const address = slow.address();
    const port = typeof address === 'object' ? address?.port : 0;
    expect(await send(`smtp://localhost:${port}`, { timeoutMs: 300 })).toMatchObject({ falla: 'TIEMPO_AGOTADO' });
    expect(await mailer(`smtp://localhost:${port}`, { timeoutMs: 300 }).probe(never)).toMatchObject({
      falla: 'TIEMPO_AGOTADO',
    });
  });

  it('is left when the process leaves', async () => {
    const leaving = new AbortController();
    const server = await smtp({
      onMail: () => {
        leaving.abort();
        return new Promise(() => {});
      },
    });
    expect(await mailer(server.url).send(mensaje(), leaving.signal)).toMatchObject({ falla: 'TIEMPO_AGOTADO' });
  });
});
