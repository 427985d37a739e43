import type { Context } from 'hono';
import { returnContext } from '../../sp/relying-party.ts';

/**
 * The absolute addresses of the log-in host and of those that trust it, as the caller reaches them. No slash at the
 * end.
 */
export type Addresses = { cfdiau: string; portalcfdi: string; prodretencioncontribuyente: string };

/**
 * The first page of a mounted host. Mounting drops the slash of `/`, so the root with its slash is written as a segment
 * that is empty.
 */
export const ROOT = ['/', '/:vacio{^$}'];

/** Where the log-in host asks for a password or an e.firma. */
export const CIEC_CONTRACT = 'SATUPCFDiCon';
export const FIEL_CONTRACT = 'SATx509Custom';

/** Builds the addresses from the request's own Host header. */
export function addressesOf(c: Context): Addresses {
  const { origin } = new URL(c.req.url);
  return {
    cfdiau: `${origin}/cfdiau`,
    portalcfdi: `${origin}/portalcfdi`,
    prodretencioncontribuyente: `${origin}/prodretencioncontribuyente`,
  };
}

/** The log-in page of a contract, for instance `/nidp/app/login?id=SATUPCFDiCon&sid=0&option=credential&sid=0`. */
export function loginAddress({ cfdiau }: Addresses, contract: string, endpoint = 'app/login'): string {
  return `${cfdiau}/nidp/${endpoint}?id=${contract}&sid=0&option=credential&sid=0`;
}

/**
 * Where a portal (`realm`, its address) sends a browser without session: WS-Federation's passive request (wa, wtrealm,
 * wctx, wct).
 */
export function signInAddress(
  { cfdiau, portalcfdi }: Addresses,
  returnTo: string,
  now: Date,
  realm: string = portalcfdi,
): string {
  const query = new URLSearchParams({
    wa: 'wsignin1.0',
    wtrealm: realm,
    wctx: returnContext(returnTo),
    wct: `${now.toISOString().slice(0, 19)}Z`,
  });
  return `${cfdiau}/nidp/wsfed/ep?${query}`;
}
