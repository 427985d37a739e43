import { type Context, Hono } from 'hono';
import { type Criteria, findRows } from '../portal/consulta/criteria.ts';
import { ROOT } from '../portal/guard.ts';
import type { PortalState } from '../portal/portal-state.ts';
import { createFederatedHost, type ProviderSession } from '../web/host.ts';
import { encode, formOf, hiddenInput, htmlResponse, originOf, redirect, runtimeError } from '../web/http.ts';
import { openView, type Seal, sealView } from '../web/seal.ts';
import { isVacioFalso } from '../world/asked.ts';
import { take } from '../world/take.ts';
import type { Tipo } from '../world/taxpayers/row.ts';
import { wallTimeOf, yearOf } from '../world/wall-time.ts';
import type { World } from '../world/world.ts';
import { type Fields, fieldsOf, readCriteria, resultPanel, searchForm } from './search.ts';

const INICIO = '/?oculta=1';
const CONSULTAS: readonly (readonly [Pagina, Tipo])[] = [
  ['/ConsultaReceptor', 'recibidos'],
  ['/ConsultaEmisor', 'emitidos'],
];
const CHOICES: Readonly<Record<string, Pagina>> = {
  RdoTipoBusquedaEmisor: '/ConsultaEmisor',
  RdoTipoBusquedaReceptor: '/ConsultaReceptor',
  RdoTipoConsultaMasiva: '/ConsultaDescargaMasiva',
};

/**
 * The portal of CFDI de retenciones, to be mounted at `/prodretencioncontribuyente`. A browser logs in at `/cfdiau` by
 * WS-Federation, as for the CFDI portal, chooses a search on the first page, and posts the whole form of that search.
 */
export function createProdretencioncontribuyente({ world, state }: { world: World; state: PortalState }): Hono {
  const { seal } = state;
  const host = createFederatedHost(
    { world, nidp: state.cfdiau },
    { servicio: 'prodretencioncontribuyente', cookie: 'FedAuthRetenciones', inicio: INICIO },
  );
  const app = new Hono();

  const search = (session: ProviderSession, pagina: Pagina, tipo: Tipo, fields: Fields | null) => {
    const now = wallTimeOf(world.clock.now());
    const criteria = fields
      ? readCriteria(fields, { rfc: session.rfc, documento: 'retenciones', tipo, corte: now })
      : null;
    const max = state.settings.max_filas_consulta;
    const find = (asked: Criteria) =>
      isVacioFalso(world, session.rfc, 'portal', asked) ? [] : take(findRows(world, asked), max + 1);
    const isError = typeof criteria === 'string';
    const rows = criteria === null || isError ? null : find(criteria);
    const form = searchForm({ tipo, fields: fields ?? {}, year: yearOf(now), error: isError ? criteria : '' });
    const panel = resultPanel(tipo, rows?.slice(0, max) ?? null, rows !== null && rows.length > max);
    return page(seal, session, pagina, `${form}\n${panel}`);
  };

  const postback = async (
    c: Context,
    pagina: Pagina,
    operation: string,
    answer: (session: ProviderSession, fields: Fields) => Response,
  ) => {
    const form = await formOf(c);
    if (form['__EVENTTARGET'] === 'ctl00$LnkBtnCierraSesion') return logOut(c);
    return host.guard(c, { operation, returnTo: pagina === '/' ? INICIO : pagina }, (session) =>
      openView(seal, session, pagina, form['__VIEWSTATE'] ?? '') ? answer(session, fieldsOf(form)) : runtimeError(),
    );
  };

  const logOut = (c: Context) => host.logOut(c, redirect(`${originOf(c)}/cfdiau/nidp/app/logout`));

  app.on('GET', ROOT, (c) =>
    host.guard(c, { operation: 'Inicio', returnTo: INICIO }, (session) => page(seal, session, '/', START)),
  );
  const choose = (c: Context) =>
    postback(c, '/', 'ElegirConsulta', (_, fields) =>
      redirect(host.url(c, CHOICES[fields['TipoBusqueda'] ?? ''] ?? '/ConsultaEmisor')),
    );
  app.on('POST', ROOT, host.signIn(choose));
  for (const [pagina, tipo] of CONSULTAS) {
    app.get(pagina, (c) =>
      host.guard(c, { operation: 'AbrirConsulta', detail: { pagina } }, (session) =>
        search(session, pagina, tipo, null),
      ),
    );
    app.post(pagina, (c) => postback(c, pagina, 'Buscar', (session, fields) => search(session, pagina, tipo, fields)));
  }
  app.get('/ConsultaDescargaMasiva', (c) =>
    host.guard(c, { operation: 'ConsultaDescargaMasiva' }, (session) =>
      page(seal, session, '/ConsultaDescargaMasiva', DOWNLOADS),
    ),
  );
  return app;
}

