import { randomUUID } from 'node:crypto';
import { createLibro } from '@acuse/db';
import { describe, expect, it, onTestFinished } from 'vitest';
import { TABLA } from '../../contract/tabla.ts';
import { eachAtLength } from '../fixtures/at-length.ts';
import { abiertas, CONSULTAS, libroDe, newCallerFor } from '../fixtures/consultas.ts';
import { newEfirmaCaller } from '../fixtures/efirma.ts';
import { fail, llamadas, saldoDe } from '../fixtures/pedidos.ts';
import { type Caller, ciecOf, expectOk, type Servicio, useServicio } from '../fixtures/servicio.ts';
import { comunicadosOf, declaracionesDe, facturasOf, hoy, notificacionesOf, retencionesOf } from './verdad.ts';

const FALSO = 'FAL900215SIA';
const FALSO_TAMBIEN = 'FALS900215SI1';
const VACIO = 'VAC900215SI6';
const SOLO_PORTAL = 'WEB900215SI4';

const MARZO = { desde: '2025-03-01', hasta: '2025-03-31' };
const ANIO = { desde: hoy(-360), hasta: hoy() };

/** What the simulated authority has for each list, and how it is asked. */
const testCases = (servicio: Servicio, rfc: string) =>
  ({
    comunicados: [ANIO, comunicadosOf(servicio, rfc, ANIO)],
    'declaraciones-fiel': [{ ejercicio: 2024 }, declaracionesDe(servicio, rfc, 2024)],
    facturas: [MARZO, facturasOf(servicio, rfc, MARZO)],
    'facturas-fiel': [MARZO, facturasOf(servicio, rfc, MARZO)],
    notificaciones: [{}, notificacionesOf(servicio, rfc)],
    retenciones: [{ ejercicio: 2025 }, retencionesOf(servicio, rfc, 2025)],
  }) as const;

type Lista = keyof ReturnType<typeof testCases>;
const LISTAS = new Set(TABLA.filter(({ elementos }) => elementos !== undefined).map(({ path }) => path));
/** Every list in each way that it can be asked with one credential. */
const CON_UNA = CONSULTAS.flatMap(([path, { credencial }]) =>
  LISTAS.has(path) && (credencial === 'ciec' || credencial === 'efirma')
    ? [[path.slice('tax/'.length) as Lista, credencial] as const]
    : [],
);
const NADA = { total: 0, items: [], siguiente: null };
const SIN_CONFIRMAR = { ...NADA, confianza: 'sin_confirmar', reembolsada: true };
const conUna = (servicio: Servicio, rfc: string, credencial: 'ciec' | 'efirma') =>
  newCallerFor(servicio, { credencial, body: () => ({}) }, 5, rfc);

