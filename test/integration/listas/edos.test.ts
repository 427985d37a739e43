import { createListaEdos, createListas } from '@acuse/db';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../fixtures/database.ts';
import { rfcs } from './archivo.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await testDatabase();
});
afterEach(() => database.close());
const listas = () => createListas(database.db);

describe('the EDOS list of the operator', () => {
  const edos = () => createListaEdos(database.db);
  const autor = { actor: 'prueba', ip: null };
  const consultar = async (rfc: string) => (await listas().consultar(rfc)).edos;

  it('answers under its name, is replaced whole, and goes', async () => {
    expect([await edos().estado(), await consultar('AAA010101000')]).toEqual([null, null]);
    await edos().importar({
      fuente: 'Comité de riesgos',
      rfcs: ['AAA010101000', 'AAA010101001', 'AAA010101000'],
      ...autor,
    });
    expect(await edos().estado()).toMatchObject({ fuente: 'Comité de riesgos', rfcs: 2 });
    expect(await consultar('AAA010101000')).toEqual({ fuente: 'Comité de riesgos', estaListado: true });
    expect(await consultar('AAA010101002')).toEqual({ fuente: 'Comité de riesgos', estaListado: false });
    await edos().importar({ fuente: 'Otra', rfcs: ['AAA010101002'], ...autor });
    expect(await consultar('AAA010101000')).toEqual({ fuente: 'Otra', estaListado: false });
    expect([await edos().borrar(autor), await edos().borrar(autor), await consultar('AAA010101002')]).toEqual([
      true,
      false,
      null,
    ]);
    const { rows } = await database.db.pool.query('SELECT actor, accion FROM auditoria ORDER BY id');
    expect(rows.map(({ actor, accion }) => `${actor} ${accion}`)).toEqual([
      'prueba importar-edos',
      'prueba importar-edos',
      'prueba borrar-edos',
    ]);
  });

  it('is of one import, however many come at once', async () => {
    const sources = ['a', 'b', 'c', 'd'];
    await Promise.all(sources.map((fuente, n) => edos().importar({ fuente, rfcs: rfcs(300, n * 1_000), ...autor })));
    const estado = await edos().estado();
    const n = sources.indexOf(estado?.fuente ?? '');
    const { rows } = await database.db.pool.query<{ rfc: string }>('SELECT rfc FROM edos_rfc');
    expect(new Set(rows.map(({ rfc }) => rfc))).toEqual(new Set(rfcs(300, n * 1_000)));
  });
});
