import {
  type CatalogoConsultas,
  type Consulta,
  type Credencial,
  type CredencialCiec,
  type EnvioSat,
  type NombreConsulta,
  type Respuesta,
  type Sat,
  SatError,
} from '@acuse/core';
import type { SatHttp } from '../http/sat-http.ts';
import type { ResolvedorCaptcha } from './captcha/resolvedor-captcha.ts';
import { descargarPaquete } from './consultas/descargar-paquete.ts';
import { solicitarMetadata } from './consultas/solicitar-metadata.ts';
import { verificarMetadata } from './consultas/verificar-metadata.ts';
import type { Navegador } from './navegador.ts';
import { readPeriodo } from './periodo-portal.ts';
import { openSesion } from './sesion/acceso.ts';
import { createSesiones } from './sesion/sesiones.ts';
import type { SesionesPortal } from './sesion/sesiones-portal.ts';
import { PORTAL_DEFAULTS, type PortalSettings } from './settings.ts';

export interface PortalCanalDeps {
  readonly http: SatHttp;
  /** Null when nobody can read a captcha: log-ins then fail with SIN_RESOLVEDOR_DE_CAPTCHA. */
  readonly captcha: ResolvedorCaptcha | null;
  readonly sesiones: SesionesPortal;
  readonly settings?: PortalSettings;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
}

export interface PortalCanal extends Sat {
  /** Logs out the sessions that this process opened. For the shutdown. */
  logout(signal: AbortSignal): Promise<void>;
}

/**
 * The bulk metadata of the CFDI portal, for whoever has the CIEC only. Written from public descriptions of the portal (phpcfdi/cfdi-sat-scraper and its
 * pull request 97, one source for the bulk part) and not proven against it.
 *
 * `send` rejects with a SatError, or with a RangeError for a period that the portal cannot be asked for (see `readPeriodo`). A request
 * for received CFDI may deliver more than its period: see `requiereRecorte`.
 */
export function createPortalCanal(deps: PortalCanalDeps): PortalCanal {
  const { http, captcha, clock = Date.now } = deps;
  const settings = { ...PORTAL_DEFAULTS, ...deps.settings };
  const sesiones = createSesiones({
    http,
    almacen: deps.sesiones,
    open: (credencial, signal) => openSesion({ http, captcha, settings }, credencial, signal),
    settings,
    clock,
  });

  function ask(navegador: Navegador, consulta: Consulta, signal: AbortSignal) {
    switch (consulta.consulta) {
      case 'solicitar-metadata':
        return solicitarMetadata(navegador, consulta, signal);
      case 'verificar-metadata':
        return verificarMetadata(navegador, consulta, signal);
      case 'descargar-paquete':
        return descargarPaquete(navegador, consulta, settings.maxPaqueteBytes, signal);
    }
  }

  async function send(consulta: Consulta, credencial: Credencial, { signal }: EnvioSat) {
    const ciec = requireCiec(consulta, credencial);
    readPeriodo(consulta.tipo, consulta.periodo);
    return sesiones.run<Respuesta<NombreConsulta>>(ciec, signal, (navegador) =>
      ask(navegador, consulta, signal),
    );
  }

  return {
    // `ask` answers each consulta with its own Respuesta; the compiler cannot follow that through the name of the consulta.
    send: send as unknown as <N extends NombreConsulta>(
      consulta: CatalogoConsultas[N]['consulta'] & { readonly consulta: N },
      credencial: Credencial,
      envio: EnvioSat,
    ) => Promise<Respuesta<N>>,
    logout: (signal) => sesiones.logout(signal),
  };
}

function requireCiec(consulta: Consulta, credencial: Credencial): CredencialCiec {
  if (credencial.tipo !== 'ciec')
    throw new SatError('CANAL_DESACTIVADO', { detalle: 'el portal necesita la CIEC' });
  if (credencial.rfc.toUpperCase() !== consulta.rfc.toUpperCase()) {
    throw new SatError('PETICION_RECHAZADA', { detalle: 'la credencial es de otro RFC' });
  }
  return credencial;
}
