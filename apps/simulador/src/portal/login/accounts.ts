import type { World } from '../../world/world.ts';
import type { PortalSettings } from '../portal-settings.ts';

/** What comes of an RFC and a password. */
type PasswordCheck = 'right' | 'wrong' | 'locked';

/** Checks passwords and locks an account after several wrong ones in a row. */
export type Accounts = { check(rfc: string, password: string): PasswordCheck };

type Record = { failures: number; lockedUntil: number };

/** Creates the check; taxpayers' passwords are those of the world, locks follow its clock. */
export function createAccounts(world: World, settings: PortalSettings): Accounts {
  const records = new Map<string, Record>();
  return {
    check: (rfc, password) => {
      const now = world.clock.now().getTime();
      const record = records.get(rfc) ?? { failures: 0, lockedUntil: 0 };
      if (record.lockedUntil > now) return 'locked';
      if (world.taxpayers.isCiec(rfc, password)) {
        records.delete(rfc);
        return 'right';
      }
      const failures = record.failures + 1;
      const isLocked = failures >= settings.intentos_bloqueo;
      const lockedUntil = isLocked ? now + settings.minutos_bloqueo * 60_000 : 0;
      records.set(rfc, { failures: isLocked ? 0 : failures, lockedUntil });
      return isLocked ? 'locked' : 'wrong';
    },
  };
}
