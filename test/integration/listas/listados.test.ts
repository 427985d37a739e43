import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClaveListado, FilaListado } from '@acuse/listas';
import { createCargaListado, createListados } from '@acuse/listas/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acuse } from '../fixtures/cli.ts';
import { type TestDatabase, testDatabase } from '../fixtures/database.ts';
import { LISTAS, useServicio, waitFor } from '../fixtures/servicio.ts';
import { abrirListado, CUANTAS, type FakeList, filasListado, TODOS } from './lista-fingida.ts';

const signal = () => AbortSignal.timeout(60_000);
const rechazada = (motivo: string) => expect.objectContaining({ name: 'ListaRechazada', motivo });

describe('a version of another list', { shuffle: false }, () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(() => database.close());
  type Clave = Exclude<ClaveListado, '69-b'>;
  const carga = (clave: Clave) => createCargaListado(database.db, clave);
  const load = (clave: Clave, fakeList: FakeList<FilaListado> = {}, minFilas = 1) =>
    carga(clave).loadList({ abrir: abrirListado(fakeList), minFilas }, signal());
  const current = async (rfc: string) =>
    (
      await database.sql`SELECT lista, supuesto, publicada::text FROM lista_actual WHERE rfc = ${rfc} ORDER BY lista, supuesto`
    ).map((row) => Object.values(row));

  it('replaces its own version only, and is part of the view of all lists', async () => {
    const [rfc = ''] = TODOS;
    await load('firmes');
    await load('csd', { filas: filasListado('a', 10).map((fila) => ({ ...fila, supuesto: 'FRACCION X' })) });
    expect(await current(rfc)).toEqual([
      ['69', 'FIRMES', '2024-03-05'],
      ['CSD', 'FRACCION X', '2024-03-05'],
    ]);
    await load('firmes', { corte: '2026-08-01', filas: filasListado('b').slice(1) });
    expect(await current(rfc)).toEqual([['CSD', 'FRACCION X', '2024-03-05']]);
    const filas = await database.sql`SELECT count(*)::int AS n FROM listado_fila`;
    expect(filas).toEqual([{ n: CUANTAS - 1 + 10 }]);
  });

  it('does not take the place of a newer one, nor of one with more than twice its rows', async () => {
    await load('exigibles', { corte: '2026-08-01' });
    await expect(load('exigibles', { corte: '2026-07-30' })).rejects.toEqual(rechazada('LISTA_ANTERIOR'));
    const short = filasListado('c', CUANTAS / 2 - 1);
    await expect(load('exigibles', { corte: '2026-08-02', filas: short })).rejects.toEqual(rechazada('LISTA_MENGUADA'));
    await load('exigibles', { corte: '2026-08-02', filas: filasListado('c', CUANTAS / 2) });
    await carga('exigibles').askFor({ forzar: true, actor: 'prueba', ip: null });
    expect(await carga('exigibles').pendiente({ maxHoras: 48 })).toBe('PEDIDA');
    await load('exigibles', { corte: '2026-01-01', filas: filasListado('d', 3) });
    expect((await carga('exigibles').estado()).vigente).toMatchObject({ fechaCorte: '2026-01-01', filas: 3 });
  });

  it('is loaded while another hangs, and its failures are its own', async () => {
    let open = () => {};
    const gate = {
      at: 500,
      open: new Promise<void>((resolve) => {
        open = resolve;
      }),
    };
    const hanging = load('cancelados', { gate });
    await waitFor(async () => (await carga('cancelados').estado()).cargas[0]?.resultado === 'EN_CURSO' || null);
    expect((await load('cancelados')).resultado).toBe('OTRA_EN_CURSO');
    expect((await load('sentencias', { filas: filasListado('a', 5) })).resultado).toBe('CARGADA');
    await expect(load('no-localizados', { failure: new Error('away') })).rejects.toThrow('away');
    open();
    expect((await hanging).resultado).toBe('CARGADA');
    const claves = ['69-b', 'cancelados', 'sentencias', 'no-localizados', 'csd'] as const;
    const { sql } = database;
    await sql`UPDATE listado_carga SET terminada_en = terminada_en - interval '2 minutes' WHERE archivo = 'no-localizados'`;
    await sql`UPDATE listado_version SET revisada_en = now() - interval '3 days' WHERE archivo = 'csd'`;
    await carga('sentencias').askFor({ forzar: false, actor: 'prueba', ip: null });
    expect(await createListados(database.db).pendientes({ claves, maxHoras: 48 })).toEqual([
      { clave: '69-b', motivo: 'SIN_LISTA' },
      { clave: 'sentencias', motivo: 'PEDIDA' },
      { clave: 'no-localizados', motivo: 'REINTENTO' },
      { clave: 'csd', motivo: 'VENCIDA' },
    ]);
    const estados = await createListados(database.db).estados();
    const de = (clave: ClaveListado) => estados.find((each) => each.clave === clave);
    expect(de('no-localizados')).toMatchObject({ vigente: null, ultima: { resultado: 'FALLIDA', motivo: 'Error' } });
    expect(de('sentencias')).toMatchObject({ vigente: { filas: 5 }, pedidaEn: expect.any(Date) });
    expect(de('69-b')).toMatchObject({ vigente: null, ultima: null, pedidaEn: null });
  });
});

