import { encode } from '../portal/web/html.ts';
import { dayFirst } from '../world/texts.ts';
import { formatWallTime } from '../world/wall-time.ts';
import type { Declaracion } from './declaraciones.ts';
import { PERIODICIDADES } from './periodos.ts';

/** What a page needs to know. `base` is the host's address without a slash at its end. */
export type PageContext = { base: string; rfc: string; nombre: string };

/** 1: the returns themselves; 3: their receipts. */
export type TipoDocumento = '1' | '3';

const DOCUMENTOS: Readonly<Record<TipoDocumento, string>> = {
  1: 'De la declaración',
  3: 'Acuse de recibo de la declaración',
};

/** The panel that the browser sees after the log-in. */
export function homePage(context: PageContext): string {
  return page(
    context,
    '<h3>Declaraciones provisionales o definitivas de impuestos federales</h3>\n<p>Elija una opci&#243;n del men&#250;.</p>',
  );
}

/** The page of the query: the form, and the place where its script puts the answer. */
export function queryPage(context: PageContext, tipo: TipoDocumento, ejercicios: readonly number[]): string {
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
export function resultFragment(
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
