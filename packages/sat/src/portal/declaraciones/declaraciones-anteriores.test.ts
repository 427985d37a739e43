import { describe, expect, it } from 'vitest';
import { errorOf, RFC } from '../testing/canal-de-prueba.ts';
import { type Ptsc, send, startPtsc } from '../testing/ptsc-de-prueba.ts';
import { type FilaAnterior, paginaConsultaAnterior } from './testing/declaraciones-de-prueba.ts';

const CONSULTA = '/Paginas/ConsultaDeclaracion.aspx';
const MENSUAL: FilaAnterior = {
  numeroOperacion: '191070077482',
  tipo: 'Normal',
  tipoComplementaria: '',
  lineaCaptura: '0419 0ABC 1234 5678 9012',
  fecha: '17/03/2019 10:20:30',
  periodo: 'Febrero',
};
const FRONTERA: FilaAnterior = {
  ...MENSUAL,
  numeroOperacion: '191070099999',
  tipo: 'Complementaria',
  periodo: 'Enero',
};

/** `filas` by kind of return, or the whole page. */
async function setUp(filas: Record<string, readonly FilaAnterior[] | string>, rfcMostrado = RFC) {
  return startPtsc({
    acceso: 'loginda',
    protegidos: { ptscdecprov: { regreso: '/regreso', inicio: '/' } },
    dominios: { loginda: 'loginda.siat.sat.gob.mx', ptscdecprov: 'ptscdecprov.clouda.sat.gob.mx' },
    responder(paso, res) {
      if (paso.camino === '/') return send(res, `<html><body>RFC: ${rfcMostrado}</body></html>`);
      if (paso.camino !== CONSULTA) return;
      if (paso.metodo === 'GET') return send(res, paginaConsultaAnterior(null));
      const respuesta =
        filas[paso.campos.get('ctl00$MainContent$wucConsultasDeclaracion$wucDdlDeclaracion$ddlCatalogo') ?? ''] ?? [];
      send(res, typeof respuesta === 'string' ? respuesta : paginaConsultaAnterior(respuesta));
    },
  });
}

const ask = ({ canal, efirma }: Ptsc, ejercicio = 2019) =>
  canal.send({ consulta: 'listar-declaraciones', rfc: RFC, ejercicio }, efirma, {
    signal: new AbortController().signal,
  });

describe('returns up to 2021', () => {
  it('asks the old portal once for each kind of return and lists them by date', async () => {
    const ptsc = await setUp({ '001': [MENSUAL], '013': [FRONTERA] });
    expect((await ask(ptsc)).declaraciones).toEqual([
      {
        numeroOperacion: '191070077482',
        tipo: 'Normal',
        tipoComplementaria: null,
        lineaCaptura: '0419 0ABC 1234 5678 9012',
        periodicidad: null,
        periodo: 'Febrero',
        ejercicio: 2019,
        fecha: '2019-03-17',
        complementaria: false,
        estado: null,
      },
      expect.objectContaining({ numeroOperacion: '191070099999', complementaria: true, periodo: 'Enero' }),
    ]);
    const busquedas = ptsc.pasos.filter((p) => p.camino === CONSULTA && p.metodo === 'POST');
    expect(busquedas.map(({ campos }) => [...campos].filter(([nombre]) => !nombre.startsWith('__')))).toEqual(
      ['001', '013'].map((kind) => [
        ['ctl00$MainContent$wucConsultasDeclaracion$wucDdlDeclaracion$ddlCatalogo', kind],
        ['ctl00$MainContent$wucConsultasDeclaracion$wucDdlEjercicioFiscal$ddlCatalogo', '2019'],
        ['ctl00$MainContent$btnBuscar', 'Buscar'],
      ]),
    );
    expect(busquedas.map(({ campos }) => campos.get('__VIEWSTATE'))).toEqual(['inicial', 'con resultado']);
    expect(ptsc.accesos()).toBe(1);
    expect(ptsc.pasos.some(({ host }) => host === 'pstcdypisr')).toBe(false);
  });

  it('believes that there are none only from words', async () => {
    expect(await ask(await setUp({}))).toEqual({ declaraciones: [] });
    for (const vacia of [
      '<html></html>',
      paginaConsultaAnterior(null),
      paginaConsultaAnterior([MENSUAL]).slice(0, -200),
    ]) {
      const ptsc = await setUp({ '001': vacia });
      expect(await errorOf(ask(ptsc))).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
    }
  });

  it('does not take the first page of several for the list', async () => {
    const pagina = paginaConsultaAnterior([MENSUAL]).replace(
      '</table>',
      `</table><a href="javascript:__doPostBack('ctl00$MainContent$wucConsultasDeclaracion$gvDeclaraciones','Page$2')">2</a>`,
    );
    expect(await errorOf(ask(await setUp({ '001': pagina })))).toMatchObject({
      motivo: 'RESPUESTA_ILEGIBLE',
    });
  });

  it('refuses a year that the form does not offer', async () => {
    expect(await errorOf(ask(await setUp({}), 2009))).toMatchObject({
      motivo: 'PETICION_RECHAZADA',
      codigo: 'EJERCICIO',
    });
  });

  it('does not believe a portal that names another RFC', async () => {
    const ptsc = await setUp({}, 'XIQB891116QE4');
    expect(await errorOf(ask(ptsc))).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
  });
});
