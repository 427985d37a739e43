import { randomUUID } from 'node:crypto';
import {
  createAvisos,
  createBuzones,
  createClaims,
  createCorreos,
  createLibro,
  createUsuarios,
  type Papel,
} from '@acuse/db';
import { beforeEach, describe, expect, it } from 'vitest';
import { startSmtp } from '../../../packages/mail/testing/smtp-fixture.ts';
import { publish } from '../almacen/listar.ts';
import { claimOf, newSolicitud, PAQUETE, seedTaxpayer, type Taxpayer, useDatabase } from '../fixtures/database.ts';
import { duringTests } from '../fixtures/during-tests.ts';
import { waitFor } from '../fixtures/wait-for.ts';
import { createEmisorCorreo } from './fixtures/emisor.ts';

const t = useDatabase();
const autor = { actor: 'prueba', ip: null };
const AJUSTES = { saldoAviso: 5, diasLlave: 90, diasAntes: [30, 7], limite: 100, pagina: 1_000 };

let a: Taxpayer;
let ana: { readonly id: string; readonly email: string };
beforeEach(async () => {
  await t.sql`TRUNCATE correo, correo_aviso`;
  await t.sql`TRUNCATE credencial CASCADE`;
  await t.sql`UPDATE usuario SET correo_verificado_en = NULL`;
  a = await seedTaxpayer(t.db, { saldo: 100 });
  ana = await newPersona(a.cuentaId);
});

/** Somebody of an account, whose address is known to be theirs unless said otherwise. */
async function newPersona(cuentaId: string, isVerificada = true, papel: Papel = 'CONTADOR') {
  const email = `${randomUUID()}@example.com`;
  const { id } = await createUsuarios(t.db).add({
    ...{ cuentaId, email, nombre: 'Ana', rol: 'CLIENTE', papel, ...autor },
  });
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
  await createClaims(t.db).finish(await claimOf(t.db, id), PAQUETE);
  return id;
}
async function look(at: Date | undefined = undefined): Promise<void> {
  const avisos = createAvisos(t.db, 'correo');
  while (await avisos.look({ ...AJUSTES, ...(at && { ahora: at }) }));
}

describe('the end of a request', () => {
  it('is mailed to those of the account who showed that the address is theirs and want it, and to nobody else', async () => {
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

  it('gathers: one goes at once, the others of the hour in a second one, of which the first twenty are named', async () => {
    await finish();
    const correos = createCorreos(t.db);
    const [primero] = await correos.claim({ limite: 10, leaseSeconds: 60 });
    if (primero === undefined) throw new Error('none');
    // What is in hand is not written to any more.
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
    await buzones.setApagados(ana.id, ['solicitud.terminada', 'saldo.bajo'], autor);
    expect(await correosDe(ana)).toEqual([]);
    expect((await buzones.find(ana.id))?.apagados).toEqual(['saldo.bajo', 'solicitud.terminada']);
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
      ...{ rfc, nombre: '', ingresos: { cfdi: 1, monto: '1.00' }, egresos: nada },
    }));
    await createClaims(t.db).finish(await claimOf(t.db, await newSolicitud(t.db, a)), { ...PAQUETE, contrapartes });
    expect(await correosDe(ana)).toMatchObject([{ datos: [{ rfc: a.rfc, contrapartes_adversas: 1 }] }]);
    await t.sql`TRUNCATE correo, correo_aviso`;
    await finish();
    expect((await correosDe(ana))[0]?.datos[0]).not.toHaveProperty('contrapartes_adversas');
  });

  it('says that to nobody who may not see what packages hold', async () => {
    const desarrollador = await newPersona(a.cuentaId, true, 'DESARROLLADOR');
    await publish(t, [{ rfc: 'PRO010101AB1', situacion: 'DEFINITIVO' }]);
    const contrapartes = [
      { rfc: 'PRO010101AB1', nombre: '', ingresos: { cfdi: 1, monto: '1.00' }, egresos: { cfdi: 0, monto: '0.00' } },
    ];
    const id = await newSolicitud(t.db, a, { desde: '2008-01-01', hasta: '2008-01-02' });
    await createClaims(t.db).finish(await claimOf(t.db, id), { ...PAQUETE, contrapartes });
    expect(await correosDe(ana)).toMatchObject([{ datos: [{ solicitud_id: id, contrapartes_adversas: 1 }] }]);
    const [told] = await correosDe(desarrollador);
    expect(told).toMatchObject({ tipo: 'solicitud.terminada', datos: [{ solicitud_id: id }] });
    expect(told?.datos[0]).not.toHaveProperty('contrapartes_adversas');
  });
});

