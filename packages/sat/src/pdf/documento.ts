import { getDocumentProxy } from 'unpdf';
import { readLineas, type Trazo } from './lineas.ts';
import type { PaginaPdf } from './pagina-pdf.ts';

export interface LimitesPdf {
  readonly maxPaginas: number;
  /** Runs of text in the whole document. */
  readonly maxTrazos: number;
  /** Characters in the whole document. */
  readonly maxCaracteres: number;
}

export type MotivoPdf =
  | 'no es un PDF'
  | 'PDF incompleto'
  | 'PDF dañado'
  | 'PDF cifrado'
  | 'PDF con demasiadas páginas'
  | 'PDF con demasiado texto'
  | 'PDF sin texto';

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
type Matriz = readonly number[];

/**
 * Reads the text of a PDF, strictly: a document whose end is missing, or of which any part is damaged, is refused and
 * not repaired, since a repaired one may have lost pages. Throws PdfIlegible.
 */
export async function readDocumento(bytes: Uint8Array, limites: LimitesPdf): Promise<PaginaPdf[]> {
  assertEntero(bytes);
  const documento = await open(bytes);
  try {
    if (documento.numPages > limites.maxPaginas) throw new PdfIlegible('PDF con demasiadas páginas');
    const paginas: PaginaPdf[] = [];
    let trazos = 0;
    let caracteres = 0;
    for (let numero = 1; numero <= documento.numPages; numero += 1) {
      const pagina = await readPagina(documento, numero, (leidos) => {
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
function assertEntero(bytes: Uint8Array): void {
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

async function readPagina(
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
function toTrazo(item: { str: string; width: number; transform: Matriz }, vista: Matriz): Trazo[] {
  const [a = 0, b = 0, c = 0, d = 0, x = 0, y = 0] = multiply(vista, item.transform);
  const cuerpo = Math.hypot(c, d);
  const upright = a > 0 && Math.abs(b) <= 0.05 * a && d < 0 && Math.abs(c) <= 0.4 * -d;
  if (!upright || ![x, y, cuerpo, item.width].every(Number.isFinite)) return [];
  return [{ texto: item.str, x, y, ancho: item.width, cuerpo }];
}

function multiply(m: Matriz, n: Matriz): Matriz {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = m;
  const [p = 0, q = 0, r = 0, s = 0, t = 0, u = 0] = n;
  return [a * p + c * q, b * p + d * q, a * r + c * s, b * r + d * s, a * t + c * u + e, b * t + d * u + f];
}
