import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AccesoMetrics,
  type ClaveSesion,
  type Credencial,
  contextoDeSesion,
  type EnvioSat,
  type RechazoAcceso,
  SatError,
  type Sellado,
  type SesionesPortal,
  type SesionPortal,
  type SesionViva,
  wipeCredencial,
} from '@acuse/core';
import { inNameOf, type SatHttp } from '../../http/sat-http.ts';
import { ilegible } from '../../texto.ts';
import type { ResolvedorCaptcha } from '../captcha.ts';
import { createPageClient, type PageClient } from '../page-client.ts';
import type { Portal } from '../portal.ts';
import type { PortalSettings } from '../settings.ts';
import { createAccesos } from './accesos.ts';
import { createTurnosAcceso } from './login-lock.ts';
import { createLoginObserver } from './login-observer.ts';
import { createPruebas } from './prueba.ts';
import type { Terminadas } from './salidas.ts';
import { SesionVencida } from './sesion-vencida.ts';

interface SesionesDeps {
  readonly http: SatHttp;
  readonly almacen: SesionesPortal;
  readonly sellado: Sellado;
  readonly captcha: ResolvedorCaptcha | null;
  readonly settings: PortalSettings;
  /** Sees log-ins and captchas. */
  readonly metrics?: AccesoMetrics | undefined;
}

/** An open session; new before its first answer. */
type Abierta = Omit<SesionViva, 'idleMs'>;

/** Milliseconds between two tries to note a refusal while the store is away. */
const NOTE_EVERY_MS = 250;

/** Longest wait for the log-out of a log-in that came to nothing, milliseconds. */
const SALIDA_MS = 10_000;

/** RFCs are written in capitals; two spellings must not be two sessions. */
const claveDe = ({ nombre }: Portal, { rfc, tipo }: Credencial): ClaveSesion => ({
  portal: nombre,
  rfc: rfc.toUpperCase(),
  tipo,
});

async function leave({ salida }: Portal, pageClient: PageClient): Promise<void> {
  if (salida !== null) await pageClient.open(salida);
}

