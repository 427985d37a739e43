import type { ListarRetenciones, Periodo, RespuestaListarRetenciones, Retencion } from '@acuse/core';
import { isUnDia, splitDias, splitMeses, splitMitades } from '../busqueda/periodos.ts';
import { type Reunion, reunir } from '../busqueda/reunir.ts';
import type { PageClient } from '../page-client.ts';
import { ilegible } from '../paginas/ilegible.ts';
import type { FilaRetencion, Lado } from './fila-retencion.ts';
import { hasMes, openBusqueda, searchFrom } from './pagina-busqueda.ts';
import { isSinResultados, readResultadoRetenciones } from './resultado-retenciones.ts';

/** Throws RangeError for a fiscal year that is not of four digits. */
export function assertEjercicio({ ejercicio }: ListarRetenciones): void {
  if (!Number.isInteger(ejercicio) || ejercicio < 1000 || ejercicio > 9999) {
    throw new RangeError('The fiscal year is not one of four digits');
  }
}

/**
 * Lists the CFDI de retenciones of a fiscal year by date of issue, received and issued. The page of issued ones takes
 * any two dates, so a year is one search; the page of received ones takes a month where its list of days can be left
 * open, else a day. A capped answer is divided like those of the CFDI portal. The searches of one side follow each
 * other from page to page.
 */
export async function listarRetenciones(
  pageClient: PageClient,
  { rfc, ejercicio }: ListarRetenciones,
  signal: AbortSignal,
): Promise<RespuestaListarRetenciones> {
  const anio = { inicio: `${ejercicio}-01-01T00:00:00`, fin: `${ejercicio}-12-31T23:59:59` };
  const porUuid = new Map<string, Retencion>();
  for (const lado of ['RECIBIDA', 'EMITIDA'] as const) {
    for (const fila of await listLado(pageClient, lado, anio, rfc, signal)) {
      const { fechaEmision, ...retencion } = fila;
      porUuid.set(fila.uuid, { ...retencion, fecha: fechaEmision.slice(0, 10) });
    }
  }
  return { retenciones: [...porUuid.values()].sort(byFecha) };
}

async function listLado(
  pageClient: PageClient,
  lado: Lado,
  anio: Periodo,
  rfc: string,
  signal: AbortSignal,
): Promise<readonly FilaRetencion[]> {
  let pagina = await openBusqueda(pageClient, lado, rfc, signal);
  // What the page says before it was asked is no answer.
  if (isSinResultados(pagina.etiquetas)) throw ilegible('retenciones: dice que no hay antes de buscar');
  const filas = await reunir<FilaRetencion>({
    ...(lado === 'EMITIDA' ? divideEmitidas(anio) : divideRecibidas(anio, hasMes(pagina))),
    maximo: Number.POSITIVE_INFINITY,
    async ask(pregunta) {
      pagina = await searchFrom(pageClient, pagina, lado, pregunta, rfc, signal);
      return readResultadoRetenciones(pagina.etiquetas, lado, rfc);
    },
  });
  if (filas === null) throw ilegible('retenciones: lista sin terminar');
  return filas;
}

function divideEmitidas(anio: Periodo): Pick<Reunion<FilaRetencion>, 'periodos' | 'split'> {
  return { periodos: [anio], split: splitMitades };
}

function divideRecibidas(anio: Periodo, meses: boolean): Pick<Reunion<FilaRetencion>, 'periodos' | 'split'> {
  return {
    periodos: meses ? splitMeses(anio) : splitDias(anio),
    split: (parte) => (isUnDia(parte) ? splitMitades(parte) : splitDias(parte)),
  };
}

function byFecha(a: Retencion, b: Retencion): number {
  if (a.fecha !== b.fecha) return a.fecha < b.fecha ? -1 : 1;
  if (a.uuid === b.uuid) return 0;
  return a.uuid < b.uuid ? -1 : 1;
}
