import { EFECTOS, type Efecto, type Paquetes } from '@acuse/core';
import type { DetalleSolicitud } from '@acuse/db';

/** Largest package, in rows, whose amounts are summed for a page. */
export const MAX_FILAS = 100_000;
/** Rows of the preview, and counterparties of the list. */
export const FILAS_VISTA = 20;
const MAX_CONTRAPARTES = 5;
/** Packages whose figures stay in memory; a package never changes. */
const MAX_LEIDOS = 50;
const TIMEOUT_MS = 10_000;

/** Centavos of one kind of CFDI. */
export interface Pesos {
  readonly vigentes: number;
  readonly cancelados: number;
}

/** A supplier or a customer: its CFDI, and the centavos of its valid ingresos. */
export interface Contraparte {
  readonly rfc: string;
  readonly nombre: string;
  cfdi: number;
  centavos: number;
}

export interface FilaPaquete {
  readonly uuid: string;
  readonly rfc: string;
  readonly nombre: string;
  readonly fecha: string;
  readonly efecto: Efecto;
  readonly isVigente: boolean;
  /** As the SAT gives it; empty where it gives none. */
  readonly monto: string;
}

/** What only the rows of a package tell; its counts are in the solicitud. */
export interface Contenido {
  readonly vista: readonly FilaPaquete[];
  /** Null beyond {@link MAX_FILAS} rows. */
  readonly sumas: {
    readonly porEfecto: Readonly<Partial<Record<Efecto, Pesos>>>;
    /** The largest, by amount. */
    readonly contrapartes: readonly Contraparte[];
    readonly otras: number;
  } | null;
}

type Leible = Pick<DetalleSolicitud, 'objectKey' | 'formato' | 'registros' | 'tipo'>;

/**
 * Reads packages once each: later pages get the first reading. Gives null for a package without `metadata.csv`, or
 * one that storage does not give now.
 */
export function createLector(paquetes: Pick<Paquetes, 'readCsv'>) {
  const known = new Map<string, Promise<Contenido | null>>();
  return (solicitud: Leible): Promise<Contenido | null> => {
    const { objectKey, formato, registros } = solicitud;
    if (objectKey === null || formato !== 'csv' || !registros) return Promise.resolve(null);
    const found = known.get(objectKey);
    if (found) return found;
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const reading = read(paquetes.readCsv(objectKey, signal), solicitud.tipo, registros <= MAX_FILAS).catch(() => {
      known.delete(objectKey);
      return null;
    });
    known.set(objectKey, reading);
    for (const oldest of known.keys()) if (known.size > MAX_LEIDOS) known.delete(oldest);
    return reading;
  };
}

async function read(chunks: AsyncIterable<Buffer>, tipo: string, isWhole: boolean): Promise<Contenido> {
  const own = tipo === 'emitidos' ? 3 : 1;
  const vista: FilaPaquete[] = [];
  const porEfecto: Partial<Record<Efecto, { vigentes: number; cancelados: number }>> = {};
  const contrapartes = new Map<string, Contraparte>();
  for await (const celdas of rowsOf(chunks)) {
    const fila = filaOf(celdas, own);
    if (vista.length < FILAS_VISTA) vista.push(fila);
    else if (!isWhole) break;
    const centavos = Math.round(Number(fila.monto) * 100);
    const sum = porEfecto[fila.efecto] ?? { vigentes: 0, cancelados: 0 };
    porEfecto[fila.efecto] = sum;
    sum[fila.isVigente ? 'vigentes' : 'cancelados'] += centavos;
    const { rfc, nombre } = fila;
    const one = contrapartes.get(rfc) ?? { rfc, nombre, cfdi: 0, centavos: 0 };
    one.cfdi += 1;
    if (fila.isVigente && fila.efecto === 'I') one.centavos += centavos;
    contrapartes.set(rfc, one);
  }
  if (!isWhole) return { vista, sumas: null };
  const largest = [...contrapartes.values()].sort((a, b) => b.centavos - a.centavos).slice(0, MAX_CONTRAPARTES);
  return { vista, sumas: { porEfecto, contrapartes: largest, otras: contrapartes.size - largest.length } };
}

function filaOf(celdas: readonly string[], own: number): FilaPaquete {
  const [uuid = '', , , , , , fecha = '', , monto = '', efecto = '', estatus = ''] = celdas;
  const letter = EFECTOS.find((each) => each === efecto.charAt(0).toUpperCase());
  const [rfc = '', nombre = ''] = celdas.slice(own);
  return { uuid, rfc, nombre, fecha, efecto: letter ?? 'otro', isVigente: estatus === 'VIGENTE', monto };
}

/** Rows of our own CSV without its header; chunks may end anywhere, and a quoted field may have line ends. */
async function* rowsOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder();
  let [rest, isHeader] = ['', true];
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\r\n');
    rest = lines.pop() ?? '';
    let row = '';
    for (const line of lines) {
      row = row === '' ? line : `${row}\r\n${line}`;
      if (isOpen(row)) continue;
      if (!isHeader) yield celdasOf(row);
      [row, isHeader] = ['', false];
    }
    if (row !== '') rest = `${row}\r\n${rest}`;
  }
}

/** Whether a quoted field has not ended: its quotation marks are odd in number. */
const isOpen = (row: string) => row.includes('"') && (row.match(/"/g)?.length ?? 0) % 2 === 1;

const CELDA = /(?:"((?:[^"]|"")*)"|([^,]*))(?:,|$)/gy;

function celdasOf(row: string): string[] {
  if (!row.includes('"')) return row.split(',');
  return [...row.matchAll(CELDA)].map(([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain);
}
