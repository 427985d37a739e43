import { randomBytes, randomUUID, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { type Credencial, SatError } from '@acuse/core';
import type { SatHttp } from '../../http/sat-http.ts';
import { type Navegador, readNavegador } from '../navegador.ts';
import { ilegible } from '../paginas/ilegible.ts';
import type { PortalSettings } from '../settings.ts';
import type { Portal } from './portal.ts';
import { SesionVencida } from './sesion-vencida.ts';
import type { SesionesPortal, SesionPortal } from './sesiones-portal.ts';
import { createTurnos } from './turnos.ts';

export interface SesionesDeps {
  readonly http: SatHttp;
  readonly almacen: SesionesPortal;
  readonly open: (portal: Portal, credencial: Credencial, signal: AbortSignal) => Promise<Navegador>;
  readonly settings: Required<PortalSettings>;
  readonly clock: () => number;
}

export interface Sesiones {
  /** Runs a step with a live session; when the portal has forgotten it, once more with a new one. */
  run<T>(
    portal: Portal,
    credencial: Credencial,
    signal: AbortSignal,
    paso: (navegador: Navegador) => Promise<T>,
  ): Promise<T>;
  /** Logs out every session that this process opened. Best effort: one that does not answer ends by itself when idle. */
  logout(signal: AbortSignal): Promise<void>;
}

const derive = promisify(scrypt) as (secreto: Buffer, sal: Buffer, largo: number) => Promise<Buffer>;

interface Prueba {
  readonly sal: string;
  readonly huella: string;
}

/** One session for each portal, taxpayer and kind of credential. */
const claveDe = ({ nombre }: Portal, { rfc, tipo }: Credencial) => `${nombre}:${rfc}:${tipo}`;

/** What proves that a session was opened with this credential. */
const secretoDe = (credencial: Credencial) =>
  credencial.tipo === 'ciec' ? credencial.ciec : Buffer.concat([credencial.cer, credencial.key]);

export function createSesiones({ http, almacen, open, settings, clock }: SesionesDeps): Sesiones {
  const turnos = createTurnos();
  const propias = new Map<string, { readonly id: string; readonly portal: Portal }>();
  const rechazos = new Map<string, Prueba & { readonly hasta: number; readonly error: SatError }>();

  /** The session if it is young enough, opened with this very credential, and not the one known to be dead. */
  async function loadUsable(
    clave: string,
    credencial: Credencial,
    vencida: string | null,
  ): Promise<SesionPortal | null> {
    const sesion = await almacen.load(clave);
    if (sesion === null || sesion.id === vencida) return null;
    if (clock() - sesion.usadaEn > settings.sesionInactivaMs) return null;
    return (await matches(sesion, credencial)) ? sesion : null;
  }

  async function login(portal: Portal, credencial: Credencial, signal: AbortSignal): Promise<SesionPortal> {
    const clave = claveDe(portal, credencial);
    const rechazo = rechazos.get(clave);
    if (rechazo !== undefined && rechazo.hasta > clock()) {
      const { motivo, codigo } = rechazo.error;
      if (await matches(rechazo, credencial)) throw new SatError(motivo, { codigo });
    } else rechazos.delete(clave);
    try {
      const navegador = await open(portal, credencial, signal);
      const sesion = {
        id: randomUUID(),
        cookies: navegador.cookies(),
        usadaEn: clock(),
        ...(await prove(credencial)),
      };
      await almacen.save(clave, sesion);
      propias.set(clave, { id: sesion.id, portal });
      return sesion;
    } catch (error) {
      if (error instanceof SatError && error.clase === 'credencial') {
        forgetRechazosPast(clock());
        rechazos.set(clave, {
          ...(await prove(credencial)),
          hasta: clock() + settings.rechazoRecordadoMs,
          error,
        });
      }
      throw error;
    }
  }

  function forgetRechazosPast(now: number): void {
    for (const [clave, { hasta }] of rechazos) if (hasta <= now) rechazos.delete(clave);
  }

  async function obtain(
    portal: Portal,
    credencial: Credencial,
    vencida: string | null,
    signal: AbortSignal,
  ): Promise<SesionPortal> {
    const clave = claveDe(portal, credencial);
    return (
      (await loadUsable(clave, credencial, vencida)) ??
      (await turnos.take(
        clave,
        signal,
        async () =>
          (await loadUsable(clave, credencial, vencida)) ?? (await login(portal, credencial, signal)),
      ))
    );
  }

  /** Keeps the cookies of the last answer, unless another session has taken its place meanwhile. */
  async function touch(clave: string, sesion: SesionPortal, navegador: Navegador): Promise<void> {
    const kept = await almacen.load(clave);
    if (kept?.id !== sesion.id) return;
    await almacen.save(clave, { ...sesion, cookies: navegador.cookies(), usadaEn: clock() });
  }

  return {
    async run(portal, credencial, signal, paso) {
      let vencida: string | null = null;
      for (;;) {
        const sesion: SesionPortal = await obtain(portal, credencial, vencida, signal);
        const navegador = readNavegador(http, settings, sesion.cookies);
        try {
          if (navegador === null) throw new SesionVencida();
          const resultado = await paso(navegador);
          await touch(claveDe(portal, credencial), sesion, navegador);
          return resultado;
        } catch (error) {
          if (!(error instanceof SesionVencida)) throw error;
          if (vencida !== null) throw ilegible('la sesión recién abierta ya venció');
          vencida = sesion.id;
        }
      }
    },

    async logout(signal) {
      const abiertas = [...propias];
      propias.clear();
      await Promise.allSettled(
        abiertas.map(async ([clave, { id, portal }]) => {
          const sesion = await almacen.load(clave);
          if (sesion?.id !== id) return;
          await almacen.drop(clave);
          if (portal.salida === null) return;
          await readNavegador(http, settings, sesion.cookies)?.open(portal.salida, signal);
        }),
      );
    },
  };
}

/** A slow hash, since a CIEC is short: what is stored must not serve to guess it. */
async function prove(credencial: Credencial): Promise<Prueba> {
  const sal = randomBytes(16);
  const huella = await derive(secretoDe(credencial), sal, 32);
  return { sal: sal.toString('base64'), huella: huella.toString('base64') };
}

async function matches({ sal, huella }: Prueba, credencial: Credencial): Promise<boolean> {
  const expected = Buffer.from(huella, 'base64');
  const actual = await derive(secretoDe(credencial), Buffer.from(sal, 'base64'), 32);
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}
