import { createCargaListas } from '@acuse/listas/db';
import { DIRECCIONES_LISTADOS } from '@acuse/listas/lectura';
import { expect } from 'vitest';
import { CONSULTAS, costOf, newCallerFor, type TestCase } from '../../fixtures/consultas.ts';
import { type Efirma, issueEfirma, newEfirmaCaller } from '../../fixtures/efirma.ts';
import { askFor, llamadas, saldoDe, uuidsDelSat } from '../../fixtures/pedidos.ts';
import {
  type Answer,
  type Caller,
  ciecOf,
  expectOk,
  type Servicio,
  waitFor,
  waitForEnd,
} from '../../fixtures/servicio.ts';
import { facturasOf, retencionesOf, rowsOf } from '../verdad.ts';
import {
  codigoDesconocido,
  efirmaPorElPortal,
  lateExport,
  porElPortal,
  retencionesPorElPortal,
  retencionesPorElServicio,
  vacioAlPedir,
  vacioFalso,
} from './canales.ts';
import { expectEnProceso, expectMillion, expectSegundo } from './descargas.ts';

import { efirmaRevocada, efirmaVencida } from './efirma.ts';
import { ANIO, codigo, HURRIED, type Prueba, SALDO } from './prueba.ts';

/**
 * Asks everything that has a cost and asks the authority, each with an account of its own; `judge` looks at answer and
 * balance.
 */
async function ask(
  servicio: Servicio,
  rfc: string,
  judge: (answer: Answer, saldo: number, name: string, asked: number) => void,
  isAsked: (testCase: TestCase) => boolean = () => true,
): Promise<void> {
  // One e.firma serves all accounts: making a pair of keys is most of the work of such a query.
  let efirma: Efirma | undefined;
  for (const [path, testCase] of CONSULTAS.filter(([, one]) => isAsked(one))) {
    if (testCase.credencial === 'efirma') efirma ??= await issueEfirma(servicio, { rfc });
    const caller = await (testCase.credencial === 'efirma' && efirma
      ? newEfirmaCaller(servicio, { rfc, saldo: SALDO, efirma })
      : newCallerFor(servicio, testCase, SALDO, rfc));
    // Each query is judged by its own answer, not by a breaker that the one before opened.
    await servicio.db.pool.query('DELETE FROM estado_host');
    const before = llamadas(servicio, { rfc }).length;
    const answer = await caller.call(path, testCase.body(servicio, caller));
    const asked = llamadas(servicio, { rfc }).length - before;
    judge(answer, await saldoDe(servicio, caller), `${path} ${testCase.credencial}`, asked);
  }
}

const isRight = (answer: Answer, saldo: number, name: string) =>
  expect([name, ...codigo(answer), saldo, answer.body.data]).toEqual([
    name,
    200,
    1,
    SALDO - costOf(answer.body.data),
    expect.any(Object),
  ]);

const isUnavailable = (answer: Answer, saldo: number, name: string) => {
  expect([name, ...codigo(answer), saldo]).toEqual([name, 503, 5041, SALDO]);
  expect(answer.body.data).toEqual({ motivo: expect.any(String), reintentar_en: expect.any(Number) });
};

/** What a list with rows says beside them. */
const conRenglones = (credencial: 'ciec' | 'efirma') => ({
  siguiente: null,
  confianza: 'confirmado',
  reembolsada: false,
  canal: 'portal',
  credencial,
});

/** What an empty one says that was asked for by CIEC alone. */
const NADIE_MAS = { ...conRenglones('ciec'), confianza: 'sin_confirmar', reembolsada: true };

