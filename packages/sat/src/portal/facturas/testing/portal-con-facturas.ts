import { delta, escapeHtml } from '../../testing/paginas-de-prueba.ts';

/** What the test portal knows of one CFDI. */
interface CfdiDePrueba {
  readonly uuid: string;
  readonly fechaEmision: string;
  readonly estado: 'Vigente' | 'Cancelado';
  readonly total: string;
  readonly emisorRfc: string;
  readonly emisorNombre: string;
}

const RECEPTOR = 'EKU9003173C9';

/** The set of columns until January 2023, until May 2025, and since. */
const COLUMNAS = { antes: 15, 2023: 18, 2025: 19 } as const;

type Layout = keyof typeof COLUMNAS;

export function cfdi(numero: number, fechaEmision: string, extra: Partial<CfdiDePrueba> = {}): CfdiDePrueba {
  return {
    uuid: `${numero.toString(16).padStart(8, '0').toUpperCase()}-AAAA-4BBB-8CCC-0123456789AB`,
    fechaEmision,
    estado: 'Vigente',
    total: '$1,234.00',
    emisorRfc: 'XAXX010101000',
    emisorNombre: 'Pruebas & Ñandúes',
    ...extra,
  };
}

/** One row of the result, as heading and markup of the cell. The markup is not escaped any further. */
export function celdas(c: CfdiDePrueba, layout: Layout): Array<[heading: string, html: string]> {
  const cancelado = c.estado === 'Cancelado';
  const boton = `<table><tr><td><input id="ListaFolios" name ="ListaFolios" type="checkbox" value=${c.uuid} class ="ListaFolios" /></td><td>&nbsp;</td></tr></table>`;
  const comunes: Array<[string, string]> = [
    ['<input type="checkbox" id="seleccionador" />&nbsp;&nbsp;Acciones</div>', boton],
    ['Folio Fiscal', c.uuid],
    ['RFC Emisor', escapeHtml(c.emisorRfc)],
    ['Nombre o Razón Social del Emisor', escapeHtml(c.emisorNombre)],
    ['RFC Receptor', RECEPTOR],
    ['Nombre o Razón Social del Receptor', 'Escuela &amp; Kemper'],
    ['Fecha de Emisión', c.fechaEmision],
    ['Fecha de Certificación', c.fechaEmision],
    ['PAC que Certificó', 'SPR190613I52'],
    ['Total', c.total],
    ['Efecto del Comprobante', 'Ingreso'],
    ['Estatus de cancelación', 'Cancelable sin aceptaci&oacute;n'],
    ['Estado del Comprobante', c.estado],
    ['Estatus de Proceso de Cancelación', cancelado ? 'Cancelado sin aceptación' : ''],
  ];
  const fecha = cancelado ? '2026-03-30T10:00:00' : ' ';
  const solicitud = cancelado ? '2026-03-29T10:00:00' : ' ';
  const nuevas: Array<[string, string]> = [
    ['RFC a cuenta de terceros', ''],
    ['Motivo', ''],
    ['Folio de Sustitución', ''],
  ];
  if (layout === 2025) {
    return [
      ...comunes,
      ['Fecha de Solicitud de la Cancelación', solicitud],
      ['Fecha de Cancelación', fecha],
      ...nuevas,
    ];
  }
  return [...comunes, ['Fecha de Proceso de Cancelación', fecha], ...(layout === 2023 ? nuevas : [])];
}

const ANY_CFDI = cfdi(0, '2026-01-01T00:00:00');

export function tablaDe(
  filas: ReadonlyArray<ReadonlyArray<readonly [string, string]>>,
  labels = celdas(ANY_CFDI, 2025).map(([heading]) => heading),
): string {
  const cuerpo = filas.map((fila) =>
    fila.map(([, html]) => `<td style="WORD-BREAK:BREAK-ALL;"><span>${html}</span></td>`).join(''),
  );
  return `<table id="ctl00_MainContent_tblResult" aria-label="comprobantes"><tr>${labels
    .map((heading) => `<th>\r\n <span style="width: 160px;">${heading}</span>\r\n</th>`)
    .join('')}</tr>${cuerpo.map((celdasDeFila) => `<tr>${celdasDeFila}</tr>`).join('\n')}</table>`;
}

interface Paneles {
  readonly tabla: string;
  readonly muestraFilas: boolean;
  readonly diceQueNoHay: boolean;
  readonly saysLimit?: boolean;
  readonly errores?: string;
}

/** The whole answer to the search button. */
export function respuesta({ tabla, muestraFilas, diceQueNoHay, saysLimit = false, errores = '' }: Paneles): string {
  const display = (visible: boolean) => `style="text-align:center;display:${visible ? 'inline' : 'none'};"`;
  const tope = saysLimit
    ? '<div id="ctl00_MainContent_PnlLimiteRegistros"><h2>La consulta realizada solo muestra los primeros 500 registros.</h2></div>'
    : '';
  return delta([
    ['#', '', '4'],
    [
      'updatePanel',
      'ctl00_MainContent_UpnlBusqueda',
      `<div id="ctl00_MainContent_ValidationSummary1" class="errores" style="display:none;">Revise la fecha</div>
<div id="ctl00_MainContent_PnlErrores" class="erroruuid" style="width:390px;"><div>${errores}</div></div>`,
    ],
    [
      'updatePanel',
      'ctl00_MainContent_UpnlResultados',
      `<div id="ctl00_MainContent_PnlResultados" ${display(muestraFilas)}>${tope}<div id="ContenedorDinamico">${tabla}</div></div>
<div id="ctl00_MainContent_PnlNoResultados" ${display(diceQueNoHay)}><h2>No existen registros que cumplan con los criterios</h2></div>`,
    ],
    ['hiddenField', '__VIEWSTATE', 'recibidos-3'],
  ]);
}

export function respuestaCon(filas: readonly CfdiDePrueba[], layout: Layout = 2025, saysLimit = false): string {
  const labels = celdas(ANY_CFDI, layout).map(([heading]) => heading);
  return respuesta({
    tabla:
      filas.length === 0
        ? ''
        : tablaDe(
            filas.map((c) => celdas(c, layout)),
            labels,
          ),
    muestraFilas: filas.length > 0,
    diceQueNoHay: filas.length === 0,
    saysLimit,
  });
}
