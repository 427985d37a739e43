import { randomBytes, randomUUID } from 'node:crypto';
import { createIntentos, createPagos, createSesiones } from '@acuse/db';
import type { FilaEfos, OpenLista } from '@acuse/listas';
import { createCargaListas } from '@acuse/listas/db';
import { expect, test } from 'vitest';
import { waitForLocks } from '../fixtures/candado.ts';
import { seedTaxpayer, useDatabase } from '../fixtures/database.ts';
import { abrir, filas } from '../listas/lista-fingida.ts';
import { nuevoPago } from '../panel/fixtures/pagos.ts';

const t = useDatabase();

test('no more payments wait than may, however many forms are sent at once', async () => {
  const pagos = createPagos(t.db);
  const send = (cuentaId: string) => pagos.create(nuevoPago(cuentaId), 1);
  const { cuentaId } = await seedTaxpayer(t.db, { saldo: 0 });
  const client = await t.db.pool.connect();
  try {
    // All of them have begun before the first can write.
    await client.query('BEGIN');
    await client.query('SELECT FROM cuenta WHERE id = $1 FOR UPDATE', [cuentaId]);
    const sent = Array.from({ length: 5 }, () => send(cuentaId));
    await waitForLocks(t.db.pool, sent.length);
    await client.query('COMMIT');
    expect((await Promise.all(sent)).filter((pago) => pago !== null)).toHaveLength(1);
  } finally {
    client.release(true);
  }
});

test('as many tries pass as may, however many come at once, and a refused one costs no other limit', async () => {
  const intentos = createIntentos(t.db);
  const [cuenta, ip] = [`cuenta:${randomUUID()}`, `ip:${randomUUID()}`];
  const limites = [
    { clave: ip, rafaga: 50, segundos: 600 },
    { clave: cuenta, rafaga: 5, segundos: 600 },
  ];
  const permisos = await Promise.all(Array.from({ length: 20 }, () => intentos.take(limites)));
  expect(permisos.filter(({ permitido }) => permitido)).toHaveLength(5);
  const [only] = limites;
  if (!only) throw new Error('no limit');
  const rest = await Promise.all(Array.from({ length: 60 }, () => intentos.take([only])));
  expect(rest.filter(({ permitido }) => permitido)).toHaveLength(45);
});

test('a session that is over gets no other cookie', async () => {
  const sesiones = createSesiones(t.db);
  const usuarioId = randomUUID();
  await t.sql`INSERT INTO usuario (id, email, nombre) VALUES (${usuarioId}, ${`${usuarioId}@example.com`}, 'Ana')`;
  const open = async () => {
    const huella = randomBytes(32);
    await sesiones.open(
      {
        huella,
        id: randomUUID(),
        usuarioId,
        fase: 'COMPLETA' as const,
        agente: '',
        ip: '',
        inactividad: 60,
        duracion: 60,
      },
      null,
    );
    return huella;
  };
  for (const column of ['inactiva_en', 'vence_en']) {
    const huella = await open();
    await t.db.pool.query(`UPDATE sesion SET ${column} = now() - interval '1 second' WHERE huella = $1`, [huella]);
    expect(await sesiones.rotate(huella, randomBytes(32))).toBe(false);
  }
  const [huella, nueva] = [await open(), randomBytes(32)];
  expect(await sesiones.rotate(huella, nueva)).toBe(true);
  expect(await sesiones.rotate(huella, randomBytes(32))).toBe(false);
  expect(await sesiones.load(nueva, { inactividad: 60, ip: '' })).toMatchObject({ usuario: { id: usuarioId } });
});

test('what the operator asked of list 69-B stands until a list came, through a process that goes and a source that fails', async () => {
  const carga = createCargaListas(t.db);
  const going = new AbortController();
  await carga.askFor({ forzar: true, actor: 'prueba', ip: null });
  const cut = carga.loadList(
    {
      minFilas: 1,
      abrir: async (_previa, signal) => {
        going.abort(new Error('shutdown'));
        return Promise.reject(signal.reason);
      },
    },
    going.signal,
  );
  await expect(cut).rejects.toThrow('shutdown');
  expect(await carga.pendiente({ maxHoras: 48 })).toBe('PEDIDA');

  const load = (source: OpenLista<FilaEfos>) =>
    carga.loadList({ minFilas: 100, abrir: source }, new AbortController().signal);
  const short = abrir({ filas: filas('a', 1) });
  await expect(load(() => Promise.reject(new Error('the source is away')))).rejects.toThrow('away');
  expect((await carga.estado()).pedidaEn).not.toBeNull();
  // It is tried again when a failed attempt is.
  expect(await carga.pendiente({ maxHoras: 48 })).toBeNull();
  await t.sql`UPDATE efos_carga SET terminada_en = terminada_en - interval '1 hour'`;
  expect(await carga.pendiente({ maxHoras: 48 })).toBe('REINTENTO');
  expect((await load(short)).resultado).toBe('CARGADA');
  expect((await carga.estado()).pedidaEn).toBeNull();

  await carga.askFor({ forzar: false, actor: 'prueba', ip: null });
  expect(await carga.pendiente({ maxHoras: 48 })).toBe('PEDIDA');
  await expect(load(short)).rejects.toThrow('LISTA_MENGUADA');
  expect((await carga.estado()).pedidaEn).toBeNull();
});
