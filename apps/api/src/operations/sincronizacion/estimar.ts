import { rfcField } from '@acuse/contract';
import { z } from 'zod';
import { defineOperation } from '../../http/operation.ts';
import { ajustesFields, ajustesOf, checkDesde, costoData, costoDeLectura, costoOf } from '../../sincronizacion.ts';

export default defineOperation({
  summary: 'Lo que costaría mantener al día el RFC',
  description:
    'Cuántas lecturas pediría sincronizacion/crear con estos mismos campos, y cuántos créditos: la primera carga, un mes por lectura, y los 30 días siguientes, si el SAT no deja de dar CFDI: confirmar eso cuesta a lo más creditos_por_confirmar por mes y tipo. No pregunta al SAT.',
  credential: 'api-key',
  cost: 0,
  rfc: 'propio',
  body: z.object({ rfc: rfcField, ...ajustesFields }).meta({ id: 'PeticionEstimarSincronizacion' }),
  data: costoData,
  errors: [],
  check: checkDesde,

  async handle({ rfc: _, ...body }, { now, deps, access }) {
    const vigente = await deps.sincronizaciones.find(access.contribuyenteId, access.apiKey.modo);
    const { leerDesde, frecuencia, tipos, hoy } = ajustesOf(body, vigente, now);
    return costoOf(
      { desde: leerDesde, frecuencia, tipos },
      { hoy, costo: costoDeLectura(deps.settings.modo, access.apiKey.modo) },
    );
  },
});
