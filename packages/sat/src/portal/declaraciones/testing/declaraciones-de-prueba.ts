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

/** What the search answers: the table in the order of columns given, the link of the document first unless told otherwise. */
export function tablaResultado(
  filas: readonly FilaDePrueba[],
  orden = ENCABEZADOS.map((_e, i) => i),
): string {
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

/** The search form; `#Periodo` is filled in by a script once a period kind is chosen, unless `periodos` says otherwise. */
export function paginaConsulta(
  options: { periodicidades?: readonly string[]; periodos?: readonly string[] } = {},
): string {
  const { periodicidades = ['M', 'B', 'T', 'A'], periodos } = options;
  const opciones = (valores: readonly string[]) =>
    valores.map((v) => `<option value="${v}">${v}</option>`).join('');
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
