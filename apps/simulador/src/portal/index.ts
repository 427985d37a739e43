import { Hono } from 'hono';
import type { Acceso } from '../nidp/acceso.ts';
import { createProdretencioncontribuyente } from '../prodretencioncontribuyente/prodretencioncontribuyente.ts';
import type { World } from '../world/world.ts';
import { createConsulta } from './consulta/consulta.ts';
import { EMISOR, RECEPTOR } from './consulta/search-page.ts';
import { createDescargaMasiva } from './descargas/descarga-masiva.ts';
import { createDescargaMetadatos } from './descargas/descarga-metadatos.ts';
import { createHome } from './home.ts';
import { createCfdiau } from './login/cfdiau.ts';
import type { PortalSettingsInput } from './portal-settings.ts';
import { createPortalState } from './portal-state.ts';
import { createPortalControl } from './simulador.ts';

/**
 * The CFDI portal: the log-in host, to be mounted at `/cfdiau`, and the query host, to be mounted at `/portalcfdi`;
 * with them the portal of retenciones, which has the same log-in host. `/cfdiau/simulador` is the control of both
 * (captcha answers, settings, open sessions). `acceso` is what other log-in hosts share.
 */
export function createPortal(
  world: World,
  settings: PortalSettingsInput = {},
): { cfdiau: Hono; portalcfdi: Hono; prodretencioncontribuyente: Hono; acceso: Acceso } {
  const state = createPortalState(world, settings);
  const deps = { world, state };
  const portalcfdi = new Hono().route('/', createHome(deps)).route('/', createDescargaMasiva(deps));
  for (const page of [RECEPTOR, EMISOR]) {
    portalcfdi.route('/', createConsulta(deps, page)).route('/', createDescargaMetadatos(deps, page));
  }
  return {
    cfdiau: new Hono().route('/simulador', createPortalControl(state)).route('/', createCfdiau(world, state)),
    portalcfdi,
    prodretencioncontribuyente: createProdretencioncontribuyente(deps),
    acceso: state,
  };
}
