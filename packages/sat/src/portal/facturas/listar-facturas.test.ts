import type { ListarFacturas, Periodo } from '@acuse/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEfirma } from '../../testing/certificados.ts';
import { ciecDe, errorOf, RFC, setUp } from '../testing/canal-de-prueba.ts';
import { type CfdiDePrueba, cfdi, respuestaCon, serveFacturas } from './testing/portal-con-facturas.ts';

type Montaje = Awaited<ReturnType<typeof setUp>>;

const MARZO: Periodo = { inicio: '2026-03-01T00:00:00', fin: '2026-03-31T23:59:59' };

function listar({ canal }: Montaje, periodo: Periodo = MARZO, options: { maximo?: number; signal?: AbortSignal } = {}) {
  const consulta: ListarFacturas = {
    consulta: 'listar-facturas',
    rfc: RFC,
    periodo,
    maximo: options.maximo ?? 100_000,
  };
  return canal.send(consulta, ciecDe(), { signal: options.signal ?? new AbortController().signal });
}

async function uuidsOf(respuesta: ReturnType<typeof listar>): Promise<string[]> {
  const lista = await respuesta;
  if (lista.resultado !== 'LISTA') throw new Error(lista.resultado);
  return lista.facturas.map(({ uuid }) => uuid);
}

const sorted = (filas: readonly CfdiDePrueba[]) =>
  [...filas]
    .sort((a, b) => (`${a.fechaEmision}${a.uuid}` < `${b.fechaEmision}${b.uuid}` ? -1 : 1))
    .map(({ uuid }) => uuid);

/** `cuantos` CFDI from one second on, `porSegundo` in each. */
function rafaga(cuantos: number, porSegundo: number, desde = '2026-03-05T12:00:00'): CfdiDePrueba[] {
  const start = Date.parse(`${desde}Z`);
  return Array.from({ length: cuantos }, (_, i) => {
    const instante = new Date(start + Math.floor(i / porSegundo) * 1000).toISOString().slice(0, 19);
    return cfdi(i + 1, instante, { estado: i % 3 === 0 ? 'Cancelado' : 'Vigente' });
  });
}

const dias = (montaje: Montaje) =>
  montaje.portal.busquedas.map((campos) => campos.get('ctl00$MainContent$CldFecha$DdlDia'));

