import { createCargaListas } from '@acuse/listas/db';
import { beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../../apps/api/test/kit.ts';
import type { Fila } from '../../contract/fila.ts';
import { TABLA } from '../../contract/tabla.ts';
import { CONSULTAS, costOf, newCallerFor, type TestCase, WAYS } from '../fixtures/consultas.ts';
import { createBucket } from '../fixtures/objetos.ts';
import { saldoDe, UN_DIA } from '../fixtures/pedidos.ts';
import { expectOk, LISTAS_TOO, useServicio, waitFor, waitForEnd } from '../fixtures/servicio.ts';
import { CONTRIBUYENTES, hoy } from './verdad.ts';

const [MORAL] = CONTRIBUYENTES[0];
const texto = expect.any(String);
const fecha = expect.stringMatching(/^\d{4}-\d\d-\d\d$/);
const instante = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/);
const opinion = expect.stringMatching(/^[A-Z_]+$/);
const uuid = expect.stringMatching(/^[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}$/i);

/** What an element of a list holds, by the type that the table of the specification gives its field. */
const TIPOS = {
  string: texto,
  number: expect.any(Number),
  integer: expect.any(Number),
  boolean: expect.any(Boolean),
  date: fecha,
};
const elementoDe = (elementos: Fila['elementos'] = {}) =>
  Object.fromEntries(Object.entries(elementos).map(([campo, tipo]) => [campo, campo === 'uuid' ? uuid : TIPOS[tipo]]));

/** The fields of the specification (Resources and their fields), by operation; for a list, those of an element. */
const CAMPOS: Readonly<Record<string, object>> = {
  ...Object.fromEntries(TABLA.flatMap(({ path, elementos }) => (elementos ? [[path, elementoDe(elementos)]] : []))),
  'descarga/consulta-cfdi': { uuid, estado: texto, total: TIPOS.number },
  'tax/descarga-metadata': { solicitud_id: texto, estado: 'EN_PROCESO' },
  'tax/informacion-fiscal': { rfc: texto, regimenes: expect.any(Array), obligaciones: expect.any(Array) },
  'tax/opinion-cumplimiento': { rfc: texto, opinion, fecha_consulta: instante, saldo: 1 },
  'tax/opinion-cumplimiento-fiel': { rfc: texto, opinion, pdf_firmado_url: texto },
  'tax/opinion-cumplimiento-publica': { rfc: texto, opinion, fecha_publicacion: instante },
  'usuario/datos-fiscales': {
    rfc: texto,
    nombre: texto,
    regimen_fiscal: expect.stringMatching(/^\d{3} - /),
    domicilio: { calle: texto, colonia: texto, municipio: texto, estado: texto, cp: texto },
    fecha_inicio_operaciones: fecha,
    estatus: texto,
  },
  'efos/consultar': { rfc: texto, en_efos: false, en_edos: false, fecha_consulta: instante },
  'efos/consultar-lote': { rfc: texto, en_efos: false, en_edos: false, listas: [] },
};

/** Longer than those of the table where a single day may have nothing. */
const CUERPOS: Readonly<Record<string, TestCase['body']>> = {
  ...Object.fromEntries(CONSULTAS.map(([path, { body }]) => [path, body])),
  'tax/comunicados': (_servicio, { rfc }) => ({ rfc, desde: hoy(-360), hasta: hoy() }),
  'tax/facturas': (_servicio, { rfc }) => ({ rfc, desde: '2025-05-01', hasta: '2025-05-31' }),
  'tax/facturas-fiel': (_servicio, { rfc }) => ({ rfc, desde: '2025-05-01', hasta: '2025-05-31' }),
  'tax/descarga-metadata': (_servicio, { rfc }) => ({ rfc, ...UN_DIA, desde: '2025-05-01' }),
  'tax/opinion-cumplimiento-publica': (_servicio, { rfc }) => ({ rfc }),
  'efos/consultar': (_servicio, { rfc }) => ({ rfc }),
  'efos/consultar-lote': (_servicio, { rfc }) => ({ rfcs: [rfc, rfc] }),
};

const todas = (await operations()).filter(
  ({ path, asks }) => asks.length > 0 || path.startsWith('efos/') || path.startsWith('tax/'),
);
const CASES = todas.flatMap(({ path, accepts, cost }) =>
  WAYS[accepts].flatMap((credencial) =>
    CONTRIBUYENTES.map(([persona, rfc]) => ({ path, credencial, cost, persona, rfc })),
  ),
);

const servicio = useServicio({ workerEnv: LISTAS_TOO });
beforeAll(async () => {
  await createBucket(servicio);
  await servicio.startWorker();
  for (const [, rfc] of CONTRIBUYENTES)
    servicio.simulador.world.taxpayers.change(rfc, { perfil: { opinion: { autorizaPublicacion: true } } });
  await waitFor(async () => (await createCargaListas(servicio.db).estado()).vigente);
});

it('every operation that asks the authority is here, in each way that it accepts', () => {
  const listed = Object.keys(CAMPOS).filter(
    (path) => !/^(webhooks|sincronizacion|cfdi|riesgo|conexion|llamadas)\//.test(path),
  );
  expect(todas.map(({ path }) => path).sort()).toEqual(listed.sort());
  expect(Object.keys(CUERPOS).sort()).toEqual(listed.sort());
  expect(CASES.filter(({ persona }) => persona === MORAL)).toHaveLength(CASES.length / 2);
});

describe.each(CASES)('$path, $credencial, $persona', ({ path, credencial, cost, rfc }) => {
  it('answers what the specification says, and costs what it says', async () => {
    const body = CUERPOS[path];
    if (body === undefined) throw new Error(`nothing to ask ${path}`);
    const caller = await newCallerFor(servicio, { credencial, body }, 2, rfc);
    const data = await expectOk(caller.call(path, body(servicio, caller)));
    expect(await saldoDe(servicio, caller)).toBe(2 - cost * costOf(data));
    const { items } = data;
    if (Array.isArray(items)) {
      expect(data['total']).toBe(items.length);
      for (const item of items) expect(item).toMatchObject(CAMPOS[path] ?? {});
      if (path.includes('facturas') || path.includes('retenciones')) expect(items.length).toBeGreaterThan(10);
    } else expect(data).toMatchObject(CAMPOS[path] ?? {});
    if (path !== 'tax/descarga-metadata') return;
    const id = String(data['solicitud_id']);
    expect(await waitForEnd(caller, id)).toMatchObject({ estado: 'TERMINADA' });
    expect(await expectOk(caller.call('descarga/paquete', { solicitud_id: id }))).toMatchObject({
      solicitud_id: id,
      paquete_url: texto,
      expira_en: instante,
    });
  });
});
