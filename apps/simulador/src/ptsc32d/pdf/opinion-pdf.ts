import { createHash } from 'node:crypto';
import { dayFirst, pesos } from '../../world/texts.ts';
import { type OpinionEmitida, SENTIDO_IMPRESO } from '../opinion.ts';
import type { OpinionSettings } from '../settings.ts';
import { createSheet, type Sheet } from './sheet.ts';
import { CUERPO, hourOf, longDate, notasOf, shortDate, TITULO } from './texts.ts';

/**
 * Draws the document of an opinion. Both layouts are text. That of June 2025 has its data in a grid whose headings
 * stand above the values, two to a line; the one before it gives each datum a box of its own and the sense within a
 * sentence.
 */
export function opinionPdf(opinion: OpinionEmitida, diseno: OpinionSettings['diseno']): Promise<Buffer> {
  const emision = new Date(opinion.emision * 1000);
  const sheet = createSheet(TITULO, emision);
  if (diseno === '2025') drawCurrent(sheet, opinion, emision);
  else drawFormer(sheet, opinion, emision);
  drawSeal(sheet, opinion, emision);
  return sheet.finish();
}

const [LEFT, RIGHT] = [40, 400];

function drawCurrent(sheet: Sheet, opinion: OpinionEmitida, emision: Date): void {
  const [palabra] = SENTIDO_IMPRESO[opinion.sentido];
  const line = (left: string, right: string, font: 'bold' | 'plain') =>
    sheet.row(
      [
        [LEFT, left],
        [RIGHT, right],
      ],
      font,
    );
  sheet.title(TITULO);
  line('Nombre, denominación o razón social', 'Sentido', 'bold');
  line(opinion.nombre, palabra, 'plain');
  line('RFC', 'Folio', 'bold');
  line(opinion.rfc, opinion.folio, 'plain');
  sheet.row([[LEFT, 'Fecha y hora de emisión']], 'bold');
  sheet.row([[LEFT, `${longDate(emision)} a las ${hourOf(emision)} horas`]]);
  sheet.gap(8);
  sheet.heading('Apreciable contribuyente');
  sheet.paragraph(CUERPO[opinion.sentido]);
  drawCurrentReasons(sheet, opinion);
  sheet.heading('Información importante');
  for (const nota of notasOf(emision.getUTCFullYear())) sheet.paragraph(nota);
}

/** A heading, a sentence, and one line for each thing that is missing. */
function drawCurrentReasons(sheet: Sheet, { obligacionesOmitidas, creditos }: OpinionEmitida): void {
  if (obligacionesOmitidas.length > 0) {
    sheet.heading('Cumplimiento de obligaciones');
    sheet.paragraph('Se detectan omisiones en la presentación de las siguientes declaraciones:');
    for (const { ejercicio, periodo, descripcion } of obligacionesOmitidas) {
      sheet.row([[LEFT, `${ejercicio} ${periodo} ${descripcion}`]]);
    }
    sheet.gap(6);
  }
  if (creditos.length > 0) {
    sheet.heading('Créditos fiscales');
    sheet.paragraph('Se ubican créditos fiscales firmes a su cargo:');
    for (const { numero, autoridad, fecha, importe } of creditos) {
      sheet.row([
        [
          LEFT,
          `Número de crédito ${numero} Autoridad: ${autoridad} Fecha: ${dayFirst(fecha)} Importe: ${pesos(importe)} Estado: Firme`,
        ],
      ]);
    }
    sheet.gap(6);
  }
}

function drawFormer(sheet: Sheet, opinion: OpinionEmitida, emision: Date): void {
  const [palabra] = SENTIDO_IMPRESO[opinion.sentido];
  const box = (label: string, value: string) => {
    sheet.row([[LEFT, label]], 'bold');
    sheet.row([[LEFT, value]]);
  };
  sheet.heading('Servicio de Administración Tributaria');
  sheet.title(TITULO);
  box('Folio', opinion.folio);
  box('Clave de R.F.C.', opinion.rfc);
  box('Nombre, Denominación o Razón social', opinion.nombre);
  sheet.gap(6);
  sheet.heading('Estimado contribuyente');
  sheet.paragraph('Respuesta de opinión:');
  sheet.paragraph(
    `${CUERPO[opinion.sentido]} Por lo que se emite esta opinión del cumplimiento de obligaciones fiscales, en sentido ${palabra}.`,
  );
  sheet.paragraph(`Revisión practicada el día ${longDate(emision)}, a las ${hourOf(emision)} horas`);
  drawFormerReasons(sheet, opinion);
  sheet.heading('Notas');
  for (const nota of notasOf(emision.getUTCFullYear())) sheet.paragraph(nota);
}

/** Two tables. */
function drawFormerReasons(sheet: Sheet, { obligacionesOmitidas, creditos }: OpinionEmitida): void {
  const table = (titulo: string, lefts: readonly number[], rows: readonly (readonly string[])[]) => {
    sheet.heading(titulo);
    for (const [i, cells] of rows.entries()) {
      sheet.row(
        cells.map((text, j) => [lefts[j] ?? LEFT, text] as const),
        i === 0 ? 'bold' : 'plain',
      );
    }
    sheet.gap(6);
  };
  if (obligacionesOmitidas.length > 0) {
    const rows = obligacionesOmitidas.map((o) => [o.descripcion, String(o.ejercicio), o.periodo]);
    table('Obligaciones omitidas', [40, 370, 440], [['Obligación', 'Ejercicio', 'Periodo'], ...rows]);
  }
  if (creditos.length > 0) {
    const rows = creditos.map((c) => [c.numero, c.autoridad, dayFirst(c.fecha), pesos(c.importe)]);
    const heading = ['Número de crédito', 'Autoridad', 'Fecha', 'Importe'];
    table('Créditos fiscales', [40, 180, 350, 450], [heading, ...rows]);
  }
}

/** The original string and a seal; the seal is only shaped like one. */
function drawSeal(sheet: Sheet, { rfc, folio, sentido }: OpinionEmitida, emision: Date): void {
  const [, letra] = SENTIDO_IMPRESO[sentido];
  const cadena = `||${rfc}|${folio}|${shortDate(emision)}|${letra}||00001088888800000031||`;
  sheet.gap(6);
  sheet.heading('Cadena Original');
  sheet.small(cadena);
  sheet.heading('Sello Digital');
  const parts = ['a', 'b'].map((part) => createHash('sha512').update(`${part}${cadena}`).digest());
  sheet.small(Buffer.concat(parts).toString('base64'));
}
