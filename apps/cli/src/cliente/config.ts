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
  /** True for a terminal without cursor movement: printed lines stay. */
  readonly sinCursor: boolean;
  /** True for a terminal with ASCII only. */
  readonly sinUnicode: boolean;
}

/** The user's folder for settings of programs, as each system has it. */
function carpetaOf(env: NodeJS.ProcessEnv): string {
  const base = env['XDG_CONFIG_HOME'] || (process.platform === 'win32' ? env['APPDATA'] : undefined);
  return join(base || join(homedir(), '.config'), 'acuse');
}

/** Reads the first set variable of the locale; terminals of Windows and macOS set none. */
function isUtf8(env: NodeJS.ProcessEnv): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
  return /utf-?8/i.test(locale) || process.platform === 'win32' || process.platform === 'darwin';
}

export function readEntorno(env: NodeJS.ProcessEnv = process.env): Entorno {
  return {
    url: env['ACUSE_URL'] || undefined,
    llave: env['ACUSE_API_KEY'] || undefined,
    rfc: env['ACUSE_RFC'] || undefined,
    carpeta: carpetaOf(env),
    sinColor: Boolean(env['NO_COLOR']) || env['TERM'] === 'dumb',
    sinCursor: env['TERM'] === 'dumb',
    sinUnicode: !isUtf8(env),
  };
}
