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
