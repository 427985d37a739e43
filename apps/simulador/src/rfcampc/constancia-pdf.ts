import { createHash } from 'node:crypto';
import { type Cell, createSheet, LEFT, RIGHT, type Sheet, type Style } from '../web/pdf.ts';
import type { Perfil } from '../world/taxpayers/perfil.ts';
import { dayFirst, dayInWords } from '../world/texts.ts';
import { formatWallTime, wallTimeOf } from '../world/wall-time.ts';

const LABEL = { size: 7.9, bold: true } as const;
const VALUE = { size: 7.9 } as const;
const HALF = 258;
const VIGENCIA = [
  { titulo: 'Fecha Inicio', ancho: 12 },
  { titulo: 'Fecha Fin', ancho: 12 },
];

/**
 * The constancia de situación fiscal as PDF with text. Order, headings and labels are those of the SAT's document as
 * phpcfdi/csf-scraper (tests/_files/csf-content.txt) and public readers of it show them; measures are approximate, and
 * it has neither the images (QR code, bar code) nor a real seal. A taxpayer without obligations has no section of them.
 */
export function writeConstanciaPdf(rfc: string, perfil: Perfil, now: Date): Promise<Buffer> {
  const sheet = createSheet('CONSTANCIA DE SITUACIÓN FISCAL', now);
  writeCedula(sheet, rfc, perfil);
  writeHeading(sheet, rfc, perfil, now);
  writeIdentificacion(sheet, rfc, perfil);
  writeDomicilio(sheet, perfil);
  const { actividades, regimenes, obligaciones } = perfil;
  writeTable(
    sheet,
    'Actividades Económicas:',
    [
      { titulo: 'Orden', ancho: 8 },
      { titulo: 'Actividad Económica', ancho: 50 },
      { titulo: 'Porcentaje', ancho: 12 },
      ...VIGENCIA,
    ],
    actividades.map(({ orden, descripcion, porcentaje, desde, hasta }) => [
      String(orden),
      descripcion,
      String(porcentaje),
      dayFirst(desde),
      dayFirst(hasta),
    ]),
  );
  writeTable(
    sheet,
    'Regímenes:',
    [{ titulo: 'Régimen', ancho: 70 }, ...VIGENCIA],
    regimenes.map(({ nombre, desde }) => [nombre, dayFirst(desde), '']),
  );
  if (obligaciones.length > 0) {
    writeTable(
      sheet,
      'Obligaciones:',
      [
        { titulo: 'Descripción de la Obligación', ancho: 38 },
        { titulo: 'Descripción Vencimiento', ancho: 36 },
        ...VIGENCIA,
      ],
      obligaciones.map(({ descripcion, vencimiento, desde, hasta }) => [
        descripcion,
        vencimiento,
        dayFirst(desde),
        dayFirst(hasta),
      ]),
    );
  }
  writeSeal(sheet, rfc, now);
  sheet.numberPages();
  return sheet.finish();
}

/** The card at the top left; the idCIF is in no other place of the document. */
function writeCedula(sheet: Sheet, rfc: string, { nombre, idCif }: Perfil): void {
  const lines: [string, boolean][] = [
    ['CÉDULA DE IDENTIFICACIÓN FISCAL', true],
    [rfc, true],
    ['Registro Federal de Contribuyentes', false],
    [nombre, true],
    ['Nombre, denominación o razón social', false],
    [`idCIF: ${idCif}`, true],
    ['VALIDA TU INFORMACIÓN FISCAL', false],
  ];
  for (const [text, bold] of lines) {
    sheet.y += sheet.write(text, 95, 160, { size: bold ? 8 : 6.5, bold, align: 'center' }) + 4;
  }
}

function writeHeading(sheet: Sheet, rfc: string, { domicilio: { municipio, entidad } }: Perfil, now: Date): void {
  const after = sheet.y;
  const emision = `${municipio} , ${entidad} A ${longDate(wallClock(now))}`;
  sheet.y = 80;
  const lines: [string, number][] = [
    ['CONSTANCIA DE SITUACIÓN FISCAL', 13],
    ['Lugar y Fecha de Emisión', 8],
    [emision, 8],
    [rfc, 8],
  ];
  for (const [text, size] of lines) {
    sheet.y += sheet.write(text, 310, 245, { size, bold: true, align: 'center' }) + 8;
  }
  sheet.y = Math.max(sheet.y, after) + 24;
}

function writeIdentificacion(sheet: Sheet, rfc: string, perfil: Perfil): void {
  writeTitle(sheet, 'Datos de Identificación del Contribuyente:');
  for (const [etiqueta, valor] of identificacion(rfc, perfil)) {
    const height = sheet.write(etiqueta, LEFT + 2, 190, LABEL);
    sheet.y += Math.max(height, sheet.write(valor, LEFT + 200, 320, VALUE)) + 8;
  }
  sheet.y += 8;
}

function writeDomicilio(sheet: Sheet, perfil: Perfil): void {
  writeTitle(sheet, 'Datos del domicilio registrado');
  const campos = domicilio(perfil);
  for (let i = 0; i < campos.length; i += 2) {
    const pair = campos.slice(i, i + 2);
    const heights = pair.map((campo, side) => writeCampo(sheet, campo, LEFT + 2 + side * (HALF + 10)));
    sheet.y += Math.max(...heights) + 6;
  }
  sheet.y += 8;
}

