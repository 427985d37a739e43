import { type Context, Hono } from 'hono';
import { attend } from '../portal/web/attend.ts';
import { htmlResponse } from '../portal/web/html.ts';
import { isRfc } from '../world/taxpayers/rfc.ts';
import type { World } from '../world/world.ts';
import { qrErrorPage, qrPage } from './qr-page.ts';

const PAGE = '/app/qr/faces/pages/mobile/validadorqr.jsf';

/** The public page behind the QR code of the constancia. Mounted at `/siat`. */
export function createSiat(world: World): Hono {
  return new Hono().get(PAGE, (c) => {
    const { idCif, rfc } = readD3(c);
    return attend(world, { service: 'siat', operation: 'ValidadorQr', rfc, detail: { idCif } }, () => {
      const perfil = isRfc(rfc) ? world.taxpayers.profile(rfc) : null;
      const isKnown = c.req.query('D1') === '10' && c.req.query('D2') === '1' && perfil?.idCif === idCif;
      return htmlResponse(perfil && isKnown ? qrPage(rfc, perfil) : qrErrorPage());
    });
  });
}

/** `D3` is the idCIF and the RFC with an underscore between. */
function readD3(c: Context): { idCif: string; rfc: string } {
  const [idCif = '', rfc = ''] = (c.req.query('D3') ?? '').split('_');
  return { idCif, rfc: rfc.toUpperCase() };
}