export function createSesiones({ http, almacen, sellado, settings, metrics, ...deps }: SesionesDeps) {
  const observer = createLoginObserver(metrics);
  const captcha = deps.captcha && observer.watchCaptcha(deps.captcha);
  const turnos = createTurnosAcceso(almacen, settings.loginLockMs);
  const pruebas = createPruebas(sellado);
  const isPatient = settings.esperaAccesoMs === Number.POSITIVE_INFINITY;
  const accesos = createAccesos(settings.esperaAccesoMs, wipeCredencial);
  const closing = new AbortController();

  /**
   * Retries until the store answers: an unnoted refusal would let the credential be sent again. Keeps the turn
   * meanwhile.
   */
  async function noteRechazo(clave: ClaveSesion, rechazo: RechazoAcceso): Promise<void> {
    for (;;) {
      try {
        return await almacen.saveRechazo(clave, rechazo);
      } catch (error) {
        if (closing.signal.aborted) throw error;
        await sleep(NOTE_EVERY_MS, null, { signal: closing.signal }).catch(() => {});
      }
    }
  }

  const httpOf = (portal: Portal, { rfc }: ClaveSesion): SatHttp => {
    const own = inNameOf(http, rfc);
    return portal.guard?.(own) ?? own;
  };

  /** The session if it is young enough, opened with this very credential, and not the one known to be dead. */
  async function loadUsable(
    clave: ClaveSesion,
    credencial: Credencial,
    vencida: string | null,
  ): Promise<Abierta | null> {
    const found = await almacen.load(clave);
    if (found === null || found.sesion.id === vencida) return null;
    if (found.idleMs > settings.sesionInactivaMs) return null;
    const { sesion, isNueva } = found;
    return (await pruebas.find([sesion], credencial)) === null ? null : { sesion, isNueva };
  }

  async function login(
    portal: Portal,
    credencial: Credencial,
    signal: AbortSignal,
    hold: () => Promise<void>,
  ): Promise<Abierta> {
    const clave = claveDe(portal, credencial);
    const rechazos = await almacen.rechazos(clave);
    const rechazo = await pruebas.find(rechazos, credencial);
    if (rechazo !== null) throw new SatError(rechazo.motivo, { codigo: rechazo.codigo });
    const pageClient = createPageClient(httpOf(portal, clave), settings, signal);
    let isWithin = false;
    let isCaptchaLeido = false;
    const lector: ResolvedorCaptcha | null = captcha && {
      async resolve(imagen, deadline) {
        isCaptchaLeido = true;
        const respuesta = await captcha.resolve(imagen, deadline);
        // The CIEC is sent next.
        await hold();
        return respuesta;
      },
    };
    const onAceptada = () => {
      isWithin = true;
    };
    try {
      await observer.watchLogin(portal.nombre, credencial, () =>
        portal.enter({ pageClient, credencial, captcha: lector, settings, onAceptada }),
      );
      const id = randomUUID();
      const sesion = { id, cookies: sealCookies(clave, id, pageClient), ...(await pruebas.prove(credencial)) };
      await almacen.save(clave, sesion);
      return { sesion, isNueva: true };
    } catch (error) {
      if (isCaptchaLeido && error instanceof SatError) error.isAccesoPerdido = true;
      // An unused session must not stay open at the SAT.
      if (isWithin) await leave(portal, pageClient.withSignal(AbortSignal.timeout(SALIDA_MS))).catch(() => {});
      if (error instanceof SatError && error.clase === 'credencial') {
        const { motivo, codigo } = error;
        await noteRechazo(clave, { ...(await pruebas.prove(credencial, rechazos[0]?.sal)), motivo, codigo });
      }
      throw error;
    }
  }

  async function obtain(
    portal: Portal,
    credencial: Credencial,
    vencida: string | null,
    { signal, ...envio }: EnvioSat,
  ): Promise<Abierta> {
    const cuentaId = envio.cuentaId ?? null;
    const clave = claveDe(portal, credencial);
    const found = await loadUsable(clave, credencial, vencida);
    if (found !== null) return found;
    const take = (own: Credencial, until: AbortSignal) => {
      const usable = () => loadUsable(clave, own, vencida);
      return turnos.take(clave, until, {
        instead: usable,
        // Only a CIEC costs a captcha.
        ...(clave.tipo === 'ciec' ? { share: { plazas: settings.accesosALaVez, cuentaId } } : {}),
        work: async (whileHeld, hold) => (await usable()) ?? (await login(portal, own, whileHeld, hold)),
      });
    };
    if (isPatient) return take(credencial, signal);
    await accesos.join(`${clave.portal} ${clave.rfc} ${clave.tipo}`, cuentaId, credencial, signal, take);
    const opened = await loadUsable(clave, credencial, vencida);
    // It was opened with another credential: this one's log-in comes next.
    if (opened === null) throw new SatError('OCUPADO', { detalle: 'acceso' });
    return opened;
  }

  function sealCookies(clave: ClaveSesion, id: string, pageClient: PageClient): Buffer {
    const claro = Buffer.from(pageClient.cookies());
    const cookies = sellado.seal(claro, contextoDeSesion(clave, id));
    claro.fill(0);
    return cookies;
  }

  /** Null for a session whose cookies cannot be read: it is none. */
  function openPageClient(
    portal: Portal,
    clave: ClaveSesion,
    { id, cookies }: SesionPortal,
    signal: AbortSignal,
  ): PageClient | null {
    const claro = sellado.open(cookies, contextoDeSesion(clave, id));
    if (claro === null) return null;
    try {
      return createPageClient(httpOf(portal, clave), settings, signal, claro.toString());
    } catch {
      return null;
    } finally {
      claro.fill(0);
    }
  }

  return {
    /** Runs a step with a live session; when the portal has forgotten it, again with it renewed, then with a new one. */
    async run<T>(
      portal: Portal,
      credencial: Credencial,
      envio: EnvioSat,
      paso: (pageClient: PageClient) => Promise<T>,
    ): Promise<T> {
      const clave = claveDe(portal, credencial);
      let vencida: string | null = null;
      let isRenewed = false;
      for (;;) {
        const { sesion, isNueva }: Abierta = await obtain(portal, credencial, vencida, envio);
        // What became of the step stands although the session could not be noted: at worst the next consulta logs in
        // again.
        const note = (used: PageClient) =>
          almacen.touch(clave, sesion.id, sealCookies(clave, sesion.id, used)).catch(() => {});
        const pageClient = openPageClient(portal, clave, sesion, envio.signal);
        try {
          if (pageClient === null) throw new SesionVencida();
          const resultado = await paso(pageClient);
          await note(pageClient);
          return resultado;
        } catch (error) {
          if (!(error instanceof SesionVencida)) {
            if (isNueva && error instanceof SatError) error.isAccesoPerdido = true;
            if (isNueva && pageClient !== null) await note(pageClient);
            throw error;
          }
          if (error.isRenewed && !isRenewed && pageClient !== null) {
            isRenewed = true;
            await note(pageClient);
            continue;
          }
          await almacen.drop(clave, sesion.id);
          if (vencida !== null)
            throw Object.assign(ilegible('la sesión recién abierta ya venció'), { isAccesoPerdido: true });
          vencida = sesion.id;
        }
      }
    },

    /** Aborts log-ins in the background. */
    close(): Promise<void> {
      closing.abort();
      return accesos.close();
    },

    /** Logs these sessions out. Best effort: one whose portal does not answer ends there by itself. */
    async leave(ended: Terminadas, portales: ReadonlyMap<string, Portal>, signal: AbortSignal): Promise<void> {
      await Promise.allSettled(
        ended.map(async ({ clave, sesion }) => {
          const portal = portales.get(clave.portal);
          const pageClient = portal === undefined ? null : openPageClient(portal, clave, sesion, signal);
          if (portal !== undefined && pageClient !== null) await leave(portal, pageClient);
        }),
      );
    },
  };
}
