import autocannon from 'autocannon';

interface LoadResult {
  /** Answers a second. */
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly ok: number;
  /** With those of the warm-up. */
  readonly all: number;
  readonly failed: number;
}

/**
 * Sends requests made by `next` to one route from `connections` connections for `seconds`, after a warm-up that does
 * not count. With a `rate` so many a second are due, whatever was answered, and latencies count from then: autocannon
 * makes up for those that a slow answer kept it from sending.
 */
export async function load(options: {
  url: string;
  seconds: number;
  connections: number;
  rate?: number;
  next: () => { headers: Record<string, string>; body: string };
}): Promise<LoadResult> {
  const run = (duration: number) =>
    autocannon({
      url: options.url,
      connections: options.connections,
      duration,
      ...(options.rate === undefined ? {} : { overallRate: options.rate }),
      requests: [
        {
          method: 'POST',
          setupRequest: (request) => {
            const { headers, body } = options.next();
            return { ...request, headers: { ...request.headers, ...headers }, body };
          },
        },
      ],
    });
  const warmUp = await run(Math.max(2, Math.floor(options.seconds / 4)));
  const result = await run(options.seconds);
  return {
    perSecond: result.requests.average,
    p50: result.latency.p50,
    p99: result.latency.p99,
    ok: result['2xx'],
    all: warmUp['2xx'] + result['2xx'],
    failed: result.non2xx + result.errors,
  };
}
