import type { FacturaRecibida, ListarFacturas, RespuestaListarFacturas } from '@acuse/core';
import { isUnDia, splitDias, splitMeses, splitMitades } from '../busqueda/periodos.ts';
import { type Hallazgo, type Pregunta, reunir } from '../busqueda/reunir.ts';
import { search } from '../consultas/busqueda.ts';
import type { PageClient } from '../page-client.ts';
import { ilegible } from '../paginas/ilegible.ts';
import { readResultadoFacturas } from './resultado-facturas.ts';

/**
 * Lists every CFDI received in a period. The page takes one day with its hours, or a whole month (day 0), and shows at
 * most 500 rows; so a part of the period inside of one month is one search, which is divided into its days when capped,
 * and those into halves. Rows of the month that lie outside of the period are left out; a row outside of the month or
 * day asked for is RESPUESTA_ILEGIBLE.
 *
 * The searches run one after the other: ASP.NET makes the requests of a session wait for each other anyway, and the
 * SAT's portal is shared.
 */
export async function listarFacturas(
  pageClient: PageClient,
  { rfc, periodo, maximo }: ListarFacturas,
  signal: AbortSignal,
): Promise<RespuestaListarFacturas> {
  const facturas = await reunir<FacturaRecibida>({
    periodos: splitMeses(periodo),
    ask: (pregunta) => ask(pageClient, rfc, pregunta, signal),
    split: (parte) => (isUnDia(parte) ? splitMitades(parte) : splitDias(parte)),
    maximo,
  });
  return facturas === null ? { resultado: 'DEMASIADAS' } : { resultado: 'LISTA', facturas };
}

async function ask(
  pageClient: PageClient,
  rfc: string,
  { periodo, estado }: Pregunta,
  signal: AbortSignal,
): Promise<Hallazgo<FacturaRecibida>> {
  const delta = await search(pageClient, { tipo: 'recibidos', rfc, periodo, estado }, signal);
  const { filas, topada } = readResultadoFacturas(delta, rfc);
  if (isUnDia(periodo)) return { filas, topada };
  const mes = periodo.inicio.slice(0, 7);
  if (filas.some(({ fechaEmision }) => !fechaEmision.startsWith(mes))) throw ilegible('busqueda: otro mes');
  const propias = filas.filter(({ fechaEmision }) => fechaEmision >= periodo.inicio && fechaEmision <= periodo.fin);
  return { filas: propias, topada };
}
