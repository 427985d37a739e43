import { randomBytes, randomUUID, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { type CredencialCiec, SatError } from '@acuse/core';
import type { SatHttp } from '../../http/sat-http.ts';
import { type Navegador, readNavegador } from '../navegador.ts';
import { ilegible } from '../paginas/ilegible.ts';
import { HOST_PORTAL, type PortalSettings } from '../settings.ts';
import { SesionVencida } from './sesion-vencida.ts';
import type { SesionesPortal, SesionPortal } from './sesiones-portal.ts';
import { createTurnos } from './turnos.ts';

export interface SesionesDeps {
  readonly http: SatHttp;
  readonly almacen: SesionesPortal;
  readonly open: (credencial: CredencialCiec, signal: AbortSignal) => Promise<Navegador>;
  readonly settings: Required<PortalSettings>;
  readonly clock: () => number;
}

export interface Sesiones {
  /** Runs a step with a live session; when the portal has forgotten it, once more with a new one. */
  run<T>(
    credencial: CredencialCiec,
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

export function createSesiones({ http, almacen, open, settings, clock }: SesionesDeps): Sesiones {
  const turnos = createTurnos();
  const propias = new Map<string, string>();
  const rechazos = new Map<string, Prueba & { readonly hasta: number; readonly codigo: string | null }>();

  /** The session of the RFC if it is young enough, opened with this very CIEC, and not the one known to be dead. */
  async function loadUsable(
    { rfc, ciec }: CredencialCiec,
    vencida: string | null,
  ): Promise<SesionPortal | null> {
    const sesion = await almacen.load(rfc);
    if (sesion === null || sesion.id === vencida) return null;
    if (clock() - sesion.usadaEn > settings.sesionInactivaMs) return null;
    return (await matches(sesion, ciec)) ? sesion : null;
  }

  async function login(credencial: CredencialCiec, signal: AbortSignal): Promise<SesionPortal> {
    const { rfc, ciec } = credencial;
    const rechazo = rechazos.get(rfc);
    if (rechazo !== undefined && rechazo.hasta > clock()) {
      if (await matches(rechazo, ciec)) throw new SatError('CIEC_RECHAZADA', { codigo: rechazo.codigo });
    } else rechazos.delete(rfc);
    try {
      const navegador = await open(credencial, signal);
      const sesion = {
        id: randomUUID(),
        cookies: navegador.cookies(),
        usadaEn: clock(),
        ...(await prove(ciec)),
      };
      await almacen.save(rfc, sesion);
      propias.set(rfc, sesion.id);
      return sesion;
    } catch (error) {
      if (error instanceof SatError && error.motivo === 'CIEC_RECHAZADA') {
        forgetRechazosPast(clock());
        rechazos.set(rfc, {
          ...(await prove(ciec)),
          hasta: clock() + settings.rechazoRecordadoMs,
          codigo: error.codigo,
        });
      }
      throw error;
    }
  }

  function forgetRechazosPast(now: number): void {
    for (const [rfc, { hasta }] of rechazos) if (hasta <= now) rechazos.delete(rfc);
  }

  async function obtain(credencial: CredencialCiec, vencida: string | null, signal: AbortSignal) {
    return (
      (await loadUsable(credencial, vencida)) ??
      (await turnos.take(
        credencial.rfc,
        signal,
        async () => (await loadUsable(credencial, vencida)) ?? (await login(credencial, signal)),
      ))
    );
  }

  /** Keeps the cookies of the last answer, unless another session has taken its place meanwhile. */
  async function touch(rfc: string, sesion: SesionPortal, navegador: Navegador): Promise<void> {
    const kept = await almacen.load(rfc);
    if (kept?.id !== sesion.id) return;
    await almacen.save(rfc, { ...sesion, cookies: navegador.cookies(), usadaEn: clock() });
  }

  return {
    async run(credencial, signal, paso) {
      let vencida: string | null = null;
      for (;;) {
        const sesion: SesionPortal = await obtain(credencial, vencida, signal);
        const navegador = readNavegador(http, settings, sesion.cookies);
        try {
          if (navegador === null) throw new SesionVencida();
          const resultado = await paso(navegador);
          await touch(credencial.rfc, sesion, navegador);
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
        abiertas.map(async ([rfc, id]) => {
          const sesion = await almacen.load(rfc);
          if (sesion?.id !== id) return;
          await almacen.drop(rfc);
          const salida = { host: HOST_PORTAL, path: '/logout.aspx?salir=y' };
          await readNavegador(http, settings, sesion.cookies)?.open(salida, signal);
        }),
      );
    },
  };
}

/** A slow hash, since a CIEC is short: what is stored must not serve to guess it. */
async function prove(ciec: Buffer): Promise<Prueba> {
  const sal = randomBytes(16);
  return { sal: sal.toString('base64'), huella: (await derive(ciec, sal, 32)).toString('base64') };
}

async function matches({ sal, huella }: Prueba, ciec: Buffer): Promise<boolean> {
  const expected = Buffer.from(huella, 'base64');
  const actual = await derive(ciec, Buffer.from(sal, 'base64'), 32);
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}
