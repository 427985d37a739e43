import { escapeHtml } from '../../testing/paginas-de-prueba.ts';

export type LadoDePrueba = 'receptor' | 'emisor';

/** What the test portal knows of one retención. `contraparte` is the other one's RFC. */
interface RetencionDePrueba {
  readonly uuid: string;
  readonly lado: LadoDePrueba;
  readonly contraparte: string;
  readonly fecha: string;
  readonly total: string;
  readonly estado: 'Vigente' | 'Cancelado';
}

export const RFC_PROPIO = 'EKU9003173C9';

export function retencion(
  numero: number,
  fecha: string,
  lado: LadoDePrueba = 'receptor',
  extra: Partial<RetencionDePrueba> = {},
): RetencionDePrueba {
  const uuid = `${numero.toString(16).padStart(8, '0').toUpperCase()}-BBBB-4CCC-9DDD-0123456789AB`;
  return { uuid, lado, contraparte: 'XAXX010101000', fecha, total: '$10,000.50', estado: 'Vigente', ...extra };
}

function marco(rfc: string, contenido: string): string {
  return `<!DOCTYPE html><html><head><title>Retenciones</title></head><body>
<span id="LblRfcAutenticado" class="user-credencials__name">RFC autenticado: ${escapeHtml(rfc)}</span>
<input type="hidden" id="hdnAut" value="${Buffer.from(rfc).toString('base64')}" />
${contenido}
<script>var theForm = document.forms['form1']; function __doPostBack(t, a) { theForm.submit(); }</script>
</body></html>`;
}

const two = (numero: number) => String(numero).padStart(2, '0');

function lista(id: string, from: number, to: number, extra = ''): string {
  const opciones = Array.from({ length: to - from + 1 }, (_, i) => {
    const numero = from + i;
    return `<option value="${numero}">${two(numero)}</option>`;
  });
  return `<select id="${id}" name="n_${id}" disabled="disabled">${extra}${opciones.join('')}</select>`;
}

interface Pantalla {
  readonly lado: LadoDePrueba;
  readonly viewstate: string;
  /** The list of days has a first choice that leaves the day open. */
  readonly diaAbierto: boolean;
  readonly resultado: string;
}

/** The search page; `resultado` is what stands under the form. */
export function paginaBusqueda(rfc: string, { lado, viewstate, diaAbierto, resultado }: Pantalla): string {
  const receptor = lado === 'receptor';
  const fechas = receptor
    ? lista('selAnio', 2014, 2026) +
      lista('selMes', 1, 12) +
      lista('selDia', 1, 31, diaAbierto ? '<option value="0"></option>' : '')
    : '<input id="fecIniEmi" name="n_fecIniEmi" type="text" value="" /><input id="fecFinEmi" name="n_fecFinEmi" type="text" />';
  const horas = ['selHorIni', 'selMinIni', 'selSegIni', 'selHorFin', 'selMinFin', 'selSegFin']
    .map((id) => lista(id, 0, id.startsWith('selHor') ? 23 : 59))
    .join('');
  const estado = receptor
    ? '<select id="MainContent_DdlEstadoComprobante" name="ctl00$MainContent$DdlEstadoComprobante">'
    : '<select id="selEstadoComprobante" name="n_selEstado">';
  return marco(
    rfc,
    `<form method="post" action="./${receptor ? 'ConsultaReceptor' : 'ConsultaEmisor'}" id="form1">
<input type="hidden" name="__VIEWSTATE" value="${viewstate}" />
<input type="radio" id="rbtnFolioFiscal" name="n_filtro" value="folio" checked="checked" />
<input type="radio" id="rbtnFiltros" name="n_filtro" value="filtros" />
<input type="text" id="${receptor ? 'txtFolio' : 'txtUuid'}" name="n_folio" />${fechas}${horas}
<input type="text" id="${receptor ? 'txtEmisor' : 'txtReceptor'}" name="n_contraparte" />
${estado}<option value="-1">Seleccione un valor...</option><option value="0">Cancelado</option><option value="1">Vigente</option></select>
<button class="btn btn-primary" name="n_buscar" value="1" onclick="ocultaResultados()"><span class="glyphicon"></span> Buscar CFDI</button>
<button type="button" id="descargarSel" name="n_descargar">Descargar seleccionados</button>
<button type="button" id="cancelarSel" name="n_cancelar">Cancelar seleccionados</button>
${resultado}</form>`,
  );
}

export const ENCABEZADOS = [
  'Acciones',
  'Folio Fiscal',
  'RFC Emisor',
  'Nombre o Razón Social del Emisor',
  'RFC Receptor',
  'Nombre o Razón Social del Receptor',
  'Fecha de Emisión',
  'Monto Total de la Operación',
  'Estado del Comprobante',
];

export function celdasDe(r: RetencionDePrueba): string[] {
  const receptor = r.lado === 'receptor';
  return [
    '<table><tr><td><span id="BtnDescarga"></span></td></tr></table>',
    r.uuid,
    escapeHtml(receptor ? r.contraparte : RFC_PROPIO),
    'Peñón &amp; Cía',
    escapeHtml(receptor ? RFC_PROPIO : r.contraparte),
    'Otro &lt;b&gt;',
    r.fecha,
    r.total,
    r.estado,
  ];
}

export function tabla(filas: readonly (readonly string[])[], encabezados = ENCABEZADOS): string {
  const cuerpo = filas.map((fila) => `<tr>${fila.map((html) => `<td>${html}</td>`).join('')}</tr>`).join('\n');
  return `<table id="tablaRetenciones" class="table"><thead><tr>${encabezados
    .map((rotulo) => `<th>${rotulo}</th>`)
    .join('')}</tr></thead><tbody>${cuerpo}</tbody></table>`;
}

export function resultadoDe(lado: LadoDePrueba, filas: readonly RetencionDePrueba[], diceTope = false): string {
  const tope = diceTope ? '<div id="divLimiteRegistros"><h2>Solo se muestran los primeros registros.</h2></div>' : '';
  const display = filas.length === 0 ? 'block' : 'none';
  return `${tope}<div id="divResultados">${tabla(filas.map(celdasDe))}</div>
<div id="${lado === 'receptor' ? 'divNoResultadosReceptor' : 'divNoResultados'}" style="display: ${display}">No existen registros</div>`;
}
