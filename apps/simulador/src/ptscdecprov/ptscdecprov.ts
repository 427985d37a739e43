import { type Context, Hono } from 'hono';
import type { Nidp } from '../nidp/nidp.ts';
import { ROOT } from '../portal/guard.ts';
import {
  type Declaracion,
  declaracionesAnterioresOf,
  declaracionPdf,
  EJERCICIOS_ANTERIORES,
} from '../pstcdypisr/declaraciones.ts';
import { createFederatedHost, type ProviderSession } from '../web/host.ts';
import {
  encode,
  formOf,
  hiddenInput,
  htmlResponse,
  originOf,
  pdfResponse,
  redirect,
  runtimeError,
} from '../web/http.ts';
import { createSeal, openView, sealView } from '../web/seal.ts';
import { isBusquedaVaciaFalsa } from '../world/asked.ts';
import { dayFirst } from '../world/texts.ts';
import { formatWallTime } from '../world/wall-time.ts';
import type { World } from '../world/world.ts';

const service = 'ptscdecprov';

/** What a page's `__VIEWSTATE` says of its own: which year its table shows. */
type ViewState = { ejercicio: number | null };

/**
 * The old portal of provisional and definitive returns, which has those up to 2021, to be mounted at `/ptscdecprov`.
 * ASP.NET Web Forms: a search and the link of a row are postbacks of the page's form, and a row is known only to the
 * page that shows it. Sources: README of `pstcdypisr`.
 */
export function createPtscdecprov({ world, loginda }: { world: World; loginda: Nidp }): Hono {
  const seal = createSeal();
  const host = createFederatedHost({ world, nidp: loginda }, { servicio: service, cookie: 'FedAuthDecProv' });

  const home = (c: Context) =>
    host.guard(c, { operation: 'Inicio' }, ({ rfc }) => htmlResponse(homePage(host.url(c, ''), rfc)));

  const show = (
    session: ProviderSession,
    pagina: Pagina,
    ejercicio: number | null,
    { opened = null, isEmpty = false }: { opened?: Declaracion | null; isEmpty?: boolean } = {},
  ) => {
    const { rfc } = session;
    const viewState = sealView(seal, session, pagina, { ejercicio } satisfies ViewState);
    const found = ejercicio === null || isEmpty ? [] : declaracionesAnterioresOf(world, rfc, ejercicio);
    const declaraciones = ejercicio === null ? null : found;
    const documento =
      opened && `Documento.aspx?id=${encodeURIComponent(seal.close({ rfc, pagina, ...keyOf(opened) }))}`;
    return htmlResponse(queryPage({ rfc, pagina, viewState, ejercicio, declaraciones, documento }));
  };

  const postback = async (c: Context, pagina: Pagina) => {
    const form = await formOf(c);
    const isSearch = 'ctl00$MainContent$btnBuscar' in form;
    return host.guard(c, { operation: isSearch ? 'Buscar' : 'AbrirDeclaracion', returnTo: '/' }, (session) => {
      const state = openView<ViewState>(seal, session, pagina, form['__VIEWSTATE'] ?? '');
      const ejercicio = Number(form[EJERCICIO]);
      if (!state || !EJERCICIOS_ANTERIORES.includes(ejercicio)) return runtimeError();
      if (isSearch) {
        const isEmpty = isBusquedaVaciaFalsa(world, session.rfc, service, [pagina, ejercicio]);
        return show(session, pagina, ejercicio, { isEmpty });
      }
      const row = LINK.exec(form['__EVENTTARGET'] ?? '')?.[1];
      const shown = state.ejercicio === null ? [] : declaracionesAnterioresOf(world, session.rfc, state.ejercicio);
      // The first line of a grid is its heading, and its controls count from one.
      const opened = row === undefined ? undefined : shown[Number(row) - 2];
      return opened ? show(session, pagina, state.ejercicio, { opened }) : runtimeError();
    });
  };

  const document = (c: Context) =>
    host.guard(c, { operation: 'Documento' }, async ({ rfc }) => {
      const named = seal.open(c.req.query('id') ?? '') as
        | ({ rfc: string; pagina: Pagina } & ReturnType<typeof keyOf>)
        | null;
      const found =
        named?.rfc === rfc
          ? declaracionesAnterioresOf(world, rfc, named.ejercicio).find(
              ({ numeroOperacion }) => numeroOperacion === named.numeroOperacion,
            )
          : undefined;
      if (!named || !found) return runtimeError();
      const owner = { rfc, nombre: world.taxpayers.taxpayer(rfc).nombre };
      const pdf = await declaracionPdf(found, PAGINAS[named.pagina].tipo, owner);
      return pdfResponse(pdf);
    });

  const app = new Hono().on('GET', ROOT, home).on('POST', ROOT, host.signIn(home));
  for (const pagina of Object.keys(PAGINAS) as Pagina[]) {
    app.get(`/Paginas/${pagina}`, (c) =>
      host.guard(c, { operation: 'AbrirConsulta', detail: { pagina } }, (session) => show(session, pagina, null)),
    );
    app.post(`/Paginas/${pagina}`, (c) => postback(c, pagina));
  }
  return app
    .get('/Paginas/Documento.aspx', document)
    .get('/LogOut.aspx', (c) => host.logOut(c, redirect(`${originOf(c)}/loginda/nidp/app/logout`)));
}

