import { createHash } from 'node:crypto';
import { once } from 'node:events';
import PDFDocument from 'pdfkit';
import type { Perfil } from '../world/taxpayers/perfil.ts';
import { dayFirst, mesDe } from '../world/texts.ts';
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
  const sheet = createSheet({ title: 'CONSTANCIA DE SITUACIÓN FISCAL', date: now });
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
  const emision = `${municipio} , ${entidad} A ${longDate(wallClock(now).slice(0, 10))}`;
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
  for (const [text, style] of [
    ...notices.map((notice) => [notice, { size: 7 }] as const),
    [`Cadena Original Sello: ${cadena}`, { size: 7 }] as const,
    [`Sello Digital: ${sello}`, { size: 7 }] as const,
  ]) {
    const height = sheet.measure(text, 380, style);
    sheet.reserve(height);
    sheet.write(text, LEFT + 2, 380, style);
    sheet.y += height + 8;
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
function longDate(dia: string): string {
  const [year = '', month = '', day = ''] = dia.split('-');
  return `${day} DE ${mesDe(month).toUpperCase()} DE ${year}`;
}

/** `yyyy-MM-dd HH:mm:ss` in central Mexico. */
function wallClock(date: Date): string {
  return formatWallTime(wallTimeOf(date));
}

/** Points of a letter-size page that text may use. */
const LEFT = 43;
const RIGHT = 569;
const TOP = 60;
const BOTTOM = 735;

type Style = { size: number; bold?: boolean; color?: string };

/** Where text goes; `y` grows downwards and runs over pages. */
type Sheet = {
  y: number;
  /** Writes in a box of some width, wrapped; gives the height used. Does not move `y`. */
  write(text: string, x: number, width: number, style: Style & { align?: 'left' | 'center' }): number;
  /** The height that a text would take. */
  measure(text: string, width: number, style: Style): number;
  /** The width of a text on one line. */
  widthOf(text: string, style: Style): number;
  /** Goes to a new page when less than `height` is left. */
  reserve(height: number): void;
  band(height: number): void;
  /** Numbers the pages, ends the document and gives its bytes. */
  finish(): Promise<Buffer>;
};

/** Creates an empty document. Its standard fonts keep the text readable (WinAnsi), as in the SAT's PDF. */
function createSheet(info: { title: string; date: Date }): Sheet {
  const doc = new PDFDocument({
    size: 'LETTER',
    bufferPages: true,
    margin: 0,
    info: { Title: info.title, Producer: 'Simulador', CreationDate: info.date },
  });
  const chunks: Buffer[] = [];
  doc.on('data', (chunk: Buffer) => chunks.push(chunk));
  const use = ({ size, bold = false, color = 'black' }: Style) =>
    doc
      .font(bold ? 'Helvetica-Bold' : 'Helvetica')
      .fontSize(size)
      .fillColor(color);

  const sheet: Sheet = {
    y: TOP,
    write: (text, x, width, style) => {
      const height = use(style).heightOfString(text, { width });
      if (text !== '') doc.text(text, x, sheet.y, { width, align: style.align ?? 'left' });
      return height;
    },
    measure: (text, width, style) => use(style).heightOfString(text, { width }),
    widthOf: (text, style) => use(style).widthOfString(text),
    reserve: (height) => {
      if (sheet.y + height <= BOTTOM) return;
      doc.addPage();
      sheet.y = TOP;
    },
    band: (height) => {
      doc.rect(LEFT, sheet.y - 2, RIGHT - LEFT, height).fill('#c9c9c9');
    },
    finish: async () => {
      const { count } = doc.bufferedPageRange();
      for (let page = 0; page < count; page++) {
        doc.switchToPage(page);
        use({ size: 8 }).text(`Página [${page + 1}] de [${count}]`, LEFT, 765, { width: RIGHT - LEFT, align: 'right' });
      }
      const ended = once(doc, 'end');
      doc.end();
      await ended;
      return Buffer.concat(chunks);
    },
  };
  return sheet;
}

const CELL = { size: 7.9 } as const;
const GAP = 14;
const HEAD = { size: 7.9, bold: true } as const;

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
  sheet.reserve(36);
  sheet.band(12);
  sheet.write(titulo, LEFT + 2, RIGHT - LEFT, { size: 8.5, bold: true });
  sheet.y += 16;
  writeRow(
    sheet,
    columnas,
    columnas.map(({ titulo: text }) => text),
    HEAD,
  );
  for (const fila of filas) writeRow(sheet, columnas, fila, CELL);
  sheet.y += 10;
}

function writeRow(
  sheet: Sheet,
  columnas: readonly Columna[],
  textos: readonly string[],
  style: typeof CELL | typeof HEAD,
): void {
  const total = columnas.reduce((sum, { ancho }) => sum + ancho, 0);
  const widths = columnas.map(({ ancho }) => ((RIGHT - LEFT) * ancho) / total);
  const texto = (i: number) => textos[i] ?? '';
  const height = Math.max(...widths.map((width, i) => sheet.measure(texto(i), width - GAP, style)));
  sheet.reserve(height);
  let x = LEFT + 2;
  for (const [i, width] of widths.entries()) {
    sheet.write(texto(i), x, width - GAP, style);
    x += width;
  }
  sheet.y += height + 4;
}
