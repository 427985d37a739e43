import { respondWithFault } from '../../world/faults/fault-response.ts';
import type { FaultRule } from '../../world/faults/faults.ts';
import type { World } from '../../world/world.ts';

/** One call as the log keeps it and as fault rules name it. */
export type PortalCall = {
  service: string;
  operation: string;
  /** Empty while nobody is authenticated or named. */
  rfc: string;
  detail?: Record<string, string | number>;
};

/** Records a call, then answers it, spoiled by the fault that applies to it; `answer` learns of that fault too. */
export function attend(
  world: World,
  { service, operation, rfc, detail = {} }: PortalCall,
  answer: (fault: FaultRule | null) => Promise<Response> | Response,
): Promise<Response> {
  world.log.add({ service, operation, rfc, at: world.clock.now(), detail });
  const fault = world.faults.take(service, operation, rfc);
  return respondWithFault(fault, async () => answer(fault));
}
