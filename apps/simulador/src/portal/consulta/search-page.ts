import type { ProviderSession } from '../../web/host.ts';
import type { Row } from '../../world/taxpayers/row.ts';
import { wallTimeOf, yearOf } from '../../world/wall-time.ts';
import type { World } from '../../world/world.ts';
import { type DeltaRecord, masterPage, PAGE_TITLE, writeDelta, writeViewState } from '../page.ts';
import type { PortalState } from '../portal-state.ts';
import { hasXml } from '../recupera-cfdi.ts';
import type { Criteria, Form } from './criteria.ts';
import { MAIN } from './form-controls.ts';
import { resultPanel } from './result-panel.ts';
import { type Filtro, searchPanel } from './search-panel.ts';

/** The two search pages and what differs between them. */
export type SearchPage = { pagina: string; tipo: Criteria['tipo']; titulo: string; generator: string };

export const RECEPTOR: SearchPage = {
  pagina: 'ConsultaReceptor.aspx',
  tipo: 'recibidos',
  titulo: 'Consultar Facturas Recibidas',
  generator: 'FE9DB3F4',
};
export const EMISOR: SearchPage = {
  pagina: 'ConsultaEmisor.aspx',
  tipo: 'emitidos',
  titulo: 'Consultar Facturas Emitidas',
  generator: '3D1378D8',
};

export type SearchView = {
  filtro: Filtro;
  form: Form;
  error: string;
  /** The search that took place; null before the first or when it was refused. */
  criteria: Criteria | null;
  rows: readonly Row[];
  /** Whether there are more rows than are shown. */
  isCapped: boolean;
};

export const FRESH_VIEW: SearchView = {
  filtro: 'folio',
  form: {},
  error: '',
  criteria: null,
  rows: [],
  isCapped: false,
};

type Deps = { world: World; state: PortalState };

export function renderPage(deps: Deps, page: SearchPage, session: ProviderSession, view: SearchView): string {
  const { busqueda, resultados, viewState } = renderParts(deps, page, session, view);
  return masterPage({
    ...page,
    session,
    viewState,
    contenido: `        <div id="ctl00_MainContent_UpnlBusqueda">${busqueda}</div>
        <div id="ctl00_MainContent_UpnlResultados">${resultados}</div>`,
  });
}

/** The answer to an asynchronous postback: new panels, and the hidden fields of the next postback. */
export function renderDelta(deps: Deps, page: SearchPage, session: ProviderSession, view: SearchView): string {
  const { busqueda, resultados, viewState } = renderParts(deps, page, session, view);
  const isReceived = page.tipo === 'recibidos';
  const dates = isReceived ? ['CldFecha'] : ['CldFechaInicial2', 'CldFechaFinal2'];
  const datePanels = dates.map((control) => `${MAIN}${control}$UpnlSeleccionFecha`);
  const refreshed = `ctl00$UpnlNombre,,${MAIN}UpnlBusqueda,,${MAIN}UpnlResultados,`;
  const posting = ['BtnDescargar', 'BtnMetadata', 'BtnImprimir'].map((name) => `${MAIN}${name},`);
  const records: DeltaRecord[] = [
    ['updatePanel', 'ctl00_UpnlNombre', '\n                      \n                    '],
    ['updatePanel', 'ctl00_MainContent_UpnlBusqueda', busqueda],
    ['updatePanel', 'ctl00_MainContent_UpnlResultados', resultados],
    ['hiddenField', '__EVENTTARGET', ''],
    ['hiddenField', '__EVENTARGUMENT', ''],
    ['hiddenField', '__LASTFOCUS', ''],
    ['hiddenField', '__VIEWSTATE', viewState],
    ['hiddenField', '__VIEWSTATEGENERATOR', page.generator],
    ['hiddenField', '__VIEWSTATEENCRYPTED', ''],
    ['asyncPostBackControlIDs', '', ''],
    ['postBackControlIDs', '', posting.join(',')],
    ['updatePanelIDs', '', `f${refreshed},${datePanels.map((id) => `t${id},`).join(',')}`],
    ['childUpdatePanelIDs', '', datePanels.join(',')],
    ['panelsToRefreshIDs', '', refreshed],
    ['asyncPostBackTimeout', '', '18000000'],
    ['formAction', '', `./${page.pagina}`],
    ['pageTitle', '', PAGE_TITLE],
    ['scriptStartupBlock', 'ScriptContentNoTags', " Estado_Comprobante('-1');"],
  ];
  return writeDelta(records);
}

function renderParts({ world, state }: Deps, page: SearchPage, session: ProviderSession, view: SearchView) {
  const { tipo, pagina } = page;
  const { columnas } = state.settings;
  const year = yearOf(wallTimeOf(world.clock.now()));
  const { criteria, rows, isCapped } = view;
  return {
    busqueda: searchPanel({
      tipo,
      year,
      form: view.form,
      filtro: view.filtro,
      error: view.error,
      quota: state.quota.textOf(session.rfc, rows.filter((row) => hasXml(row, tipo)).length),
    }),
    resultados: resultPanel({
      tipo,
      columnas,
      rows,
      session,
      seal: state.seal,
      isSearched: criteria !== null,
      isCapped,
      parametros: criteria ? state.seal.close(criteria) : undefined,
    }),
    viewState: writeViewState(state.seal, session, pagina, view.filtro),
  };
}
