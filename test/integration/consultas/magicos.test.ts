import { MAGIAS } from '@acuse/simulador';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { brokenInvariants } from '../fixtures/database.ts';
import { crearBucket } from '../fixtures/objetos.ts';
import { startServicio } from '../fixtures/servicio.ts';
import { ESPERADO, type Servicios } from './magicos/esperado.ts';

/** Both kinds of person differ in nothing that the outcome depends on: the second one runs when all faults do. */
const PERSONAS = inject('isThorough') === true ? (['moral', 'fisica'] as const) : (['moral'] as const);

let servicios: Servicios;
beforeAll(async () => {
  const [holgado, apurado] = await Promise.all([
    startServicio({ simulador: { ms_lento: 60 }, workerEnv: { LISTAS_INTERVAL_MS: '100' } }),
    startServicio({
      apiEnv: { SAT_PRESUPUESTO_MS: '4000', SAT_POR_RFC: '16' },
      workerEnv: { SAT_POLL_MAX_SECONDS: '0.2', WORKER_ROLES: 'descargas,ensambles,relay,reconciler' },
    }),
  ]);
  servicios = { holgado, apurado };
  await Promise.all([holgado, apurado].map((servicio) => servicio.startWorker()));
  await crearBucket(holgado);
});
afterAll(async () => {
  await servicios?.holgado.close();
  await servicios?.apurado.close();
});

it('each magic RFC of the table has something to prove, and nothing else has', () => {
  expect(Object.keys(ESPERADO).sort()).toEqual(MAGIAS.map(({ clave }) => clave).sort());
});

describe.each(MAGIAS)('$clave: $respuesta', (magia) => {
  it.each(PERSONAS.map((persona) => [persona, magia[persona]] as const))(
    '%s %s',
    async (_persona, rfc) => {
      const prueba = ESPERADO[magia.clave];
      if (prueba === undefined) throw new Error(`nothing proves "${magia.clave}"`);
      await prueba(servicios, rfc, magia);
      for (const { db } of Object.values(servicios)) expect(await brokenInvariants(db)).toEqual([]);
    },
    700_000,
  );
});
