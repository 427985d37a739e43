import { MAGIAS } from '@acuse/simulador';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { brokenInvariants } from '../fixtures/database.ts';
import { createBucket } from '../fixtures/objetos.ts';
import { LISTAS_TOO, type Servicio, startServicio } from '../fixtures/servicio.ts';
import { ESPERADO } from './magicos/esperado.ts';
import { HURRIED, type Servicios } from './magicos/prueba.ts';

/** The test counts calls to the SAT: no worker may lose its claim because the machine stood still. */
const LEASE = { LEASE_SECONDS: '60' };

let comunes: Pick<Servicios, 'relaxed' | 'hurried'>;
beforeAll(async () => {
  const [relaxed, hurried] = await Promise.all([
    startServicio({ simulador: { ms_lento: 60 }, workerEnv: { ...LISTAS_TOO, ...LEASE } }),
    startServicio({
      apiEnv: HURRIED,
      workerEnv: { ...LEASE, SAT_POLL_MAX_SECONDS: '0.2', WORKER_ROLES: 'descargas,ensambles,relay,reconciler' },
    }),
  ]);
  comunes = { relaxed, hurried };
  await Promise.all([relaxed, hurried].map((servicio) => servicio.startWorker()));
  await createBucket(relaxed);
});
afterAll(async () => {
  await comunes?.relaxed.close();
  await comunes?.hurried.close();
});

it('each magic RFC of the table has something to prove, and nothing else has', () => {
  expect(Object.keys(ESPERADO).sort()).toEqual(MAGIAS.map(({ clave }) => clave).sort());
});

/**
 * What a case would spoil for the next ones (breakers, connections, the count of e.firmas shown) it does to a service
 * of its own.
 */
describe.each(MAGIAS)('$clave: $respuesta', { tags: ['slow'], timeout: 700_000 }, (magia) => {
  it.each([
    ['persona moral', magia.moral],
    ['persona física', magia.fisica],
  ])('%s %s', async (_name, rfc) => {
    const prueba = ESPERADO[magia.clave];
    if (prueba === undefined) throw new Error(`nothing proves "${magia.clave}"`);
    const propios: Servicio[] = [];
    const propio: Servicios['propio'] = async (options) => {
      const servicio = await startServicio(options);
      propios.push(servicio);
      return servicio;
    };
    try {
      await prueba({ ...comunes, propio }, rfc, magia);
      for (const { db } of [...Object.values(comunes), ...propios]) expect(await brokenInvariants(db)).toEqual([]);
    } finally {
      await Promise.all(propios.map((servicio) => servicio.close()));
    }
  });
});