/** The lists of the two kinds of CFDI are exactly the simulated authority's. */
async function expectLists(servicio: Servicio, caller: Caller, cuantas?: number): Promise<void> {
  const facturas = facturasOf(servicio, caller.rfc, ANIO);
  if (cuantas !== undefined) expect(facturas).toHaveLength(cuantas);
  const list = (path: string, body: object) => expectOk(caller.call(path, { rfc: caller.rfc, ...body }));
  expect(await list('tax/facturas', ANIO)).toEqual({
    total: facturas.length,
    items: facturas,
    ...conRenglones('ciec'),
  });
  const retenciones = retencionesOf(servicio, caller.rfc, 2025);
  expect(await list('tax/retenciones', { ejercicio: 2025 })).toEqual({
    total: retenciones.length,
    items: retenciones,
    ...(retenciones.length > 0 ? conRenglones('ciec') : NADIE_MAS),
  });
  expect(await saldoDe(servicio, caller)).toBe(retenciones.length > 0 ? 8 : 9);
}

const lento: Prueba = async ({ relaxed, hurried }, rfc) => {
  await ask(relaxed, rfc, isRight);
  await expectLists(relaxed, await relaxed.newCiecCaller({ rfc }));
  // A year of retenciones takes more calls than fit into this one's time.
  const caller = await hurried.newCiecCaller({ rfc, saldo: SALDO });
  const answer = await caller.call('tax/retenciones', { rfc, ejercicio: 2025 });
  isUnavailable(answer, await saldoDe(hurried, caller), 'tax/retenciones');
};

/**
 * Every query fails, whatever it is asked with, and the authority was really asked. It opens the breakers of all hosts.
 */
const down: Prueba = async ({ propio }, rfc) => {
  const servicio = await propio();
  await ask(servicio, rfc, (answer, saldo, name, asked) => {
    isUnavailable(answer, saldo, name);
    expect([name, asked > 0]).toEqual([name, true]);
  });
  const free = await servicio.newCaller({ saldo: 0 });
  expect(codigo(await free.call('tax/opinion-cumplimiento-publica', { rfc }))).toEqual([503, 5041]);
};

/**
 * All at once, because each takes all of its time, and all connections to a host. The answer of the simulated authority
 * would take longer than the test may.
 */
const colgado: Prueba = async ({ propio }, rfc) => {
  const hurried = await propio({ apiEnv: HURRIED });
  await Promise.all(
    CONSULTAS.map(async ([path, testCase]) => {
      const caller = await newCallerFor(hurried, testCase, SALDO, rfc);
      const answer = await caller.call(path, testCase.body(hurried, caller));
      isUnavailable(answer, await saldoDe(hurried, caller), `${path} ${testCase.credencial}`);
    }),
  );
  expect(llamadas(hurried, { rfc }).length).toBeGreaterThan(0);
};

/** The pages behind a log-in fail; what has no log-in or comes from the bulk service does not. */
const brokenAccount: Prueba = async ({ propio }, rfc) => {
  const servicio = await propio();
  const isShown = (path: string) => /^tax\/(?!retenciones)/.test(path);
  const shown = new Set(CONSULTAS.filter(([path]) => isShown(path)).map(([, testCase]) => testCase));
  await ask(servicio, rfc, isUnavailable, (testCase) => shown.has(testCase));
};

const wrongCiec: Prueba = async ({ relaxed }, rfc) => {
  const caller = await relaxed.newCiecCaller({ rfc });
  const entries = () => llamadas(relaxed, { rfc }, 'EntrarCiec').length;
  const bodies = [
    ['tax/facturas', { rfc, ...ANIO }],
    ['tax/facturas', { rfc, ...ANIO }],
    ['tax/retenciones', { rfc, ejercicio: 2025 }],
    ['tax/opinion-cumplimiento', { rfc }],
    ['tax/notificaciones', { rfc }],
  ] as const;
  for (const stored of [1, 2]) {
    for (const [path, body] of bodies) expect(codigo(await caller.call(path, body))).toEqual([400, 4004]);
    expect(entries()).toBe(stored);
    await expectOk(caller.call('vault/rfc-guardar', { rfc, ciec: ciecOf(rfc) }));
  }
  expect(await saldoDe(relaxed, caller)).toBe(10);
};

