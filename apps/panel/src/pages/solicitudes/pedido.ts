import { randomUUID } from 'node:crypto';
import { FORMATOS, isFecha, OPERACIONES } from '@acuse/contract';
import type { DetalleSolicitud, RfcVista } from '@acuse/db';
import { type ApiClient, readJson } from '@acuse/page';
import { faultOfLlave } from '@acuse/page/llave-tecleada';
import { type RechazoApi, readRechazo } from '@acuse/page/rechazo';
import { z } from 'zod';

const INTENTO = /^[\w-]{16,64}$/;

/** The fields of a sent form. */
export function pedidoOf(campos: Readonly<Record<string, string>>): Pedido {
  const text = (name: string) => (campos[name] ?? '').trim();
  const intento = text('intento');
  return {
    rfc: text('rfc').toUpperCase(),
    tipo: text('tipo'),
    desde: text('desde'),
    hasta: text('hasta'),
    formato: text('formato') || 'csv',
    contenido: text('contenido') || 'metadata',
    tablas: text('tablas'),
    estado: text('estado'),
    comprobante: text('comprobante'),
    contraparte: text('contraparte').toUpperCase(),
    complemento: text('complemento'),
    capsula: text('capsula'),
    apiKey: text('api_key'),
    intento: INTENTO.test(intento) ? intento : randomUUID(),
  };
}

/** What the form begins with again when a period is chosen. */
export const criteriosOf = ({ apiKey: _, intento: __, contenido, ...criterios }: Pedido) => ({
  ...criterios,
  contenido: contenido === 'metadata' ? '' : contenido,
});

/** Content and filters of an earlier request as the form writes them. */
export const criteriosDe = (como: DetalleSolicitud | null) =>
  como && {
    contenido: como.contenido,
    tablas: como.tablas ? 'si' : '',
    estado: como.filtros?.estado_comprobante ?? '',
    comprobante: como.filtros?.tipo_comprobante ?? '',
    contraparte: como.filtros?.rfc_contraparte?.join(', ') ?? '',
    complemento: como.filtros?.complemento ?? '',
  };

const rfcsOf = (contraparte: string) => contraparte.split(/[\s,;]+/).filter(Boolean);

const OPERACION = 'tax/descarga-metadata';

/** Credits of one download. */
export const COSTO = OPERACIONES.find(({ path }) => path === OPERACION)?.costo ?? 0;

/** A field that may be at fault. */
export type CampoPedido = z.infer<typeof campo> | 'api_key';

/** A request as the form has it. */
export type Pedido = {
  readonly rfc: string;
  readonly tipo: string;
  readonly desde: string;
  readonly hasta: string;
  readonly formato: string;
  readonly contenido: string;
  /** `si` where its box is ticked. */
  readonly tablas: string;
  /** Filters; empty for none. RFCs with commas or spaces between. */
  readonly estado: string;
  readonly comprobante: string;
  readonly contraparte: string;
  readonly complemento: string;
  /** `si` where its box is ticked. */
  readonly capsula: string;
  readonly apiKey: string;
  /** The same for each time that one form is sent, so that twice sent is once asked. */
  readonly intento: string;
};

/** Outcome of a request. */
export type Pedida =
  | { readonly resultado: 'ACEPTADA'; readonly id: string; readonly isDuplicada: boolean }
  /** Nothing was asked or charged. */
  | {
      readonly resultado: 'RECHAZADA';
      readonly texto: string;
      readonly campo?: CampoPedido | undefined;
      readonly ir?: RechazoApi['ir'];
    }
  /** Unknown outcome; the same form may be sent again. */
  | { readonly resultado: 'SIN_RESPUESTA' };

const aceptada = z.object({ data: z.object({ solicitud_id: z.uuid(), duplicada: z.boolean().optional() }) });
const campo = z.enum(['rfc', 'tipo', 'desde', 'hasta', 'formato', 'contenido', 'tablas', 'contraparte']);
/** A fault of another field, such as the key's, is shown above the form. */
const campoDeApi = z
  .string()
  .transform((campo) => (campo.startsWith('rfc_contraparte') ? 'contraparte' : campo))
  .pipe(campo)
  .optional()
  .catch(undefined);

/** Fault of a form before the API is called, or null. */
export function checkPedido(pedido: Pedido, vista: RfcVista | null): { texto: string; campo: CampoPedido } | null {
  if (vista === null) return { campo: 'rfc', texto: 'Elija uno de sus RFC.' };
  if (pedido.tipo !== 'emitidos' && pedido.tipo !== 'recibidos')
    return { campo: 'tipo', texto: 'Elija emitidos o recibidos.' };
  if (!FORMATOS.some((formato) => formato === pedido.formato))
    return { campo: 'formato', texto: 'Elija uno de los formatos de la lista.' };
  for (const dia of ['desde', 'hasta'] as const)
    if (!isFecha(pedido[dia])) return { campo: dia, texto: 'Escriba el día como año-mes-día, por ejemplo 2025-03-31.' };
  if (pedido.desde > pedido.hasta) return { campo: 'desde', texto: 'El primer día no puede ser posterior al último.' };
  const fault = faultOfLlave(pedido.apiKey, vista);
  return fault === null ? null : { campo: 'api_key', texto: fault };
}

/** Asks through the API of this installation: accepted, checked and charged as any other. */
export async function askApi(api: ApiClient, pedido: Pedido, ip: string): Promise<Pedida> {
  const { rfc, tipo, desde, hasta, formato, contenido, tablas, estado, comprobante, contraparte } = pedido;
  const { complemento, capsula, apiKey } = pedido;
  const rfcs = rfcsOf(contraparte);
  const answer = await api.call({
    nombre: OPERACION,
    cuerpo: {
      rfc,
      tipo,
      desde,
      hasta,
      formato,
      ...(contenido === 'metadata' ? {} : { contenido }),
      ...(tablas === 'si' ? { tablas: true } : {}),
      ...(estado === '' ? {} : { estado_comprobante: estado }),
      ...(comprobante === '' ? {} : { tipo_comprobante: comprobante }),
      ...(rfcs.length === 0 ? {} : { rfc_contraparte: rfcs }),
      ...(complemento === '' ? {} : { complemento }),
      ...(capsula === 'si' ? { capsula: true } : {}),
    },
    apiKey,
    ip,
    idempotencyKey: pedido.intento,
  });
  if (answer.tipo === 'sin-respuesta') return { resultado: 'SIN_RESPUESTA' };
  if (answer.status === 200) {
    const read = aceptada.safeParse(readJson(answer.texto));
    if (!read.success) return { resultado: 'SIN_RESPUESTA' };
    const { solicitud_id: id, duplicada = false } = read.data.data;
    return { resultado: 'ACEPTADA', id, isDuplicada: duplicada };
  }
  const rechazo = readRechazo(answer.texto);
  if (rechazo === null || answer.status >= 500) return { resultado: 'SIN_RESPUESTA' };
  return { resultado: 'RECHAZADA', ...rechazo, campo: campoDeApi.parse(rechazo.campo) };
}
