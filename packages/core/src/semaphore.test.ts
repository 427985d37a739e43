import { describe, expect, it } from 'vitest';
import { createSemaphore } from './semaphore.ts';

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

describe('semaphore', () => {
  it('lets so many of one key run, and others pass them by', async () => {
    const semaphore = createSemaphore({ perKey: 1, total: 10 });
    const [first, second, other] = [tarea(), tarea(), tarea()];
    const runs = [
      semaphore.run('A', signal, first.work),
      semaphore.run('A', signal, second.work),
      semaphore.run('B', signal, other.work),
    ];
    await settled();
    expect([first.started(), second.started(), other.started()]).toEqual([true, false, true]);
    first.end();
    await settled();
    expect(second.started()).toBe(true);
    second.end();
    other.end();
    await Promise.all(runs);
    expect(semaphore.size).toBe(0);
  });

  it('lets so many run in all', async () => {
    const semaphore = createSemaphore({ perKey: 5, total: 2 });
    const tareas = ['A', 'B', 'C'].map((key) => ({ key, ...tarea() }));
    const runs = tareas.map(({ key, work }) => semaphore.run(key, signal, work));
    await settled();
    expect(tareas.map(({ started }) => started())).toEqual([true, true, false]);
    tareas[1]?.end();
    await settled();
    expect(tareas[2]?.started()).toBe(true);
    for (const { end } of tareas) end();
    await Promise.all(runs);
  });

  it('starts those that wait when the room grows, and none beyond it after it shrank', async () => {
    const semaphore = createSemaphore({ total: 1 });
    const tareas = ['A', 'B', 'C'].map((key) => ({ key, ...tarea() }));
    const runs = tareas.map(({ key, work }) => semaphore.run(key, signal, work));
    const started = async () => {
      await settled();
      return tareas.map((each) => each.started());
    };
    expect(await started()).toEqual([true, false, false]);
    semaphore.resize(2);
    expect(await started()).toEqual([true, true, false]);
    semaphore.resize(1);
    tareas[0]?.end();
    expect(await started()).toEqual([true, true, false]);
    tareas[1]?.end();
    expect(await started()).toEqual([true, true, true]);
    tareas[2]?.end();
    await Promise.all(runs);
  });

  it('refuses what would have to wait when asked to', async () => {
    const semaphore = createSemaphore({ perKey: 1 });
    const first = tarea();
    const running = semaphore.tryRun('A', first.work);
    expect(semaphore.tryRun('A', async () => 'never')).toBeNull();
    expect(await semaphore.tryRun('B', async () => 'yes')).toBe('yes');
    first.end();
    await running;
    expect(await semaphore.tryRun('A', async () => 'yes')).toBe('yes');
  });

  it('gives the place of work that failed to the next', async () => {
    const semaphore = createSemaphore({ perKey: 1, total: 1 });
    const failed = semaphore.run('A', signal, () => Promise.reject(new Error('no')));
    const next = semaphore.run('A', signal, async () => 'yes');
    await expect(failed).rejects.toThrow('no');
    expect(await next).toBe('yes');
  });

  it('stops waiting when told to, and keeps no place', async () => {
    const semaphore = createSemaphore({ perKey: 1, total: 1 });
    const first = tarea();
    const running = semaphore.run('A', signal, first.work);
    const controller = new AbortController();
    const waiting = semaphore.run('A', controller.signal, async () => 'never');
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ motivo: 'CANCELADA' });
    await expect(semaphore.run('A', controller.signal, async () => 'never')).rejects.toMatchObject({
      motivo: 'CANCELADA',
    });
    expect(semaphore.size).toBe(1);
    first.end();
    await running;
    expect(semaphore.size).toBe(0);
  });
});