const captcha: Prueba = async ({ relaxed }, rfc) => {
  const caller = await relaxed.newCiecCaller({ rfc });
  await expectOk(caller.call('tax/facturas', { rfc, desde: '2026-03-01', hasta: '2026-03-01' }));
  expect(llamadas(relaxed, { rfc }, 'EntrarCiec')).toHaveLength(3);
  await expectLists(relaxed, await relaxed.newCiecCaller({ rfc }));
  await ask(relaxed, rfc, isRight, ({ credencial }) => credencial === 'ciec');
};

const vacio: Prueba = async ({ relaxed }, rfc) => {
  const SIN_CONFIRMAR = { total: 0, items: [], confianza: 'sin_confirmar', reembolsada: true };
  const empty = (answer: Answer, saldo: number, name: string) =>
    expect([name, ...codigo(answer), saldo, answer.body.data]).toEqual([
      ...[name, 200, 1, SALDO],
      expect.objectContaining(SIN_CONFIRMAR),
    ]);
  const lists = [
    'tax/facturas',
    'tax/facturas-fiel',
    'tax/retenciones',
    'tax/comunicados',
    'tax/notificaciones',
    'tax/declaraciones-fiel',
  ];
  for (const [path, testCase] of CONSULTAS.filter(([one]) => lists.includes(one))) {
    const caller = await newCallerFor(relaxed, testCase, SALDO, rfc);
    const answer = await caller.call(path, testCase.body(relaxed, caller));
    empty(answer, await saldoDe(relaxed, caller), `${path} ${testCase.credencial}`);
  }
  const caller = await newEfirmaCaller(relaxed, { rfc });
  const id = await askFor(caller, { tipo: 'recibidos', ...ANIO });
  expect(await waitForEnd(caller, id)).toMatchObject({ estado: 'TERMINADA', registros: 0 });
  await expectOk(caller.call('vault/rfc-guardar', { rfc, ciec: ciecOf(rfc) }));
  const data = await expectOk(caller.call('tax/facturas', { rfc, ...ANIO }));
  expect(data).toMatchObject({ total: 0, confianza: 'confirmado', reembolsada: false });
};

const expect501: Prueba = async ({ relaxed }, rfc) => {
  await expectLists(relaxed, await relaxed.newCiecCaller({ rfc }), 501);
  const caller = await newEfirmaCaller(relaxed, { rfc });
  const data = await expectOk(caller.call('tax/facturas-fiel', { rfc, ...ANIO }));
  expect(data).toEqual({ total: 501, items: facturasOf(relaxed, rfc, ANIO), ...conRenglones('efirma') });
  const id = await askFor(caller, { tipo: 'recibidos', ...ANIO });
  expect(await waitForEnd(caller, id)).toMatchObject({ estado: 'TERMINADA', registros: 501 });
  expect(uuidsDelSat(relaxed, rfc, { tipo: 'recibidos', ...ANIO })).toHaveLength(501);
  expect(await saldoDe(relaxed, caller)).toBe(8);
};

const opinion: Prueba = async ({ relaxed }, rfc, magia) => {
  const ciec = await relaxed.newCiecCaller({ rfc });
  const data = await expectOk(ciec.call('tax/opinion-cumplimiento', { rfc }));
  expect(data).toMatchObject({ rfc, opinion: magia.opinion, motivo: expect.stringMatching(/./), saldo: 9 });
  const efirma = await newEfirmaCaller(relaxed, { rfc });
  const signed = await expectOk(efirma.call('tax/opinion-cumplimiento-fiel', { rfc }));
  expect(signed).toMatchObject({ rfc, opinion: magia.opinion, motivo: data['motivo'] });
  expect((await fetch(String(signed['pdf_firmado_url']))).status).toBe(200);
  const free = await relaxed.newCaller({ saldo: 0 });
  const published = await expectOk(free.call('tax/opinion-cumplimiento-publica', { rfc }));
  expect(published).toMatchObject({ rfc, opinion: magia.opinion });
  expect([await saldoDe(relaxed, ciec), await saldoDe(relaxed, efirma)]).toEqual([9, 9]);
};