describe('listar-facturas', () => {
  it('gives each row of the portal as it is, by date and folio', async () => {
    const montaje = await setUp();
    serveFacturas(montaje.portal, [
      cfdi(2, '2026-03-09T10:00:00', {
        estado: 'Cancelado',
        total: '$0.50',
        emisorRfc: 'ÑAN&80101AB1'.replace('&80', '800'),
      }),
      cfdi(1, '2026-03-05T09:00:01'),
    ]);
    expect(await listar(montaje)).toEqual({
      resultado: 'LISTA',
      facturas: [
        {
          uuid: '00000001-AAAA-4BBB-8CCC-0123456789AB',
          emisorRfc: 'XAXX010101000',
          emisorNombre: 'Pruebas & Ñandúes',
          receptorRfc: RFC,
          receptorNombre: 'Escuela & Kemper',
          fechaEmision: '2026-03-05T09:00:01',
          fechaCertificacion: '2026-03-05T09:00:01',
          pacRfc: 'SPR190613I52',
          total: 1234,
          efecto: 'Ingreso',
          estado: 'VIGENTE',
          estadoCancelacion: null,
          fechaCancelacion: null,
        },
        expect.objectContaining({
          uuid: '00000002-AAAA-4BBB-8CCC-0123456789AB',
          emisorRfc: 'ÑAN800101AB1',
          total: 0.5,
          estado: 'CANCELADO',
          estadoCancelacion: 'Cancelado sin aceptación',
          fechaCancelacion: '2026-03-30T10:00:00',
        }),
      ],
    });
  });

  it.each(['antes', 2023, 2025] as const)('reads the columns of %s', async (juego) => {
    const montaje = await setUp();
    serveFacturas(montaje.portal, [cfdi(1, '2026-03-05T09:00:01', { estado: 'Cancelado' })], { juego });
    expect(await listar(montaje)).toMatchObject({
      facturas: [{ total: 1234, estado: 'CANCELADO', fechaCancelacion: '2026-03-30T10:00:00' }],
    });
  });

  it('asks a month with one search and leaves out what lies outside of the period', async () => {
    const montaje = await setUp();
    const filas = ['01T00:00:00', '04T23:59:59', '05T00:00:00', '20T08:00:00', '20T08:00:01'].map((dia, i) =>
      cfdi(i, `2026-03-${dia}`),
    );
    serveFacturas(montaje.portal, filas);
    const uuids = await uuidsOf(listar(montaje, { inicio: '2026-03-05T00:00:00', fin: '2026-03-20T08:00:00' }));
    expect(uuids).toEqual(sorted(filas.slice(2, 4)));
    expect(dias(montaje)).toEqual(['0']);
  });

  it('goes through months in order, and asks a single day by its hours', async () => {
    const montaje = await setUp();
    const filas = [
      cfdi(1, '2025-12-31T23:59:59'),
      cfdi(2, '2026-01-01T00:00:00'),
      cfdi(3, '2026-01-15T00:00:00'),
      cfdi(4, '2026-02-01T03:00:00'),
      cfdi(5, '2026-02-01T03:00:01'),
    ];
    serveFacturas(montaje.portal, filas);
    const uuids = await uuidsOf(listar(montaje, { inicio: '2025-12-31T00:00:00', fin: '2026-02-01T03:00:00' }));
    expect(uuids).toEqual(sorted(filas.slice(0, 4)));
    expect(dias(montaje)).toEqual(['31', '0', '01']);
  });

  it('answers an empty list when the portal says that there is nothing', async () => {
    const montaje = await setUp();
    serveFacturas(montaje.portal, []);
    expect(await listar(montaje)).toEqual({ resultado: 'LISTA', facturas: [] });
  });

  it('divides 501 CFDI of one minute down to seconds', { tags: ['slow'] }, async () => {
    const montaje = await setUp();
    const filas = rafaga(501, 9);
    serveFacturas(montaje.portal, filas);
    expect(await uuidsOf(listar(montaje))).toEqual(sorted(filas));
  });

  it('divides where 500 rows are shown, even when the portal does not say that there are more', {
    tags: ['slow'],
  }, async () => {
    const montaje = await setUp();
    const filas = rafaga(501, 300);
    serveFacturas(montaje.portal, filas, { diceTope: false });
    expect(await uuidsOf(listar(montaje))).toEqual(sorted(filas));
  });

  it('divides where the portal says that there are more, however few it shows', async () => {
    const montaje = await setUp();
    const filas = rafaga(9, 3);
    serveFacturas(montaje.portal, filas, { tope: 4 });
    expect(await uuidsOf(listar(montaje))).toEqual(sorted(filas));
  });

  it('divides a second by state', async () => {
    const montaje = await setUp();
    const filas = rafaga(9, 9);
    serveFacturas(montaje.portal, filas, { tope: 7 });
    expect(await uuidsOf(listar(montaje))).toEqual(sorted(filas));
  });

  it('gives no part of a list whose rest cannot be had', async () => {
    const montaje = await setUp();
    serveFacturas(montaje.portal, rafaga(9, 9), { tope: 5 });
    expect(await errorOf(listar(montaje))).toMatchObject({ motivo: 'PETICION_RECHAZADA', codigo: 'LIMITE' });
  });

  it('answers DEMASIADAS above the maximum, without asking for the rest', async () => {
    const montaje = await setUp();
    serveFacturas(montaje.portal, rafaga(30, 1));
    expect(await listar(montaje, MARZO, { maximo: 29 })).toEqual({ resultado: 'DEMASIADAS' });
    expect(await listar(montaje, MARZO, { maximo: 30 })).toMatchObject({ resultado: 'LISTA' });
    montaje.portal.busquedas.length = 0;
    serveFacturas(montaje.portal, rafaga(600, 1));
    expect(await listar(montaje, MARZO, { maximo: 499 })).toEqual({ resultado: 'DEMASIADAS' });
    expect(montaje.portal.busquedas).toHaveLength(1);
  });

  it('does not believe a row of another day or month', async () => {
    const montaje = await setUp();
    montaje.portal.guion.resultado = () => respuestaCon([cfdi(1, '2026-04-01T00:00:00')]);
    expect(await errorOf(listar(montaje))).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
    const dia = { inicio: '2026-03-31T00:00:00', fin: '2026-03-31T23:59:59' };
    expect(await errorOf(listar(montaje, dia))).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
  });

  it('does not believe parts that leave out a row of the whole', async () => {
    const montaje = await setUp();
    const filas = rafaga(8, 1);
    const { portal } = montaje;
    portal.guion.resultado = () => (portal.busquedas.length === 1 ? respuestaCon(filas, 2025, true) : respuestaCon([]));
    expect(await errorOf(listar(montaje))).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
  });

  it('goes on with a new session when the portal forgets the old one in the middle', async () => {
    const montaje = await setUp();
    const filas = rafaga(12, 2);
    const { portal } = montaje;
    serveFacturas(portal, filas, { tope: 5 });
    const serve = portal.guion.resultado;
    let expired = false;
    portal.guion.resultado = (texto) => {
      if (!expired && portal.busquedas.length === 4) {
        expired = true;
        portal.expire('todas');
      }
      return serve?.(texto) ?? texto;
    };
    expect(await uuidsOf(listar(montaje))).toEqual(sorted(filas));
    expect(expired).toBe(true);
    expect(portal.envios()).toBe(2);
  });

  it.each([
    ['of 50 MB', (texto: string) => texto + 'x'.repeat(50 * 1024 * 1024)],
    ['of a maintenance page', () => '<html><h1>El servicio no está disponible</h1></html>'],
    ['without anything', () => ''],
  ])('never takes an answer %s for no rows', async (_name, resultado) => {
    const montaje = await setUp();
    montaje.portal.guion.resultado = resultado;
    expect(await errorOf(listar(montaje))).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
  });

  it('lists with the e.firma as with the CIEC, without a captcha or a password', async () => {
    const { portal, canal } = await setUp({ captcha: null });
    const efirma = createEfirma({ rfc: RFC });
    portal.guion.efirmas.set(RFC, efirma.cer);
    serveFacturas(portal, [cfdi(1, '2026-03-05T09:00:01')]);
    const consulta = { consulta: 'listar-facturas', rfc: RFC, periodo: MARZO, maximo: 10 } as const;
    const envio = { signal: new AbortController().signal };
    expect(await canal.send(consulta, efirma, envio)).toMatchObject({ facturas: [{ total: 1234 }] });
    expect([portal.firmas(), portal.envios()]).toEqual([1, 0]);
  });

  it('stops when the caller gives up', async () => {
    const montaje = await setUp();
    const controller = new AbortController();
    const { portal } = montaje;
    serveFacturas(portal, rafaga(40, 1), { tope: 5 });
    const serve = portal.guion.resultado;
    portal.guion.resultado = (texto) => {
      if (portal.busquedas.length === 3) controller.abort();
      return serve?.(texto) ?? texto;
    };
    const error = await errorOf(listar(montaje, MARZO, { signal: controller.signal }));
    expect(error).toMatchObject({ motivo: 'CANCELADA' });
    expect(portal.busquedas).toHaveLength(3);
  });

  it.each([
    ['ends before it begins', { inicio: '2026-03-02T00:00:00', fin: '2026-03-01T00:00:00' }],
    ['is no instant', { inicio: '2026-02-30T00:00:00', fin: '2026-03-01T00:00:00' }],
  ])('asks nothing for a period that %s', async (_name, periodo) => {
    const montaje = await setUp();
    await expect(listar(montaje, periodo)).rejects.toBeInstanceOf(RangeError);
    expect(montaje.portal.peticiones).toEqual([]);
  });

  it('loses and doubles nothing, whatever lies where', async () => {
    const montaje = await setUp();
    const instante = fc
      .tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 6 }))
      .map(([tramo, segundo]) => Date.parse('2026-02-27T23:59:57Z') + tramo * 86_400_000 + segundo * 1000)
      .map((ms) => new Date(ms).toISOString().slice(0, 19));
    const estado = fc.constantFrom('Vigente' as const, 'Cancelado' as const);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(instante, estado), { maxLength: 60 }), async (donde) => {
        const filas = donde.map(([fecha, es], i) => cfdi(i, fecha, { estado: es }));
        serveFacturas(montaje.portal, filas, { tope: 12 });
        const periodo = { inicio: '2026-02-27T23:59:58', fin: '2026-03-03T00:00:00' };
        const dentro = filas.filter((c) => c.fechaEmision >= periodo.inicio && c.fechaEmision <= periodo.fin);
        expect(await uuidsOf(listar(montaje, periodo))).toEqual(sorted(dentro));
      }),
      { numRuns: 12 },
    );
  }, 120_000);
});
