import { type Context, Hono } from 'hono';
import { z } from 'zod';
import type { FaultRule } from '../../world/faults/faults.ts';
import type { World } from '../../world/world.ts';
import { type Criteria, countRows } from '../consulta/criteria.ts';
import type { SearchPage } from '../consulta/search-page.ts';
import type { PortalSession } from '../portal-session.ts';
import type { PortalState } from '../portal-state.ts';
import { pageMethodError, withPortalSession } from '../web/guard.ts';

type Deps = { world: World; state: PortalState };

const OPERATION = 'DescargaMetadatos';
const PARAMETROS = /['"]Parametros['"]\s*:\s*(['"])([^'"]*)\1/;
const sealedCriteria = z.object({ rfc: z.string(), tipo: z.enum(['emitidos', 'recibidos']) });

/**
 * The page method `DescargaMetadatos`: the hidden field's criteria, in base64 and then percent-encoded, as
 * `{'Parametros':'…'}` (single quotes, as the page's script writes them; double ones are taken too). It answers
 * `{"d": text}`: a text with `folio de descarga: <UUID>`, or one that begins with `Error:`.
 * Source: phpcfdi/cfdi-sat-scraper, pull request 97 and the script of the search page in tests/_files.
 */
export function createDescargaMetadatos(deps: Deps, page: SearchPage): Hono {
  return new Hono().post(`/${page.pagina}/${OPERATION}`, async (c) => {
    const body = await c.req.text();
    return withPortalSession(deps, c, { operation: OPERATION, detail: { pagina: page.pagina } }, (session, fault) => {
      const parametros = isJson(c) ? PARAMETROS.exec(body)?.[2] : undefined;
      if (parametros === undefined) {
        const message = "Invalid web service call, missing value for parameter: 'Parametros'.";
        return pageMethodError(500, message, 'System.InvalidOperationException');
      }
      const text = request(deps, page, session, parametros, fault);
      return Response.json({ d: text }, { headers: { 'content-type': 'application/json; charset=utf-8' } });
    });
  });
}

function request(
  { world, state }: Deps,
  page: SearchPage,
  session: PortalSession,
  parametros: string,
  fault: FaultRule | null,
) {
  if (fault?.kind === 'code') return `Error: ${fault.mensaje ?? FAILED}`;
  const criteria = openCriteria(state, session, page, parametros);
  if (!criteria) return `Error: ${FAILED}`;
  const total = countRows(world, criteria);
  if (total === 0)
    return 'Error: No existen registros que cumplan con los criterios de búsqueda ingresados, intentar nuevamente.';
  const max = world.settings.max_filas_metadata;
  if (total > max) {
    return `Error: La consulta excede el máximo de ${max.toLocaleString('en-US')} registros por solicitud. Reduzca el periodo de búsqueda.`;
  }
  const folio = state.folios.request(criteria, total, fault?.kind === 'stuck');
  return `Su solicitud fue registrada con el folio de descarga: ${folio.id}. En un máximo de 48 horas podrá recuperar el paquete en la opción Recuperar Descargas de CFDI.`;
}

const FAILED = 'Ocurrió un error al procesar su solicitud. Por favor inténtelo más tarde.';

/** The criteria of a search that this taxpayer made on this page; null for anything else. */
function openCriteria(
  { seal }: PortalState,
  { rfc }: PortalSession,
  { tipo }: SearchPage,
  parametros: string,
): Criteria | null {
  const text = Buffer.from(decodePercent(parametros), 'base64').toString('utf8');
  const value = seal.open(text);
  const read = sealedCriteria.safeParse(value);
  return read.success && read.data.rfc === rfc && read.data.tipo === tipo ? (value as Criteria) : null;
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

function isJson(c: Context): boolean {
  return (c.req.header('content-type') ?? '').startsWith('application/json');
}
