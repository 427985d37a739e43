import { StaleEpoch } from '@acuse/core';

/**
 * Lengthens a lease by `extend` at a third of its life; `lost` aborts when that is refused (`StaleEpoch`), or when nobody
 * answered for the whole of it.
 */
export function keepAlive(extend: () => Promise<unknown>, leaseSeconds: number) {
  const controller = new AbortController();
  let aliveUntil = performance.now() + leaseSeconds * 1_000;
  const timer = setInterval(
    async () => {
      const asked = performance.now();
      try {
        await extend();
        aliveUntil = asked + leaseSeconds * 1_000;
      } catch (error) {
        if (error instanceof StaleEpoch || performance.now() > aliveUntil) controller.abort(error);
      }
    },
    (leaseSeconds * 1_000) / 3,
  );
  return { lost: controller.signal, stop: () => clearInterval(timer) };
}
