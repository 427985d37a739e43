import { SatError, type SentidoOpinion } from '@acuse/core';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createLectorPdf } from '../../pdf/lector-pdf.ts';
import { lineasDe } from '../../pdf/pagina-pdf.ts';
import { makePdf } from '../../pdf/testing/pdf-de-prueba.ts';
import { readOpinion } from './read-opinion.ts';
import { layoutAnterior, layoutNuevo, TEXTO_DE } from './testing/opinion-de-prueba.ts';

const RFC = 'EKU9003173C9';
const SENTIDOS = Object.keys(TEXTO_DE) as SentidoOpinion[];
const PENDIENTES = [
  'Obligaciones omitidas:',
  'Declaración mensual de IVA, periodo Julio 2026',
  'Pago provisional mensual de ISR personas morales, periodo',
  'agosto 2026',
  'Créditos fiscales firmes: 1 por $12,345.00',
];

const ilegible = (read: () => unknown) => {
  try {
    read();
  } catch (error) {
    return error instanceof SatError && error.motivo === 'RESPUESTA_ILEGIBLE';
  }
  return false;
};

describe('readOpinion', () => {
  it.each(SENTIDOS)('reads %s in both layouts', (sentido) => {
    for (const layout of [layoutNuevo, layoutAnterior]) {
      const leida = readOpinion(layout({ rfc: RFC, sentido }), RFC);
      expect(leida).toMatchObject({ sentido, folio: '26NL1324942', fecha: '2026-09-22' });
      expect(leida.motivo === null).toBe(sentido === 'POSITIVO');
    }
  });

  it('says why a negative one is, in one text', () => {
    for (const layout of [layoutNuevo, layoutAnterior]) {
      expect(readOpinion(layout({ rfc: RFC, sentido: 'NEGATIVO', detalle: PENDIENTES }), RFC).motivo).toBe(
        'Obligaciones omitidas: Declaración mensual de IVA, periodo Julio 2026; Pago provisional mensual de ISR personas morales, periodo agosto 2026; Créditos fiscales firmes: 1 por $12,345.00',
      );
    }
    // In one layout the lists stand below the moment of the revision, in the other each has a heading and a sentence of
    // its own.
    const lists = [
      'Cumplimiento de obligaciones',
      'Se detectan omisiones en:',
      '2026 Marzo Pago definitivo mensual de IVA.',
      'Créditos fiscales',
      'Número de crédito 123 Importe: $5.00',
    ];
    const notes = ['Información importante', 'Tiene cinco días para aclarar los créditos fiscales.'];
    const detalle = [...lists, ...notes];
    const motivo =
      'Cumplimiento de obligaciones; Se detectan omisiones en: 2026 Marzo Pago definitivo mensual de IVA; Créditos fiscales; Número de crédito 123 Importe: $5.00';
    expect(readOpinion(layoutNuevo({ rfc: RFC, sentido: 'NEGATIVO', detalle }), RFC).motivo).toBe(motivo);
    const below = layoutAnterior({ rfc: RFC, sentido: 'NEGATIVO' });
    below.splice(below.indexOf('Notas'), 0, ...lists);
    expect(readOpinion(below, RFC).motivo).toBe(motivo);
    const unknown = lists.toSpliced(0, 2, 'Incidencias halladas');
    expect(readOpinion(layoutNuevo({ rfc: RFC, sentido: 'NEGATIVO', detalle: unknown }), RFC).motivo).toBe(
      motivo.slice(motivo.indexOf('2026')),
    );
    const sinDetalle = readOpinion(layoutNuevo({ rfc: RFC, sentido: 'NEGATIVO' }), RFC);
    expect(sinDetalle.motivo).toBe('El documento no detalla las obligaciones ni los adeudos.');
  });

  it('reads a document without chain by its labels', () => {
    const lineas = [
      'OPINIÓN DEL CUMPLIMIENTO DE OBLIGACIONES FISCALES',
      'Folio: 26NE7654321',
      `RFC: ${RFC}`,
      'Fecha de emisión: 05/09/2026',
      'Sentido: Positivo',
    ];
    expect(readOpinion(lineas, RFC)).toEqual({
      sentido: 'POSITIVO',
      folio: '26NE7654321',
      fecha: '2026-09-05',
      motivo: null,
    });
  });

  it('refuses two senses, none, and a chain of another letter', () => {
    const positivo = layoutNuevo({ rfc: RFC, sentido: 'POSITIVO' });
    const sin = (texto: RegExp) => positivo.filter((linea) => !texto.test(linea));
    expect(ilegible(() => readOpinion([...positivo, 'Sentido: NEGATIVO'], RFC))).toBe(true);
    expect(
      ilegible(() =>
        readOpinion(
          positivo.map((l) => l.replace('|P|', '|N|')),
          RFC,
        ),
      ),
    ).toBe(true);
    expect(
      ilegible(() =>
        readOpinion(
          positivo.map((l) => l.replace('|P|', '|X|')),
          RFC,
        ),
      ),
    ).toBe(true);
    expect(ilegible(() => readOpinion(sin(/POSITIVO|\|P\|/), RFC))).toBe(true);
    expect(ilegible(() => readOpinion([...positivo, '||EKU9003173C9|26NL0000001|22-09-2026|P|1||'], RFC))).toBe(true);
    expect(
      ilegible(() => readOpinion(['Constancia de situación fiscal', `RFC: ${RFC}`, 'Sentido: POSITIVO'], RFC)),
    ).toBe(true);
  });

  it.each([
    ['with the empty field of real ones', (linea: string) => linea],
    ['without it', (linea: string) => linea.replace(/\|\|(?=\d{20})/, '|')],
  ])('takes date and sense from a chain %s, which no cell contradicts', (_form, rewrite) => {
    const lineas = layoutNuevo({ rfc: RFC, sentido: 'NEGATIVO' }).map(rewrite);
    const sinCelda = lineas.filter((linea) => !linea.endsWith('NEGATIVO'));
    const otroDia = sinCelda.map((linea) => linea.replace('22 de septiembre', '21 de septiembre'));
    expect(readOpinion(otroDia, RFC)).toMatchObject({ sentido: 'NEGATIVO', fecha: '2026-09-22' });
    const opposite = lineas.map((linea) => linea.replace(/NEGATIVO$/, 'POSITIVO'));
    expect(ilegible(() => readOpinion(opposite, RFC))).toBe(true);
  });

  it.each(['POSITIVO', 'NEGATIVO'] as const)('reads %s in a PDF whose cells stand 2 points apart', async (sentido) => {
    const pdf = await makePdf((documento) => {
      documento.font('Helvetica').fontSize(9);
      for (const [i, linea] of layoutNuevo({ rfc: RFC, sentido }).entries()) {
        let x = 40;
        for (const celda of linea.split('  ')) {
          documento.text(celda, x, 40 + 14 * i, { lineBreak: false });
          x += documento.widthOfString(celda) + 2;
        }
      }
    });
    const lector = createLectorPdf({ timeoutMs: 120_000 });
    onTestFinished(() => lector.close());
    const lineas = lineasDe(await lector.read(pdf, { signal: new AbortController().signal }));
    expect(lineas.map(({ texto }) => texto)).toContain(`EMPRESA DE PRUEBA SA DE CV ${sentido}`);
    const leida = readOpinion(
      lineas.map(({ texto }) => texto),
      RFC,
    );
    expect(leida).toMatchObject({ sentido, folio: '26NL1324942', fecha: '2026-09-22' });
  });

  it('refuses the document of another taxpayer, and one that names a second', () => {
    const suya = layoutNuevo({ rfc: 'XIQB891116QE4', sentido: 'POSITIVO' });
    expect(ilegible(() => readOpinion(suya, RFC))).toBe(true);
    expect(
      ilegible(() =>
        readOpinion([...layoutNuevo({ rfc: RFC, sentido: 'POSITIVO' }).toSpliced(2, 0, 'RFC XIQB891116QE4')], RFC),
      ),
    ).toBe(true);
    for (const rfc of ['H&E951128469', 'OÑO120726RX3']) {
      expect(readOpinion(layoutNuevo({ rfc, sentido: 'NEGATIVO' }), rfc).sentido).toBe('NEGATIVO');
    }
  });

  it('does not read the notes at the foot, whatever they quote', () => {
    const notas = [
      '3.- Cuando se emite la presente opinión en sentido positivo, tiene una vigencia de 30 días.',
      'Sentido: POSITIVO',
    ];
    expect(readOpinion(layoutAnterior({ rfc: RFC, sentido: 'NEGATIVO', notas }), RFC).sentido).toBe('NEGATIVO');
  });

  it('is not misled by a name', () => {
    const nombre = 'GRUPO POSITIVO';
    const sinCadena = layoutNuevo({ rfc: RFC, sentido: 'NEGATIVO', nombre, celdas: 'juntas' }).filter(
      (l) => !l.startsWith('||'),
    );
    for (const lineas of [sinCadena, sinCadena.map((l) => l.replace('NEGATIVO', 'CANCELADO'))]) {
      expect(ilegible(() => readOpinion(lineas, RFC))).toBe(true);
    }
    expect(readOpinion(layoutNuevo({ rfc: RFC, sentido: 'NEGATIVO', nombre }), RFC).sentido).toBe('NEGATIVO');
    const partido = layoutNuevo({ rfc: RFC, sentido: 'NEGATIVO', nombre, celdas: 'renglones' });
    expect(ilegible(() => readOpinion(partido, RFC))).toBe(true);
  });

  const palabra = fc.constantFrom(
    'positivo',
    'POSITIVA',
    'negativo',
    'NEGATIVA.',
    'en sentido',
    'opinión',
    'sin obligaciones',
    'se tomará como',
    'cuando',
    'de la regla',
    'inscrito',
    'se considera',
    'suspensión de actividades',
    'el contribuyente',
    'al corriente',
    'No se encuentra',
  );
  const relleno = fc
    .array(palabra, { minLength: 3, maxLength: 14 })
    .map((p) => `Nota general: ${p.join(' ')} del artículo`);

  it('never lets general words decide the sense', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...SENTIDOS),
        fc.constantFrom(layoutNuevo, layoutAnterior),
        fc.array(relleno, { maxLength: 8 }),
        fc.array(relleno, { maxLength: 8 }),
        (sentido, layout, cuerpo, notas) => {
          const lineas = layout({ rfc: RFC, sentido, cuerpo, notas });
          expect(readOpinion(lineas, RFC).sentido).toBe(sentido);
          const mute = lineas.map((l) => l.replace(TEXTO_DE[sentido], 'CANCELADO').replace(/\|[PNSIX]\|/, '|C|'));
          expect(ilegible(() => readOpinion(mute, RFC))).toBe(true);
        },
      ),
    );
  });

  it('gives the right sense or an error for any loss, repetition or reordering of lines', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...SENTIDOS),
        fc.constantFrom(layoutNuevo, layoutAnterior),
        fc.integer({ min: 0, max: 40 }),
        fc.integer({ min: 0, max: 40 }),
        fc.boolean(),
        (sentido, layout, desde, hasta, isReversed) => {
          const completas = layout({ rfc: RFC, sentido });
          const lineas = [...completas.slice(0, hasta), ...completas.slice(desde)];
          try {
            const leida = readOpinion(isReversed ? lineas.toReversed() : lineas, RFC);
            expect(leida.sentido).toBe(sentido);
            expect([null, '26NL1324942']).toContain(leida.folio);
            expect([null, '2026-09-22']).toContain(leida.fecha);
          } catch (error) {
            expect(error).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
          }
        },
      ),
    );
  });

  it('ends on any text', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 200 }), { maxLength: 30 }), (lineas) => {
        expect(ilegible(() => readOpinion(lineas, RFC))).toBe(true);
      }),
    );
  });
});
