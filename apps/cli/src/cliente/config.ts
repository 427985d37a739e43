import { homedir } from 'node:os';
import { join } from 'node:path';

/** What an integrator's command line takes from the environment. The only place of it where that is read. */
export interface Entorno {
  /** `ACUSE_URL`, `ACUSE_API_KEY` and `ACUSE_RFC`: each goes before what `entrar` stored. */
  readonly url: string | undefined;
  readonly llave: string | undefined;
  readonly rfc: string | undefined;
  /** Where `entrar` stores them. */
  readonly carpeta: string;
  /** `NO_COLOR` (no-color.org), or a terminal that knows none. */
  readonly sinColor: boolean;
}

/** The user's folder for settings of programs, as each system has it. */
function carpetaOf(env: NodeJS.ProcessEnv): string {
  const base = env['XDG_CONFIG_HOME'] || (process.platform === 'win32' ? env['APPDATA'] : undefined);
  return join(base || join(homedir(), '.config'), 'acuse');
}

export function readEntorno(env: NodeJS.ProcessEnv = process.env): Entorno {
  return {
    url: env['ACUSE_URL'] || undefined,
    llave: env['ACUSE_API_KEY'] || undefined,
    rfc: env['ACUSE_RFC'] || undefined,
    carpeta: carpetaOf(env),
    sinColor: Boolean(env['NO_COLOR']) || env['TERM'] === 'dumb',
  };
}
