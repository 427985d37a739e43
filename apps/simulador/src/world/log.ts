/** One call that a service of the simulator received. */
export type Call = {
  service: string;
  operation: string;
  rfc: string;
  at: Date;
  detail: Record<string, string | number>;
};

/** Which calls: each given field must be equal. */
type CallFilter = { service?: string; operation?: string; rfc?: string };

/** The memory of what was called: the oracle for "called at most N times". */
export type CallLog = {
  add(call: Call): void;
  list(filter?: CallFilter): Call[];
  count(filter?: CallFilter): number;
  clear(): void;
};

const KEPT = 100_000;

/** Creates a log that keeps the last 100,000 calls. */
export function createCallLog(): CallLog {
  let calls: Call[] = [];
  const list = (filter: CallFilter = {}) => calls.filter((call) => matches(call, filter));
  return {
    add: (call) => {
      calls.push(call);
      if (calls.length > KEPT * 1.1) calls = calls.slice(-KEPT);
    },
    list,
    count: (filter) => list(filter).length,
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
