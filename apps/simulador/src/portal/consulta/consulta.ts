import { type Context, Hono } from 'hono';
import type { ProviderSession } from '../../web/host.ts';
import { formOf, htmlResponse, runtimeError } from '../../web/http.ts';
import { openView } from '../../web/seal.ts';
import { isVacioFalso } from '../../world/asked.ts';
import { take } from '../../world/take.ts';
import { wallTimeOf } from '../../world/wall-time.ts';
import type { World } from '../../world/world.ts';
import { isDelta } from '../guard.ts';
import { csrfOf, deltaResponse, errorDelta, VIEW_STATE_ERROR } from '../page.ts';
import type { PortalState } from '../portal-state.ts';
import { type Form, findRows, readInterval, readUuid } from './criteria.ts';
import { MAIN } from './form-controls.ts';
import { FRESH_VIEW, renderDelta, renderPage, type SearchPage, type SearchView } from './search-page.ts';
import type { Filtro } from './search-panel.ts';

type Deps = { world: World; state: PortalState };

/**
 * One search page: GET shows it, a postback of a radio button enables the controls of that filter, and a postback of
 * the search button searches. As in ASP.NET, values of controls that the view state has disabled are not read, so a
 * search by date needs the view state that the second step answered.
 */
export function createConsulta(deps: Deps, page: SearchPage): Hono {
  const show = (c: Context, session: ProviderSession, view: SearchView) =>
    isDelta(c)
      ? deltaResponse(renderDelta(deps, page, session, view))
      : htmlResponse(renderPage(deps, page, session, view));

  const post = async (c: Context) => {
    const form = await formOf(c);
    const isSearch = `${MAIN}BtnBusqueda` in form;
    const operation = isSearch ? 'Buscar' : 'ElegirFiltro';
    return deps.state.host.guard(c, { operation, detail: { pagina: page.pagina } }, (session) => {
      const viewState = openView<{ filtro: Filtro }>(deps.state.seal, session, page.pagina, form['__VIEWSTATE'] ?? '');
      const isCsrfWrong = (form['__CSRFTOKEN'] ?? csrfOf(session)) !== csrfOf(session);
      if (!viewState || isCsrfWrong) return refuse(c);
      const view = isSearch ? search(deps, page, session, viewState.filtro, form) : choose(form, viewState.filtro);
      return show(c, session, view);
    });
  };

  return new Hono()
    .get(`/${page.pagina}`, (c) =>
      deps.state.host.guard(c, { operation: 'AbrirConsulta', detail: { pagina: page.pagina } }, (session) =>
        show(c, session, FRESH_VIEW),
      ),
    )
    .post(`/${page.pagina}`, post);
}

function choose(form: Form, before: Filtro): SearchView {
  const target = form['__EVENTTARGET'];
  if (target === `${MAIN}RdoFechas`) return { ...FRESH_VIEW, filtro: 'fechas' };
  if (target === `${MAIN}RdoFolioFiscal`) return { ...FRESH_VIEW, filtro: 'folio' };
  return { ...FRESH_VIEW, filtro: before };
}

function search(
  { world, state }: Deps,
  page: SearchPage,
  session: ProviderSession,
  enabled: Filtro,
  form: Form,
): SearchView {
  const corte = wallTimeOf(world.clock.now());
  const read = enabled === 'fechas' ? readInterval : readUuid;
  const criteria = read(form, { rfc: session.rfc, documento: 'cfdi', tipo: page.tipo, corte });
  const view = { ...FRESH_VIEW, filtro: enabled, form };
  if (typeof criteria === 'string') return { ...view, error: criteria };
  // The hidden criteria of a search that found nothing ask for nothing.
  if (isVacioFalso(world, session.rfc, 'portal', criteria)) criteria.isVacia = true;
  const max = state.settings.max_filas_consulta;
  const found = take(findRows(world, criteria), max + 1);
  return { ...view, criteria, rows: found.slice(0, max), isCapped: found.length > max };
}

function refuse(c: Context): Response {
  if (isDelta(c)) return deltaResponse(errorDelta(VIEW_STATE_ERROR));
  return runtimeError();
}
