import { bool, decimal, integer, text } from '@acuse/runtime';
import { z } from 'zod';
import { parsePrecios } from './catalogo.ts';
import { isClabe } from './transferencia.ts';

const precios = z
  .string()
  .transform((value, context) => {
    const leidos = parsePrecios(value);
    if (leidos) return leidos;
    context.addIssue({
      code: 'custom',
      message: 'debe ser créditos:precio, separados por comas y sin repetir, como 100:99,1000:890.50',
    });
    return z.NEVER;
  })
  .meta({ description: 'Paquetes de créditos que se venden, créditos:precio en MXN sin IVA, separados por comas.' });

const clabe = z
  .string()
  .trim()
  .refine(isClabe, { error: 'debe ser una CLABE: 18 dígitos, el último de control' })
  .meta({ description: 'CLABE que recibe las transferencias.' });

/** The settings of the sale of credits, to be spread into the panel's schema. */
export const AJUSTES_PAGOS = {
  PAGOS_PAQUETES: precios.prefault('100:99,1000:890,10000:7900'),
  PAGOS_IVA: decimal('IVA en porcentaje.', { min: 0, max: 100 }).default(16),
  PAGOS_DEMOSTRACION: bool(
    'Ofrece compras de demostración: abonan créditos sin cobrar. Solo para probar el producto.',
  ).default(false),
  PAGOS_TRANSFERENCIA_BANCO: text('Banco que recibe las transferencias.').optional(),
  PAGOS_TRANSFERENCIA_TITULAR: text('Titular de la cuenta que recibe las transferencias.').optional(),
  PAGOS_TRANSFERENCIA_CLABE: clabe.optional(),
  SALDO_AVISO: integer('Créditos por debajo de los que se avisa que queda poco saldo; 0 no avisa.', {
    max: 100_000_000,
  }).default(10),
} as const;

export type AjustesPagos = Readonly<z.output<z.ZodObject<typeof AJUSTES_PAGOS>>>;