describe('from the lists at their source', () => {
  const servicio = useServicio({
    simulador: { filas_listados: 120 },
    workerEnv: { ...LISTAS, SAT_LISTAS_URLS: 'exigibles=no' },
  });
  const order = (...args: string[]) => acuse({ DATABASE_URL: servicio.databaseUrl }, 'listas', ...args);
  const estados = async () => {
    const rows = (await order()) as unknown as { lista: ClaveListado; filas: number | null; motivo: string | null }[];
    return new Map(rows.map((row) => [row.lista, row]));
  };

  it('loads all but the odd ones, which the operator sees and mends, and puts one in by hand', async () => {
    const { faults } = servicio.simulador.world;
    const bad = [
      faults.add({ service: 'wu1agsprosta001', operation: 'Firmes.csv', kind: 'status', status: 404 }),
      faults.add({ service: 'wu1agsprosta001', operation: 'CSDsinefectos.csv', kind: 'html200' }),
      faults.add({ service: 'wu1agsprosta001', operation: 'Cancelados.csv', kind: 'malformed' }),
    ];
    await servicio.startWorker();
    const seen = await waitFor(async () => {
      const all = await estados();
      const isOver = (['69-b', 'sentencias', '69-b-bis', 'no-localizados', 'entes-publicos'] as const).every(
        (clave) => all.get(clave)?.filas,
      );
      const isKnown = (['firmes', 'csd', 'cancelados'] as const).every((clave) => all.get(clave)?.motivo);
      return isOver && isKnown ? all : null;
    });
    expect(seen.get('firmes')).toMatchObject({ filas: null, motivo: expect.stringContaining('HTTP 404') });
    expect(seen.get('csd')).toMatchObject({ filas: null, motivo: expect.stringContaining('una página') });
    expect(seen.get('cancelados')).toMatchObject({
      filas: null,
      motivo: expect.stringContaining('RESPUESTA_ILEGIBLE'),
    });
    // Switched off, and without an address that is known today.
    for (const clave of ['exigibles', 'condonados-21'] as const)
      expect(seen.get(clave)).toMatchObject({ filas: null, resultado: null, motivo: null });
    const unknown = [...seen].filter(([, row]) => 'nota' in row).map(([clave]) => clave);
    expect([unknown.length, unknown.includes('condonados-21')]).toEqual([6, true]);
    expect(seen.get('condonados-21')).toMatchObject({ nota: expect.stringContaining('SAT_LISTAS_URLS') });

    for (const { id } of bad) faults.remove(id);
    for (const clave of ['firmes', 'csd', 'cancelados']) {
      expect(await order('cargar', clave)).toEqual([{ lista: clave, pedida: true, forzar: false }]);
    }
    await waitFor(async () => {
      const all = await estados();
      return (['firmes', 'csd', 'cancelados'] as const).every((clave) => all.get(clave)?.filas) || null;
    });

    const folder = await mkdtemp(join(tmpdir(), 'acuse-listas-'));
    try {
      const path = join(folder, 'Exigibles.csv');
      const source = `${servicio.simulador.url}/wu1agsprosta001/agsc-publicaciones/Datos_abiertos/Documents_AGR/Exigibles.csv`;
      await writeFile(path, Buffer.from(await (await fetch(source)).arrayBuffer()));
      await expect(order('importar', 'exigibles', path)).rejects.toThrow('--fecha');
      await expect(order('importar', 'exigibles', path, '--fecha', '2026-02-30')).rejects.toThrow('AAAA-MM-DD');
      await expect(order('importar', 'exigibles', path, '--fecha', '2026-11-01')).rejects.toThrow('LISTA_MENGUADA');
      await expect(order('importar', 'firmes', path, '--fecha', '2026-11-08', '--forzar')).rejects.toThrow(
        'otra lista',
      );
      await expect(order('importar', 'nada', path)).rejects.toThrow('condonados-21');
      await expect(order('importar', 'exigibles', join(folder, 'no.csv'), '--fecha', '2026-11-01')).rejects.toThrow(
        'no.csv',
      );
      expect(await order('importar', 'exigibles', path, '--fecha', '2026-11-01', '--forzar')).toMatchObject([
        { lista: 'exigibles', resultado: 'CARGADA', fecha_corte: '2026-11-01', filas: 120 },
      ]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    expect(await order('estado', 'exigibles')).toMatchObject([
      { vigente: { fuente: 'archivo:Exigibles.csv', filas: 120 }, intentos: [{ resultado: 'CARGADA' }, {}, {}] },
    ]);
    const audited = await servicio.db.pool.query(
      "SELECT actor, detalle FROM auditoria WHERE accion = 'importar-lista'",
    );
    expect(audited.rows).toEqual([
      { actor: 'operador:cli', detalle: { lista: 'exigibles', fuente: 'archivo:Exigibles.csv', filas: 120 } },
    ]);
  });
});
