import {
  type AccesoMetrics,
  type Consulta,
  type Credencial,
  type EnvioSat,
  type Respuesta,
  type Sat,
  SatError,
  type Sellado,
  type SesionesPortal,
} from '@acuse/core';
import type { SatHttp } from '../http/sat-http.ts';
import { createLectorPdf, type ReadPdf } from '../pdf/lector-pdf.ts';
import type { ResolvedorCaptcha } from './captcha.ts';
import { CONSULTAS_PORTAL } from './consultas-portal.ts';
import type { ConsultaPortal, NombreConsultaPortal } from './portal.ts';
import type { Terminadas } from './sesion/salidas.ts';
import { createSesiones } from './sesion/sesiones.ts';
import { PORTAL_DEFAULTS, type PortalSettings } from './settings.ts';

interface PortalCanalDeps {
  readonly http: SatHttp;
  /** Null without a reader: log-ins by CIEC then fail with SIN_RESOLVEDOR_DE_CAPTCHA. */
  readonly captcha: ResolvedorCaptcha | null;
  readonly sesiones: SesionesPortal;
  /** Seals the cookies. */
  readonly sellado: Sellado;
  readonly settings?: Partial<PortalSettings>;
  /** Receives log-ins and captchas. Default: none. */
  readonly metrics?: AccesoMetrics;
  /** Default: a reader of its own, whose threads do not keep the process alive. */
  readonly readPdf?: ReadPdf;
}

export interface PortalCanal extends Sat<NombreConsultaPortal> {
  /** Logs out sessions that were taken out of the store; one whose portal does not answer ends there by itself. */
  leave(ended: Terminadas, signal: AbortSignal): Promise<void>;
  /** Aborts log-ins in the background. */
  close(): Promise<void>;
}

/**
 * The portals of the SAT, used as a person with a browser would. Written from public descriptions, each named where it
 * is used, and not proven against the SAT.
 *
 * `send` rejects with a SatError, or with a RangeError for a period that the portal cannot be asked for (see
 * `readPeriodo`). A bulk request for received CFDI over several days delivers their whole month, for the caller to cut.
 */
export function createPortalCanal(deps: PortalCanalDeps): PortalCanal {
  const { http, captcha, sellado, readPdf = createLectorPdf().read } = deps;
  const settings = { ...PORTAL_DEFAULTS, ...deps.settings };
  const sesiones = createSesiones({ http, almacen: deps.sesiones, sellado, captcha, settings, metrics: deps.metrics });
  const portales = new Map(
    Object.values(CONSULTAS_PORTAL)
      .flatMap(({ portal, otro }) => (otro === undefined ? [portal] : [portal, otro.portal]))
      .map((portal) => [portal.nombre, portal]),
  );

  return {
    async send<N extends NombreConsultaPortal>(
      consulta: Consulta<N> & { readonly consulta: N },
      credencial: Credencial,
      envio: EnvioSat,
    ): Promise<Respuesta<N>> {
      const declared: ConsultaPortal<N> | undefined = CONSULTAS_PORTAL[consulta.consulta];
      if (declared === undefined || !declared.credenciales.includes(credencial.tipo)) {
        const detalle = `portal:${consulta.consulta} con ${credencial.tipo}`;
        throw new SatError('CANAL_DESACTIVADO', { detalle });
      }
      if (credencial.rfc.toUpperCase() !== consulta.rfc.toUpperCase()) {
        throw new SatError('PETICION_RECHAZADA', { detalle: 'la credencial es de otro RFC' });
      }
      declared.check?.(consulta);
      const { portal, ask } = declared.otro?.takes(consulta) ? declared.otro : declared;
      if (portal.salida !== null) http.assertRoom(portal.salida.host);
      return sesiones.run(portal, credencial, envio, (pageClient) =>
        ask(pageClient, consulta, { settings, credencial, readPdf, onAnswer: envio.onAnswer }),
      );
    },
    leave: (ended, signal) => sesiones.leave(ended, portales, signal),
    close: () => sesiones.close(),
  };
}
