import { randomUUID } from 'node:crypto';
import { createBuzones, createCorreos } from '@acuse/correo/db';
import { createUsuarios } from '@acuse/db';
import { afterEach, describe, expect, it } from 'vitest';
import { type Recibido, type SmtpOptions, startSmtp } from '../../../packages/correo/testing/smtp-fixture.ts';
import { useDatabase } from '../fixtures/database.ts';
import { waitFor } from '../fixtures/wait-for.ts';
import { createEmisorCorreo } from './fixtures/emisor.ts';

const t = useDatabase();
const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});
const kept = <T extends { close(): Promise<unknown> }>(opened: T): T => {
  open.push(opened);
  return opened;
};
const smtp = async (options?: SmtpOptions) => kept(await startSmtp(options));

const autor = { actor: 'prueba', ip: null };
/** A user with an account and so many requests for a password. */
async function newPersona(veces = 1) {
  const email = `${randomUUID()}@example.com`;
  const password = { hash: '$argon2id$x', kid: 'p1' };
  const { id, cuentaId } = await createUsuarios(t.db).register({ nombre: 'Ana', email, password, ip: '' });
  for (let n = 0; n < veces; n += 1)
    await createBuzones(t.db).askReset(email, { limite: `olvido:${email}`, ip: '203.0.113.9' });
  return { id, cuentaId, email };
}
const correosDe = (usuarioId: string) =>
  t.sql<{ id: string; estado: string; motivo: string | null; error: string | null; intentos: number; fila: string }>`
    SELECT id, estado, motivo, error, intentos, to_jsonb(c)::text AS fila FROM correo c WHERE usuario_id = ${usuarioId} ORDER BY creado_en`;
const ended = (usuarioId: string, estado: string) =>
  waitFor(async () => (await correosDe(usuarioId)).find((each) => each.estado === estado) ?? null);
const codigoOf = ({ texto }: Recibido) => /codigo=([\w-]{43})/.exec(texto)?.[1] ?? '';
/** What came for one person: the database is of all tests. */
const mailsTo = ({ recibidos }: { readonly recibidos: readonly Recibido[] }, { email }: { readonly email: string }) =>
  recibidos.filter(({ para }) => para.includes(email));
const NUEVA = { hash: '$argon2id$otra', kid: 'p1' };

it('sends the mail that was asked for, whose link lets its owner in once; the database has neither token nor copy', async () => {
  const server = await smtp();
  const ana = await newPersona();
  const emisor = kept(createEmisorCorreo(t));
  await emisor.startWorker(server.url);
  const [enviado] = [await ended(ana.id, 'ENVIADO')];
  const [recibido] = mailsTo(server, ana);
  if (recibido === undefined) throw new Error('no mail');
  expect(recibido.para).toEqual([ana.email]);
  expect(recibido.headers).toMatchObject({
    subject: 'Elija otra contraseña de Acuse',
    'message-id': `<${enviado.id}@acuse.example>`,
  });
  const codigo = codigoOf(recibido);
  expect(recibido.texto).toContain(`https://panel.example/restablecer?codigo=${codigo}`);
  const rows = await t.sql<{ all: string }>`
    SELECT (SELECT string_agg(c::text, '') FROM correo c) || (SELECT string_agg(encode(huella, 'escape') || tipo, '') FROM enlace_correo) AS all`;
  expect(rows[0]?.all).not.toContain(codigo);

  const usuarios = createUsuarios(t.db);
  expect(await usuarios.redeemCodigo(codigo, NUEVA, '203.0.113.9')).toBe(ana.email);
  expect(await usuarios.redeemCodigo(codigo, NUEVA, '203.0.113.9')).toBeNull();
  // The link confirms the address, which then gets the notice about the changed password.
  const aviso = await waitFor(
    async () =>
      mailsTo(server, ana).find(({ headers }) => headers['subject'] === 'Su contraseña de Acuse cambió') ?? null,
  );
  expect(aviso.texto).toContain('203.0.113.9');
});

it('makes no mail, and as many commits, for an unknown e-mail', async () => {
  const [antes] = await t.sql<{ n: number }>`SELECT count(*)::int AS n FROM correo`;
  await createBuzones(t.db).askReset('nadie@example.com', { limite: 'olvido:nadie', ip: '' });
  expect(await t.sql`SELECT count(*)::int AS n FROM correo`).toEqual([antes]);
  expect(await t.sql`SELECT clave FROM intento WHERE clave = 'olvido:nadie'`).toHaveLength(1);
});

it('lets a second link serve as well until one of them was used; a password of their own ends them', async () => {
  const server = await smtp();
  const ana = await newPersona(2);
  await kept(createEmisorCorreo(t)).startWorker(server.url);
  await waitFor(async () => (mailsTo(server, ana).length >= 2 ? true : null));
  const [uno = '', otro = ''] = mailsTo(server, ana).map(codigoOf);
  expect(uno).not.toBe(otro);
  const usuarios = createUsuarios(t.db);
  await waitFor(async () => ((await correosDe(ana.id)).every(({ estado }) => estado === 'ENVIADO') ? true : null));
  expect(await usuarios.redeemCodigo(otro, NUEVA, '')).toBe(ana.email);
  expect(await usuarios.redeemCodigo(uno, NUEVA, '')).toBeNull();

  await createBuzones(t.db).askReset(ana.email, { limite: 'olvido:x', ip: '' });
  await waitFor(async () =>
    mailsTo(server, ana).some((each) => ![uno, otro, ''].includes(codigoOf(each))) ? true : null,
  );
  const tercero = codigoOf(mailsTo(server, ana).find((each) => ![uno, otro, ''].includes(codigoOf(each))) as Recibido);
  await usuarios.setPassword(ana.id, NUEVA, Buffer.alloc(32), autor);
  expect(await usuarios.redeemCodigo(tercero, NUEVA, '')).toBeNull();
});

