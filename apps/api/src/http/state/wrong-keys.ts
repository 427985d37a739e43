import { networkOf } from '@acuse/runtime';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

/** Counts calls with a wrong key by address. */
export interface WrongKeys {
  /** Counts one. Returns null while it may be answered with 1001, else the seconds until it may again. */
  count(ip: string): Promise<number | null>;
}

/** At most `perMinute` a minute and address (IPv6: a /64), in this process. Right keys from the same address are never held up by it. */
export function createWrongKeys(perMinute: number): WrongKeys {
  const limiter = new RateLimiterMemory({ points: perMinute, duration: 60 });
  return {
    async count(ip) {
      try {
        await limiter.consume(networkOf(ip));
        return null;
      } catch (rejection) {
        if (!(rejection instanceof RateLimiterRes)) throw rejection;
        return Math.max(1, Math.ceil(rejection.msBeforeNext / 1_000));
      }
    },
  };
}