const listado: Prueba = async ({ relaxed }, rfc, { respuesta, efecto, listado69b = [] }) => {
  await waitFor(async () => (await createCargaListas(relaxed.db).estado()).vigente);
  const caller = await relaxed.newCaller({ saldo: SALDO });
  const data = await expectOk(caller.call('efos/consultar', { rfc }));
  expect([data['en_efos'], respuesta]).toEqual([/^en_efos (true|false)/.exec(respuesta)?.[1] === 'true', respuesta]);
  const shown = listado69b.filter(({ isMasked }) => !isMasked);
  const words = (data['historial'] as { situacion: string }[]).map(({ situacion }) => situacion);
  expect(words).toEqual(shown.flatMap(({ antes, situacion }) => [...antes, situacion]));
  expect(data['situacion']).toBe(shown.at(-1)?.situacion ?? null);
  expect(await saldoDe(relaxed, caller)).toBe(SALDO);

  const [row] = rowsOf(relaxed, rfc, { desde: '2025-01-01', hasta: '2025-12-31' }, 'emitidos').filter(
    ({ tercero }) => tercero === null,
  );
  const cfdi = await expectOk(
    caller.call('descarga/consulta-cfdi', {
      rfc_emisor: rfc,
      rfc_receptor: row?.rfcReceptor,
      uuid: row?.uuid,
      total: Number(row?.monto),
    }),
  );
  expect(cfdi['validacion_efos']).toBe(/ValidacionEFOS (\d{3})/.exec(efecto)?.[1]);
  expect(await saldoDe(relaxed, caller)).toBe(SALDO - 1);
};

/** Those that are loaded by themselves, but for 69-B. */
const OTRAS_LISTAS = Object.keys(DIRECCIONES_LISTADOS).length - 1;

const enOtras: Prueba = async ({ relaxed }, rfc) => {
  const caller = await relaxed.newCaller({ saldo: 0 });
  const data = await waitFor(async () => {
    const { body } = await caller.call('efos/consultar', { rfc });
    const { length = 0 } = (body.data?.['listas_consultadas'] as unknown[] | undefined) ?? [];
    return length === OTRAS_LISTAS ? (body.data ?? null) : null;
  });
  expect(data['en_efos']).toBe(false);
  expect((data['listas'] as { archivo: string }[]).map(({ archivo }) => archivo)).toEqual([
    'firmes',
    'no-localizados',
    'csd',
  ]);
};

/** One for each row of the table of magic RFCs, by its key. */
export const ESPERADO: Readonly<Record<string, Prueba>> = {
  lento,
  colgado,
  atorado: expectEnProceso,
  'ciec incorrecta': wrongCiec,
  captcha,
  caído: down,
  html: down,
  vacío: vacio,
  'vacío falso': vacioFalso,
  'servicio vacío': porElPortal,
  'vacío al pedir': vacioAlPedir,
  'cinco mil diez': codigoDesconocido,
  'rechazo 305': efirmaPorElPortal,
  'rechazo 305 pasajero': efirmaPorElPortal,
  'retenciones sin servicio': retencionesPorElPortal,
  'retenciones sin portal': retencionesPorElServicio,
  'ochenta horas': lateExport,
  'nueve días': lateExport,
  'cuenta averiada': brokenAccount,
  'quinientos uno': expect501,
  segundo: expectSegundo,
  millón: expectMillion,
  negativa: opinion,
  suspensión: opinion,
  'sin obligaciones': opinion,
  'no inscrito': opinion,
  presunto: listado,
  desvirtuado: listado,
  definitivo: listado,
  'sentencia favorable': listado,
  historial: listado,
  reincidente: listado,
  enmascarado: listado,
  incumplido: enOtras,
  'e.firma vencida': efirmaVencida,
  'e.firma revocada': efirmaRevocada,
};
