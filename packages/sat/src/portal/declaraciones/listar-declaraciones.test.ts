import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readEtiquetas } from '../paginas/etiquetas.ts';
import { errorOf, RFC } from '../testing/canal-de-prueba.ts';
import { end, type Ptsc, send, startPtsc } from '../testing/ptsc-de-prueba.ts';
import { RESULTADO } from './listar-declaraciones.ts';
import { readTablaResultado } from './tabla-resultado.ts';
import {
  type FilaDePrueba,
  paginaConsulta,
  paginaInicio,
  SIN_RESULTADO,
  tablaResultado,
} from './testing/declaraciones-de-prueba.ts';

interface Guion {
  /** Rows by kind and period, `M 002`, or by '' for the whole year; or the whole answer. */
  respuestas: Record<string, readonly FilaDePrueba[] | string>;
  rfcMostrado: string | null;
  consulta: string;
}

async function setUp(cambio: Partial<Guion> = {}) {
  const guion: Guion = { respuestas: {}, rfcMostrado: RFC, consulta: paginaConsulta(), ...cambio };
  const ptsc = await startPtsc({
    acceso: 'loginda',
    protegidos: { pstcdypisr: { regreso: '/regreso', inicio: '/' } },
    dominios: { loginda: 'loginda.siat.sat.gob.mx', pstcdypisr: 'pstcdypisr.clouda.sat.gob.mx' },
    responder(paso, res) {
      if (paso.camino === '/') send(res, paginaInicio(guion.rfcMostrado));
      else if (paso.camino === '/Consulta/Consulta' && paso.query.get('tipoDocumento') === '1')
        send(res, guion.consulta);
      else if (paso.camino === '/Consulta/Buscar' && paso.metodo === 'POST') {
        if (paso.headers['x-requested-with'] !== 'XMLHttpRequest') return end(res, 500);
        const pedida = `${paso.campos.get('Periodicidad')} ${paso.campos.get('Periodo')}`.trim();
        const respuesta = guion.respuestas[pedida] ?? SIN_RESULTADO;
        send(res, typeof respuesta === 'string' ? respuesta : tablaResultado(respuesta));
      }
    },
  });
  return { guion, ptsc };
}

function ask({ canal, ciec, efirma }: Ptsc, ejercicio = 2025, tipo: 'ciec' | 'efirma' = 'efirma') {
  const credencial = tipo === 'ciec' ? ciec : efirma;
  return canal.send({ consulta: 'listar-declaraciones', rfc: RFC, ejercicio }, credencial, {
    signal: new AbortController().signal,
  });
}

const MESES = Array.from({ length: 12 }, (_, i) => String(i + 1).padStart(3, '0'));

const MENSUAL: FilaDePrueba = {
  numeroOperacion: '251070077482',
  tipo: 'Normal',
  tipoComplementaria: '',
  lineaCaptura: '0425 0ABC 1234 5678 9012',
  fecha: '17/03/2025',
  periodicidad: 'Mensual',
  periodo: 'Febrero',
  causacion: '28/02/2025',
  estado: 'Recibida',
};
const COMPLEMENTARIA: FilaDePrueba = {
  ...MENSUAL,
  numeroOperacion: '251070099999',
  tipo: 'Complementaria',
  tipoComplementaria: 'Modificación de obligaciones',
  fecha: '02/04/2025',
  estado: 'Pagada <script>alert("x")</script>& en línea',
};
const ANUAL: FilaDePrueba = {
  ...MENSUAL,
  numeroOperacion: '260310000001',
  periodicidad: '5-Del ejercicio',
  periodo: 'Del ejercicio',
  fecha: '31/01/2025 23:59:00',
  lineaCaptura: '',
};
const busquedas = ({ pasos }: Ptsc) => pasos.filter((p) => p.camino === '/Consulta/Buscar');

