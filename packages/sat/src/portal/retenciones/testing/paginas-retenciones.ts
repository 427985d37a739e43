import { escapeHtml } from '../../testing/paginas-de-prueba.ts';

type TestSide = 'receptor' | 'emisor';

/** What the test portal knows of one retención. `contraparte` is the other one's RFC. */
interface RetencionDePrueba {
  readonly uuid: string;
  readonly side: TestSide;
  readonly contraparte: string;
  readonly fecha: string;
  readonly total: string;
  readonly estado: 'Vigente' | 'Cancelado';
}

export const RFC_PROPIO = 'EKU9003173C9';

export function retencion(
  numero: number,
  fecha: string,
  side: TestSide = 'receptor',
  extra: Partial<RetencionDePrueba> = {},
): RetencionDePrueba {
  const uuid = `${numero.toString(16).padStart(8, '0').toUpperCase()}-BBBB-4CCC-9DDD-0123456789AB`;
  return { uuid, side, contraparte: 'XAXX010101000', fecha, total: '$10,000.50', estado: 'Vigente', ...extra };
}

/** The page of a search; `resultado` is what stands under its form. */
export function paginaCon(resultado: string): string {
  return `<!DOCTYPE html><html><head><title>Retenciones</title></head><body>
<form method="post" action="./ConsultaReceptor" id="form1"><input type="hidden" name="__VIEWSTATE" value="x" />
${resultado}</form></body></html>`;
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
  const receptor = r.side === 'receptor';
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
    .map((heading) => `<th>${heading}</th>`)
    .join('')}</tr></thead><tbody>${cuerpo}</tbody></table>`;
}

export function resultadoDe(side: TestSide, filas: readonly RetencionDePrueba[], saysLimit = false): string {
  const tope = saysLimit ? '<div id="divLimiteRegistros"><h2>Solo se muestran los primeros registros.</h2></div>' : '';
  const display = filas.length === 0 ? 'block' : 'none';
  return `${tope}<div id="divResultados">${tabla(filas.map(celdasDe))}</div>
<div id="${side === 'receptor' ? 'divNoResultadosReceptor' : 'divNoResultados'}" style="display: ${display}">No existen registros</div>`;
}