describe('whom a notice is not for', () => {
  const FIN = new Date('2030-06-30T12:00:00.000Z');
  /** A certificate that is about to lapse, and a CIEC that the SAT refuses. */
  async function credentialsInTrouble() {
    for (const tipo of ['efirma_cer', 'ciec'])
      await t.sql`INSERT INTO credencial (id, contribuyente_id, api_key_id, tipo, kid, sobre, vigente_hasta)
        VALUES (${randomUUID()}, ${a.contribuyenteId}, ${a.apiKeyId}, ${tipo}, 'k1', '\\x00', ${tipo === 'ciec' ? null : FIN})`;
    await t.sql`UPDATE credencial SET rechazada_portal_en = now() WHERE contribuyente_id = ${a.contribuyenteId} AND tipo = 'ciec'`;
    await look(new Date(FIN.getTime() - 5 * 86_400_000));
  }
  const kinds = async (persona: { readonly id: string }) => (await correosDe(persona)).map(({ tipo }) => tipo);

  it('those of credentials go to who may see them: not to a developer, who is told of the rest', async () => {
    const [dueno, desarrollador] = [
      await newPersona(a.cuentaId, true, 'PROPIETARIO'),
      await newPersona(a.cuentaId, true, 'DESARROLLADOR'),
    ];
    await credentialsInTrouble();
    await finish();
    for (const persona of [dueno, ana])
      expect(await kinds(persona)).toEqual(expect.arrayContaining(['credencial.por_vencer', 'credencial.rechazada']));
    expect(await kinds(desarrollador)).toContain('solicitud.terminada');
    expect((await kinds(desarrollador)).filter((tipo) => tipo.startsWith('credencial.'))).toEqual([]);
  });

  it('those of what CFDI say go to who may see them, and an old key to who may see keys', async () => {
    const [dueno, desarrollador] = [
      await newPersona(a.cuentaId, true, 'PROPIETARIO'),
      await newPersona(a.cuentaId, true, 'DESARROLLADOR'),
    ];
    const deCfdi = ['cfdi.cambios', 'plazo.por_vencer', 'proveedor.listado', 'sincronizacion.pausada'];
    for (const tipo of [...deCfdi, 'llave.por_rotar'])
      await t.sql`SELECT correo_emite(${a.cuentaId}::uuid, ${tipo}, ${JSON.stringify({ rfc: a.rfc })}::jsonb)`;
    expect([await kinds(dueno), await kinds(ana), await kinds(desarrollador)]).toEqual([
      ['cfdi.cambios', 'llave.por_rotar', 'plazo.por_vencer', 'proveedor.listado', 'sincronizacion.pausada'],
      deCfdi,
      ['llave.por_rotar'],
    ]);
  });

  it('nobody of a suspended account, in another account of whom notices go on', async () => {
    const otra = await seedTaxpayer(t.db, { saldo: 100 });
    await t.sql`INSERT INTO miembro (usuario_id, cuenta_id, papel) VALUES (${ana.id}, ${otra.cuentaId}, 'CONTADOR')`;
    await createClaims(t.db).finish(await claimOf(t.db, await newSolicitud(t.db, otra)), PAQUETE);
    const running = await newSolicitud(t.db, a, { desde: '2009-01-01', hasta: '2009-01-02' });
    await t.sql`UPDATE cuenta SET suspendida_en = now(), suspension_motivo = 'prueba', saldo = 1 WHERE id = ${a.cuentaId}`;
    await credentialsInTrouble();
    await createClaims(t.db).finish(await claimOf(t.db, running), PAQUETE);
    const mails = await correosDe(ana);
    expect(mails.map(({ tipo, cuantas }) => [tipo, cuantas])).toContainEqual(['solicitud.terminada', 1]);
    const told = mails.flatMap(({ datos }) => datos.map(({ cuenta_id }) => cuenta_id));
    expect([...new Set(told)]).toEqual([otra.cuentaId]);
    // What is the case is told once the account is not suspended any more.
    await t.sql`UPDATE cuenta SET suspendida_en = NULL, suspension_motivo = NULL WHERE id = ${a.cuentaId}`;
    await look();
    expect(await kinds(ana)).toContain('saldo.bajo');
  });
});

