import { CATALOGO } from '@acuse/contract';
import { EXPLICACIONES } from '@acuse/core';
import { expect, it } from 'vitest';
import { motivoDe } from './movimiento.tsx';

const reembolso = { tipo: 'reembolso', operacion: 'tax/facturas', solicitudId: null } as const;

it.each([
  [reembolso, 'tax/facturas: SAT_NO_DISPONIBLE', 'El SAT no está disponible en este momento.'],
  [reembolso, 'la llamada quedó sin respuesta', 'la llamada quedó sin respuesta'],
  [
    reembolso,
    'VACIA_SIN_CONFIRMAR',
    'El SAT contestó que no hay nada y nadie más lo pudo confirmar, así que no se cobra.',
  ],
  [{ ...reembolso, solicitudId: 'x' }, 'PLAZO_AGOTADO', 'El SAT no entregó todo dentro del plazo de la solicitud.'],
  [{ ...reembolso, tipo: 'ajuste' }, 'cortesía por el corte', 'cortesía por el corte'],
  [{ ...reembolso, tipo: 'cargo' }, 'PLAZO_AGOTADO', null],
  [reembolso, null, null],
] as const)('%j with %j is %j', (fila, detalle, texto) => {
  expect(motivoDe({ ...fila, detalle })).toBe(texto);
});

it('is a sentence for whatever gives a credit back, and never its code', () => {
  for (const nombre of Object.keys(CATALOGO)) {
    const motivo = motivoDe({ ...reembolso, detalle: `tax/facturas: ${nombre}` });
    expect(motivo).toMatch(/^\p{Lu}.+\.$/u);
    expect(motivo).not.toContain(nombre);
  }
  for (const motivo of Object.keys(EXPLICACIONES))
    expect(motivoDe({ ...reembolso, solicitudId: 'x', detalle: motivo })).toBe(
      EXPLICACIONES[motivo as keyof typeof EXPLICACIONES].causa,
    );
});
