import { AcuseError } from '@acuse/sdk';
import { describe, expect, it } from 'vitest';
import { createGasto } from './gasto.ts';

const kept = () => false;
const nothing = async () => {};

describe('what a session may cost', () => {
  it('is never passed, by calls that are made together neither', async () => {
    const gasto = createGasto(2);
    let done = 0;
    const work = async () => {
      done += 1;
    };
    const all = await Promise.allSettled([1, 2, 3, 4].map(() => gasto.spend(1, work, kept)));
    expect([all.map(({ status }) => status), done]).toEqual([['fulfilled', 'fulfilled', 'rejected', 'rejected'], 2]);
    await expect(gasto.spend(1, work, kept)).rejects.toMatchObject({
      nombre: 'TOPE_DE_CREDITOS',
      message: expect.stringContaining('puede gastar 2 créditos y ya usó 2'),
    });
    await gasto.spend(0, work, kept);
    expect(done).toBe(3);
  });

  it('does not count what came back: with an error of the service, or by its answer', async () => {
    const gasto = createGasto(1);
    const refused = async () => {
      throw new AcuseError({ nombre: 'SAT_NO_DISPONIBLE', codigo: 5041 });
    };
    await expect(gasto.spend(1, refused, kept)).rejects.toThrow();
    await gasto.spend(1, nothing, () => true);
    await gasto.spend(1, nothing, kept);
    await expect(gasto.spend(1, nothing, kept)).rejects.toThrow('ya usó 1');
  });

  it('counts a call without an answer', async () => {
    const gasto = createGasto(1);
    const lost = async () => {
      throw new AcuseError({ nombre: 'SIN_CONEXION' });
    };
    await expect(gasto.spend(1, lost, kept)).rejects.toThrow();
    await expect(gasto.spend(1, nothing, kept)).rejects.toMatchObject({ nombre: 'TOPE_DE_CREDITOS' });
  });
});