describe('what is the case and nobody did', () => {
  it('is mailed once each: a low balance of each account, a certificate at each of its days, an old key', async () => {
    await t.sql`UPDATE miembro SET papel = 'PROPIETARIO' WHERE usuario_id = ${ana.id}`;
    const FIN = new Date('2030-06-30T12:00:00.000Z');
    const fechaA = (days: number) => new Date(FIN.getTime() - days * 86_400_000);
    await t.sql`UPDATE api_key SET creada_en = ${FIN}`;
    await t.sql`INSERT INTO credencial (id, contribuyente_id, api_key_id, tipo, kid, sobre, vigente_hasta)
      VALUES (${randomUUID()}, ${a.contribuyenteId}, ${a.apiKeyId}, 'efirma_cer', 'k1', '\\x00', ${FIN})`;
    for (const days of [29, 28, 6, 5]) await look(fechaA(days));
    expect(await correosDe(ana)).toMatchObject([{ tipo: 'credencial.por_vencer', cuantas: 2 }]);
    await t.sql`UPDATE api_key SET creada_en = ${fechaA(140)} WHERE id = ${a.apiKeyId}`;
    await look(fechaA(40));
    await look(fechaA(39));
    expect((await correosDe(ana)).map(({ tipo, cuantas }) => [tipo, cuantas])).toEqual([
      ['credencial.por_vencer', 2],
      ['llave.por_rotar', 1],
    ]);

    const otra = await seedTaxpayer(t.db, { saldo: 1 });
    await t.sql`INSERT INTO miembro (usuario_id, cuenta_id, papel) VALUES (${ana.id}, ${otra.cuentaId}, 'CONTADOR')`;
    await t.sql`TRUNCATE correo`;
    await look();
    await look();
    expect(await correosDe(ana)).toMatchObject([
      { tipo: 'saldo.bajo', cuantas: 1, datos: [{ saldo: 1, umbral: 5, cuenta_id: otra.cuentaId }] },
    ]);
    // Above its threshold again, it may fall below it again; the other account's is told for itself.
    const libro = createLibro(t.db);
    await libro.credit({ cuentaId: otra.cuentaId, creditos: 50, referencia: randomUUID(), detalle: 'x', ...autor });
    await look();
    await t.sql`UPDATE cuenta SET saldo = 2 WHERE id IN (${a.cuentaId}, ${otra.cuentaId})`;
    await look();
    expect(await correosDe(ana)).toMatchObject([{ tipo: 'saldo.bajo', cuantas: 3 }]);
  });

  it('is not mailed to who was not asked for an address, nor where the kind is off', async () => {
    await t.sql`UPDATE cuenta SET saldo = 1 WHERE id = ${a.cuentaId}`;
    const sin = await newPersona(a.cuentaId, false);
    await createBuzones(t.db).setApagados(ana.id, ['saldo.bajo'], autor);
    await look();
    for (const each of [ana, sin]) expect(await correosDe(each)).toEqual([]);
  });
});

describe('a worker', () => {
  const server = duringTests(() => startSmtp());
  const emisor = duringTests(async () => createEmisorCorreo(t));

  it('sends what happened in Spanish, with a link that switches such mails off, and none of a kind that the installation leaves out', async () => {
    // Written before the worker starts, which looks for what it does not send at once and then in its own time.
    await t.sql`UPDATE cuenta SET saldo = 1 WHERE id = ${a.cuentaId}`;
    await look();
    expect(await correosDe(ana)).toMatchObject([{ tipo: 'saldo.bajo' }]);
    const id = await finish();
    await emisor.startWorker(server.url, { CORREO_AVISOS: 'solicitud.terminada,solicitud.fallida' });
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
    await waitFor(async () => ((await correosDe(ana)).every(({ tipo }) => tipo !== 'saldo.bajo') ? true : null));
    expect(server.recibidos.filter(({ headers }) => headers['subject'] === 'Le queda poco saldo')).toEqual([]);
  });
});
