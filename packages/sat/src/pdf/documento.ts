import { getDocumentProxy } from 'unpdf';
import type { CeldaPdf, LimitesPdf, LineaPdf, MotivoPdf, PaginaPdf } from './pagina-pdf.ts';

/** Why a document was not read. Thrown only where the document is read; others see a SatError. */
export class PdfIlegible extends Error {
  readonly motivo: MotivoPdf;

  constructor(motivo: MotivoPdf) {
    super(motivo);
    this.name = 'PdfIlegible';
    this.motivo = motivo;
  }
}

type Documento = Awaited<ReturnType<typeof getDocumentProxy>>;
type Matrix = readonly number[];

/**
 * Reads the text of a PDF strictly: refuses a truncated or damaged document, since a repaired one may lack pages.
 * Throws PdfIlegible.
 */
export async function readDocumento(bytes: Uint8Array, limites: LimitesPdf): Promise<PaginaPdf[]> {
  assertInteger(bytes);
  const documento = await open(bytes);
  try {
    if (documento.numPages > limites.maxPaginas) throw new PdfIlegible('PDF con demasiadas páginas');
    const paginas: PaginaPdf[] = [];
    let trazos = 0;
    let caracteres = 0;
    for (let numero = 1; numero <= documento.numPages; numero += 1) {
      const pagina = await readPage(documento, numero, (leidos) => {
        trazos += leidos.length;
        for (const { texto } of leidos) caracteres += texto.length;
        if (trazos > limites.maxTrazos || caracteres > limites.maxCaracteres) {
          throw new PdfIlegible('PDF con demasiado texto');
        }
      });
      paginas.push(pagina);
    }
    if (paginas.every((pagina) => pagina.lineas.length === 0)) throw new PdfIlegible('PDF sin texto');
    return paginas;
  } catch (error) {
    throw error instanceof PdfIlegible ? error : new PdfIlegible('PDF dañado');
  }
}

/**
 * The first bytes say `%PDF-` and the last ones `%%EOF` (ISO 32000-1, 7.5.2 and 7.5.5; blanks and some junk may
 * follow).
 */
function assertInteger(bytes: Uint8Array): void {
  const latin1 = new TextDecoder('latin1');
  if (!latin1.decode(bytes.subarray(0, 1024)).includes('%PDF-')) throw new PdfIlegible('no es un PDF');
  if (!latin1.decode(bytes.subarray(-1024)).includes('%%EOF')) throw new PdfIlegible('PDF incompleto');
}

async function open(bytes: Uint8Array): Promise<Documento> {
  try {
    return await getDocumentProxy(bytes, {
      stopAtErrors: true,
      isEvalSupported: false,
      useSystemFonts: false,
      disableFontFace: true,
      enableXfa: false,
      verbosity: 0,
    });
  } catch (error) {
    const cifrado = error instanceof Error && error.name === 'PasswordException';
    throw new PdfIlegible(cifrado ? 'PDF cifrado' : 'PDF dañado');
  }
}

async function readPage(
  documento: Documento,
  numero: number,
  count: (trazos: readonly Trazo[]) => void,
): Promise<PaginaPdf> {
  const pagina = await documento.getPage(numero);
  const vista = pagina.getViewport({ scale: 1 });
  const trazos: Trazo[] = [];
  const lector = pagina.streamTextContent().getReader();
  for (;;) {
    const { value, done } = await lector.read();
    if (done) break;
    const leidos: Trazo[] = [];
    for (const item of value.items) if ('str' in item) leidos.push(...toTrazo(item, vista.transform));
    count(leidos);
    trazos.push(...leidos);
  }
  pagina.cleanup();
  return { numero, ancho: vista.width, alto: vista.height, lineas: readLineas(trazos, numero) };
}

/** Text that is not upright as the page is seen (a watermark, a stamp along the margin) is no part of any line. */
function toTrazo(item: { str: string; width: number; transform: Matrix }, vista: Matrix): Trazo[] {
  const [a = 0, b = 0, c = 0, d = 0, x = 0, y = 0] = multiply(vista, item.transform);
  const cuerpo = Math.hypot(c, d);
  const upright = a > 0 && Math.abs(b) <= 0.05 * a && d < 0 && Math.abs(c) <= 0.4 * -d;
  if (!upright || ![x, y, cuerpo, item.width].every(Number.isFinite)) return [];
  return [{ texto: item.str, x, y, ancho: item.width, cuerpo }];
}

function multiply(m: Matrix, n: Matrix): Matrix {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = m;
  const [p = 0, q = 0, r = 0, s = 0, t = 0, u = 0] = n;
  return [a * p + c * q, b * p + d * q, a * r + c * s, b * r + d * s, a * t + c * u + e, b * t + d * u + f];
}

/** A run of text as the document draws it, in the page's own coordinates with `y` growing downwards. */
interface Trazo {
  readonly texto: string;
  readonly x: number;
  readonly y: number;
  readonly ancho: number;
  readonly cuerpo: number;
}

/** Parts of the letter size: gap that begins another cell, gap that is a blank, offset within one baseline. */
const SALTO_DE_CELDA = 0.55;
const BLANK = 0.15;
const LEVEL_DIFFERENCE = 0.35;

/**
 * Groups runs by baseline, and the runs of a baseline into cells by the gaps between them, whatever the order they were
 * drawn in.
 */
function readLineas(trazos: readonly Trazo[], pagina: number): LineaPdf[] {
  const visibles = trazos.filter((t) => t.texto.trim() !== '');
  const grupos: { y: number; trazos: Trazo[] }[] = [];
  for (const trazo of visibles.toSorted((a, b) => a.y - b.y || a.x - b.x)) {
    const ultimo = grupos.at(-1);
    if (ultimo !== undefined && trazo.y - ultimo.y <= LEVEL_DIFFERENCE * trazo.cuerpo) ultimo.trazos.push(trazo);
    else grupos.push({ y: trazo.y, trazos: [trazo] });
  }
  return grupos.map(({ y, trazos: juntos }) => {
    const celdas = readCells(juntos.toSorted((a, b) => a.x - b.x));
    return {
      pagina,
      y,
      cuerpo: Math.max(...juntos.map((t) => t.cuerpo)),
      celdas,
      texto: celdas.map((c) => c.texto).join('  '),
    };
  });
}

function readCells(trazos: readonly Trazo[]): CeldaPdf[] {
  const celdas: { x: number; hasta: number; texto: string }[] = [];
  let anterior: Trazo | undefined;
  for (const trazo of trazos) {
    const abierta = celdas.at(-1);
    if (anterior !== undefined && isRepeticion(anterior, trazo)) continue;
    const gap = abierta === undefined ? 0 : trazo.x - abierta.hasta;
    if (abierta === undefined || gap > SALTO_DE_CELDA * trazo.cuerpo) {
      celdas.push({ x: trazo.x, hasta: trazo.x + trazo.ancho, texto: trazo.texto });
    } else {
      abierta.texto += (gap > BLANK * trazo.cuerpo ? ' ' : '') + trazo.texto;
      abierta.hasta = Math.max(abierta.hasta, trazo.x + trazo.ancho);
    }
    anterior = trazo;
  }
  return celdas.map((c) => ({ ...c, texto: c.texto.normalize('NFC').replace(/\s+/gu, ' ').trim() }));
}

/** Some writers draw a text twice, a hair apart, to make it bold. */
function isRepeticion(a: Trazo, b: Trazo): boolean {
  return a.texto === b.texto && Math.abs(a.x - b.x) < 0.1 * b.cuerpo;
}
