import { StaleEpoch } from '@acuse/core';

/** Extends a lease at each third of its length. `lost` aborts on `StaleEpoch`, or when no extension succeeds within the lease. */
export function keepAlive(
  extend: () => Promise<unknown>,
  leaseSeconds: number,
): { readonly lost: AbortSignal; stop(): void } {
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
