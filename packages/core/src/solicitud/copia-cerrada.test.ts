import { describe, expect, it } from 'vitest';
import { claimed, parte, released, step } from './testing/un-paso.ts';

describe('a sealed copy that does not open', () => {
  it('ends the solicitud at once when its key is there', async () => {
    for (const canal of ['soap', 'portal'] as const) {
      const result = await step(claimed({ canal }), {}, null, 'ALTERADA');
      expect([result.names, result.first]).toEqual([['fail'], { estado: 'ERROR', motivo: 'CREDENCIAL_NO_DISPONIBLE' }]);
    }
  });

  it('is tried again after pauses that grow while its key is missing', async () => {
    const pauses = [];
    for (const fallos of [0, 1, 2, 3, 9]) {
      const { avance, next } = released(await step(claimed({ partes: [parte({ fallos })] }), {}, null, 'FALTA_LLAVE'));
      expect(avance).toMatchObject({
        partes: [{ parteId: 'p1', fallos: fallos + 1, dueInSeconds: next.inSeconds }],
        eventos: [{ tipo: 'FALLO_INTERNO', codigo: 'FALTA_LLAVE' }],
      });
      pauses.push(next.inSeconds);
    }
    expect(pauses[0]).toBeGreaterThanOrEqual(24);
    expect(pauses[2]).toBeGreaterThan(2 * (pauses[0] ?? 0));
    expect(pauses[4]).toBeGreaterThanOrEqual(480);
  });
});
