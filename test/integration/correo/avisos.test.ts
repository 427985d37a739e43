import { randomUUID } from 'node:crypto';
import { createAvisosCorreo, createBuzones, createCorreos } from '@acuse/correo/db';
import { createClaims, createUsuarios, type Papel } from '@acuse/db';
import { createAvisos } from '@acuse/webhooks/db';
import { beforeEach, describe, expect, it } from 'vitest';
import { startSmtp } from '../../../packages/correo/testing/smtp-fixture.ts';
import { publish } from '../almacen/listar.ts';
import { newSolicitud, PAQUETE, seedTaxpayer, type Taxpayer, useDatabase } from '../fixtures/database.ts';
import { duringTests } from '../fixtures/during-tests.ts';
import { claimOf, WITH_FEATURES } from '../fixtures/features.ts';
import { waitFor } from '../fixtures/wait-for.ts';
import { createEmisor } from '../webhooks/fixtures/destinos.ts';
import { createEmisorCorreo } from './fixtures/emisor.ts';

const t = useDatabase();
const autor = { actor: 'prueba', ip: null };
const AJUSTES = { diasAntes: [30, 7], limite: 100, pagina: 1_000 };

let a: Taxpayer;
let ana: { readonly id: string; readonly email: string };
beforeEach(async () => {
  await t.sql`TRUNCATE correo, correo_aviso`;
  await t.sql`TRUNCATE credencial CASCADE`;
  await t.sql`UPDATE usuario SET correo_verificado_en = NULL`;
  a = await seedTaxpayer(t.db, { saldo: 100 });
  ana = await newPersona(a.cuentaId);
});

/** A member of an account, with a confirmed address by default. */
async function newPersona(cuentaId: string, isVerificada = true, papel: Papel = 'CONTADOR') {
  const email = `${randomUUID()}@example.com`;
  const { id } = await createUsuarios(t.db).add({ cuentaId, email, nombre: 'Ana', rol: 'CLIENTE', papel, ...autor });
  await t.sql`UPDATE usuario SET correo_verificado_en = CASE WHEN ${isVerificada} THEN now() END WHERE id = ${id}`;
  return { id, email };
}
const correosDe = ({ id }: { readonly id: string }) =>
  t.sql<{ tipo: string; cuantas: number; datos: Record<string, unknown>[]; estado: string; espera: boolean }>`
    SELECT tipo, cuantas, datos, estado, due_at > now() AS espera FROM correo WHERE usuario_id = ${id} ORDER BY tipo, desde`;
let mes = 0;
async function finish(): Promise<string> {
  mes += 1;
  const dia = `20${String(10 + Math.floor(mes / 12)).padStart(2, '0')}-${String(1 + (mes % 12)).padStart(2, '0')}`;
  const id = await newSolicitud(t.db, a, { desde: `${dia}-01`, hasta: `${dia}-28` });
  await createClaims(t.db, WITH_FEATURES).finish(await claimOf(t.db, id), PAQUETE);
  return id;
}
async function look(at: Date | undefined = undefined): Promise<void> {
  const avisos = createAvisosCorreo(t.db);
  while (await avisos.look({ ...AJUSTES, ...(at && { ahora: at }) }));
}

