import { CfdiError, contenidoField, fechaField, formatoField, rfcField, tipoDescargaField } from '@acuse/contract';
import {
  claveXml,
  EQUAL_REQUESTS,
  estimacionDe,
  expectedBytes,
  expectedDays,
  expectedRequests,
  expectedRows,
  firstPeriods,
  type PorEstimar,
  XML_A_DAY,
} from '@acuse/core';
import { camposDeFiltro, canalDeDescarga, filtrosOf, rfcData } from '@acuse/operation';
import { z } from 'zod';
import { cuotasSat, datosDeCuotas, readCuotas } from '../../cuotas.ts';
import { eligibleCredenciales } from '../../http/credenciales.ts';
import { type ContextoBase, defineOperation } from '../../operation.ts';
import descarga from '../tax/descarga-metadata.ts';
import { datosDeEstimacion, estimacion } from './verificar.ts';

const SIN_CREDENCIAL = 'No hay una credencial guardada que sirva. Guarde la CIEC con rfc-guardar, o la e.firma.';

const cuenta = (description: string, example: number | null) => z.int().min(0).meta({ description, example });

export default defineOperation({
  summary: 'Cuánto traería y cuánto tardaría una descarga',
  description:
    'Estima, sin pedir nada al SAT y sin costo, la descarga que pediría tax/descarga-metadata con los mismos campos: renglones, bytes, solicitudes al SAT, canal, tiempo y cuotas. Se basa en las descargas terminadas del mismo RFC y tipo; un mes que ninguna tuvo se estima con los demás. Con filtros que no son el tipo de comprobante, las descargas sin filtros dan una cifra máxima.',
  credential: 'api-key',
  effect: 'reads',
  cost: 0,
  rfc: 'propio',
  body: z
    .object({
      rfc: rfcField,
      tipo: tipoDescargaField,
      desde: fechaField.meta({ example: '2026-01-01' }),
      hasta: fechaField,
      formato: formatoField.optional(),
      contenido: contenidoField.optional(),
      ...camposDeFiltro,
    })
    .meta({ id: 'PeticionDescargaEstimar' }),
  data: z
    .object({
      rfc: rfcData,
      base: z.enum(['historial', 'sin_datos']).meta({
        id: 'BaseEstimacion',
        description:
          'historial: hay descargas terminadas en qué basarse; sin_datos: no las hay, y no se dan cifras de renglones.',
        example: 'historial',
      }),
      registros: cuenta('Renglones esperados.', 1532).nullable(),
      bytes: cuenta('Tamaño esperado del ZIP.', 1842000).nullable(),
      canal: canalDeDescarga
        .nullable()
        .meta({ description: 'Por dónde se pediría hoy; null si no hay con qué.', example: 'soap' }),
      motivo: z
        .string()
        .nullable()
        .meta({ description: 'Por qué no se podría pedir hoy, y qué hacer; null si se puede.', example: null }),
      solicitudes_sat: cuenta('Solicitudes o búsquedas en el SAT, al menos; null si no hay por dónde.', 2).nullable(),
      estimacion,
      cuota_portal: z
        .object({
          por_dia: cuenta('XML que el portal da por RFC y día.', XML_A_DAY),
          quedan_hoy: cuenta('Los que quedan hoy, según lo que esta instalación ha tomado.', XML_A_DAY),
          dias: cuenta(
            'Días que tomaría, con el de hoy; null sin datos. Lo que no quepa en el plazo de la solicitud falta, con el motivo CUOTA_DEL_DIA.',
            1,
          ).nullable(),
        })
        .meta({ id: 'CuotaPortal', description: 'La cuota de XML del portal.' })
        .nullable()
        .meta({ description: 'La cuota de XML del portal; null si no se usaría.', example: null }),
      iguales_restantes: cuenta(
        'Con la e.firma el SAT acepta dos solicitudes de XML iguales para siempre: las que quedan de este periodo y filtros. Si no queda ninguna, Acuse mueve el periodo un segundo. null si no se pedirían XML por ahí.',
        null,
      ).nullable(),
      creditos: cuenta('Créditos que costaría pedirla.', 1),
      cuotas_sat: cuotasSat.optional(),
    })
    .meta({ id: 'DescargaEstimada', description: 'Lo que se espera de una descarga.' }),
  errors: [],
  check: (pedido, now) => descarga.check?.(pedido, now),

  async handle({ rfc, tipo, desde, hasta, formato = 'csv', contenido = 'metadata', ...rest }, contexto) {
    const { deps, access, now } = contexto;
    const pedido: PorEstimar = { tipo, desde, hasta, contenido, formato, filtros: filtrosOf(rest) };
    const { canal, motivo } = camino(access, now);
    const [primero] = firstPeriods(pedido, 'soap', now);
    const isXml = contenido === 'xml';
    const igual = isXml && primero ? claveXml(tipo, primero, pedido.filtros) : null;
    const { modo } = access.apiKey;
    const [terminadas, cuotas] = await Promise.all([
      deps.solicitudes.history(access.contribuyenteId, pedido, modo),
      readCuotas(contexto, igual),
    ]);
    const registros = expectedRows(terminadas, pedido);
    const esperas = canal === null ? [] : (await deps.salud.fresh()).esperas;
    const minimos = { cuentas: deps.settings.cuentasMinimas };
    const quedan = Math.max(0, XML_A_DAY - cuotas.xmlHoy);
    return {
      rfc,
      base: registros === null ? 'sin_datos' : 'historial',
      registros,
      bytes: registros === null ? null : expectedBytes(registros, terminadas, pedido),
      canal,
      motivo,
      solicitudes_sat: canal === null ? null : expectedRequests(registros, pedido, canal, now),
      estimacion: datosDeEstimacion(
        canal === null ? null : estimacionDe(esperas, { modo, canal, tipo, creadaEn: now }, minimos),
      ),
      cuota_portal:
        isXml && canal === 'portal'
          ? {
              por_dia: XML_A_DAY,
              quedan_hoy: quedan,
              dias: registros === null ? null : expectedDays(registros, quedan),
            }
          : null,
      iguales_restantes: igual !== null && canal === 'soap' ? Math.max(0, EQUAL_REQUESTS - cuotas.iguales) : null,
      creditos: descarga.cost,
      cuotas_sat: { ...datosDeCuotas(cuotas), ...(igual === null ? {} : { iguales_hechas: cuotas.iguales }) },
    };
  },
});

/** The channel of the credential that the download would take, or why there is none. */
function camino(access: ContextoBase['access'], now: Date) {
  try {
    const [first] = eligibleCredenciales(descarga, access, now);
    return { canal: first?.canal ?? null, motivo: first === undefined ? SIN_CREDENCIAL : null };
  } catch (error) {
    if (!(error instanceof CfdiError)) throw error;
    const { motivo } = error.datos;
    return { canal: null, motivo: typeof motivo === 'string' ? `${motivo} ${SIN_CREDENCIAL}` : SIN_CREDENCIAL };
  }
}
