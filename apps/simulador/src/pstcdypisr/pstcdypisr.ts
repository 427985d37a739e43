import { type Context, Hono } from 'hono';
import type { Nidp } from '../nidp/nidp.ts';
import { ROOT } from '../portal/guard.ts';
import { createFederatedHost } from '../web/host.ts';
import { encode, formOf, htmlResponse, originOf, pdfResponse, redirect, runtimeError } from '../web/http.ts';
import { isBusquedaVaciaFalsa } from '../world/asked.ts';
import { dayFirst } from '../world/texts.ts';
import { formatWallTime, wallTimeOf, yearOf } from '../world/wall-time.ts';
import type { World } from '../world/world.ts';
import {
  type Declaracion,
  declaracionesOf,
  declaracionPdf,
  PERIODICIDADES,
  PRIMER_EJERCICIO,
} from './declaraciones.ts';

const service = 'pstcdypisr';
const DECLARACION = '001';

/**
 * The portal of provisional and definitive returns, to be mounted at `/pstcdypisr`. Addresses, ids and columns:
 * luffynando/sat-scrapers-auth and public clients that drive the portal's page.
 */
export function createPstcdypisr({ world, loginda }: { world: World; loginda: Nidp }): Hono {
  const host = createFederatedHost({ world, nidp: loginda }, { servicio: service, cookie: 'FedAuthDyP' });
  const contextOf = (c: Context, rfc: string) => ({
    base: host.url(c, ''),
    rfc,
    nombre: world.taxpayers.taxpayer(rfc).nombre,
  });

  /** For browsers that are inside; one that posts without being so comes back to the first page. */
  const guarded =
    (operation: string, answer: (c: Context, rfc: string) => Response | Promise<Response>) => (c: Context) =>
      host.guard(c, { operation, ...(c.req.method === 'POST' && { returnTo: '/' }) }, ({ rfc }) => answer(c, rfc));

  const home = guarded('Inicio', (c, rfc) => htmlResponse(homePage(contextOf(c, rfc))));

  const query = guarded('Consulta', (c, rfc) => {
    const tipo = tipoDocumentoOf(c.req.query('tipoDocumento'));
    if (tipo === null) return runtimeError();
    const year = yearOf(wallTimeOf(world.clock.now()));
    const ejercicios = Array.from({ length: Math.max(0, year - PRIMER_EJERCICIO + 1) }, (_, i) => year - i);
    return htmlResponse(queryPage(contextOf(c, rfc), tipo, ejercicios));
  });

  const search = guarded('Buscar', async (c, rfc) => {
    const form = await formOf(c);
    const tipo = tipoDocumentoOf(form['tipoDocumento'] ?? '1');
    const ejercicio = Number(form['Ejercicio']);
    if (tipo === null || form['IdDeclaracion'] !== DECLARACION || !/^\d{4}$/.test(form['Ejercicio'] ?? ''))
      return runtimeError();
    const { Periodicidad = '', Periodo = '' } = form;
    const isEmpty = isBusquedaVaciaFalsa(world, rfc, service, [tipo, ejercicio, Periodicidad, Periodo]);
    const found = (isEmpty ? [] : declaracionesOf(world, rfc, ejercicio)).filter(
      ({ periodicidad, periodo }) =>
        (Periodicidad === '' || periodicidad.clave === Periodicidad) && (Periodo === '' || periodo.clave === Periodo),
    );
    return htmlResponse(resultFragment({ base: host.url(c, '') }, tipo, found));
  });

  const retrieve = guarded('RecuperarArchivo', async (c, rfc) => {
    const tipo = tipoDocumentoOf(c.req.query('tipoDocumento'));
    const { numeroOperacion, ejercicio = '' } = c.req.query();
    const found = declaracionesOf(world, rfc, Number(ejercicio)).find(
      (declaracion) => declaracion.numeroOperacion === numeroOperacion,
    );
    if (tipo === null || !found) return runtimeError();
    const pdf = await declaracionPdf(found, tipo, contextOf(c, rfc));
    const name = `${rfc}.38.${found.ejercicio}.pdf`;
    return pdfResponse(pdf, {
      'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
      'cache-control': 'no-store',
    });
  });

  const logOut = (c: Context) => host.logOut(c, redirect(`${originOf(c)}/loginda/nidp/app/logout`));

  return new Hono()
    .on('GET', [...ROOT, '/Home', '/Home/'], home)
    .on('POST', ROOT, host.signIn(home))
    .get('/Consulta/Consulta', query)
    .post('/Consulta/Buscar', search)
    .get('/Consulta/RecuperarArchivo', retrieve)
    .get('/Home/LogOut', logOut);
}

function tipoDocumentoOf(text: string | undefined): TipoDocumento | null {
  return text === '1' || text === '3' ? text : null;
}

type PageContext = { base: string; rfc: string; nombre: string };

/** 1: the returns themselves; 3: their receipts. */
export type TipoDocumento = '1' | '3';

const DOCUMENTOS: Readonly<Record<TipoDocumento, string>> = {
  1: 'De la declaración',
  3: 'Acuse de recibo de la declaración',
};

function homePage(context: PageContext): string {
  return page(
    context,
    '<h3>Declaraciones provisionales o definitivas de impuestos federales</h3>\n<p>Elija una opci&#243;n del men&#250;.</p>',
  );
}

