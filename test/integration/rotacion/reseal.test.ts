import { randomBytes, randomUUID } from 'node:crypto';
import { resellar } from '@acuse/cli';
import { contextoDePrueba, contextoDeSegundoFactor, contextoDeSesion, contextoDeWebhook } from '@acuse/core';
import { createSegundosFactores, createSesionesPortal, createUsuarios, cuelgan, pendientes } from '@acuse/db';
import { contextoDe, createKeyring, createSellado, type Keyring } from '@acuse/vault';
import { createEntregas, createWebhooks } from '@acuse/webhooks/db';
import { expect, it } from 'vitest';
import { openCredencial, sealCredencial } from '../../../packages/vault/src/envelope/credencial-envelope.ts';
import { newRfc, seedCuenta, seedTaxpayer, useDatabase } from '../fixtures/database.ts';

const database = useDatabase();

const [one, two] = [randomBytes(32), randomBytes(32)];
const keyring = (...ids: readonly ('1' | '2')[]): Keyring =>
  createKeyring({ keys: new Map(ids.map((id) => [id, id === '1' ? one : two])), current: ids[0] ?? '' });
const before = createSellado(keyring('1'));
const after = createSellado(keyring('2'));
const both = keyring('2', '1');
const quiet = { limit: 4, onAvance: () => {} };

const hangsOn = async (secreto: 'PANEL_SECRETS' | 'SESSION_KEYS' | 'WEBHOOK_KEYS', id: string) =>
  (await cuelgan(database.db, [secreto])).filter((each) => each.id === id).map(({ filas }) => filas);

/** Users with a second factor under the first key. */
async function seedFactores(count: number): Promise<Map<string, Buffer>> {
  const secretos = new Map<string, Buffer>();
  const { cuentaId } = await seedCuenta(database.db);
  for (let n = 0; n < count; n += 1) {
    const { id } = await createUsuarios(database.db).add({
      cuentaId,
      nombre: 'Ana',
      rol: 'CLIENTE',
      actor: 'prueba',
      ip: null,
      email: `${randomUUID()}@example.com`,
    });
    const secreto = randomBytes(20);
    await createSegundosFactores(database.db).propose(id, before.seal(secreto, contextoDeSegundoFactor(id)));
    secretos.set(id, secreto);
  }
  return secretos;
}

it('goes on where it was interrupted, and beside another one, until every second factor opens under the new key alone', async () => {
  const secretos = await seedFactores(11);
  let pages = 0;
  const interrupted = resellar(database.db, 'PANEL_SECRETS', both, {
    limit: 4,
    onAvance: () => {
      pages += 1;
      if (pages === 2) throw new Error('interrupted');
    },
  });
  await expect(interrupted).rejects.toThrow('interrupted');
  expect(await hangsOn('PANEL_SECRETS', '1')).toEqual([3]);

  const resellados = [0, 0];
  await Promise.all(
    [0, 1].map((n) =>
      resellar(database.db, 'PANEL_SECRETS', both, {
        limit: 1,
        onAvance: (avance) => {
          resellados[n] = avance.resellados;
        },
      }),
    ),
  );
  expect(resellados.reduce((sum, each) => sum + each)).toBe(3);
  expect(await hangsOn('PANEL_SECRETS', '1')).toEqual([]);
  for (const [id, secreto] of secretos) {
    const found = await createSegundosFactores(database.db).find(id);
    expect(after.open(found?.secreto ?? Buffer.alloc(0), contextoDeSegundoFactor(id))).toEqual(secreto);
  }
});

it('moves sessions with portals, their proofs and remembered refusals, and leaves alone what does not open', async () => {
  const sesiones = createSesionesPortal(database.db);
  const [rfc, sal] = [newRfc(), randomBytes(16).toString('base64')];
  const clave = { portal: 'cfdi', rfc, tipo: 'ciec' } as const;
  const id = randomUUID();
  const prueba = () => before.seal(Buffer.from('prueba'), contextoDePrueba(clave, sal)).toString('base64');
  const cookies = before.seal(Buffer.from('cookies'), contextoDeSesion(clave, id));
  await sesiones.save(clave, { id, cookies, sal, huella: prueba() });
  await sesiones.saveRechazo(clave, { sal, huella: prueba(), motivo: 'CIEC_RECHAZADA', codigo: null });
  const ajena = createSellado(createKeyring({ keys: new Map([['1', randomBytes(32)]]), current: '1' }));
  const otra = { ...clave, rfc: newRfc() };
  await sesiones.saveRechazo(otra, {
    sal,
    motivo: 'CIEC_RECHAZADA',
    codigo: null,
    huella: ajena.seal(Buffer.from('x'), contextoDePrueba(otra, sal)).toString('base64'),
  });

  const ilegibles: number[] = [];
  await resellar(database.db, 'SESSION_KEYS', both, {
    limit: 1,
    onAvance: (avance) => void ilegibles.push(avance.ilegibles),
  });
  expect(Math.max(...ilegibles)).toBe(1);
  const found = await sesiones.load(clave);
  expect(after.open(found?.sesion.cookies ?? Buffer.alloc(0), contextoDeSesion(clave, id))?.toString()).toBe('cookies');
  const [rechazo] = await sesiones.rechazos(clave);
  for (const huella of [found?.sesion.huella, rechazo?.huella])
    expect(after.open(Buffer.from(huella ?? '', 'base64'), contextoDePrueba(clave, sal))?.toString()).toBe('prueba');
  expect(await hangsOn('SESSION_KEYS', '1')).toEqual([1]);
  await sesiones.forget(otra.rfc);
  expect(await hangsOn('SESSION_KEYS', '1')).toEqual([]);
});

