import { Hono } from 'hono';
import { attend, encode, htmlResponse } from '../web/http.ts';
import { magiaDe } from '../world/magia.ts';
import { isRfc } from '../world/taxpayers/persona.ts';
import type { Row } from '../world/taxpayers/row.ts';
import { pesos } from '../world/texts.ts';
import type { World } from '../world/world.ts';

/** Headings and values, four to a line, as the page has them (phpcfdi/sat-estado-retenciones, tests/_files). */
const FIELDS: readonly (readonly [heading: string, value: (row: Row) => string])[] = [
  ['RFC del Emisor', (row) => row.rfcEmisor],
  ['Nombre o Razón Social del Emisor', (row) => row.nombreEmisor],
  ['RFC del Receptor', (row) => row.rfcReceptor],
  ['Nombre o Razón Social del Receptor', (row) => row.nombreReceptor],
  ['Folio Fiscal', (row) => row.uuid],
  ['Fecha de Expedición', (row) => row.fechaEmision.replace(' ', 'T')],
  ['Fecha Certificación SAT', (row) => row.fechaCertificacionSat.replace(' ', 'T')],
  ['PAC que Certificó', (row) => row.rfcPac],
  ['Total del CFDI Retención', (row) => pesos(row.monto)],
  ['Estado CFDI Retención', (row) => row.estatus],
];
const COLUMNS = 4;

/** The public status page of CFDI de retenciones, to be mounted at `/prodretencionverificacion`. */
export function createProdretencionverificacion(world: World): Hono {
  return new Hono().get('/Home/ConsultaRetencion', (c) => {
    const { folio = '', rfcEmisor = '', rfcReceptor = '' } = c.req.query();
    const [emisor, receptor] = [rfcEmisor.toUpperCase(), rfcReceptor.toUpperCase()];
    const rfc = magiaDe(receptor) && !magiaDe(emisor) ? receptor : emisor;
    const call = { service: 'prodretencionverificacion', operation: 'ConsultaRetencion', rfc, detail: { folio } };
    return attend(world, call, () => {
      const row = findRow(world, folio, emisor, receptor);
      return htmlResponse(row ? found(row, world.listado69b.isAdverse(emisor)) : NOT_FOUND);
    });
  });
}

/** Known from its issuer's side or from its receiver's; one without receiver's RFC is asked for with an empty one. */
function findRow({ taxpayers }: World, folio: string, emisor: string, receptor: string): Row | null {
  const documento = 'retenciones' as const;
  const find = (rfc: string, tipo: 'emitidos' | 'recibidos') =>
    isRfc(rfc) ? taxpayers.find(rfc, tipo, folio, { documento }) : null;
  const row = find(emisor, 'emitidos') ?? find(receptor, 'recibidos');
  return row && row.rfcEmisor === emisor && row.rfcReceptor === receptor ? row : null;
}

function found(row: Row, isListed: boolean): string {
  const lines = Array.from({ length: Math.ceil(FIELDS.length / COLUMNS) }, (_, n) => {
    const part = FIELDS.slice(n * COLUMNS, (n + 1) * COLUMNS);
    const headings = part.map(([heading]) => `            <th>\n                ${encode(heading)}\n            </th>`);
    const values = part.map(
      ([, value]) => `            <td>\n                <span>${encode(value(row))}</span>\n            </td>`,
    );
    return `        <tr>\n${headings.join('\n')}\n        </tr>\n        <tr>\n${values.join('\n')}\n        </tr>`;
  });
  return `
    <table id="tbl_resultado" style="text-align: center;">
${lines.join('\n')}
${cancelacionOf(row)}    </table>
    <div id="dv_erroresEfos" class="errores" style="display: none;">
        <p>El emisor est&#225; publicado en el listado del art&#237;culo 69-B del CFF.</p>
    </div>
    <input type="button" id="bttn_imprimir" value="Imprimir" onclick="window.print();" class="button-ret" />
    <input hidden="hidden" id="efosEstatus" value="${isListed ? 100 : 200}" />
`;
}

/**
 * The row that only a cancelled one has; clients find its cell by the id (SAT-CFDI/python-satcfdi). Its heading is
 * ours.
 */
function cancelacionOf({ fechaCancelacion }: Row): string {
  if (fechaCancelacion === '') return '';
  const heading = encode('Fecha de Cancelación');
  const date = fechaCancelacion.replace(' ', 'T');
  return `        <tr>\n            <th>${heading}</th>\n        </tr>\n        <tr>\n            <td id="tdFechaCancelacion"><span>${date}</span></td>\n        </tr>\n`;
}

const NOT_FOUND = `    <div class="noresultados">
        <h3 class="subtitle" style="text-align: center">Este comprobante no se encuentra registrado.</h3>
    </div>
`;
