import { Hono } from 'hono';
import { z } from 'zod';
import type { ProviderSession } from '../web/host.ts';
import { encode, htmlResponse } from '../web/http.ts';
import type { Seal } from '../web/seal.ts';
import type { Row, Tipo } from '../world/taxpayers/row.ts';
import { DAY, wallTimeOf } from '../world/wall-time.ts';
import type { World } from '../world/world.ts';
import type { PortalState } from './portal-state.ts';

const PAGINA = 'RecuperaCfdi.aspx';
const sealedLink = z.object({ uuid: z.string(), tipo: z.enum(['emitidos', 'recibidos']), sesion: z.string() });

/** Whether the portal gives the XML of a row: a cancelled received one has no link. */
export function hasXml({ estatus }: Pick<Row, 'estatus'>, tipo: Tipo): boolean {
  return tipo === 'emitidos' || estatus === 'Vigente';
}

/**
 * Address of the XML of a row in the results of a search; valid in that session, also after later searches. Its base64
 * is not percent-encoded (phpcfdi/cfdi-sat-scraper, tests/_files).
 */
export function linkOf(seal: Seal, { id }: Pick<ProviderSession, 'id'>, tipo: Tipo, { uuid }: Row): string {
  const link: z.infer<typeof sealedLink> = { uuid, tipo, sesion: id };
  return `${PAGINA}?Datos=${seal.close(link)}`;
}

/** XML that each taxpayer fetched since midnight of central Mexico. */
export function createQuota({ clock, settings }: Pick<World, 'clock' | 'settings'>) {
  const counts = new Map<string, number>();
  let counted = 0;
  const countOf = (rfc: string) => {
    const today = Math.floor(wallTimeOf(clock.now()) / DAY);
    if (today !== counted) counts.clear();
    counted = today;
    return counts.get(rfc) ?? 0;
  };
  const leftOf = (rfc: string) => Math.max(0, settings.max_xml_por_dia - countOf(rfc));
  return {
    /** Takes one from the quota of the day; false when nothing is left of it. */
    take: (rfc: string): boolean => {
      if (leftOf(rfc) === 0) return false;
      counts.set(rfc, countOf(rfc) + 1);
      return true;
    },
    /**
     * Value of the hidden field `hfDescarga` beside so many XML: none while the quota suffices, as in the recorded page
     * (phpcfdi/cfdi-sat-scraper, tests/_files). The script of ConsultaEmisor.aspx explains `CuotaParcial` with "Estás
     * intentando descargas más documentos de los permitidos", `CuotaCompleta` with "Ya no puedes descargar más
     * documentos, espera hasta mañana".
     */
    textOf: (rfc: string, listed: number) => {
      const left = leftOf(rfc);
      if (left === 0) return 'CuotaCompleta';
      return left < listed ? 'CuotaParcial' : undefined;
    },
  };
}

/** The page behind the icon of a row: its XML, or a page of HTML with HTTP 200 that says why there is none. */
export function createRecuperaCfdi({ world, state }: { world: World; state: PortalState }): Hono {
  const answer = (session: ProviderSession, datos: string): Response => {
    const read = sealedLink.safeParse(state.seal.open(datos));
    const link = read.success && read.data.sesion === session.id ? read.data : null;
    const row = link && world.taxpayers.find(session.rfc, link.tipo, link.uuid);
    if (!row || !hasXml(row, link.tipo)) return refuse('El comprobante solicitado no se encuentra disponible.');
    if (!state.quota.take(session.rfc)) return refuse('Ha alcanzado el límite diario de descargas.');
    return new Response(world.cfdis.xmlOf(row), {
      headers: {
        'content-type': 'text/xml; charset=utf-8',
        'content-disposition': `attachment; filename=${row.uuid}.xml`,
      },
    });
  };
  return new Hono().get(`/${PAGINA}`, (c) =>
    state.host.guard(c, { operation: 'RecuperaCfdi' }, (session) =>
      answer(session, (c.req.query('Datos') ?? '').replaceAll(' ', '+')),
    ),
  );
}

function refuse(text: string): Response {
  return htmlResponse(`<html><head><title>SAT</title></head><body><p>${encode(text)}</p></body></html>`);
}