describe('a server', () => {
  it('that puts a mail off gets it again under the same id; one that refuses it for good does not', async () => {
    const ana = await newPersona();
    const nunca = await newPersona();
    let asked = 0;
    const server = await smtp({
      onTo: (address) => {
        if (address.startsWith('nunca')) return [550, `5.1.1 <${address}> unknown`];
        if (address !== ana.email) return undefined;
        asked += 1;
        return asked < 3 ? [451, '4.7.0 greylisted'] : undefined;
      },
    });
    await t.sql`UPDATE correo SET para = ${`nunca${nunca.email}`} WHERE usuario_id = ${nunca.id}`;
    await kept(createEmisorCorreo(t)).startWorker(server.url);
    const enviado = await ended(ana.id, 'ENVIADO');
    expect(enviado).toMatchObject({ intentos: 3, error: null });
    expect(mailsTo(server, ana).map(({ headers }) => headers['message-id'])).toEqual([`<${enviado.id}@acuse.example>`]);
    const fallido = await ended(nunca.id, 'FALLIDO');
    expect(fallido).toMatchObject({ motivo: 'RECHAZADO', intentos: 1 });
    expect(fallido.error).toBe('RECHAZADO: 550 5.1.1 … unknown');
    const failures = await createCorreos(t.db).failures(10);
    expect(failures.filter(({ id }) => id === fallido.id)).toMatchObject([{ tipo: 'password.restablecer' }]);
  });

  it('that is away is tried until the mail expires; then the mail is given up', async () => {
    const ana = await newPersona();
    const otra = await newPersona();
    await t.sql`UPDATE correo SET vence_en = now() - interval '1 second' WHERE usuario_id = ${otra.id}`;
    await kept(createEmisorCorreo(t)).startWorker('smtp://127.0.0.1:1');
    expect(await ended(ana.id, 'FALLIDO')).toMatchObject({ motivo: 'VENCIDO', intentos: 5, error: 'SIN_CONEXION' });
    expect(await ended(otra.id, 'FALLIDO')).toMatchObject({ motivo: 'VENCIDO', intentos: 0 });
  });
});

it('sends a mail again whose sender died before it could note it, with the same id and a link that serves', async () => {
  let die = () => {};
  const server = await smtp({
    onMail: async () => {
      die();
      return undefined;
    },
  });
  const emisor = kept(createEmisorCorreo(t));
  const worker = await emisor.startWorker(server.url);
  die = () => worker.kill('SIGKILL');
  const ana = await newPersona();
  await waitFor(async () => (mailsTo(server, ana).length === 1 ? true : null));
  die = () => {};
  expect(await correosDe(ana.id)).toMatchObject([{ estado: 'PENDIENTE', intentos: 0 }]);
  await emisor.startWorker(server.url);
  // Its lease is over.
  await t.sql`UPDATE correo SET due_at = now() - interval '1 second', tomado_hasta = now() - interval '1 second' WHERE usuario_id = ${ana.id}`;
  await ended(ana.id, 'ENVIADO');
  const [primera, segunda] = mailsTo(server, ana);
  expect(segunda?.headers['message-id']).toBe(primera?.headers['message-id']);
  const codigos = mailsTo(server, ana).map(codigoOf);
  expect(new Set(codigos).size).toBe(2);
  expect(await createUsuarios(t.db).redeemCodigo(codigos[0] ?? '', NUEVA, '')).toBe(ana.email);
});

it('lets two workers take each mail once, and no worker link, note or end a mail of the other', async () => {
  const ana = await newPersona(3);
  const correos = createCorreos(t.db);
  const [a, b] = await Promise.all([1, 2].map(() => correos.claim({ limite: 100, leaseSeconds: 60 })));
  const own = [...(a ?? []), ...(b ?? [])].filter(({ para }) => para === ana.email);
  expect(new Set(own.map(({ id }) => id)).size).toBe(3);
  const [tomado] = own;
  if (tomado === undefined) throw new Error('none');
  const stale = { ...tomado, epoch: tomado.epoch - 1 };
  expect(await correos.link(stale, Buffer.alloc(32, 1))).toBeNull();
  expect(await correos.sent(stale)).toBe(false);
  expect(await correos.failed(stale, { error: 'x', enSegundos: 1, isRefused: false })).toBeNull();
  expect(await correos.link(tomado, Buffer.alloc(32, 2))).toBeInstanceOf(Date);
  expect(await correos.sent(tomado)).toBe(true);
  expect(await correos.sent(tomado)).toBe(false);
  expect(await correos.link(tomado, Buffer.alloc(32, 3))).toBeNull();
});
