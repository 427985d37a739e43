import * as page from '@acuse/page';
import type { PanelDeps } from './deps.ts';

/** Definers of the core's pages, which use every port of the panel. */
export const { routesFor, routesOf, rfcRoutes } = page.pagesWith<PanelDeps>();
export type ContextoBase = page.ContextoBase<PanelDeps>;
export type PersonContext = page.PersonContext<PanelDeps>;
export type ContextoCliente = page.ContextoCliente<PanelDeps>;
export type Ruta = page.Ruta<PanelDeps>;
export type Mount = page.Mount<PanelDeps>;
