import { fechaField, rfcField } from '@acuse/contract';
import { calendarDay, fault49Bis, MAX_NOTA_49BIS, VIGENCIA_49BIS } from '@acuse/core';
import { MAX_AVISOS_49BIS } from '@acuse/db';
import { z } from 'zod';
import { rfcData } from '../../fields.ts';
import { defineOperation } from '../../http/operation.ts';
import { autorOf } from '../../webhooks.ts';

/** What is said of a publication that cannot be entered. */
const FALTAS = {
  PROPIO: {
    campo: 'proveedor_rfc',
    motivo:
      'no puede ser su propio RFC: el plazo es de quien recibió CFDI de otro; escriba el RFC del emisor que publicó el SAT',
  },
  ANTES: {
    campo: 'publicado_en',
    motivo: `no puede ser anterior al ${VIGENCIA_49BIS}, cuando entró en vigor el artículo`,
  },
  DESPUES: { campo: 'publicado_en', motivo: 'no puede ser posterior a hoy' },
};

export default defineOperation({
  summary: 'Anotar cuándo publicó el SAT a un emisor (artículo 49 Bis)',
  description:
    'Quien recibió CFDI de un emisor que el SAT publica por el artículo 49 Bis del CFF tiene 30 días naturales. No hay una lista que un programa pueda leer, así que la fecha la dice usted, según el Portal del SAT o el Diario Oficial de la Federación. Acuse cuenta el plazo, lo muestra con los CFDI y los pesos (riesgo/plazos), y avisa al anotarlo y a 10, 3 y 0 días del fin con el webhook plazo.por_vencer. Otra fecha sustituye a la anterior.',
  credential: 'api-key',
  cost: 0,
  rfc: 'propio',
  body: z
    .object({
      rfc: rfcField,
      proveedor_rfc: rfcField.meta({
        description: 'RFC del emisor que se publicó; no el suyo.',
        example: 'EKU9003173C9',
      }),
      publicado_en: fechaField
        .meta({ description: 'El día de la publicación; hace falta para anotar.', example: '2026-07-10' })
        .optional(),
      accion: z
        .enum(['anotar', 'quitar'], { error: 'debe ser anotar o quitar' })
        .meta({ description: 'quitar deja al emisor sin lo que se anotó. Si no se dice, anotar.', example: 'anotar' })
        .optional(),
      nota: z
        .string({ error: 'debe ser un texto' })
        .trim()
        .min(1, 'no puede estar vacía')
        .max(MAX_NOTA_49BIS, `debe tener a lo más ${MAX_NOTA_49BIS} caracteres`)
        .meta({ description: 'Lo que quiera recordar, como el oficio.', example: 'DOF, primera sección' })
        .optional(),
    })
    .meta({ id: 'PeticionAviso49Bis' }),
  check({ rfc, proveedor_rfc: proveedor, accion, publicado_en: publicadoEn }, now) {
    if (accion === 'quitar') return null;
    if (publicadoEn === undefined) return { campo: 'publicado_en', motivo: 'falta: es el día de la publicación' };
    const fault = fault49Bis({ proveedor, publicadoEn }, { rfc, hoy: calendarDay(now) });
    return fault && FALTAS[fault];
  },
  data: z
    .object({
      rfc: rfcData,
      proveedor_rfc: rfcData,
      publicado_en: fechaField
        .nullable()
        .meta({ description: 'El día anotado; null si no hay.', example: '2026-07-10' }),
      vence_en: fechaField
        .nullable()
        .meta({ description: 'El último día del plazo: el de la publicación no se cuenta.', example: '2026-08-09' }),
    })
    .meta({ id: 'Aviso49Bis' }),
  errors: ['CAMPO_INVALIDO'],

  async handle({ rfc, proveedor_rfc, publicado_en, accion, nota = null }, { deps, access, ip, error }) {
    const { contribuyenteId } = access;
    const autor = autorOf(access, ip);
    // The rules say that there is one unless it is taken back.
    if (publicado_en === undefined || accion === 'quitar') {
      await deps.plazos.remove(contribuyenteId, proveedor_rfc, autor);
      return { rfc, proveedor_rfc, publicado_en: null, vence_en: null };
    }
    const nuevo = { contribuyenteId, rfc: proveedor_rfc, publicadoEn: publicado_en, nota, ...autor };
    const venceEn = await deps.plazos.add(nuevo);
    if (venceEn === null) {
      const motivo = `ya hay ${MAX_AVISOS_49BIS} emisores anotados: quite alguno con accion quitar`;
      throw error('CAMPO_INVALIDO', { campo: 'proveedor_rfc', motivo });
    }
    return { rfc, proveedor_rfc, publicado_en, vence_en: venceEn };
  },
});
