import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Entorno } from '@acuse/roles/client';

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

/** Reads the environment of an integrator's command line; the only place of it that does. */
export function readEnvironment(env: NodeJS.ProcessEnv = process.env): Entorno {
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