describe('the end of a request', () => {
  it('is mailed to members with a confirmed address and this event only', async () => {
    const sin = await newPersona(a.cuentaId, false);
    const callada = await newPersona(a.cuentaId);
    await createBuzones(t.db).setApagados(callada.id, ['solicitud.terminada'], autor);
    const ajena = await newPersona((await seedTaxpayer(t.db)).cuentaId);
    const id = await finish();
    expect(await correosDe(ana)).toMatchObject([
      {
        tipo: 'solicitud.terminada',
        cuantas: 1,
        espera: false,
        datos: [{ rfc: a.rfc, solicitud_id: id, modo: 'test' }],
      },
    ]);
    for (const otra of [sin, callada, ajena]) expect(await correosDe(otra)).toEqual([]);
  });

  it('gathers: one goes at once, the others of the hour in a second mail with the first twenty names', async () => {
    await finish();
    const correos = createCorreos(t.db);
    const [primero] = await correos.claim({ limite: 10, leaseSeconds: 60 });
    if (primero === undefined) throw new Error('none');
    // A held mail gets no further subjects.
    for (let n = 0; n < 25; n += 1) await finish();
    const [uno, otro, ...rest] = await correosDe(ana);
    expect([uno?.cuantas, otro?.cuantas, otro?.datos.length, rest]).toEqual([1, 25, 20, []]);
    expect([uno?.espera, otro?.espera]).toEqual([true, true]);
    expect(await correos.claim({ limite: 10, leaseSeconds: 60 })).toEqual([]);
    expect(await correos.sent(primero)).toBe(true);
  });

  it('comes to nothing that an order takes back: what waits of a kind that is switched off is not sent', async () => {
    await finish();
    const buzones = createBuzones(t.db);
    await buzones.setApagados(ana.id, ['solicitud.terminada', 'solicitud.fallida'], autor);
    expect(await correosDe(ana)).toEqual([]);
    expect((await buzones.find(ana.id))?.apagados).toEqual(['solicitud.fallida', 'solicitud.terminada']);
    await finish();
    expect(await correosDe(ana)).toEqual([]);
  });

  it('says how many counterparties of its package stand on a list that speaks against them', async () => {
    await publish(t, [
      { rfc: 'PRO010101AB1', situacion: 'DEFINITIVO' },
      { rfc: 'PRO020202AB2', situacion: 'DESVIRTUADO' },
    ]);
    const nada = { cfdi: 0, monto: '0.00' };
    const contrapartes = ['PRO010101AB1', 'PRO020202AB2'].map((rfc) => ({
      rfc,
      nombre: '',
      ingresos: { cfdi: 1, monto: '1.00' },
      egresos: nada,
    }));
    await createClaims(t.db, WITH_FEATURES).finish(await claimOf(t.db, await newSolicitud(t.db, a)), {
      ...PAQUETE,
      notas: { contrapartes },
    });
    expect(await correosDe(ana)).toMatchObject([{ datos: [{ rfc: a.rfc, contrapartes_adversas: 1 }] }]);
    await t.sql`TRUNCATE correo, correo_aviso`;
    await finish();
    expect((await correosDe(ana))[0]?.datos[0]).not.toHaveProperty('contrapartes_adversas');
  });

  it('goes only to members who may see packages', async () => {
    const desarrollador = await newPersona(a.cuentaId, true, 'DESARROLLADOR');
    await publish(t, [{ rfc: 'PRO010101AB1', situacion: 'DEFINITIVO' }]);
    const contrapartes = [
      { rfc: 'PRO010101AB1', nombre: '', ingresos: { cfdi: 1, monto: '1.00' }, egresos: { cfdi: 0, monto: '0.00' } },
    ];
    const id = await newSolicitud(t.db, a, { desde: '2008-01-01', hasta: '2008-01-02' });
    await createClaims(t.db, WITH_FEATURES).finish(await claimOf(t.db, id), { ...PAQUETE, notas: { contrapartes } });
    expect(await correosDe(ana)).toMatchObject([{ datos: [{ solicitud_id: id, contrapartes_adversas: 1 }] }]);
    const [told] = await correosDe(desarrollador);
    expect(told).toMatchObject({ tipo: 'solicitud.terminada', datos: [{ solicitud_id: id }] });
    expect(told?.datos[0]).not.toHaveProperty('contrapartes_adversas');
  });
});

/** So many days before the end of the certificates. */
const FIN = new Date('2030-06-30T12:00:00.000Z');
const daysBefore = (days: number) => new Date(FIN.getTime() - days * 86_400_000);
async function newCredenciales({ contribuyenteId, apiKeyId }: Taxpayer) {
  for (const tipo of ['efirma_cer', 'ciec'])
    await t.sql`INSERT INTO credencial (id, contribuyente_id, api_key_id, tipo, kid, sobre, vigente_hasta)
      VALUES (${randomUUID()}, ${contribuyenteId}, ${apiKeyId}, ${tipo}, 'k1', '\\x00', ${tipo === 'ciec' ? null : FIN})`;
}
const kinds = async (persona: { readonly id: string }) => (await correosDe(persona)).map(({ tipo }) => tipo);

