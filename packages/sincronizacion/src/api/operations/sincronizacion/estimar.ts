import { rfcField } from '@acuse/contract';
import { z } from 'zod';
import { ajustesOf, checkDesde, costoData, costoOf, settingsFields } from '../../fields.ts';
import { defineOperation } from '../../index.ts';

export default defineOperation({
  summary: 'Lo que costaría mantener al día el RFC',
  description:
    'Cuántas lecturas pediría sincronizacion/crear con estos mismos campos, y cuántos créditos: de inmediato, un mes y tipo por lectura sin lo que ya se leyó, y los 30 días siguientes, si el SAT no deja de dar CFDI: confirmar eso cuesta a lo más creditos_por_confirmar por mes y tipo. No pregunta al SAT.',
  credential: 'api-key',
  effect: 'reads',
  cost: 0,
  rfc: 'propio',
  body: z.object({ rfc: rfcField, ...settingsFields }).meta({ id: 'PeticionEstimarSincronizacion' }),
  data: costoData,
  errors: ['CAMPO_FALTANTE'],
  check: checkDesde,

  async handle({ rfc: _, ...body }, { now, deps, access }) {
    const vigente = await deps.sincronizaciones.find(access.contribuyenteId, access.apiKey.modo);
    const ajustes = ajustesOf(body, vigente, { minuto: vigente?.minuto ?? 0, now });
    return costoOf({ deps, access, now }, vigente?.id ?? null, ajustes);
  },
});
