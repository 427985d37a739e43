import { encode, hiddenInput } from '../portal/web/html.ts';
import { type Declaracion, EJERCICIOS_ANTERIORES } from '../pstcdypisr/declaraciones.ts';
import { dayFirst } from '../world/texts.ts';
import { formatWallTime } from '../world/wall-time.ts';

/** The page of the returns, and that of their receipts. */
export const PAGINAS = {
  'ConsultaDeclaracion.aspx': { tipo: '1', titulo: 'Consulta de la declaración' },
  'ReimpresionAcuse.aspx': { tipo: '3', titulo: 'Reimpresión de acuse' },
} as const;
export type Pagina = keyof typeof PAGINAS;

const WUC = 'ctl00$MainContent$wucConsultasDeclaracion';
const GRID = `${WUC}$gvDeclaraciones`;

/** Name of the list of years. */
export const EJERCICIO = `${WUC}$wucDdlEjercicioFiscal$ddlCatalogo`;
/** Name of a row's link; its number counts from 02, as in a grid with a heading. */
export const LINK = /^ctl00\$MainContent\$wucConsultasDeclaracion\$gvDeclaraciones\$ctl(\d{2,})\$lbtnNumOp$/;

/** The first page, which has the menu. */
export function homePage(base: string, rfc: string): string {
  const links = Object.entries(PAGINAS).map(
    ([pagina, { titulo }]) => `<li><a href="${encode(base)}/Paginas/${pagina}">${encode(titulo)}</a></li>`,
  );
  return frame(
    rfc,
    './',
    `<ul id="menu">${links.join('')}<li><a href="${encode(base)}/LogOut.aspx">Cerrar</a></li></ul>`,
  );
}

export type Query = {
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
export function queryPage({ rfc, pagina, viewState, ejercicio, declaraciones, documento }: Query): string {
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
