import {
  type CampoErroneo,
  contenidoField,
  fechaField,
  formatoField,
  rfcField,
  tipoDescargaField,
} from '@acuse/contract';
import {
  type Contenido,
  type Credencial,
  canalDe,
  type NuevaSolicitud,
  ResultadoIncierto,
  type TipoDescarga,
} from '@acuse/core';
import {
  type CredencialElegible,
  camposDeFiltro,
  checkFiltros,
  checkPeriodo,
  estadoSolicitud,
  filtrosOf,
  StaleAccess,
  solicitudIdData,
} from '@acuse/operation';
import { sealForSolicitud } from '@acuse/vault';
import { z } from 'zod';
import { defineOperation } from '../../operation.ts';

const HOUR_MS = 3_600_000;
const REINTENTAR_SEGUNDOS = 5;

const isIncierto = (error: unknown) => error instanceof Error && error.cause instanceof ResultadoIncierto;

export default defineOperation({
  summary: 'Solicitud de descarga de metadata o de los CFDI',
  description:
    'Pide al SAT la metadata de los CFDI emitidos o recibidos de un periodo, de cualquier longitud, y con contenido xml también los CFDI. Responde de inmediato; el avance se consulta en descarga/verificar y el ZIP en descarga/paquete. Se usa la e.firma guardada o, si no hay, el SAT la rechaza o su servicio web no responde, la CIEC. Si ya hay una solicitud igual en curso (mismos RFC, tipo, periodo, formato, contenido y filtros), se devuelve esa (duplicada: true) y no se cobra.',
  credential: 'ciec',
  accepts: 'ciec-o-efirma',
  // A bulk download is looked at for hours or days: by the web service without a captcha.
  prefers: 'efirma',
  effect: 'asks',
  cost: 1,
  rfc: 'propio',
  charge: 'in-handler',
  body: z.object({
    rfc: rfcField,
    tipo: tipoDescargaField,
    desde: fechaField.meta({ example: '2026-01-01' }),
    hasta: fechaField,
    // No default in the document: generators would make a field that must be given of it.
    formato: formatoField.optional(),
    contenido: contenidoField.optional(),
    tablas: z.boolean({ error: 'debe ser true o false' }).optional().meta({
      description:
        'Con contenido xml: true añade al ZIP las tablas conceptos, impuestos, pagos y relacionados, en el formato pedido. De la nómina no hay tablas, porque son datos personales.',
      example: true,
    }),
    ...camposDeFiltro,
    capsula: z.boolean({ error: 'debe ser true o false' }).optional().meta({
      description:
        'Con e.firma: true deja firmado y sellado, mientras dura su hora, lo que esta solicitud necesita para que se siga consultando y descargando sin la llave, a lo más 72 horas. Sin él, o si hay que pedir algo más al SAT, la solicitud espera la e.firma (ESPERA_EFIRMA). No está probado con el SAT en vivo.',
      example: true,
    }),
  }),
  data: z.object({
    solicitud_id: solicitudIdData,
    estado: estadoSolicitud.meta({ example: 'EN_PROCESO' }),
    duplicada: z.literal(true).optional().meta({ description: 'Ya había una igual en curso; no se cobró.' }),
  }),
  asks: ['solicitar-metadata', 'verificar-metadata', 'descargar-paquete', 'bajar-xml'],
  errors: ['SALDO_INSUFICIENTE', 'RESULTADO_INCIERTO', 'ACCESO_CAMBIADO'],
  check: (pedido, now) => checkFiltros(pedido) ?? checkContenido(pedido) ?? checkPeriodo(pedido, now),

  async handle(
    { rfc, tipo, desde, hasta, formato = 'csv', contenido, tablas, capsula = false, ...rest },
    { deps, access, costo, opId: solicitudId, idemKey, now, credenciales, error },
  ) {
    const [credencial, otra] = openAll(credenciales);
    const deadlineAt = new Date(now.getTime() + deps.settings.deadlineHours * HOUR_MS);
    const keyEnds = access.efirmaKey?.expiraEn ?? null;
    const seal = (each: Credencial) =>
      sealForSolicitud(each, { solicitudId, deadlineAt }, access.cuentaId, keyEnds, deps.sealer);
    const accept = (nueva: NuevaSolicitud) =>
      deps.solicitudes.accept(nueva).catch((cause: unknown) => {
        if (!isIncierto(cause)) throw cause;
        const motivo = `Si quedó aceptada, su solicitud_id es ${nueva.id}: consúltelo en /api/v1/descarga/verificar.`;
        throw error('RESULTADO_INCIERTO', { motivo, reintentar_en: REINTENTAR_SEGUNDOS }, cause);
      });
    const aceptacion = await accept({
      id: solicitudId,
      rfc,
      tipo,
      desde,
      hasta,
      formato,
      filtros: filtrosOf(rest),
      contenido,
      tablas,
      mayPresign: capsula,
      deadlineAt,
      idemKey,
      traceparent: deps.tracing.current(),
      cuentaId: access.cuentaId,
      contribuyenteId: access.contribuyenteId,
      apiKeyId: access.apiKey.id,
      version: access.version,
      canal: canalDe(credencial),
      costo,
      sellada: seal(credencial),
      otra: otra === undefined ? null : seal(otra),
    });
    switch (aceptacion.resultado) {
      case 'STALE_ACCESS':
        throw new StaleAccess();
      case 'SALDO_INSUFICIENTE':
        throw error('SALDO_INSUFICIENTE');
      case 'DUPLICADA':
        return { solicitud_id: aceptacion.solicitudId, estado: aceptacion.estado, duplicada: true };
      case 'ACEPTADA':
        return { solicitud_id: aceptacion.solicitudId, estado: 'EN_PROCESO' };
    }
  },
});

/** Tables without XML, and XML of cancelled received CFDI, which the SAT does not give, are errors; else null. */
function checkContenido({
  tipo,
  contenido,
  tablas,
  estado_comprobante: estado,
}: {
  readonly tipo: TipoDescarga;
  readonly contenido?: Contenido | undefined;
  readonly tablas?: boolean | undefined;
  readonly estado_comprobante?: string | undefined;
}): CampoErroneo | null {
  if (contenido !== 'xml') return tablas ? { campo: 'tablas', motivo: 'necesita contenido xml' } : null;
  if (tipo === 'emitidos' || estado !== 'cancelado') return null;
  return { campo: 'contenido', motivo: 'con recibidos cancelados solo hay metadata: el SAT no entrega su XML' };
}

/** Every one that opens, in their order; throws what the first says when none does. */
function openAll(credenciales: readonly CredencialElegible[]): readonly [Credencial, ...Credencial[]] {
  const errors: unknown[] = [];
  const [first, ...others] = credenciales.flatMap((each) => {
    try {
      return [each.open()];
    } catch (error) {
      errors.push(error);
      return [];
    }
  });
  if (first === undefined) throw errors[0];
  return [first, ...others];
}