describe('mails', () => {
  it('tell of ends of requests and of certificates near their end; all else is left to webhooks', async () => {
    await createEmisor(t).newWebhook(a.cuentaId, 'http://127.0.0.1:9/');
    await newCredenciales(a);
    await t.sql`UPDATE credencial SET rechazada_portal_en = now() WHERE contribuyente_id = ${a.contribuyenteId} AND tipo = 'ciec'`;
    await t.sql`UPDATE api_key SET creada_en = ${daysBefore(140)} WHERE id = ${a.apiKeyId}`;
    const waiting = await newSolicitud(t.db, a, { desde: '2009-01-01', hasta: '2009-01-02' });
    await t.sql`UPDATE solicitud SET estado = 'ESPERA_EFIRMA' WHERE id = ${waiting}`;
    await t.sql`UPDATE cuenta SET saldo = 1 WHERE id = ${a.cuentaId}`;
    const now = daysBefore(40);
    while (await createAvisos(t.db).look({ ...AJUSTES, saldoAviso: 5, diasLlave: 90, ahora: now }));
    await look(now);
    const told = await t.sql<{
      tipo: string;
    }>`SELECT DISTINCT tipo FROM webhook_evento WHERE cuenta_id = ${a.cuentaId} ORDER BY tipo`;
    expect(told.map(({ tipo }) => tipo)).toEqual([
      'credencial.rechazada',
      'llave.por_rotar',
      'saldo.bajo',
      'solicitud.espera_efirma',
    ]);
    expect(await kinds(ana)).toEqual([]);
    // A worker of the version before asks for one.
    await t.sql`SELECT correo_emite(${a.cuentaId}::uuid, 'saldo.bajo', '{}')`;
    expect(await kinds(ana)).toEqual([]);
    await finish();
    await look(daysBefore(5));
    expect(await kinds(ana)).toEqual(['credencial.por_vencer', 'solicitud.terminada']);
  });

  it('of credentials go to roles that see them: a developer gets those of requests alone', async () => {
    const desarrollador = await newPersona(a.cuentaId, true, 'DESARROLLADOR');
    await newCredenciales(a);
    await look(daysBefore(5));
    await finish();
    expect([await kinds(ana), await kinds(desarrollador)]).toEqual([
      ['credencial.por_vencer', 'solicitud.terminada'],
      ['solicitud.terminada'],
    ]);
  });

  it('go to no member of a suspended account, while notices of another account go on', async () => {
    const otra = await seedTaxpayer(t.db, { saldo: 100 });
    await t.sql`INSERT INTO miembro (usuario_id, cuenta_id, papel) VALUES (${ana.id}, ${otra.cuentaId}, 'CONTADOR')`;
    await createClaims(t.db, WITH_FEATURES).finish(await claimOf(t.db, await newSolicitud(t.db, otra)), PAQUETE);
    const running = await newSolicitud(t.db, a, { desde: '2009-01-01', hasta: '2009-01-02' });
    await t.sql`UPDATE cuenta SET suspendida_en = now(), suspension_motivo = 'prueba' WHERE id = ${a.cuentaId}`;
    await newCredenciales(a);
    await look(daysBefore(5));
    await createClaims(t.db, WITH_FEATURES).finish(await claimOf(t.db, running), PAQUETE);
    expect((await correosDe(ana)).map(({ tipo, cuantas, datos }) => [tipo, cuantas, datos[0]?.['cuenta_id']])).toEqual([
      ['solicitud.terminada', 1, otra.cuentaId],
    ]);
    // The notice goes out when the account is reopened.
    await t.sql`UPDATE cuenta SET suspendida_en = NULL, suspension_motivo = NULL WHERE id = ${a.cuentaId}`;
    await look(daysBefore(5));
    expect(await kinds(ana)).toContain('credencial.por_vencer');
  });

  it('of a certificate come once at each of its days, and where the address is known and the kind is on', async () => {
    const sin = await newPersona(a.cuentaId, false);
    const callada = await newPersona(a.cuentaId);
    await createBuzones(t.db).setApagados(callada.id, ['credencial.por_vencer'], autor);
    await newCredenciales(a);
    for (const days of [29, 28, 6, 5]) await look(daysBefore(days));
    expect(await correosDe(ana)).toMatchObject([{ tipo: 'credencial.por_vencer', cuantas: 2 }]);
    for (const each of [sin, callada]) expect(await correosDe(each)).toEqual([]);
  });
});

describe('a worker', () => {
  const server = duringTests(() => startSmtp());
  const emisor = duringTests(async () => createEmisorCorreo(t));

  it('sends what happened in Spanish, with a link that switches such mails off', async () => {
    const id = await finish();
    await emisor.startWorker(server.url);
    const recibido = await waitFor(async () => server.recibidos.find(({ para }) => para.includes(ana.email)) ?? null);
    expect(recibido.headers['subject']).toBe('Su ZIP está listo');
    expect(recibido.texto).toContain(`https://panel.example/solicitudes/${id}`);
    expect(recibido.texto).toContain(a.rfc);
    const [, token = ''] =
      /^<https:\/\/panel\.example\/correos\/baja\/([\w-]+)>$/.exec(recibido.headers['list-unsubscribe'] ?? '') ?? [];
    const buzones = createBuzones(t.db);
    expect(await buzones.kindOf(token)).toBe('solicitud.terminada');
    expect(await buzones.unsubscribe(token, '')).toBe('solicitud.terminada');
    expect(await buzones.unsubscribe(token, '')).toBe('solicitud.terminada');
    expect((await buzones.find(ana.id))?.apagados).toEqual(['solicitud.terminada']);
  });
});