function keyOf({ numeroOperacion, ejercicio }: Declaracion) {
  return { numeroOperacion, ejercicio };
}

/** The page of the returns, and that of their receipts. */
const PAGINAS = {
  'ConsultaDeclaracion.aspx': { tipo: '1', titulo: 'Consulta de la declaración' },
  'ReimpresionAcuse.aspx': { tipo: '3', titulo: 'Reimpresión de acuse' },
} as const;
type Pagina = keyof typeof PAGINAS;

const WUC = 'ctl00$MainContent$wucConsultasDeclaracion';
const GRID = `${WUC}$gvDeclaraciones`;

export const EJERCICIO = `${WUC}$wucDdlEjercicioFiscal$ddlCatalogo`;
/** Name of a row's link; its number counts from 02, as in a grid with a heading. */
const LINK = /^ctl00\$MainContent\$wucConsultasDeclaracion\$gvDeclaraciones\$ctl(\d{2,})\$lbtnNumOp$/;

function homePage(base: string, rfc: string): string {
  const links = Object.entries(PAGINAS).map(
    ([pagina, { titulo }]) => `<li><a href="${encode(base)}/Paginas/${pagina}">${encode(titulo)}</a></li>`,
  );
  return frame(
    rfc,
    './',
    `<ul id="menu">${links.join('')}<li><a href="${encode(base)}/LogOut.aspx">Cerrar</a></li></ul>`,
  );
}

type Query = {
  rfc: string;
  pagina: Pagina;
  viewState: string;
  ejercicio: number | null;
  /** Null before the first search. */
  declaraciones: readonly Declaracion[] | null;
  /** Address of the document whose row was chosen. */
  documento: string | null;
};

/** A query page: the year, the button, after a search the grid, after a row's link the frame of its document. */
function queryPage({ rfc, pagina, viewState, ejercicio, declaraciones, documento }: Query): string {
  const years = EJERCICIOS_ANTERIORES.map(
    (year) => `<option${year === ejercicio ? ' selected="selected"' : ''} value="${year}">${year}</option>`,
  );
  return frame(
    rfc,
    `./${pagina}`,
    `${hiddenInput('__VIEWSTATE', '__VIEWSTATE', viewState)}
${hiddenInput('__VIEWSTATEGENERATOR', '__VIEWSTATEGENERATOR', 'B7C2A4D1')}
${hiddenInput('__EVENTVALIDATION', '__EVENTVALIDATION', viewState)}
<h3>${encode(PAGINAS[pagina].titulo)}</h3>
<div id="MainContent_pnlConsulta">
<label for="${idOf(EJERCICIO)}">Ejercicio</label>
<select name="${EJERCICIO}" id="${idOf(EJERCICIO)}"><option value="">Seleccione</option>${years.join('')}</select>
${declaraciones === null ? '' : grid(declaraciones)}
<input type="submit" name="ctl00$MainContent$btnBuscar" value="Buscar" id="MainContent_btnBuscar" />
</div>
${documento === null ? '' : `<iframe id="frameDyP" src="${encode(documento)}"></iframe><input type="button" id="btnBack" value="Regresar" />`}`,
  );
}

const HEADINGS = [
  'No. de Operación',
  'Tipo de Declaración',
  'Tipo de Complementaria',
  'Línea de Captura',
  'Fecha de Presentación',
  'Periodo',
];

function grid(declaraciones: readonly Declaracion[]): string {
  if (declaraciones.length === 0)
    return '<span id="MainContent_wucConsultasDeclaracion_lblMensaje">No se encontraron declaraciones.</span>';
  const headings = HEADINGS.map((heading) => `<th scope="col">${encode(heading)}</th>`).join('');
  const rows = declaraciones.map((declaracion, n) => {
    const target = encode(`javascript:__doPostBack('${GRID}$ctl${String(n + 2).padStart(2, '0')}$lbtnNumOp','')`);
    const link = `<a id="${idOf(GRID)}_lbtnNumOp_${n}" href="${target}">${declaracion.numeroOperacion}</a>`;
    const cells = [
      declaracion.tipo,
      declaracion.tipoComplementaria,
      declaracion.lineaCaptura,
      dayFirst(formatWallTime(declaracion.presentacion)),
      declaracion.periodo.nombre,
    ].map((text) => `<td>${text === '' ? '&nbsp;' : encode(text)}</td>`);
    return `<tr><td>${link}</td>${cells.join('')}</tr>`;
  });
  return `<table id="${idOf(GRID)}" cellspacing="0" rules="all" border="1"><tbody>
<tr>${headings}</tr>
${rows.join('\n')}
</tbody></table>`;
}

/** ASP.NET's id of a control of this master page: its name without the outermost part. */
function idOf(name: string): string {
  return name.replace('ctl00$', '').replaceAll('$', '_');
}

function frame(rfc: string, action: string, contenido: string): string {
  return `<!DOCTYPE html>
<html lang="es">
<head><meta charset="utf-8" /><title>Declaraciones y Pagos</title></head>
<body>
<form method="post" action="${action}" id="ctl01">
${hiddenInput('__EVENTTARGET', '__EVENTTARGET', '')}
${hiddenInput('__EVENTARGUMENT', '__EVENTARGUMENT', '')}
<span id="lblRfc">RFC: ${encode(rfc)}</span>
${contenido}
</form>
</body>
</html>
`;
}
