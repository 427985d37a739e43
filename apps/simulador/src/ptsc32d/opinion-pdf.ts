import { createHash } from 'node:crypto';
import { z } from 'zod';
import { createSheet, LEFT, type Sheet, type Style } from '../web/pdf.ts';
import type { SentidoOpinion } from '../world/magia/catalogo.ts';
import { keyOf, mix, word } from '../world/taxpayers/mix.ts';
import type { Opinion } from '../world/taxpayers/perfil.ts';
import { dayFirst, dayInWords, pesos } from '../world/texts.ts';
import { formatWallTime, type WallTime, wallTimeOf } from '../world/wall-time.ts';
import type { World } from '../world/world.ts';

/** What only this application has to set; the names are those of PUT /ptsc32d/simulador/ajustes. */
export const opinionSettingsSchema = z.object({
  /** Layout of the document: that of June 2025 and later, or the one before it. */
  diseno: z.enum(['2025', 'anterior']).default('2025'),
});

type OpinionSettings = z.infer<typeof opinionSettingsSchema>;

/** An opinion as it is issued at one moment. */
export type OpinionEmitida = Omit<Opinion, 'autorizaPublicacion'> & {
  rfc: string;
  nombre: string;
  /** `26NL1324942`: year, two letters, seven digits. */
  folio: string;
  emision: WallTime;
};

/**
 * How the document words each sense, and the letter that stands for it in its original string. P and N are the SAT's,
 * the others ours.
 */
export const SENTIDO_IMPRESO: Readonly<Record<SentidoOpinion, readonly [palabra: string, letra: string]>> = {
  POSITIVO: ['POSITIVO', 'P'],
  NEGATIVO: ['NEGATIVO', 'N'],
  EN_SUSPENSION: ['EN SUSPENSIÓN DE ACTIVIDADES', 'S'],
  INSCRITO_SIN_OBLIGACIONES: ['INSCRITO SIN OBLIGACIONES', 'I'],
  NO_INSCRITO: ['NO INSCRITO', 'X'],
};

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** Issues the opinion of a taxpayer now. Its folio follows from the RFC and the second. */
export function issueOpinion({ taxpayers, clock, settings }: World, rfc: string): OpinionEmitida {
  const emision = wallTimeOf(clock.now());
  const { autorizaPublicacion: _, ...opinion } = taxpayers.profile(rfc).opinion;
  const key = keyOf(settings.semilla, rfc, 'folio 32-D', emision);
  const letter = (slot: number) => LETTERS.charAt(mix(word(key, slot), slot) % LETTERS.length);
  const year = formatWallTime(emision).slice(2, 4);
  const number = String(mix(word(key, 2), 2) % 10_000_000).padStart(7, '0');
  return {
    ...opinion,
    rfc,
    nombre: taxpayers.taxpayer(rfc).nombre,
    folio: `${year}${letter(0)}${letter(1)}${number}`,
    emision,
  };
}

/**
 * Draws the document of an opinion. Both layouts are text. That of June 2025 has its data in a grid whose headings
 * stand above the values, two to a line; the one before it gives each datum a box of its own and the sense within a
 * sentence.
 */
export function opinionPdf(opinion: OpinionEmitida, diseno: OpinionSettings['diseno']): Promise<Buffer> {
  const emision = formatWallTime(opinion.emision);
  const sheet = createSheet(TITULO, new Date(opinion.emision * 1000));
  if (diseno === '2025') drawCurrent(sheet, opinion, emision);
  else drawFormer(sheet, opinion, emision);
  drawSeal(sheet, opinion, emision);
  return sheet.finish();
}

const RIGHT = 400;
const BOLD = { size: 9, bold: true } as const;

function drawCurrent(sheet: Sheet, opinion: OpinionEmitida, emision: string): void {
  const [palabra] = SENTIDO_IMPRESO[opinion.sentido];
  const line = (left: string, right: string, style?: Style) =>
    sheet.row(
      [
        [LEFT, left],
        [RIGHT, right],
      ],
      style,
    );
  sheet.title(TITULO);
  line('Nombre, denominación o razón social', 'Sentido', BOLD);
  line(opinion.nombre, palabra);
  line('RFC', 'Folio', BOLD);
  line(opinion.rfc, opinion.folio);
  sheet.row([[LEFT, 'Fecha y hora de emisión']], BOLD);
  sheet.row([[LEFT, `${dayInWords(emision)} a las ${emision.slice(11, 16)} horas`]]);
  sheet.y += 8;
  sheet.heading('Apreciable contribuyente');
  sheet.paragraph(CUERPO[opinion.sentido]);
  drawCurrentReasons(sheet, opinion);
  sheet.heading('Información importante');
  for (const nota of notasOf(emision.slice(0, 4))) sheet.paragraph(nota);
}

/** A heading, a sentence, and one line for each thing that is missing. */
function drawCurrentReasons(sheet: Sheet, { obligacionesOmitidas, creditos }: OpinionEmitida): void {
  if (obligacionesOmitidas.length > 0) {
    sheet.heading('Cumplimiento de obligaciones');
    sheet.paragraph('Se detectan omisiones en la presentación de las siguientes declaraciones:');
    for (const { ejercicio, periodo, descripcion } of obligacionesOmitidas) {
      sheet.row([[LEFT, `${ejercicio} ${periodo} ${descripcion}`]]);
    }
    sheet.y += 6;
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
    sheet.y += 6;
  }
}

