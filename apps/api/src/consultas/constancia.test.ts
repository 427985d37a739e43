import { expect, it } from 'vitest';
import { periodicidadDe } from './constancia.ts';

it.each([
  ['Pago definitivo mensual de IVA.', 'A más tardar el día 17 del mes inmediato posterior', 'Mensual'],
  [
    'Declaración anual de ISR. Personas Morales.',
    'Dentro de los tres meses siguientes al cierre del ejercicio.',
    'Anual',
  ],
  ['Entero de retenciones de ISR por sueldos', 'A más tardar el día 17 del mes inmediato posterior', 'Mensual'],
  [
    'Pago provisional trimestral de ISR',
    'A más tardar el día 17 del mes inmediato posterior al trimestre',
    'Trimestral',
  ],
  ['Pago definitivo bimestral de IVA. RIF', 'A más tardar el último día del mes', 'Bimestral'],
  ['Pago cuatrimestral de ISR', 'A más tardar el día 17 de mayo, septiembre y enero', 'Cuatrimestral'],
  [
    'Pago provisional mensual de ISR a cuenta del impuesto del ejercicio',
    'A más tardar el día 17 del mes inmediato posterior',
    'Mensual',
  ],
  ['Declaración informativa anual de pagos mensuales', 'A más tardar el 15 de febrero', 'Anual'],
  ['Ajuste', 'A más tardar en abril del año siguiente', 'Anual'],
  ['Informar cambios', 'Cuando ocurran', 'Sin periodo fijo'],
])('%s: %s is %s', (descripcion, vencimiento, periodicidad) => {
  expect(periodicidadDe({ descripcion, vencimiento })).toBe(periodicidad);
});
