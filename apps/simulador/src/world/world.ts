import { type Clock, createClock } from './clock.ts';
import { createFaults, type Faults } from './faults.ts';
import { type CallLog, createCallLog } from './log.ts';
import { createPki, type Pki } from './pki.ts';
import { type Settings, type SettingsInput, settingsSchema } from './settings.ts';
import { createTaxpayers, type Taxpayers } from './taxpayers/taxpayers.ts';

/** Everything that the simulated services share. `settings` is read at each call, so it may be changed in place. */
export type World = {
  clock: Clock;
  faults: Faults;
  log: CallLog;
  taxpayers: Taxpayers;
  pki: Pki;
  settings: Settings;
};

export type WorldOptions = {
  settings?: SettingsInput | undefined;
  /** Folder that keeps the authority and the certificates it issued; absent: memory only. */
  dataDir?: string | undefined;
};

/** Creates a world; the certification authority is read from `dataDir` or made (about a second). */
export async function createWorld({ settings: input, dataDir }: WorldOptions = {}): Promise<World> {
  const settings = settingsSchema.parse(input ?? {});
  const clock = createClock();
  return {
    clock,
    faults: createFaults(),
    log: createCallLog(),
    taxpayers: createTaxpayers({ clock, settings }),
    pki: await createPki({ dataDir }),
    settings,
  };
}