/** The page of the query: the form, and the place where its script puts the answer. */
function queryPage(context: PageContext, tipo: TipoDocumento, ejercicios: readonly number[]): string {
  const years = ejercicios.map((year) => `<option value="${year}">${year}</option>`).join('');
  const kinds = PERIODICIDADES.map(({ clave, nombre }) => `<option value="${clave}">${encode(nombre)}</option>`);
  const periods = PERIODICIDADES.flatMap(({ clave, periodos }) =>
    periodos.map(
      (periodo) => `<option value="${periodo.clave}" data-periodicidad="${clave}">${encode(periodo.nombre)}</option>`,
    ),
  );
  return page(
    context,
    `<h3>Consulta: ${encode(DOCUMENTOS[tipo])}</h3>
<form id="frmConsulta" method="post" action="${encode(context.base)}/Consulta/Buscar">
  <input type="hidden" id="tipoDocumento" name="tipoDocumento" value="${tipo}">
  <label for="IdDeclaracion">Declaraci&#243;n</label>
  <select id="IdDeclaracion" name="IdDeclaracion"><option value="001" selected="selected">Provisionales y Definitivas de Impuestos Federales</option></select>
  <label for="Ejercicio">Ejercicio</label>
  <select id="Ejercicio" name="Ejercicio"><option value="">Seleccione</option>${years}</select>
  <label for="Periodicidad">Periodicidad</label>
  <select id="Periodicidad" name="Periodicidad"><option value="">Sin selecci&#243;n</option>${kinds.join('')}</select>
  <label for="Periodo">Per&#237;odo</label>
  <select id="Periodo" name="Periodo" disabled="disabled"><option value="">Sin selecci&#243;n</option>${periods.join('')}</select>
  <button type="button" id="btnBuscar">Buscar</button>
</form>
<div id="divResultado"></div>
<script>
  var periodicidad = document.getElementById('Periodicidad'), periodo = document.getElementById('Periodo');
  periodicidad.onchange = function () {
    periodo.disabled = periodicidad.value === '';
    periodo.value = '';
    Array.prototype.forEach.call(periodo.options, function (opcion) {
      opcion.hidden = opcion.value !== '' && opcion.dataset.periodicidad !== periodicidad.value;
    });
  };
  document.getElementById('btnBuscar').onclick = function () {
    var forma = document.getElementById('frmConsulta');
    fetch(forma.action, { method: 'POST', body: new URLSearchParams(new FormData(forma)),
      headers: { 'X-Requested-With': 'XMLHttpRequest' } })
      .then(function (respuesta) { return respuesta.text(); })
      .then(function (html) { document.getElementById('divResultado').innerHTML = html; });
  };
</script>`,
  );
}

const HEADINGS = [
  '',
  'Número de Operación',
  'Tipo de Declaración',
  'Tipo de Complementaria',
  'Línea de Captura',
  'Fecha de Presentación',
  'Periodicidad',
  'Período',
  'Fecha de Causación',
  'Estado',
];

/**
 * The fragment that answers a query. Without rows it has the empty table and, besides, the notice that the portal
 * shows.
 */
function resultFragment(
  { base }: Pick<PageContext, 'base'>,
  tipo: TipoDocumento,
  declaraciones: readonly Declaracion[],
): string {
  const headings = HEADINGS.map((heading) => `<th>${encode(heading)}</th>`).join('');
  const rows = declaraciones.map((declaracion) => {
    const query = new URLSearchParams({
      enLinea: '0',
      tipoDocumento: tipo,
      numeroOperacion: declaracion.numeroOperacion,
      ejercicio: String(declaracion.ejercicio),
    });
    const href = encode(`${base}/Consulta/RecuperarArchivo?${query}`);
    const cells = cellsOf(declaracion).map((text) => `<td>${encode(text)}</td>`);
    return `<tr><td><a id="linkDescargaPDF" href="${href}">PDF</a></td>${cells.join('')}</tr>`;
  });
  const notice =
    rows.length > 0
      ? ''
      : '<div class="bootbox modal"><div class="modal-body"><div class="bootbox-body">No existen declaraciones con los criterios seleccionados.</div></div></div>\n';
  return `${notice}<table id="tableResult" class="table table-striped">
<thead><tr>${headings}</tr></thead>
<tbody id="tableBody">
${rows.join('\n')}
</tbody>
</table>
`;
}

function cellsOf(declaracion: Declaracion): string[] {
  return [
    declaracion.numeroOperacion,
    declaracion.tipo,
    declaracion.tipoComplementaria,
    declaracion.lineaCaptura,
    dayFirst(formatWallTime(declaracion.presentacion)),
    declaracion.periodicidad.celda,
    declaracion.periodo.nombre,
    '',
    declaracion.isReplaced ? 'No vigente' : 'Vigente',
  ];
}

function page({ base, rfc, nombre }: PageContext, contenido: string): string {
  const links = (Object.keys(DOCUMENTOS) as TipoDocumento[]).map(
    (tipo) => `<a href="${encode(base)}/Consulta/Consulta?tipoDocumento=${tipo}">${encode(DOCUMENTOS[tipo])}</a>`,
  );
  return `<!DOCTYPE html>
<html lang="es">
<head>
<meta charset="utf-8">
<title>Declaraciones y Pagos</title>
</head>
<body>
<nav>
  <a href="${encode(base)}/">Inicio</a> ${links.join(' ')} <a href="${encode(base)}/Home/LogOut">Cerrar</a>
  <span>RFC: ${encode(rfc)}</span> <span>${encode(nombre)}</span>
</nav>
${contenido}
</body>
</html>
`;
}