describe('an empty list of the SAT, true or not', { timeout: 120_000 }, () => {
  const servicio = useServicio();

  const conAmbas = async (rfc: string): Promise<Caller> => {
    const caller = await newEfirmaCaller(servicio, { rfc, saldo: 5 });
    await expectOk(caller.call('vault/rfc-guardar', { rfc, ciec: ciecOf(rfc) }));
    return caller;
  };
  const entradas = (rfc: string) => llamadas(servicio, { rfc }, 'EntrarCiec').length;
  const ask = (caller: Caller, lista: Lista, headers = {}) =>
    caller.call(`tax/${lista}`, { rfc: caller.rfc, ...testCases(servicio, caller.rfc)[lista][0] }, headers);
  const expectPaid = async (caller: Caller, lista: Lista) => {
    expect(await libroDe(servicio, caller)).toEqual([`cargo -1 tax/${lista}`]);
    expect([await saldoDe(servicio, caller), await abiertas(servicio)]).toEqual([4, 0]);
  };
  const expectGivenBack = async (caller: Caller, lista: Lista) => {
    expect(await libroDe(servicio, caller)).toEqual([`cargo -1 tax/${lista}`, `reembolso 1 tax/${lista}`]);
    expect([await saldoDe(servicio, caller), await abiertas(servicio)]).toEqual([5, 0]);
  };
  const expectRows = async (caller: Caller, lista: Lista, camino: object) => {
    const rows = testCases(servicio, caller.rfc)[lista][1];
    expect(rows.length).toBeGreaterThan(0);
    const data = await expectOk(ask(caller, lista));
    expect(data).toMatchObject({ total: rows.length, confianza: 'confirmado', reembolsada: false, ...camino });
    // A message has no id in its page.
    expect(data['items']).toMatchObject(rows);
  };

  eachAtLength([
    ['comunicados', FALSO_TAMBIEN, 'ciec'],
    ['notificaciones', FALSO_TAMBIEN, 'ciec'],
    ['facturas', FALSO, 'efirma'],
  ] as const)(
    '%s: rows that the other credential shows are the answer, and are charged',
    async (lista, rfc, credencial) => {
      const caller = await conAmbas(rfc);
      const before = entradas(rfc);
      await expectRows(caller, lista, { canal: 'portal', credencial });
      await expectPaid(caller, lista);
      expect(entradas(rfc)).toBe(before + 1);
    },
  );

  it('retenciones: rows of the portal are the answer when the web service has none', async () => {
    const caller = await conAmbas(SOLO_PORTAL);
    // The portal fails once, and stands behind the web service from then on.
    const { id } = fail(servicio, caller, { service: 'prodretencioncontribuyente', kind: 'status' });
    expect(await expectOk(ask(caller, 'retenciones'))).toEqual({
      ...SIN_CONFIRMAR,
      canal: 'soap',
      credencial: 'efirma',
    });
    await expectGivenBack(caller, 'retenciones');
    servicio.simulador.world.faults.remove(id);
    await expectRows(caller, 'retenciones', { canal: 'portal', credencial: 'ciec' });
    expect(await saldoDe(servicio, caller)).toBe(4);
  });

  it.each([
    ['facturas', FALSO_TAMBIEN, 'ciec', 'portal'],
    ['declaraciones-fiel', FALSO, 'efirma', 'portal'],
    ['retenciones', FALSO, 'ciec', 'portal'],
    ['retenciones', FALSO_TAMBIEN, 'efirma', 'soap'],
  ] as const)(
    '%s of %s by %s alone: rows of the second look are the answer, without a second log-in',
    async (lista, rfc, credencial, canal) => {
      const caller = await conUna(servicio, rfc, credencial);
      const before = entradas(rfc);
      await expectRows(caller, lista, { canal, credencial });
      await expectPaid(caller, lista);
      expect(entradas(rfc) - before).toBeLessThanOrEqual(1);
    },
  );

  eachAtLength(['comunicados', 'facturas', 'notificaciones', 'retenciones'] as const)(
    '%s: none by both credentials is a fact, and is charged',
    async (lista) => {
      const caller = await conAmbas(VACIO);
      const before = entradas(VACIO);
      expect(await expectOk(ask(caller, lista))).toMatchObject({
        ...NADA,
        confianza: 'confirmado',
        reembolsada: false,
      });
      await expectPaid(caller, lista);
      expect(entradas(VACIO) - before).toBeLessThanOrEqual(1);
    },
  );

  eachAtLength(CON_UNA)(
    '%s by %s alone: none is not confirmed, and is given back with the answer',
    async (lista, credencial) => {
      const caller = await conUna(servicio, VACIO, credencial);
      const canal = lista === 'retenciones' && credencial === 'efirma' ? 'soap' : 'portal';
      expect(await expectOk(ask(caller, lista))).toEqual({ ...SIN_CONFIRMAR, canal, credencial });
      await expectGivenBack(caller, lista);
      const filas = await createLibro(servicio.db).page({
        cuentaId: caller.cuentaId,
        filtro: { tipo: 'reembolso' },
        limite: 5,
      });
      expect(filas).toMatchObject([{ operacion: `tax/${lista}`, importe: 1, detalle: 'VACIA_SIN_CONFIRMAR' }]);
    },
  );

  it('is answered again under its Idempotency-Key, and given back once', async () => {
    const caller = await conUna(servicio, VACIO, 'efirma');
    const headers = { 'Idempotency-Key': randomUUID() };
    const [first, again] = [await ask(caller, 'facturas-fiel', headers), await ask(caller, 'facturas-fiel', headers)];
    expect([again.status, again.text, again.headers.get('Idempotent-Replayed')]).toEqual([200, first.text, 'true']);
    expect(first.body.data).toMatchObject(SIN_CONFIRMAR);
    await expectGivenBack(caller, 'facturas-fiel');
  });

  it('is not confirmed, and no error, when the other credential is refused', async () => {
    const caller = await conAmbas(VACIO);
    const { taxpayers } = servicio.simulador.world;
    onTestFinished(() => void taxpayers.change(VACIO, { ciec: ciecOf(VACIO) }));
    taxpayers.change(VACIO, { ciec: 'Otra-Contrasena1' });
    expect(await expectOk(ask(caller, 'notificaciones'))).toMatchObject({ ...SIN_CONFIRMAR, credencial: 'efirma' });
    await expectGivenBack(caller, 'notificaciones');
    const { rows } = await servicio.db.pool.query(
      `SELECT rechazada_portal_en IS NOT NULL AS rechazada FROM credencial WHERE contribuyente_id = $1 AND tipo = 'ciec'`,
      [caller.contribuyenteId],
    );
    expect(rows).toEqual([{ rechazada: true }]);
  });
});
