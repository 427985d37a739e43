import { limiteField, rfcField, tipoDescargaField } from '@acuse/contract';
import { importeTexto, rfcDelSat, texto } from '@acuse/operation';
import { z } from 'zod';
import type { SumaPorEfecto, Sumas } from '../../../db/index.ts';
import { alcanceDe, checkFiltro, checkTipo, filterFields, filtroOf, reachFields } from '../../cfdi.ts';
import { needSincronizacion } from '../../fields.ts';
import { defineOperation } from '../../index.ts';

const CONTRAPARTES = 10;
const MAX_CONTRAPARTES = 100;

const cuantos = (description: string, example: number) => z.int().min(0).meta({ description, example });
const decimal = (description: string, example: string) => importeTexto.meta({ description, example });

const sumaData = z
  .object({
    cfdi: cuantos('Cuántos son.', 12),
    ingresos: decimal('Suma de los de efecto I, decimal.', '13920.00'),
    egresos: decimal('Suma de los de efecto E, decimal: nunca va sumada ni restada en ingresos.', '1160.00'),
    nomina: decimal('Suma de los de efecto N, decimal.', '0.00'),
    otros: decimal('Suma de los demás, decimal: traslados y pagos, que no traen importe.', '0.00'),
    sin_monto: cuantos('Cuántos no traen un importe que se pueda leer: no están en ninguna suma.', 0),
  })
  .meta({
    id: 'SumaPorEfecto',
    description:
      'Número e importes, por efecto, de unos CFDI; cada importe en la moneda del suyo, que la metadata no dice.',
  });

const sumasFields = {
  vigentes: sumaData,
  cancelados: sumaData,
  ausentes: sumaData.meta({ description: 'Los que el SAT ya no da, vigentes o cancelados.' }),
};

const ofData = (suma: SumaPorEfecto) => {
  const { sinMonto, ...rest } = suma;
  return { ...rest, sin_monto: sinMonto };
};
const datosDeSumas = ({ vigentes, cancelados, ausentes }: Sumas) => ({
  vigentes: ofData(vigentes),
  cancelados: ofData(cancelados),
  ausentes: ofData(ausentes),
});

export default defineOperation({
  summary: 'Resumen de los CFDI que se conocen del RFC',
  description:
    'Cuántos CFDI hay, y sus importes, de los que sincronizacion/crear mantiene al día, con los filtros de cfdi/consultar: en total, por mes de emisión, por efecto, y por contraparte. Los vigentes, los cancelados y los ausentes van aparte, y también ingresos, egresos y nómina: un egreso nunca se suma como ingreso. La metadata del SAT no dice la moneda: los importes se suman como vienen. Pide emitidos o recibidos, que no se suman entre sí. No pregunta al SAT.',
  credential: 'api-key',
  effect: 'reads',
  cost: 0,
  rfc: 'propio',
  body: z
    .object({
      rfc: rfcField,
      ...filterFields,
      tipo: tipoDescargaField.meta({ description: 'De cuáles.' }),
      contrapartes: limiteField(MAX_CONTRAPARTES)
        .meta({
          description: `Cuántas contrapartes se nombran, a lo más; ${CONTRAPARTES} si no se dice. Las demás van sumadas en otras.`,
          example: CONTRAPARTES,
        })
        .optional(),
    })
    .meta({ id: 'PeticionResumenCfdi' }),
  data: z
    .object({
      suma: z
        .object(sumasFields)
        .meta({ id: 'SumasPorEstado', description: 'Vigentes, cancelados y ausentes, aparte.' }),
      meses: z
        .array(z.object({ mes: texto('Mes de emisión, AAAA-MM.', '2026-01'), ...sumasFields }))
        .meta({ description: 'Los meses que tienen alguno, del más viejo al más nuevo.' }),
      efectos: z
        .array(z.object({ efecto_comprobante: texto('I, E, T, N o P.', 'I'), ...sumasFields }))
        .meta({ description: 'Por efecto del comprobante.' }),
      contrapartes: z
        .array(
          z.object({
            contraparte_rfc: rfcDelSat('RFC de la otra parte.', 'EKU9003173C9'),
            contraparte_nombre: texto('El último nombre que el SAT dio de ella.', 'ESCUELA KEMPER URGATE'),
            ...sumasFields,
          }),
        )
        .meta({
          description: 'Las mayores, por sus ingresos vigentes menos sus egresos vigentes; luego por su nómina.',
        }),
      otras: z
        .object({ contrapartes: cuantos('Cuántas contrapartes más hay.', 3), ...sumasFields })
        .meta({ description: 'Todas las demás contrapartes juntas.' }),
      ...reachFields,
    })
    .meta({ id: 'ResumenCfdi' }),
  errors: ['SINCRONIZACION_NO_ENCONTRADA', 'CAMPO_INVALIDO'],
  check: checkFiltro,

  async handle({ rfc: _, contrapartes = CONTRAPARTES, ...cuerpo }, { deps, access, error }) {
    const vista = await needSincronizacion({ deps, access }, error);
    const wrong = checkTipo(cuerpo, vista);
    if (wrong !== null) throw error('CAMPO_INVALIDO', { ...wrong });
    const pedido = { almacenId: vista.almacenId, filtro: filtroOf(cuerpo, vista), contrapartes };
    const resumen = await deps.almacenes.resumen(pedido);
    if ('demasiados' in resumen) {
      const motivo = `hay más de ${resumen.tope.toLocaleString('en-US')} CFDI en ese periodo, más de los que se suman de una vez: pida uno más corto`;
      throw error('CAMPO_INVALIDO', { campo: 'desde', motivo });
    }
    return {
      suma: datosDeSumas(resumen.total),
      meses: resumen.meses.map(({ mes, ...sumas }) => ({ mes, ...datosDeSumas(sumas) })),
      efectos: resumen.efectos.map(({ efecto, ...sumas }) => ({ efecto_comprobante: efecto, ...datosDeSumas(sumas) })),
      contrapartes: resumen.contrapartes.map(({ rfc, nombre, ...sumas }) => ({
        contraparte_rfc: rfc,
        contraparte_nombre: nombre,
        ...datosDeSumas(sumas),
      })),
      otras: { contrapartes: resumen.otras.contrapartes, ...datosDeSumas(resumen.otras) },
      ...alcanceDe(vista),
    };
  },
});
