import { canalDeDescarga, instante, rfcData, soloRfc, texto, tipoCredencial } from '@acuse/operation';
import { z } from 'zod';
import { cuotasSat, datosDeCuotas, readCuotas } from '../../cuotas.ts';
import { estadoCiec, estadoEfirma } from '../../http/credenciales.ts';
import { defineOperation } from '../../operation.ts';

export default defineOperation({
  summary: 'Estado de todas las credenciales guardadas',
  description:
    'Por qué caminos se le puede preguntar hoy al SAT por este RFC: con la CIEC en los portales, con la e.firma en el servicio web y en los portales; si cada uno sirve, por qué no, y hasta cuándo; y lo usado de las cuotas del SAT. Nada de esto pregunta al SAT.',
  credential: 'api-key',
  effect: 'reads',
  cost: 0,
  rfc: 'propio-sin-registrar',
  body: soloRfc,
  data: z
    .object({
      rfc: rfcData,
      registrado: z.boolean().meta({ description: 'Si el RFC se asoció con rfc-registrar.', example: true }),
      id_cif: z.string().nullable().meta({ description: 'El idCIF registrado.', example: null }),
      certificado: z
        .object({
          no_serie: texto('Número de serie.', '30001000000500003416').nullable(),
          titular: texto('A nombre de quién está.', 'COMERCIALIZADORA ACUÍFERA').nullable(),
          expira_en: instante('Fin de su vigencia.').nullable(),
        })
        .nullable()
        .meta({ description: 'El certificado (.cer) de la e.firma; null si no hay ninguno.' }),
      caminos: z
        .array(
          z
            .object({
              credencial: tipoCredencial.meta({ description: 'Con qué.' }),
              canal: canalDeDescarga.meta({ description: 'Por dónde.', example: 'soap' }),
              sirve: z.boolean().meta({ description: 'Si hoy se le puede preguntar así.', example: true }),
              motivo: z.string().nullable().meta({ description: 'Por qué no sirve y qué hacer.', example: null }),
              expira_en: instante('Hasta cuándo sirve; null si no sirve o no termina por sí solo.').nullable(),
              rechazada_en: instante('Cuándo la rechazó el SAT por este canal; null si no la rechazó.')
                .nullable()
                .meta({ example: null }),
            })
            .meta({ id: 'CaminoGuardado', description: 'Un camino al SAT con una credencial guardada.' }),
        )
        .meta({ description: 'Por dónde se le puede preguntar al SAT.' }),
      cuotas_sat: cuotasSat.optional(),
    })
    .meta({ id: 'EstadoCredenciales', description: 'Las credenciales guardadas del RFC.' }),
  errors: [],

  async handle({ rfc }, contexto) {
    const { access, now } = contexto;
    const { efirmaCer: cer } = access;
    const estados = [estadoEfirma(access, 'soap', now), estadoEfirma(access, 'portal', now), estadoCiec(access)];
    return {
      rfc,
      registrado: access.apiKey.isRegistrada,
      id_cif: access.idCif,
      certificado: cer && {
        no_serie: cer.noSerie,
        titular: cer.titular,
        expira_en: cer.vigenteHasta?.toISOString() ?? null,
      },
      caminos: estados.map(({ credencial, canal, falta, expiraEn, rechazadaEn }) => ({
        credencial,
        canal,
        sirve: falta === null,
        motivo: falta,
        expira_en: expiraEn?.toISOString() ?? null,
        rechazada_en: rechazadaEn?.toISOString() ?? null,
      })),
      cuotas_sat: datosDeCuotas(await readCuotas(contexto, null)),
    };
  },
});