describe('listar-declaraciones', () => {
  it.each(['ciec', 'efirma'] as const)(
    'lists a year with %s: each period of the kinds that are known, the whole year for the others, each return once, by date',
    async (tipo) => {
      const { ptsc } = await setUp({
        respuestas: { 'M 002': [COMPLEMENTARIA, MENSUAL], '': [ANUAL, MENSUAL] },
      });
      const { declaraciones } = await ask(ptsc, 2025, tipo);
      expect(declaraciones).toEqual([
        {
          numeroOperacion: '260310000001',
          tipo: 'Normal',
          tipoComplementaria: null,
          lineaCaptura: null,
          periodicidad: 'Del ejercicio',
          periodo: 'Del ejercicio',
          ejercicio: 2025,
          fecha: '2025-01-31',
          complementaria: false,
          estado: 'Recibida',
        },
        expect.objectContaining({
          numeroOperacion: '251070077482',
          fecha: '2025-03-17',
          periodicidad: 'Mensual',
          lineaCaptura: '0425 0ABC 1234 5678 9012',
        }),
        expect.objectContaining({
          numeroOperacion: '251070099999',
          complementaria: true,
          tipoComplementaria: 'Modificación de obligaciones',
          estado: 'Pagada & en línea',
        }),
      ]);
      expect(busquedas(ptsc).map((p) => p.cuerpo)).toEqual(
        [['', ''], ...MESES.map((mes) => ['M', mes]), ...['013', '014', '015', '016'].map((t) => ['T', t])].map(
          ([periodicidad, periodo]) =>
            `__RequestVerificationToken=ficha%2B%2F%3D&tipoDocumento=1&IdDeclaracion=001&Ejercicio=2025&Periodicidad=${periodicidad}&Periodo=${periodo}`,
        ),
      );
      expect(ptsc.accesos()).toBe(1);
    },
  );

  it('asks for no period that the page does not offer', async () => {
    const consulta = paginaConsulta({ periodos: ['001', '002'], periodicidades: ['M'] });
    const { ptsc } = await setUp({ consulta, respuestas: { 'M 002': [MENSUAL] } });
    expect((await ask(ptsc)).declaraciones).toHaveLength(1);
    expect(busquedas(ptsc).map((p) => p.campos.get('Periodo'))).toEqual(['001', '002']);
  });

  it('believes that there are none only from words', async () => {
    const { guion, ptsc } = await setUp();
    expect(await ask(ptsc)).toEqual({ declaraciones: [] });
    for (const vacia of [
      '',
      '<html></html>',
      tablaResultado([]),
      '<p>Error interno</p>',
      guion.consulta,
      '{"data":[]}',
    ]) {
      guion.respuestas = { 'M 002': [MENSUAL], 'T 013': vacia };
      expect(await errorOf(ask(ptsc)), vacia.slice(0, 40)).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
    }
  });

  it('reads a row with a cell more than there are headings', async () => {
    const sobra = tablaResultado([MENSUAL]).replace('</td></tr>', '</td><td>algo</td></tr>');
    const { ptsc } = await setUp({ respuestas: { 'M 002': sobra } });
    expect((await ask(ptsc)).declaraciones).toMatchObject([{ numeroOperacion: MENSUAL.numeroOperacion }]);
  });

  it('refuses a year that the portal does not have', async () => {
    const { ptsc } = await setUp();
    expect(await errorOf(ask(ptsc, 2031))).toMatchObject({
      motivo: 'PETICION_RECHAZADA',
      codigo: 'EJERCICIO',
    });
    expect(busquedas(ptsc)).toEqual([]);
  });

  it.each([
    ['names another RFC', 'XIQB891116QE4'],
    ['names none', null],
  ])('does not believe a portal that %s', async (_nombre, rfcMostrado) => {
    const { ptsc } = await setUp({ rfcMostrado });
    expect(await errorOf(ask(ptsc))).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
  });

  it('refuses one number with two contents, rows that do not fit, and a form of other shape', async () => {
    const { guion, ptsc } = await setUp();
    const buena = tablaResultado([MENSUAL]);
    const malas: Record<string, string>[] = [
      { 'M 002': buena, '': tablaResultado([{ ...MENSUAL, estado: 'Cancelada' }]) },
      { 'M 002': tablaResultado([{ ...MENSUAL, fecha: '31/02/2025' }]) },
      { 'M 002': tablaResultado([{ ...MENSUAL, numeroOperacion: 'x' }]) },
      { 'M 002': tablaResultado([{ ...MENSUAL, tipo: '' }]) },
      { 'M 002': tablaResultado([{ ...MENSUAL, tipoComplementaria: 'Modificaci\uFFFDn' }]) },
      { 'M 002': buena.replace('<td>Normal</td>', '') },
      { 'M 002': buena.replace('Fecha de Presentaci', 'Fecha de otra ') },
      { 'M 002': buena.replace('Per&iacute;odo', 'Periodicidad') },
      { 'M 002': `${buena}${buena}` },
      { 'M 002': `<!DOCTYPE x [<!ENTITY a "${'a'.repeat(99)}"><!ENTITY b "&a;&a;">]><x>&b;</x>` },
      { 'M 002': 'a'.repeat(20 * 1024 * 1024) },
    ];
    for (const respuestas of malas) {
      guion.respuestas = respuestas;
      expect(await errorOf(ask(ptsc))).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
    }
    for (const consulta of ['<html></html>', paginaConsulta({ periodicidades: [] }), paginaConsulta().slice(0, -200)]) {
      guion.consulta = consulta;
      expect(await errorOf(ask(ptsc))).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
    }
  });

  it('logs in anew once when the session is gone', async () => {
    const { ptsc } = await setUp({ respuestas: { 'M 002': [MENSUAL] } });
    await ask(ptsc);
    ptsc.expire('todas');
    expect((await ask(ptsc)).declaraciones).toHaveLength(1);
    expect(ptsc.accesos()).toBe(2);
  });

  it('gives the same rows whatever the order of the columns, and an error wherever the answer is cut', () => {
    const leer = (html: string) => readTablaResultado(readEtiquetas(html), 2025, RESULTADO);
    const esperadas = leer(tablaResultado([MENSUAL, COMPLEMENTARIA]));
    fc.assert(
      fc.property(fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], { minLength: 10, maxLength: 10 }), (orden) => {
        expect(leer(tablaResultado([MENSUAL, COMPLEMENTARIA], orden))).toEqual(esperadas);
      }),
    );
    const html = tablaResultado([MENSUAL, COMPLEMENTARIA]);
    for (let corte = 0; corte < html.lastIndexOf('</table>'); corte += 1) {
      expect(() => leer(html.slice(0, corte)), String(corte)).toThrow('RESPUESTA_ILEGIBLE');
    }
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.nat({ max: html.length }), (basura, donde) => {
        try {
          for (const { numeroOperacion } of leer(html.slice(0, donde) + basura + html.slice(donde))) {
            expect(numeroOperacion).toMatch(/^\d{5,30}$/);
          }
        } catch (error) {
          expect(error).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
        }
      }),
    );
  });
});
