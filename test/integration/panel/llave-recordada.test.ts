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

describe('an API key that was typed in', () => {
  it('is asked for once a session: the next form takes it, the page says so, and nothing stored shows it', async () => {
    const { id, key, pagina } = await withKey();
    expect((await store(ana, pagina)).status).toBe(422);
    expect((await store(ana, pagina, key)).status).toBe(303);
    const page = (await ana.abrir(pagina)).$;
    expect(page('#ciec-llave').attr('required')).toBeUndefined();
    expect(page('#ciec-llave').attr('value')).toBeUndefined();
    expect(page('#ciec-llave-ayuda').text()).toContain(key.slice(-4));
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

  it('is of its RFC and of its session alone', async () => {
    const [una, otra] = [await withKey(), await withKey()];
    await store(ana, una.pagina, una.key);
    expect((await store(ana, otra.pagina)).status).toBe(422);
    const elsewhere = panel.newCliente();
    await signIn(elsewhere, ana.email, ana.password);
    expect((await store(elsewhere, una.pagina)).status).toBe(422);
    expect((await store(ana, una.pagina)).status).toBe(303);
  });

  it('is kept only if it is the right one', async () => {
    const [una, otra] = [await withKey(), await withKey()];
    expect((await store(ana, una.pagina, otra.key)).status).toBe(422);
    expect(await rows(una.id)).toEqual([]);
  });

  it('slides with its use, and is over after minutes without', async () => {
    const { id, key, pagina } = await withKey();
    await store(ana, pagina, key);
    const left = async (): Promise<number> =>
      (
        await panel.sql`SELECT extract(epoch FROM vence_en - now())::integer AS left FROM llave_recordada
          WHERE contribuyente_id = ${id}`
      )[0]?.left;
    const shift = (interval: string) =>
      panel.sql`UPDATE llave_recordada SET vence_en = vence_en - ${interval}::interval WHERE contribuyente_id = ${id}`;
    await shift('9 minutes');
    expect(await left()).toBeLessThanOrEqual(60);
    expect((await store(ana, pagina)).status).toBe(303);
    expect(await left()).toBeGreaterThan(60);
    await shift('11 minutes');
    expect((await store(ana, pagina)).status).toBe(422);
  });

  it('is forgotten with the session, with another password, and when the key is replaced or revoked, by whomever', async () => {
    const eva = await panel.registrar();
    const first = await withKey(eva);
    const second = await withKey(eva);
    for (const { pagina, key } of [first, second]) await store(eva, pagina, key);
    await createLlaves(panel.db).revoke({ apiKeyId: parsed(first.key).keyId, actor: 'prueba', ip: null });
    expect(await rows(first.id)).toEqual([]);
    expect(await rows(second.id)).toHaveLength(1);
    const llave = hrefRfc(second.rfc, '/llave');
    // The known key keeps the credentials stored under it.
    expect((await eva.submit(llave, llave)).status).toBe(200);
    expect(await rows(second.id)).toEqual([]);
    const stored = await panel.db.pool.query('SELECT FROM credencial WHERE contribuyente_id = $1', [second.id]);
    expect(stored.rowCount).toBe(1);

    const third = await withKey(eva);
    await store(eva, third.pagina, third.key);
    await eva.submit('/inicio', '/salir');
    expect(await rows(third.id)).toEqual([]);
  });

  it('is forgotten when its owner says so, in this session alone', async () => {
    const { id, key, pagina } = await withKey();
    await store(ana, pagina, key);
    const elsewhere = panel.newCliente();
    await signIn(elsewhere, ana.email, ana.password);
    await store(elsewhere, pagina, key);
    const forget = async (operacion: string) =>
      ana.post('/llaves/olvidar', { _csrf: await ana.csrf(pagina), operacion });
    const answer = await forget('tax/comunicados');
    expect([answer.status, answer.location]).toEqual([303, '/pruebas/tax/comunicados']);
    expect(await rows(id)).toHaveLength(1);
    expect((await store(ana, pagina)).status).toBe(422);
    expect((await store(elsewhere, pagina)).status).toBe(303);
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
