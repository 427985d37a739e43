import { randomUUID } from 'node:crypto';

/** Faults of the transport, which any service can have. */
const TRANSPORT_FAULTS = ['html200', 'empty200', 'status', 'slow', 'cut', 'malformed', 'wrong-content'] as const;

/** Every kind of fault: of the transport, and those that only one service understands. */
export const FAULT_KINDS = [...TRANSPORT_FAULTS, 'stuck', 'code'] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** A fault as it is asked for. */
export type Fault = {
  /** Host label of the service (`cfdiau`), or `*` for all. */
  service: string;
  operation?: string | undefined;
  rfc?: string | undefined;
  kind: FaultKind;
  /** How many calls it spoils; absent: until it is deleted. */
  times?: number | undefined;
  /** How many matching calls pass unharmed first. */
  after?: number | undefined;
  /** Milliseconds a `slow` answer waits (default 1000). */
  ms?: number | undefined;
  /** HTTP status of a `status` page (default 503). */
  status?: number | undefined;
  /** SAT code that a `code` fault answers, and for the verification the two codes beside it. */
  code?: number | undefined;
  estado?: number | undefined;
  codigoEstado?: number | undefined;
  mensaje?: string | undefined;
};

export type FaultRule = Fault & { id: string; seen: number; taken: number };

/** The faults in force. */
export type Faults = {
  add(fault: Fault): FaultRule;
  list(): FaultRule[];
  /** Removes one rule, or all; false when there is no rule of that id. */
  remove(id?: string): boolean;
  /**
   * The fault for this call, used up by one, or null. The oldest rule that applies wins; without one, the RFC's own
   * fault.
   */
  take(service: string, operation: string, rfc: string): FaultRule | null;
};

/** Creates an empty set of faults; `implicit` tells the fault that a magic RFC brings with it to a service. */
export function createFaults(implicit: (service: string, rfc: string) => Fault | null = () => null): Faults {
  let rules: FaultRule[] = [];
  return {
    add: (fault) => {
      const rule = { ...fault, id: randomUUID(), seen: 0, taken: 0 };
      rules.push(rule);
      return rule;
    },
    list: () => [...rules],
    remove: (id) => {
      const before = rules.length;
      rules = id === undefined ? [] : rules.filter((rule) => rule.id !== id);
      return id === undefined || rules.length < before;
    },
    take: (service, operation, rfc) => {
      for (const rule of rules) {
        if (!concerns(rule, service, operation, rfc)) continue;
        rule.seen += 1;
        if (rule.seen <= (rule.after ?? 0)) continue;
        if (rule.taken >= (rule.times ?? Number.POSITIVE_INFINITY)) continue;
        rule.taken += 1;
        return rule;
      }
      const own = implicit(service, rfc);
      return own && { ...own, id: 'magia', seen: 1, taken: 1 };
    },
  };
}

function concerns(rule: Fault, service: string, operation: string, rfc: string): boolean {
  return (
    (rule.service === '*' || rule.service === service) &&
    (rule.operation === undefined || rule.operation === operation) &&
    (rule.rfc === undefined || rule.rfc === rfc)
  );
}