it('moves a stored credential, whose inner layer stays closed', async () => {
  const taxpayer = await seedTaxpayer(database.db);
  const { rfc, contribuyenteId, apiKeyId } = taxpayer;
  const id = randomUUID();
  const credencial = { tipo: 'ciec', rfc, ciec: Buffer.from('Cíec-De-Prueba-1') } as const;
  const contexto = contextoDe(taxpayer, { id, apiKeyId, expiraEn: null }, 'ciec');
  const secret = randomBytes(32);
  const sobre = sealCredencial(credencial, contexto, { keyring: keyring('1'), secret });
  await database.db.pool.query(
    `INSERT INTO credencial (id, contribuyente_id, api_key_id, tipo, kid, sobre) VALUES ($1, $2, $3, 'ciec', '1', $4)`,
    [id, contribuyenteId, apiKeyId, sobre],
  );
  await resellar(database.db, 'KEYRING', both, quiet);
  const { rows } = await database.db.pool.query('SELECT kid, sobre FROM credencial WHERE id = $1', [id]);
  expect(rows[0]?.kid).toBe('2');
  expect(openCredencial(rows[0]?.sobre, contexto, { keyring: keyring('2'), secret })).toEqual(credencial);
});

it('moves the keys that webhooks are signed with, the one in force and those before it', async () => {
  const { cuentaId } = await seedCuenta(database.db);
  const webhooks = createWebhooks(database.db);
  const autor = { actor: 'prueba', ip: null };
  const id = randomUUID();
  const claves = [randomBytes(32), randomBytes(32)];
  const [primera, segunda] = claves.map((clave) => {
    const secretoId = randomUUID();
    return { id: secretoId, sobre: before.seal(Buffer.from(clave), contextoDeWebhook(id, secretoId)) };
  });
  if (!primera || !segunda) throw new Error('no keys');
  const campos = { url: 'https://erp.example/', descripcion: '', eventos: ['saldo.bajo'] as const, rfcs: [] };
  await webhooks.create({ id, cuentaId, secreto: primera, ...campos, ...autor });
  await webhooks.rotate({ cuentaId }, id, { secreto: segunda, vigenciaSegundos: 3_600, ...autor });
  expect(await hangsOn('WEBHOOK_KEYS', '1')).toEqual([2]);
  await resellar(database.db, 'WEBHOOK_KEYS', both, quiet);
  expect([await hangsOn('WEBHOOK_KEYS', '1'), await hangsOn('WEBHOOK_KEYS', '2')]).toEqual([[], [2]]);
  await webhooks.ping({ cuentaId }, id);
  const [tomada] = await createEntregas(database.db).claim({
    limite: 1,
    porDestino: 1,
    porCuenta: 10,
    dudosas: 1,
    leaseSeconds: 60,
  });
  const opened = tomada?.secretos.map((secreto) => after.open(secreto.sobre, contextoDeWebhook(id, secreto.id)));
  expect(opened).toEqual(claves.toReversed());
});

it('takes nothing from who seals anew meanwhile', async () => {
  const [id = ''] = (await seedFactores(1)).keys();
  const factores = createSegundosFactores(database.db);
  const fresh = after.seal(Buffer.from('nuevo'), contextoDeSegundoFactor(id));
  let stored: Promise<unknown> | undefined;
  await resellar(
    database.db,
    'PANEL_SECRETS',
    {
      ...both,
      wrap: (plain, aad) => {
        stored = factores.propose(id, fresh);
        return both.wrap(plain, aad);
      },
    },
    quiet,
  );
  await stored;
  const found = await factores.find(id);
  expect(after.open(found?.secreto ?? Buffer.alloc(0), contextoDeSegundoFactor(id))?.toString()).toBe('nuevo');
});

it('users whose password is under another secret are named', async () => {
  const email = `${randomUUID()}@example.com`;
  await createUsuarios(database.db).register({ nombre: 'Ana', email, password: { hash: 'x', kid: 'p1' }, ip: '' });
  const rest = await pendientes(database.db, { pepper: undefined, panel: 'p2', limit: 10 });
  expect(rest).toEqual([expect.objectContaining({ secreto: 'PANEL_SECRETS', id: 'p1', email, ultimoUsoEn: null })]);
});