const START = `<h2>Consulta de CFDI de retenciones e informaci&#243;n de pagos</h2>
${choice('RdoTipoBusquedaEmisor', 'Consultar CFDI de retenciones emitidas', true)}
${choice('RdoTipoBusquedaReceptor', 'Consultar CFDI de retenciones recibidas', false)}
${choice('RdoTipoConsultaMasiva', 'Recuperar descargas de CFDI de retenciones', false)}
<input type="submit" name="ctl00$MainContent$BtnBusqueda" value="Continuar" id="MainContent_BtnBusqueda" class="btn btn-primary" />`;

/** No request for a package can be made here, so there is never one to fetch. */
const DOWNLOADS = `<h2>Recuperar descargas de CFDI de retenciones</h2>
<div id="divResultados" style="display:none;"><table id="tablaDescarga"></table></div>
<div id="divNoResultados">No existen registros de descargas desde los &#250;ltimos 3 d&#237;as a la fecha.</div>`;

function choice(value: string, label: string, isChecked: boolean): string {
  const id = `MainContent_${value}`;
  const checked = isChecked ? ' checked="checked"' : '';
  return `<input id="${id}" type="radio" name="ctl00$MainContent$TipoBusqueda" value="${value}"${checked} /><label for="${id}">${label}</label>`;
}

type Pagina = '/' | '/ConsultaReceptor' | '/ConsultaEmisor' | '/ConsultaDescargaMasiva';

const RELLENO = 'x'.repeat(2000);

/**
 * The frame of each page: form `#form1` (no `__CSRFTOKEN`), the authenticated RFC in `#LblRfcAutenticado`, the way out
 * in `#LnkBtnCierraSesion`; ids have no prefix but `MainContent_`. Source: a public map of the portal's controls, made
 * in March 2026.
 */
function page(seal: Seal, session: ProviderSession, pagina: Pagina, contenido: string): Response {
  const { rfc } = session;
  return htmlResponse(`<!DOCTYPE html>
<html lang="es">
<head><meta charset="utf-8" /><title>Consulta CFDI de retenciones e información de pagos</title></head>
<body>
<form method="post" action="${pagina === '/' ? './?oculta=1' : `.${pagina}`}" id="form1">
${hiddenInput('__EVENTTARGET', '__EVENTTARGET', '')}
${hiddenInput('__EVENTARGUMENT', '__EVENTARGUMENT', '')}
${hiddenInput('__VIEWSTATE', '__VIEWSTATE', sealView(seal, session, pagina, { relleno: RELLENO }))}
${hiddenInput('__VIEWSTATEGENERATOR', '__VIEWSTATEGENERATOR', 'CA0B0334')}
${hiddenInput('__EVENTVALIDATION', '__EVENTVALIDATION', seal.close({ pagina }))}
<input type="hidden" id="hdnAut" value="${Buffer.from(rfc, 'utf8').toString('base64')}" />
<span id="LblRfcAutenticado" class="user-credencials__name">RFC autenticado: ${encode(rfc)}</span>
<a id="LnkBtnCierraSesion" class="pull-right" href="javascript:__doPostBack(&#39;ctl00$LnkBtnCierraSesion&#39;,&#39;&#39;)">Salir</a>
<div id="MainContent_PnlConsulta">
${contenido}
</div>
</form>
</body>
</html>
`);
}
