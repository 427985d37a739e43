/** One call that a service of the simulator received. */
export type Call = {
  service: string;
  operation: string;
  rfc: string;
  at: Date;
  detail: Record<string, string | number>;
};

type CallFilter = { service?: string; operation?: string; rfc?: string };

const KEPT = 100_000;

/** Creates the call log, the oracle for "called at most N times"; keeps the last 100,000 calls. */
export function createCallLog() {
  let calls: Call[] = [];
  const list = (filter: CallFilter = {}): Call[] => calls.filter((call) => matches(call, filter));
  return {
    add: (call: Call) => {
      calls.push(call);
      if (calls.length > KEPT * 1.1) calls = calls.slice(-KEPT);
    },
    list,
    count: (filter?: CallFilter) => list(filter).length,
    clear: () => {
      calls = [];
    },
  };
}

function matches(call: Call, filter: CallFilter): boolean {
  return (
    (filter.service === undefined || call.service === filter.service) &&
    (filter.operation === undefined || call.operation === filter.operation) &&
    (filter.rfc === undefined || call.rfc === filter.rfc)
  );
}
