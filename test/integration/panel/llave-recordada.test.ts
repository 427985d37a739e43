import { createLlaves } from '@acuse/db';
import { describe, expect, it } from 'vitest';
import { addRfc, type Persona, signIn, usePanel, usePersona } from './fixtures/panel.ts';
import { generate, hrefRfc, parsed } from './fixtures/rfcs.ts';

const CIEC = 'Secreta-16-letra';
const panel = usePanel();
const ana = usePersona(panel);

async function withKey(persona = ana) {
  const { id, rfc } = await addRfc(panel.db, persona);
  return { id, rfc, key: await generate(persona, rfc), pagina: hrefRfc(rfc, '/credenciales') };
}

/** Stores the CIEC; without a key as a user with a remembered key does. */
const store = (persona: Pick<Persona, 'submit'>, pagina: string, key = '') =>
  persona.submit(pagina, `${pagina}/ciec`, { ciec: CIEC, api_key: key });

const rows = async (id: string) =>
  await panel.sql<{ sobre: Buffer; row: string }>`SELECT sobre, l::text AS row FROM llave_recordada l
      WHERE contribuyente_id = ${id}`;

/** The same person in another browser: a session that knows no key. */
async function elsewhere({ email, password }: Persona = ana) {
  const cliente = panel.newCliente();
  await signIn(cliente, email, password);
  return cliente;
}

describe('the API key of a session', () => {
  it('is not asked for once it was made there; nothing stored shows it', async () => {
    const { id, key, pagina } = await withKey();
    const page = (await ana.abrir(pagina)).$;
    expect(page('#ciec-llave')).toHaveLength(0);
    expect(page('form[aria-label="Guardar la CIEC"]').text()).toContain(key.slice(-4));
    expect((await store(ana, pagina)).status).toBe(303);
    const [kept, ...more] = await rows(id);
    expect(more).toEqual([]);
    const secret = key.split('_').at(-1) ?? '';
    expect(kept?.sobre.toString('latin1')).not.toContain(secret.slice(0, 12));
    // The panel's own secret is not enough: the inner layer is sealed under what only the cookie gives.
    const { sesiones, sellado } = panel.deps;
    const opened = (await sesiones.list(ana.usuarioId)).flatMap(
      (sesion) => sellado.open(kept?.sobre ?? Buffer.alloc(0), ['panel/llave', sesion.id, id]) ?? [],
    );
    expect(opened).toHaveLength(1);
    const [inner] = opened;
    expect(inner?.toString('latin1')).not.toContain(secret.slice(0, 12));
  });

  it('is asked for once in another session', async () => {
    const { key, pagina } = await withKey();
    const cliente = await elsewhere();
    expect((await cliente.abrir(pagina)).$('#ciec-llave').attr('required')).toBeDefined();
    expect((await store(cliente, pagina)).status).toBe(422);
    expect((await store(cliente, pagina, key)).status).toBe(303);
    expect((await cliente.abrir(pagina)).$('#ciec-llave')).toHaveLength(0);
    expect((await store(cliente, pagina)).status).toBe(303);
    expect((await store(ana, pagina)).status).toBe(303);
  });

  it('asks for a download without a key in the form', async () => {
    const { rfc } = await withKey();
    const nueva = async (cliente: Persona | Awaited<ReturnType<typeof elsewhere>>) =>
      (await cliente.abrir(`/solicitudes/nueva?rfc=${rfc}`)).$('input[name="api_key"]').length;
    expect([await nueva(ana), await nueva(await elsewhere())]).toEqual([0, 1]);
  });

  it('is kept only if it is the right one', async () => {
    const [una, otra] = [await withKey(), await withKey()];
    const cliente = await elsewhere();
    expect((await store(cliente, una.pagina, otra.key)).status).toBe(422);
    expect(await rows(una.id)).toHaveLength(1);
  });

  it('slides with its use, and is over after the time without', async () => {
    const { id, pagina } = await withKey();
    const left = async (): Promise<number> =>
      (
        await panel.sql`SELECT extract(epoch FROM vence_en - now())::integer AS left FROM llave_recordada
          WHERE contribuyente_id = ${id}`
      )[0]?.left;
    const shift = (interval: string) =>
      panel.sql`UPDATE llave_recordada SET vence_en = vence_en - ${interval}::interval WHERE contribuyente_id = ${id}`;
    await shift('719 minutes');
    expect(await left()).toBeLessThanOrEqual(60);
    expect((await store(ana, pagina)).status).toBe(303);
    expect(await left()).toBeGreaterThan(60);
    await shift('721 minutes');
    expect((await store(ana, pagina)).status).toBe(422);
  });

  it('is forgotten with the session, with another password, and when the key is replaced or revoked, by whomever', async () => {
    const eva = await panel.registrar();
    const first = await withKey(eva);
    const second = await withKey(eva);
    for (const { pagina } of [first, second]) await store(eva, pagina);
    await createLlaves(panel.db).revoke({ apiKeyId: parsed(first.key).keyId, actor: 'prueba', ip: null });
    expect(await rows(first.id)).toEqual([]);
    expect(await rows(second.id)).toHaveLength(1);
    const llave = hrefRfc(second.rfc, '/llave');
    // The known key keeps the credentials stored under it.
    const [old] = await rows(second.id);
    expect((await eva.submit(llave, llave)).status).toBe(200);
    // The session has the new key in place of the old one.
    expect(await rows(second.id)).toEqual([expect.not.objectContaining({ sobre: old?.sobre })]);
    expect((await store(eva, second.pagina)).status).toBe(303);
    const stored = await panel.db.pool.query('SELECT FROM credencial WHERE contribuyente_id = $1', [second.id]);
    expect(stored.rowCount).toBe(1);

    const third = await withKey(eva);
    const other = await elsewhere(eva);
    await store(other, third.pagina, third.key);
    expect(await rows(third.id)).toHaveLength(2);
    const nueva = `otra ${eva.password}`;
    await eva.submit('/cuenta/password', '/cuenta/password', { actual: eva.password, nueva });
    // The other session ended with its key, and the new id of this one opens nothing.
    expect(await rows(third.id)).toHaveLength(1);
    expect((await store(eva, third.pagina)).status).toBe(422);
    expect((await store(eva, third.pagina, third.key)).status).toBe(303);
    await eva.submit('/inicio', '/salir');
    expect(await rows(third.id)).toEqual([]);
  });

  it('is forgotten when its owner says so, in this session alone', async () => {
    const { id, key, pagina } = await withKey();
    const other = await elsewhere();
    await store(other, pagina, key);
    const forget = async (operacion: string) =>
      ana.post('/llaves/olvidar', { _csrf: await ana.csrf(pagina), operacion });
    const answer = await forget('tax/comunicados');
    expect([answer.status, answer.location]).toEqual([303, '/pruebas/tax/comunicados']);
    expect(await rows(id)).toHaveLength(1);
    expect((await store(ana, pagina)).status).toBe(422);
    expect((await store(other, pagina)).status).toBe(303);
    expect((await forget('//ejemplo.invalid')).location).toBe('/pruebas');
  });

  it('is never kept where the operator says so', async () => {
    const strict = await panel.another({ env: { LLAVE_RECORDADA_SECONDS: '0' } });
    const leo = await strict.registrar();
    const { id, key, pagina } = await withKey(leo);
    expect((await store(leo, pagina, key)).status).toBe(303);
    expect((await store(leo, pagina)).status).toBe(422);
    expect(await rows(id)).toEqual([]);
  });
});
