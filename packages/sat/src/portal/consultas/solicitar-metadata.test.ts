import { describe, expect, it } from 'vitest';
import { ciecDe, DIA, errorOf, RFC, setUp, solicitar } from '../testing/canal-de-prueba.ts';
import { delta, panelResultados } from '../testing/paginas-de-prueba.ts';
import { FOLIO } from '../testing/portal-de-prueba.ts';

const C = 'ctl00$MainContent$';
const UUID = '6F9619FF-8B86-D011-B42D-00CF4FC964FF';

function campos(busqueda: URLSearchParams | undefined, nombres: readonly string[]): Array<string | null> {
  return nombres.map((nombre) => busqueda?.get(C + nombre) ?? null);
}

const RECIBIDOS = [
  'CldFecha$DdlAnio',
  'CldFecha$DdlMes',
  'CldFecha$DdlDia',
  'CldFecha$DdlHora',
  'CldFecha$DdlMinuto',
  'CldFecha$DdlSegundo',
  'CldFecha$DdlHoraFin',
  'CldFecha$DdlMinutoFin',
  'CldFecha$DdlSegundoFin',
];

describe('solicitar-metadata', () => {
  it('asks for issued CFDI with both instants and gets a folio', async () => {
    const { portal, canal } = await setUp();
    const periodo = { inicio: '2025-12-31T05:06:07', fin: '2026-02-01T20:30:59' };
    expect(await solicitar(canal, { tipo: 'emitidos', periodo })).toEqual({
      resultado: 'ACEPTADA',
      folio: FOLIO,
    });
    expect(
      campos(portal.busquedas[0], [
        'hfInicial',
        'CldFechaInicial2$Calendario_text',
        'CldFechaInicial2$DdlHora',
        'CldFechaInicial2$DdlMinuto',
        'CldFechaInicial2$DdlSegundo',
        'hfFinal',
        'CldFechaFinal2$Calendario_text',
        'CldFechaFinal2$DdlHora',
        'CldFechaFinal2$DdlMinuto',
        'CldFechaFinal2$DdlSegundo',
      ]),
    ).toEqual(['2025', '31/12/2025', '5', '6', '7', '2026', '01/02/2026', '20', '30', '59']);
    expect(portal.solicitudes).toEqual(['emitidos']);
  });

  it('asks for received CFDI inside one day with begin and end time', async () => {
    const { portal, canal } = await setUp();
    const periodo = { inicio: '2026-03-05T01:02:03', fin: '2026-03-05T14:00:09' };
    expect(await solicitar(canal, { periodo })).toEqual({ resultado: 'ACEPTADA', folio: FOLIO });
    expect(campos(portal.busquedas[0], RECIBIDOS)).toEqual(['2026', '3', '05', '1', '2', '3', '14', '0', '9']);
    expect(portal.solicitudes).toEqual(['recibidos']);
  });

  it('asks for received CFDI over several days by their whole month, day 0', async () => {
    const { portal, canal } = await setUp();
    await solicitar(canal, { periodo: { inicio: '2026-11-05T10:00:00', fin: '2026-11-06T09:00:00' } });
    expect(campos(portal.busquedas[0], RECIBIDOS)).toEqual(['2026', '11', '0', '0', '0', '0', '23', '59', '59']);
  });

  it('asks for every state, complement and counterpart', async () => {
    const { portal, canal } = await setUp();
    await solicitar(canal);
    expect(
      campos(portal.busquedas[0], [
        'DdlEstadoComprobante',
        'ddlComplementos',
        'TxtRfcReceptor',
        'TxtRfcTercero',
        'TxtUUID',
        'hfInicialBool',
      ]),
    ).toEqual(['-1', '-1', '', '', '', 'false']);
  });

  it('refuses a period the caller should have divided before it asks the SAT anything', async () => {
    const { portal, canal } = await setUp();
    for (const periodo of [
      { inicio: '2026-01-31T00:00:00', fin: '2026-02-01T00:00:00' },
      { inicio: '2026-01-02T00:00:00', fin: '2026-01-01T00:00:00' },
      { inicio: '2026-02-30T00:00:00', fin: '2026-02-30T00:00:01' },
    ]) {
      await expect(solicitar(canal, { periodo })).rejects.toBeInstanceOf(RangeError);
    }
    expect(portal.peticiones).toEqual([]);
  });

  it("does not take retenciones for CFDI: their bulk download is the web service's", async () => {
    const { portal, canal } = await setUp();
    const consulta = { rfc: RFC, tipo: 'recibidos', periodo: DIA, documento: 'retenciones' } as const;
    const envio = { signal: new AbortController().signal };
    const asked = canal.send({ consulta: 'solicitar-metadata', ...consulta }, ciecDe(), envio);
    expect(await errorOf(asked)).toMatchObject({ motivo: 'CANAL_DESACTIVADO' });
    expect(portal.peticiones).toEqual([]);
  });

  it('answers VACIA for a period without CFDI, though the page has criteria, and asks for no folio', async () => {
    const { portal, canal } = await setUp();
    portal.guion.filas = [];
    expect(await solicitar(canal)).toEqual({ resultado: 'VACIA' });
    expect(portal.solicitudes).toEqual([]);
  });

  it('answers DEMASIADOS when the page method refuses the number of rows', async () => {
    const { portal, canal } = await setUp();
    portal.guion.respuestaFolio = JSON.stringify({
      d: 'Error: la consulta excede el número máximo de registros',
    });
    expect(await solicitar(canal)).toEqual({ resultado: 'DEMASIADOS' });
  });

  it.each([
    ['an unknown error of the page method', JSON.stringify({ d: 'Error: no fue posible' }), 'SERVICIO_CON_ERROR'],
    ['a text without folio', JSON.stringify({ d: 'Gracias' }), 'RESPUESTA_ILEGIBLE'],
    ['two folios', JSON.stringify({ d: `folio ${FOLIO} ${UUID}` }), 'RESPUESTA_ILEGIBLE'],
    ['an answer without d', JSON.stringify({ folio: FOLIO }), 'RESPUESTA_ILEGIBLE'],
    ['a page', '<html><body>Mantenimiento</body></html>', 'RESPUESTA_ILEGIBLE'],
    ['nothing', '', 'RESPUESTA_ILEGIBLE'],
  ])('does not take %s for a folio', async (_name, respuesta, motivo) => {
    const { portal, canal } = await setUp();
    portal.guion.respuestaFolio = respuesta;
    expect((await errorOf(solicitar(canal))).motivo).toBe(motivo);
  });

  const panel = (uuids: string[], muestraFilas: boolean, diceQueNoHay: boolean, parametros = 'p') =>
    delta([
      [
        'updatePanel',
        'ctl00_MainContent_UpnlResultados',
        panelResultados({ uuids, muestraFilas, diceQueNoHay, parametros }),
      ],
    ]);

  it.each([
    ['no results panel', () => delta([['hiddenField', '__VIEWSTATE', 'x']])],
    ['both panels hidden', () => panel([], false, false)],
    ['both panels shown', () => panel([UUID], true, true)],
    ['the empty panel with rows', () => panel([UUID], false, true)],
    ['the results panel without rows', () => panel([], true, false)],
    ['rows without criteria', () => panel([UUID], true, false, '')],
    ['a cut answer', (texto: string) => texto.slice(0, -200)],
    ['an empty answer', () => ''],
    ['a maintenance page', () => '<html><h1>El servicio no está disponible</h1></html>'],
  ])('is never "no rows" for %s', async (_name, resultado) => {
    const { portal, canal } = await setUp();
    portal.guion.filas = [];
    portal.guion.resultado = resultado;
    expect(await errorOf(solicitar(canal))).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
    expect(portal.solicitudes).toEqual([]);
  });

  it('does not search with the fields of a first step that was cut between records', async () => {
    const { portal, canal } = await setUp();
    portal.guion.eleccion = (texto) => texto.slice(0, texto.indexOf('0|hiddenField|__EVENTTARGET'));
    expect(await errorOf(solicitar(canal))).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
    expect(portal.busquedas).toEqual([]);
  });

  it('reads a result page of several megabytes', async () => {
    const { portal, canal } = await setUp();
    portal.guion.resultado = (texto) => texto + delta([['updatePanel', 'otro', 'x'.repeat(6 * 1024 * 1024)]]);
    expect(await solicitar(canal)).toMatchObject({ resultado: 'ACEPTADA' });
  });

  it('reports an error record of the postback as an error of the service', async () => {
    const { portal, canal } = await setUp();
    portal.guion.resultado = () => delta([['error', '500', 'Object reference not set']]);
    expect(await errorOf(solicitar(canal))).toMatchObject({ motivo: 'SERVICIO_CON_ERROR', codigo: 'AJAX' });
  });

  it('does not ask when the search page names another RFC', async () => {
    const { portal, canal } = await setUp();
    await solicitar(canal);
    portal.guion.rfcMostrado = 'XAXX010101000';
    expect(await errorOf(solicitar(canal))).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
    expect(portal.solicitudes).toHaveLength(1);
  });
});
