import { ilegible } from '../../texto.ts';
import { type Etiqueta, readTexto } from './etiquetas.ts';

export interface Formulario {
  /** '' when it has none. */
  readonly id: string;
  /** As written; '' when the form has none, which means the page's own address. */
  readonly accion: string;
  readonly metodo: 'GET' | 'POST';
  readonly etiquetas: readonly Etiqueta[];
}

const SIN_VALOR = new Set(['submit', 'reset', 'button', 'image', 'file']);

/** The forms of a page, each with the tags inside. */
export function readForms(etiquetas: readonly Etiqueta[]): readonly Formulario[] {
  const formularios: Formulario[] = [];
  for (const [from, etiqueta] of etiquetas.entries()) {
    if (etiqueta.nombre !== 'form' || etiqueta.closes) continue;
    const length = etiquetas.slice(from + 1).findIndex((e) => e.nombre === 'form');
    formularios.push({
      id: etiqueta.attrs.get('id') ?? '',
      accion: (etiqueta.attrs.get('action') ?? '').trim(),
      metodo: etiqueta.attrs.get('method')?.trim().toLowerCase() === 'post' ? 'POST' : 'GET',
      etiquetas: length === -1 ? etiquetas.slice(from + 1) : etiquetas.slice(from + 1, from + 1 + length),
    });
    if (formularios.length === 8) break;
  }
  return formularios;
}

/**
 * The fields that a browser would send with a form whose button was not pressed: no buttons, no disabled fields, radios
 * and boxes only when marked, lists with their chosen (else first) option. The last of several fields with one name
 * wins.
 */
export function readCampos(etiquetas: readonly Etiqueta[]): Map<string, string> {
  const campos = new Map<string, string>();
  let lista: { nombre: string; isDecided: boolean } | null = null;
  for (const etiqueta of etiquetas) {
    if (etiqueta.nombre === 'select') lista = etiqueta.closes ? null : openLista(etiqueta);
    if (etiqueta.closes) continue;
    if (etiqueta.nombre === 'option' && lista !== null) {
      const elegida = etiqueta.attrs.get('selected') !== undefined;
      if (!campos.has(lista.nombre) || (elegida && !lista.isDecided)) {
        campos.set(lista.nombre, etiqueta.attrs.get('value') ?? readTexto([etiqueta]));
      }
      lista.isDecided ||= elegida;
    }
    if (etiqueta.nombre === 'input') readEntrada(etiqueta, campos);
    if (etiqueta.nombre === 'textarea') {
      const nombre = nombreDe(etiqueta);
      if (nombre !== null) campos.set(nombre, readTexto([etiqueta]));
    }
  }
  return campos;
}

/** Names of the fields that a person could fill in: everything but hidden fields and buttons. */
export function hasVisibleFields(etiquetas: readonly Etiqueta[]): boolean {
  return etiquetas.some((e) => {
    if (e.closes) return false;
    if (e.nombre === 'select' || e.nombre === 'textarea') return true;
    const tipo = tipoDe(e);
    return e.nombre === 'input' && tipo !== 'hidden' && !SIN_VALOR.has(tipo);
  });
}

function readEntrada(etiqueta: Etiqueta, campos: Map<string, string>): void {
  const nombre = nombreDe(etiqueta);
  const tipo = tipoDe(etiqueta);
  if (nombre === null || SIN_VALOR.has(tipo)) return;
  const marcable = tipo === 'radio' || tipo === 'checkbox';
  if (marcable && etiqueta.attrs.get('checked') === undefined) return;
  campos.set(nombre, etiqueta.attrs.get('value') ?? (marcable ? 'on' : ''));
}

function openLista(etiqueta: Etiqueta): { nombre: string; isDecided: boolean } | null {
  const nombre = nombreDe(etiqueta);
  return nombre === null ? null : { nombre, isDecided: false };
}

function tipoDe(etiqueta: Etiqueta): string {
  return (etiqueta.attrs.get('type') ?? 'text').trim().toLowerCase();
}

function nombreDe(etiqueta: Etiqueta): string | null {
  const nombre = etiqueta.attrs.get('name') ?? '';
  return nombre === '' || etiqueta.attrs.get('disabled') !== undefined ? null : nombre;
}

const HEX = Buffer.from('0123456789ABCDEF', 'latin1');

/**
 * `application/x-www-form-urlencoded` of the fields as bytes. A Buffer (a password) is escaped byte by byte into the
 * body and never becomes a string, so that the sender can zero the body.
 */
export function encodeForm(campos: Iterable<readonly [string, string | Buffer]>): Buffer {
  const parts = [...campos].flatMap(([nombre, valor], i) => [
    `${i === 0 ? '' : '&'}${escapeText(nombre)}=`,
    typeof valor === 'string' ? escapeText(valor) : valor,
  ]);
  const sizes = parts.map((part) => (typeof part === 'string' ? part.length : part.length * 3));
  const body = Buffer.alloc(sizes.reduce((sum, size) => sum + size, 0));
  let at = 0;
  for (const [i, part] of parts.entries()) {
    if (typeof part === 'string') body.write(part, at, 'latin1');
    else writeEscaped(part, body, at);
    at += sizes[i] ?? 0;
  }
  return body;
}

/** A lone surrogate, which `encodeURIComponent` throws on, becomes U+FFFD. */
function escapeText(texto: string): string {
  return encodeURIComponent(Buffer.from(texto).toString());
}

function writeEscaped(valor: Buffer, body: Buffer, from: number): void {
  for (const [i, byte] of valor.entries()) {
    body[from + i * 3] = 0x25;
    body[from + i * 3 + 1] = HEX[byte >> 4] ?? 0;
    body[from + i * 3 + 2] = HEX[byte & 15] ?? 0;
  }
}

/** One choice of a list. */
export interface Opcion {
  readonly valor: string;
  readonly texto: string;
}

/** A list of choices. */
export interface Lista {
  /** '' when it has none, as the name. */
  readonly id: string;
  readonly nombre: string;
  readonly opciones: readonly Opcion[];
}

/**
 * The lists (`select`) of a page with their choices in order, closed to people or not. Throws RESPUESTA_ILEGIBLE for
 * one that does not end.
 */
export function readListas(etiquetas: readonly Etiqueta[]): readonly Lista[] {
  const listas: Lista[] = [];
  let opciones: Opcion[] | null = null;
  for (const etiqueta of etiquetas) {
    if (etiqueta.nombre === 'select') {
      opciones = etiqueta.closes ? null : [];
      if (opciones === null) continue;
      const [id, nombre] = [etiqueta.attrs.get('id') ?? '', etiqueta.attrs.get('name') ?? ''];
      listas.push({ id, nombre, opciones });
    } else if (etiqueta.nombre === 'option' && !etiqueta.closes && opciones !== null) {
      const texto = readTexto([etiqueta]);
      opciones.push({ valor: etiqueta.attrs.get('value') ?? texto, texto });
    }
  }
  if (opciones !== null) throw ilegible('lista sin terminar');
  return listas;
}
