import { rfcField } from '@acuse/contract';
import { rfcData } from '@acuse/operation';
import { z } from 'zod';
import { defineOperation } from '../../operation.ts';

const idCifField = z
  .string({ error: 'debe ser un texto' })
  .trim()
  .regex(/^\d{11}$/, { error: 'debe tener los 11 dígitos del idCIF' })
  .meta({ description: 'idCIF de la constancia de situación fiscal, 11 dígitos.', example: '15020034567' });

export default defineOperation({
  summary: 'Asociar el RFC con la API key',
  description:
    'Debe llamarse una vez con cada API key nueva, antes de las consultas al SAT. Con id_cif, los datos fiscales se consultan sin CIEC ni e.firma.',
  credential: 'api-key',
  effect: 'changes',
  cost: 0,
  rfc: 'propio-sin-registrar',
  body: z.object({ rfc: rfcField, id_cif: idCifField.optional() }),
  data: z.object({ rfc: rfcData }),
  errors: [],

  async handle({ rfc, id_cif }, { deps, access, ip }) {
    const { contribuyenteId, apiKey } = access;
    const idCif = id_cif === undefined ? {} : { idCif: id_cif };
    await deps.boveda.register({ apiKeyId: apiKey.id, contribuyenteId, ip, ...idCif });
    return { rfc };
  },
});