/** A label and its value side by side in half a line; a value that does not fit there goes below its label. */
function writeCampo(sheet: Sheet, [etiqueta, valor]: Campo, x: number): number {
  const used = sheet.widthOf(etiqueta, LABEL) + 3;
  const label = sheet.write(etiqueta, x, HALF, LABEL);
  if (used + sheet.widthOf(valor, VALUE) < HALF)
    return Math.max(label, sheet.write(valor, x + used, HALF - used, VALUE));
  sheet.y += label;
  const below = sheet.write(valor, x, HALF, VALUE);
  sheet.y -= label;
  return label + below;
}

function writeTitle(sheet: Sheet, text: string): void {
  sheet.reserve(40);
  sheet.band(12);
  sheet.write(text, LEFT + 2, RIGHT - LEFT, { size: 8.5, bold: true });
  sheet.y += 18;
}

function writeSeal(sheet: Sheet, rfc: string, now: Date): void {
  const cadena = `||${wallClock(now).replaceAll('-', '/')}|${rfc}|CONSTANCIA DE SITUACIÓN FISCAL|200001088888800000031||`;
  const sello = ['a', 'b', 'c']
    .map((part) =>
      createHash('sha256')
        .update(part + cadena)
        .digest('base64'),
    )
    .join('');
  const notices = [
    'Sus datos personales son incorporados y protegidos en los sistemas del SAT, de conformidad con las disposiciones aplicables.',
    'Documento emitido por un simulador: carece de validez oficial.',
  ];
  for (const text of [...notices, `Cadena Original Sello: ${cadena}`, `Sello Digital: ${sello}`]) {
    sheet.block(text, { size: 7 }, 8, 380);
  }
}

type Campo = readonly [etiqueta: string, valor: string];

/**
 * "Datos de Identificación del Contribuyente", one field a line. The trade name is last for natural persons, fourth for
 * legal ones.
 */
function identificacion(rfc: string, perfil: Perfil): Campo[] {
  const comercial: Campo = ['Nombre Comercial:', ''];
  const situacion: Campo[] = [
    ['Fecha inicio de operaciones:', longDate(perfil.inicioOperaciones)],
    ['Estatus en el padrón:', perfil.estatus],
    ['Fecha de último cambio de estado:', longDate(perfil.ultimoCambio)],
  ];
  if (perfil.tipoPersona === 'moral') {
    return [
      ['RFC:', rfc],
      ['Denominación/Razón Social:', perfil.nombre],
      ['Régimen Capital:', perfil.regimenCapital ?? ''],
      comercial,
      ...situacion,
    ];
  }
  return [
    ['RFC:', rfc],
    ['CURP:', perfil.curp ?? ''],
    ['Nombre (s):', perfil.nombres ?? ''],
    ['Primer Apellido:', perfil.apellidoPaterno ?? ''],
    ['Segundo Apellido:', perfil.apellidoMaterno ?? ''],
    ...situacion,
    comercial,
  ];
}

/** "Datos del domicilio registrado", two fields a line. Where a label has no value the next one follows at once. */
function domicilio({ domicilio: d }: Perfil): Campo[] {
  const [entre = '', y = ''] = d.entreCalles.split(' Y ');
  return [
    ['Código Postal:', d.cp],
    ['Tipo de Vialidad:', d.tipoVialidad],
    ['Nombre de Vialidad:', d.vialidad],
    ['Número Exterior:', d.numeroExterior],
    ['Número Interior:', d.numeroInterior],
    ['Nombre de la Colonia:', d.colonia],
    ['Nombre de la Localidad:', d.localidad],
    ['Nombre del Municipio o Demarcación Territorial:', d.municipio],
    ['Nombre de la Entidad Federativa:', d.entidad],
    ['Entre Calle:', entre],
    ['Y Calle:', y],
  ];
}

/** `dd DE MES DE yyyy` from `yyyy-MM-dd`. */
const longDate = (dia: string) => dayInWords(dia).toUpperCase();

/** `yyyy-MM-dd HH:mm:ss` in central Mexico. */
function wallClock(date: Date): string {
  return formatWallTime(wallTimeOf(date));
}

type Columna = { titulo: string; ancho: number };

/**
 * A heading of the section, a line of headings, and the rows. Cells wrap; a row is never divided, so it may begin on
 * the next page while its headings stay behind, and they are not repeated there.
 */
function writeTable(
  sheet: Sheet,
  titulo: string,
  columnas: readonly Columna[],
  filas: readonly (readonly string[])[],
): void {
  writeTitle(sheet, titulo);
  writeRow(
    sheet,
    columnas,
    columnas.map(({ titulo: text }) => text),
    LABEL,
  );
  for (const fila of filas) writeRow(sheet, columnas, fila, VALUE);
  sheet.y += 10;
}

function writeRow(sheet: Sheet, columnas: readonly Columna[], textos: readonly string[], style: Style): void {
  const total = columnas.reduce((sum, { ancho }) => sum + ancho, 0);
  let next = LEFT + 2;
  const cells = columnas.map(({ ancho }, i): Cell => {
    const left = next;
    next += ((RIGHT - LEFT) * ancho) / total;
    return [left, textos[i] ?? ''];
  });
  sheet.row(cells, style, 14);
}
