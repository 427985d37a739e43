import { describe, expect, it } from 'vitest';
import { createTurnos } from './turnos.ts';

const { signal } = new AbortController();

/** Work that ends when told to. */
function tarea() {
  let end = () => {};
  const done = new Promise<void>((resolve) => {
    end = resolve;
  });
  let hasStarted = false;
  const work = () => {
    hasStarted = true;
    return done;
  };
  return { work, end, started: () => hasStarted };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('turns', () => {
  it('lets so many of one taxpayer run, and others pass them by', async () => {
    const turnos = createTurnos({ porRfc: 1, enTotal: 10 });
    const [first, second, other] = [tarea(), tarea(), tarea()];
    const runs = [
      turnos.run('A', signal, first.work),
      turnos.run('A', signal, second.work),
      turnos.run('B', signal, other.work),
    ];
    await settled();
    expect([first.started(), second.started(), other.started()]).toEqual([true, false, true]);
    first.end();
    await settled();
    expect(second.started()).toBe(true);
    second.end();
    other.end();
    await Promise.all(runs);
    expect(turnos.size).toBe(0);
  });

  it('lets so many run in all', async () => {
    const turnos = createTurnos({ porRfc: 5, enTotal: 2 });
    const tareas = ['A', 'B', 'C'].map((rfc) => ({ rfc, ...tarea() }));
    const runs = tareas.map(({ rfc, work }) => turnos.run(rfc, signal, work));
    await settled();
    expect(tareas.map(({ started }) => started())).toEqual([true, true, false]);
    tareas[1]?.end();
    await settled();
    expect(tareas[2]?.started()).toBe(true);
    for (const { end } of tareas) end();
    await Promise.all(runs);
  });

  it('gives the place of work that failed to the next', async () => {
    const turnos = createTurnos({ porRfc: 1, enTotal: 1 });
    const failed = turnos.run('A', signal, () => Promise.reject(new Error('no')));
    const next = turnos.run('A', signal, async () => 'yes');
    await expect(failed).rejects.toThrow('no');
    expect(await next).toBe('yes');
  });

  it('stops waiting when told to, and keeps no place', async () => {
    const turnos = createTurnos({ porRfc: 1, enTotal: 1 });
    const first = tarea();
    const running = turnos.run('A', signal, first.work);
    const controller = new AbortController();
    const waiting = turnos.run('A', controller.signal, async () => 'never');
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ motivo: 'CANCELADA' });
    await expect(turnos.run('A', controller.signal, async () => 'never')).rejects.toMatchObject({
      motivo: 'CANCELADA',
    });
    expect(turnos.size).toBe(1);
    first.end();
    await running;
    expect(turnos.size).toBe(0);
  });
});