function drawFormer(sheet: Sheet, opinion: OpinionEmitida, emision: string): void {
  const [palabra] = SENTIDO_IMPRESO[opinion.sentido];
  const box = (label: string, value: string) => {
    sheet.row([[LEFT, label]], BOLD);
    sheet.row([[LEFT, value]]);
  };
  sheet.heading('Servicio de Administración Tributaria');
  sheet.title(TITULO);
  box('Folio', opinion.folio);
  box('Clave de R.F.C.', opinion.rfc);
  box('Nombre, Denominación o Razón social', opinion.nombre);
  sheet.y += 6;
  sheet.heading('Estimado contribuyente');
  sheet.paragraph('Respuesta de opinión:');
  sheet.paragraph(
    `${CUERPO[opinion.sentido]} Por lo que se emite esta opinión del cumplimiento de obligaciones fiscales, en sentido ${palabra}.`,
  );
  sheet.paragraph(`Revisión practicada el día ${dayInWords(emision)}, a las ${emision.slice(11, 16)} horas`);
  drawFormerReasons(sheet, opinion);
  sheet.heading('Notas');
  for (const nota of notasOf(emision.slice(0, 4))) sheet.paragraph(nota);
}

function drawFormerReasons(sheet: Sheet, { obligacionesOmitidas, creditos }: OpinionEmitida): void {
  const table = (titulo: string, lefts: readonly number[], rows: readonly (readonly string[])[]) => {
    sheet.heading(titulo);
    for (const [i, cells] of rows.entries()) {
      sheet.row(
        cells.map((text, j) => [lefts[j] ?? LEFT, text] as const),
        i === 0 ? BOLD : undefined,
      );
    }
    sheet.y += 6;
  };
  if (obligacionesOmitidas.length > 0) {
    const rows = obligacionesOmitidas.map((o) => [o.descripcion, String(o.ejercicio), o.periodo]);
    table('Obligaciones omitidas', [LEFT, 370, 440], [['Obligación', 'Ejercicio', 'Periodo'], ...rows]);
  }
  if (creditos.length > 0) {
    const rows = creditos.map((c) => [c.numero, c.autoridad, dayFirst(c.fecha), pesos(c.importe)]);
    const heading = ['Número de crédito', 'Autoridad', 'Fecha', 'Importe'];
    table('Créditos fiscales', [LEFT, 180, 350, 450], [heading, ...rows]);
  }
}

/** The original string and a seal; the seal is only shaped like one. */
function drawSeal(sheet: Sheet, { rfc, folio, sentido }: OpinionEmitida, emision: string): void {
  const [, letra] = SENTIDO_IMPRESO[sentido];
  const cadena = `||${rfc}|${folio}|${dayFirst(emision, '-')}|${letra}||00001088888800000031||`;
  sheet.y += 6;
  sheet.heading('Cadena Original');
  sheet.small(cadena);
  sheet.heading('Sello Digital');
  const parts = ['a', 'b'].map((part) => createHash('sha512').update(`${part}${cadena}`).digest());
  sheet.small(Buffer.concat(parts).toString('base64'));
}

const TITULO = 'Opinión del cumplimiento de obligaciones fiscales';

/** What the body says for each sense. Own words around the phrases that readers of the document look for. */
const CUERPO: Readonly<Record<SentidoOpinion, string>> = {
  POSITIVO:
    'Se le informa que, de acuerdo con los controles electrónicos institucionales y al momento de esta revisión, se encuentra al corriente en los puntos que revisa la opinión del cumplimiento. Este documento no acredita que los impuestos declarados se hayan enterado correctamente.',
  NEGATIVO:
    'Se le informa que, de acuerdo con los controles electrónicos institucionales y al momento de esta revisión, no se encuentra al corriente en los puntos que revisa la opinión del cumplimiento. Enseguida se detalla por qué.',
  EN_SUSPENSION:
    'Se le informa que, de acuerdo con los controles electrónicos institucionales y al momento de esta revisión, su registro en el RFC está en suspensión de actividades.',
  INSCRITO_SIN_OBLIGACIONES:
    'Se le informa que, de acuerdo con los controles electrónicos institucionales y al momento de esta revisión, está inscrito en el RFC y no tiene obligaciones fiscales asignadas.',
  NO_INSCRITO:
    'Se le informa que, de acuerdo con los controles electrónicos institucionales y al momento de esta revisión, la clave consultada no está inscrita en el RFC.',
};

/** Notes at the foot: they name the other senses too, whichever this one is. */
function notasOf(year: string): readonly string[] {
  return [
    `1.- La opinión se emite en uno de estos sentidos. POSITIVO: quien está inscrito y al corriente en lo que enumera la regla 2.1.36. de la Resolución Miscelánea Fiscal para ${year}. NEGATIVO: quien no está al corriente en alguno de esos puntos. EN SUSPENSIÓN DE ACTIVIDADES: quien presentó el aviso correspondiente. INSCRITO SIN OBLIGACIONES: quien está inscrito y no tiene obligaciones.`,
    '2.- La opinión en sentido POSITIVO vale treinta días naturales contados desde su emisión. En los demás sentidos no ampara el cumplimiento.',
    '3.- Si no está de acuerdo con una opinión en sentido NEGATIVO puede presentar una aclaración; la respuesta no cambia el documento ya emitido, tiene que pedir otro.',
    'Artículos 17-D y 32-D del Código Fiscal de la Federación; reglas 2.1.27., 2.1.28., 2.1.36. y 2.1.37. de la Resolución Miscelánea Fiscal.',
  ];
}
