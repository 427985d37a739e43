export interface FilaDePrueba {
  readonly numeroOperacion: string;
  readonly tipo: string;
  readonly tipoComplementaria: string;
  readonly lineaCaptura: string;
  readonly fecha: string;
  readonly periodicidad: string;
  readonly periodo: string;
  readonly causacion: string;
  readonly estado: string;
}

const ENCABEZADOS = [
  '',
  'No. de Operaci&oacute;n',
  'Tipo de Declaraci&oacute;n',
  'Tipo de Complementaria',
  'L&iacute;nea de Captura',
  'Fecha de Presentaci&oacute;n',
  'Periodicidad',
  'Per&iacute;odo',
  'Fecha de Causaci&oacute;n',
  'Estado',
];

/**
 * What the search answers: the table in the order of columns given, the link of the document first unless told
 * otherwise.
 */
export function tablaResultado(filas: readonly FilaDePrueba[], orden = ENCABEZADOS.map((_e, i) => i)): string {
  const celdas = (valores: readonly string[], etiqueta: string) =>
    orden.map((i) => `<${etiqueta}>${valores[i]}</${etiqueta}>`).join('');
  const cuerpo = filas.map((f) => {
    const enlace = `<a id="linkDescargaPDF" href="/Consulta/RecuperarArchivo?enLinea=0&amp;numeroOperacion=${f.numeroOperacion}">PDF</a>`;
    const valores = [enlace, f.numeroOperacion, f.tipo, f.tipoComplementaria, f.lineaCaptura, f.fecha];
    return `<tr>${celdas([...valores, f.periodicidad, f.periodo, f.causacion, f.estado], 'td')}</tr>`;
  });
  return `<div id="divResultado"><table id="tableResult" class="table"><thead><tr>${celdas(ENCABEZADOS, 'th')}</tr></thead><tbody id="tableBody">${cuerpo.join('\n')}</tbody></table></div>`;
}

export const SIN_RESULTADO =
  '<div class="bootbox modal"><div class="bootbox-body">No se encontraron declaraciones con los criterios seleccionados.</div></div>';

export function paginaInicio(rfc: string | null): string {
  const nombre = rfc === null ? '' : `<li>RFC: <strong>${rfc}</strong></li>`;
  return `<!DOCTYPE html><html><body><ul>${nombre}</ul><a href="/Consulta/Consulta?tipoDocumento=1">De la declaraci&oacute;n</a></body></html>`;
}

/**
 * The search form; `#Periodo` is filled in by a script once a period kind is chosen, unless `periodos` says otherwise.
 */
export function paginaConsulta(
  options: { periodicidades?: readonly string[]; periodos?: readonly string[] } = {},
): string {
  const { periodicidades = ['M', 'B', 'T', 'A'], periodos } = options;
  const opciones = (valores: readonly string[]) => valores.map((v) => `<option value="${v}">${v}</option>`).join('');
  const vacia = '<option value="">-Seleccione-</option>';
  return `<!DOCTYPE html><html><body><form id="formConsulta" method="post" action="/Consulta/Buscar">
<input name="__RequestVerificationToken" type="hidden" value="ficha+/=" />
<select id="IdDeclaracion" name="IdDeclaracion">${vacia}<option value="001" selected>Provisionales y definitivas</option></select>
<select id="Ejercicio" name="Ejercicio">${vacia}${opciones(['2026', '2025', '2024', '2023', '2022'])}</select>
<select id="Periodicidad" name="Periodicidad">${vacia}${opciones(periodicidades)}</select>
<select id="Periodo" name="Periodo" disabled>${periodos === undefined ? vacia : opciones(periodos)}</select>
<button id="btnBuscar" type="button">Buscar</button></form>
<div style="display:none"><table id="tableResult"><thead></thead><tbody id="tableBody"></tbody></table></div></body></html>`;
}

export type FilaAnterior = Pick<
  FilaDePrueba,
  'numeroOperacion' | 'tipo' | 'tipoComplementaria' | 'lineaCaptura' | 'fecha' | 'periodo'
>;

/** The page of the portal up to 2021: the form alone (null), or with what a search found. */
export function paginaConsultaAnterior(filas: readonly FilaAnterior[] | null): string {
  const nombre = (control: string) => `ctl00$MainContent$wucConsultasDeclaracion$${control}$ddlCatalogo`;
  const lista = (control: string, opciones: readonly (readonly [string, string])[]) =>
    `<select name="${nombre(control)}" id="MainContent_wucConsultasDeclaracion_${control}_ddlCatalogo">${opciones
      .map(([valor, texto]) => `<option value="${valor}">${texto}</option>`)
      .join('')}</select>`;
  const years = Array.from({ length: 10 }, (_, i) => String(2021 - i));
  const celdas = (f: FilaAnterior, i: number) =>
    [
      `<a id="MainContent_wucConsultasDeclaracion_gvDeclaraciones_lbtnNumOp_${i}" href="javascript:__doPostBack('x','')">${f.numeroOperacion}</a>`,
      ...[f.tipo, f.tipoComplementaria, f.lineaCaptura, f.fecha, f.periodo],
    ]
      .map((celda) => `<td>${celda}</td>`)
      .join('');
  const tabla = `<table id="MainContent_wucConsultasDeclaracion_gvDeclaraciones"><tr><th>No. de Operaci&#243;n</th><th>Tipo de Declaraci&#243;n</th><th>Tipo de Complementaria</th><th>L&#237;nea de Captura</th><th>Fecha de Presentaci&#243;n</th><th>Periodo</th></tr>
${(filas ?? []).map((fila, i) => `<tr>${celdas(fila, i)}</tr>`).join('\n')}</table>`;
  const resultado = filas?.length === 0 ? 'No se encontraron declaraciones con los criterios capturados.' : '';
  return `<!DOCTYPE html><html><body><form method="post" action="./ConsultaDeclaracion.aspx" id="form1">
<input type="hidden" name="__VIEWSTATE" value="${filas === null ? 'inicial' : 'con resultado'}" />
<div id="MainContent_pnlConsulta">${lista('wucDdlDeclaracion', [
    ['-1', 'Seleccione'],
    ['001', 'Provisional o definitiva'],
    ['013', 'Región fronteriza'],
  ])}${lista('wucDdlEjercicioFiscal', [['-1', 'Seleccione'], ...years.map((y) => [y, y] as const)])}
<input type="submit" name="ctl00$MainContent$btnBuscar" value="Buscar" id="MainContent_btnBuscar" />
<input type="submit" name="ctl00$MainContent$btnCacelar" value="Cancelar" id="MainContent_btnCacelar" />
<span id="MainContent_lblResultado">${resultado}</span>${filas !== null && filas.length > 0 ? tabla : ''}</div></form></body></html>`;
}
