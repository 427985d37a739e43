import type { Modo } from '@acuse/core';
import type { Equipo, Intentos, Limite, Records, Sesiones } from '@acuse/db';
import type { Logger } from '@acuse/runtime';
import type { ApiKeyHasher, createSellado } from '@acuse/vault';
import type { ApiClient } from './api/api.ts';

/** Most tries at once, and the seconds until one more is allowed. */
type Ritmo = Pick<Limite, 'rafaga' | 'segundos'>;

/** Settings that pages read. Addresses have no slash at the end; times are in seconds. */
export interface PageSettings {
  readonly version: string;
  /** Address of the panel for people. */
  readonly publicUrl: string;
  readonly apiPublicUrl: string;
  readonly sesionInactiva: number;
  readonly sesionMaxima: number;
  readonly llaveRecordada: number;
  readonly cookieHost: boolean;
  readonly entradasPorIp: Ritmo;
  readonly enlacesPorCorreo: Ritmo;
  readonly modoLlave: Modo;
  /** Sender of mails; null where the installation sends none. */
  readonly correo: string | null;
}

/** Ports of every page. A page that needs more names it: `pagesWith<PageDeps & …>()`. */
export interface PageDeps {
  readonly database: Records;
  readonly settings: PageSettings;
  readonly equipo: Pick<Equipo, 'list'>;
  readonly sesiones: Pick<Sesiones, 'open' | 'rotate' | 'enter' | 'close' | 'setAviso'>;
  readonly intentos: Intentos;
  readonly hasher: ApiKeyHasher;
  /** Seals data that only the panel may read. */
  readonly sellado: ReturnType<typeof createSellado>;
  /** Keys of the CSRF tokens: the first makes them, all verify them. */
  readonly clavesCsrf: readonly Buffer[];
  readonly api: ApiClient;
  readonly now: () => Date;
  readonly newId: () => string;
  readonly log: Logger;
}
