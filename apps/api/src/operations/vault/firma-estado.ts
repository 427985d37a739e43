import { advertenciasData, canalDeDescarga, explain, instante, rfcData, soloRfc } from '@acuse/operation';
import { z } from 'zod';
import { llaveOf } from '../../http/credenciales.ts';
import { defineOperation } from '../../operation.ts';

const CANALES = ['soap', 'portal'] as const;

export default defineOperation({
  summary: 'Estado de la e.firma guardada',
  description:
    'Si hay certificado y llave guardados, si el certificado está vigente, y hasta cuándo sirve cada uno: expira_en es el fin del certificado, key_expira_en el de la llave.',
  credential: 'api-key',
  effect: 'reads',
  cost: 0,
  rfc: 'propio-sin-registrar',
  body: soloRfc,
  data: z.object({
    rfc: rfcData,
    tiene_cer: z.boolean().meta({ description: 'Hay un certificado registrado.', example: true }),
    tiene_key: z.boolean().meta({ description: 'Hay una llave guardada (se borra a la hora).', example: true }),
    vigente: z
      .boolean()
      .meta({ description: 'El certificado está vigente y el SAT lo acepta en alguno de sus canales.', example: true }),
    expira_en: instante('Fin de la vigencia del certificado, no de la llave; null si no hay ninguno.')
      .meta({ example: '2029-01-31T18:30:00.000Z' })
      .nullable(),
    key_expira_en: instante('Cuándo se borra la llave guardada; null si no hay ninguna.')
      .meta({ example: '2026-01-31T19:30:00.000Z' })
      .nullable(),
    advertencias: advertenciasData,
    rechazos: z
      .array(z.object({ canal: canalDeDescarga.meta({ example: 'soap' }), desde: instante('Cuándo la rechazó.') }))
      .meta({
        description:
          'Canales del SAT que rechazaron esta e.firma: en ellos no se vuelve a intentar hasta que se registre otra vez; los demás siguen.',
        example: [],
      }),
  }),
  errors: [],

  async handle({ rfc }, { access, now }) {
    const { efirmaCer: cer } = access;
    const key = llaveOf(access);
    const ends = cer?.vigenteHasta ?? null;
    const rechazos = CANALES.flatMap((canal) => {
      const desde = cer?.rechazadaEn[canal];
      return desde ? [{ canal, desde: desde.toISOString() }] : [];
    });
    return {
      rfc,
      tiene_cer: cer !== null,
      tiene_key: key !== null,
      vigente: ends !== null && ends > now && rechazos.length < CANALES.length,
      expira_en: ends?.toISOString() ?? null,
      key_expira_en: key?.expiraEn?.toISOString() ?? null,
      advertencias: explain(cer?.advertencias ?? []),
      rechazos,
    };
  },
});
