import { canalSat } from '@acuse/operation';
import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { publicada, saludData } from '../../salud.ts';

export default defineOperation({
  summary: 'Cómo contesta el SAT y cuánto tarda',
  description:
    'Por canal, si el SAT contesta bien, lento o con fallas, y desde cuándo; y cuánto tardan las descargas en estar listas. Se cuenta lo que todas las cuentas de esta instalación le pidieron, sin decir de quién ni cuánto: con pocas descargas o pocas cuentas no se dice nada. Lo mismo se lee sin llave en /estado y en /estado.json.',
  credential: 'api-key',
  effect: 'reads',
  cost: 0,
  rfc: 'ninguno',
  body: z
    .object({
      canal: canalSat.meta({ description: 'Solo lo de este canal; sin él, lo de todos.', example: 'soap' }).optional(),
    })
    .meta({ id: 'PeticionEstadoSat' }),
  data: saludData,
  errors: [],

  async handle({ canal }, { deps, access }) {
    const minimos = { cuentas: deps.settings.cuentasMinimas };
    const { canales, descargas, ...resto } = publicada(await deps.salud.fresh(), access.apiKey.modo, minimos);
    const isAsked = (each: { readonly canal: string }) => canal === undefined || each.canal === canal;
    return { ...resto, canales: canales.filter(isAsked), descargas: descargas.filter(isAsked) };
  },
});
