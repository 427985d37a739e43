import { createAsked, createCaptchaRefusals } from './asked.ts';
import { createCfdis } from './cfdi/cfdi.ts';
import { createCsds } from './cfdi/csd.ts';
import { createClock } from './clock.ts';
import { createFaults } from './faults.ts';
import { createListado69B } from './listado69b.ts';
import { createListados } from './listados.ts';
import { createCallLog } from './log.ts';
import { implicitFault } from './magia.ts';
import { createPki } from './pki.ts';
import { type SettingsInput, settingsSchema } from './settings.ts';
import { createTaxpayers } from './taxpayers/taxpayers.ts';

/** Everything that the simulated services share. `settings` is read at each call, so it may be changed in place. */
export type World = Awaited<ReturnType<typeof createWorld>>;

export type WorldOptions = {
  settings?: SettingsInput | undefined;
  /** Folder that keeps the authority and the certificates it issued; absent: memory only. */
  dataDir?: string | undefined;
};

/** Creates a world; the certification authority is read from `dataDir` or made (about a second). */
export async function createWorld({ settings: input, dataDir }: WorldOptions = {}) {
  const settings = settingsSchema.parse(input ?? {});
  const clock = createClock();
  const taxpayers = createTaxpayers({ clock, settings });
  const nombreDe = (rfc: string) => taxpayers.taxpayer(rfc).nombre;
  const pki = await createPki({ dataDir });
  return {
    clock,
    faults: createFaults((service, rfc) => implicitFault(service, rfc, settings)),
    asked: createAsked(),
    log: createCallLog(),
    taxpayers,
    listado69b: createListado69B({ clock, settings, nombreDe }),
    listados: createListados({ clock, settings, nombreDe }),
    captchaRefusals: createCaptchaRefusals(settings),
    pki,
    cfdis: createCfdis(await createCsds({ pki, dataDir })),
    settings,
  };
}
