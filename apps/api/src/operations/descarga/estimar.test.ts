import { claveXml } from '@acuse/core';
import { describe, expect, it } from 'vitest';
import { efirmaDe, PASSWORD } from '../../../test/efirma.ts';
import { createKitWithAlta, createKitWithSolicitud, guardaCiec } from '../../../test/kit.ts';
import { noteEsperas } from '../../../test/salud.ts';

const PATH = 'descarga/estimar';
const ENERO = { tipo: 'emitidos', desde: '2026-01-01', hasta: '2026-01-31' } as const;
const resumen = (porMes: Record<string, Record<string, number>>) => ({ porEfecto: {}, porMes, cancelados: 0 });

describe(PATH, () => {
  it('returns nulls without earlier downloads and without a credential, free of charge', async () => {
    const { kit, a } = await createKitWithAlta();
    const ask = async (rest = {}) =>
      (await kit.call(PATH, { rfc: a.rfc, ...ENERO, ...rest }, { key: a.key })).json.data;
    expect(await ask()).toEqual({
      rfc: a.rfc,
      base: 'sin_datos',
      registros: null,
      bytes: null,
      canal: null,
      motivo: expect.stringContaining('Guarde la CIEC'),
      solicitudes_sat: null,
      estimacion: null,
      cuota_portal: null,
      iguales_restantes: null,
      creditos: 1,
      cuotas_sat: {
        xml_hoy: 0,
        xml_por_dia: 2_000,
        peticiones_xml: 0,
        peticiones_xml_agotadas: 0,
        peticiones_iguales: 2,
        paquetes: 0,
        paquetes_agotados: 0,
        descargas_por_paquete: 2,
      },
    });
    await guardaCiec(kit, a);
    await noteEsperas(kit, 'portal', 'emitidos');
    await kit.setNow(new Date(kit.now().getTime() + 60_000));
    expect(await ask({ contenido: 'xml' })).toMatchObject({
      base: 'sin_datos',
      canal: 'portal',
      motivo: null,
      solicitudes_sat: 2,
      estimacion: { muestras: 50 },
      cuota_portal: { por_dia: 2_000, quedan_hoy: 2_000, dias: null },
    });
    expect(await kit.saldo(a)).toBe(10);
  });

  it('counts the months of earlier downloads, and the others as they were', async () => {
    const done = { estado: 'TERMINADA', registros: 3_100, bytes: 310_000 };
    const { kit, a, set } = await createKitWithSolicitud({
      ...done,
      resumen: resumen({ '2026-01': { I: 3_000, P: 100 } }),
    });
    const ask = async (rest: object) =>
      (await kit.call(PATH, { rfc: a.rfc, ...ENERO, ...rest }, { key: a.key })).json.data;
    expect(await ask({})).toMatchObject({ base: 'historial', registros: 3_100, bytes: 310_000, solicitudes_sat: 1 });
    expect(await ask({ hasta: '2026-01-10' })).toMatchObject({ registros: 1_000, bytes: 100_000 });
    expect(await ask({ hasta: '2026-02-28' })).toMatchObject({ registros: 5_900 });
    expect(await ask({ tipo_comprobante: 'P' })).toMatchObject({ registros: 100 });
    expect(await ask({ tipo: 'recibidos' })).toMatchObject({ base: 'sin_datos', registros: null });
    await kit.sql`INSERT INTO cuota_sat (rfc, clave, tomadas) VALUES (${`pruebas:${a.rfc}`}, 'dia:2026-11-20', 1500)`;
    expect(await ask({ contenido: 'xml' })).toMatchObject({
      registros: 3_100,
      bytes: 3_100 * 1_200,
      // The metadata, and searches of 1, 2, 4 and 8 pieces of more than 500 rows, the last of 388.
      solicitudes_sat: 1 + 15,
      cuota_portal: { quedan_hoy: 500, dias: 3 },
      cuotas_sat: { xml_hoy: 1_500, iguales_hechas: 0 },
      iguales_restantes: null,
    });
    expect(await ask({ formato: 'parquet' })).toMatchObject({ registros: 3_100, bytes: 3_100 * 200 });
    await set({ filtros: { estado_comprobante: 'cancelado' } });
    expect(await ask({})).toMatchObject({ registros: null });
    expect(await ask({ estado_comprobante: 'cancelado' })).toMatchObject({ registros: 3_100 });
  });

  it('counts the remaining equal requests of XML at the web service, by their filters', async () => {
    const { kit, a } = await createKitWithAlta();
    const { cer, key } = efirmaDe(a.rfc);
    const [certificado, llave] = [cer, key].map((bytes) => bytes.toString('base64'));
    await kit.call('vault/firma-registrar', { rfc: a.rfc, cer: certificado }, { key: a.key });
    await kit.call('vault/firma-guardar', { rfc: a.rfc, key: llave, password: PASSWORD }, { key: a.key });
    const filtros = { estado_comprobante: 'vigente', complemento: 'pagos20' } as const;
    const enero = { inicio: '2026-01-01T00:00:00', fin: '2026-01-31T23:59:59' };
    const clave = claveXml('emitidos', enero, filtros);
    await kit.sql`INSERT INTO cuota_sat (rfc, clave, tomadas) VALUES (${`pruebas:${a.rfc}`}, ${clave}, 2)`;
    const ask = async (rest: object) =>
      (await kit.call(PATH, { rfc: a.rfc, ...ENERO, contenido: 'xml', ...rest }, { key: a.key })).json.data;
    const base = { canal: 'soap', solicitudes_sat: 2, cuota_portal: null };
    expect(await ask({})).toMatchObject({ ...base, iguales_restantes: 2 });
    const cuotas_sat = { iguales_hechas: 2, peticiones_xml: 1, peticiones_xml_agotadas: 1 };
    expect(await ask(filtros)).toMatchObject({ ...base, iguales_restantes: 0, cuotas_sat });
  });

  it.each([
    [{ hasta: '2025-12-31' }, 'desde'],
    [{ complemento: 'pago20' }, 'complemento'],
    [{ tipo: 'recibidos', rfc_contraparte: ['EKU9003173C9', 'XIQB891116QE4'] }, 'rfc_contraparte'],
    [{ tipo: 'recibidos', contenido: 'xml', estado_comprobante: 'cancelado' }, 'contenido'],
  ])('refuses what a download would refuse: %j', async (rest, campo) => {
    const { kit, a } = await createKitWithAlta();
    const { status, json } = await kit.call(PATH, { rfc: a.rfc, ...ENERO, ...rest }, { key: a.key });
    expect([status, json.data?.['campo']]).toEqual([400, campo]);
  });
});
