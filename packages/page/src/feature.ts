import type { DetalleSolicitud, Records } from '@acuse/db';
import type { Context, Hono } from 'hono';
import type { Child } from 'hono/jsx';
import type { Parte } from './acceso/permisos.ts';
import type { Tono } from './components/blocks.tsx';
import type { EntradaMenu, EntradaOperacion, PestanaRfc } from './components/navegacion.tsx';
import type { PageDeps } from './deps.ts';
import type { Frases } from './frases.ts';
import type { Badges, ContextoCliente, Ruta } from './http/ruta.ts';

/** A thing that will stop working, or should be changed, and where. */
export interface Recordatorio {
  readonly tono: Exclude<Tono, 'exito'>;
  readonly texto: string;
  readonly href: string;
  readonly accion: string;
  /** The part of the account that it is about. */
  readonly parte: Parte;
}

/** Mail about accounts and passwords. */
export interface AccountMail {
  /** Mails a link for a new password. Neither result nor effort shows whether the user exists. `limite`: key of the rate limit. */
  askReset(email: string, options: { readonly limite: string; readonly ip: string }): Promise<void>;
  /** Mails a registered address about a sign-up attempt. The result does not show whether the user exists. */
  tellRegistered(email: string): Promise<void>;
  /** Deletes what has expired. */
  purge(): Promise<unknown>;
}

/** What an optional feature adds to the panel. `D`: the ports that its pages need. */
export interface PageFeature<D extends PageDeps = PageDeps> {
  readonly rutas: readonly Ruta<D>[];
  /** Opens an application without session and form checks: each of its requests carries its own proof. */
  readonly openApp?: (deps: D, ipOf: (c: Context) => string) => Hono;
  readonly openAccountMail?: (database: Records) => AccountMail;
  /** Sentences of the audit log about its changes. */
  readonly frases?: Frases;
  /** Those of them that its schedule makes, many a day. */
  readonly scheduled?: readonly string[];
  /** Badges beside the names of taxpayers, by RFC; one query for all of a page. */
  readonly badges?: (deps: D, rfcs: readonly string[]) => Promise<Badges>;
  readonly menu?: readonly EntradaMenu[];
  readonly operacion?: readonly EntradaOperacion[];
  readonly rfc?: readonly PestanaRfc[];
  /** A link beside that of a new RFC, in the list of RFCs. */
  readonly rfcs?: () => Child;
  /** A link of the page of the own account. */
  readonly cuenta?: () => Child;
  /** A notice on the first page. */
  readonly inicio?: (contexto: ContextoCliente<D>) => Promise<Child>;
  readonly recordatorios?: (contexto: ContextoCliente<D>) => Promise<readonly Recordatorio[]>;
  /** A section of the page of a solicitud, for those who may see packages. */
  readonly solicitud?: (contexto: ContextoCliente<D>, solicitud: DetalleSolicitud) => Promise<Child>;
  /** A link to the call of an RFC behind a charge, for those who may see calls; `opId`: identity of the charge. */
  readonly llamada?: (rfc: string, opId: string, texto: Child) => Child;
  /** Things that wait for the operator, each a line of the first page of the operator. */
  readonly pendientes?: (deps: D) => Promise<readonly Child[]>;
}
