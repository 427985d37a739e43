import { createVerify, randomUUID, X509Certificate } from 'node:crypto';
import {
  delta,
  HOST_ACCESO,
  HOST_PORTAL,
  paginaAcceso,
  paginaEfirma,
  paginaPortal,
  paginaPostIt,
} from './paginas-de-prueba.ts';
import { type Guion, type Peticion, type Responder, redirect, sendHtml } from './portal-de-prueba.ts';

const LOGIN = 'cfdiau/nidp/app/login';
const WSFED = 'cfdiau/nidp/wsfed/ep';

/**
 * The identity provider and the door of the portal. Owns the sessions: a request for a page of the portal without one
 * is sent through WS-Federation, and the responder that follows finds `rfc` of the session in the `x-rfc` request
 * header.
 */
export function createAcceso(guion: Guion) {
  const captchas = new Map<string, string>();
  const idp = new Map<string, string>();
  const portal = new Map<string, string>();
  const tokens = new Map<string, string>();
  const salidas: string[] = [];
  const retos = new Map<string, string>();

  function showAcceso(res: Parameters<Responder>[1], peticion: Peticion, error = ''): true {
    const sesion = peticion.cookies.get('IDP') ?? randomUUID();
    const captcha = randomUUID().slice(0, 6).toUpperCase();
    captchas.set(sesion, captcha);
    const html = paginaAcceso(captcha, error).replace(
      'method="POST" autocomplete',
      `method="POST"${guion.accionAcceso === '' ? '' : ` action="${guion.accionAcceso}"`} autocomplete`,
    );
    return sendHtml(res, html, { 'set-cookie': `IDP=${sesion}; Path=/; Secure; HttpOnly` });
  }

  function showEfirma(res: Parameters<Responder>[1], peticion: Peticion, error = ''): true {
    const sesion = peticion.cookies.get('IDP');
    if (sesion === undefined) return showAcceso(res, peticion);
    const guid = guion.guid ?? randomUUID();
    retos.set(sesion, guid);
    const html = paginaEfirma(guid, error);
    return sendHtml(
      res,
      guion.accionAcceso === '' ? html : html.replace('action=""', `action="${guion.accionAcceso}"`),
    );
  }

  function loginEfirma(peticion: Peticion, res: Parameters<Responder>[1]): true {
    const sesion = peticion.cookies.get('IDP') ?? '';
    const guid = retos.get(sesion) ?? '';
    retos.delete(sesion);
    const rfc = verifyToken(peticion.campos, guid, guion.efirmas);
    if (rfc === null) return showEfirma(res, peticion, guion.textoEfirma);
    idp.set(sesion, rfc);
    return federate(peticion, res);
  }

  function login(peticion: Peticion, res: Parameters<Responder>[1]): true {
    const sesion = peticion.cookies.get('IDP') ?? '';
    const { campos } = peticion;
    const complete =
      campos.get('option') === 'credential' &&
      campos.get('submit') === 'Enviar' &&
      peticion.query.get('id') === 'SATUPCFDiCon';
    const captcha = captchas.get(sesion);
    captchas.delete(sesion);
    if (!complete) return showAcceso(res, peticion, 'Error interno');
    if (guion.captchasRechazados > 0 || captcha === undefined || captcha !== campos.get('userCaptcha')) {
      guion.captchasRechazados -= 1;
      return showAcceso(res, peticion, guion.textoCaptcha);
    }
    const rfc = campos.get('Ecom_User_ID') ?? '';
    if (guion.ciecs.get(rfc) !== campos.get('Ecom_Password')) return showAcceso(res, peticion, guion.textoCiec);
    idp.set(sesion, rfc);
    if (guion.trasElAcceso !== null) {
      guion.trasElAcceso(res);
      return true;
    }
    return sendHtml(res, `<html><script>top.location.href='${HOST_ACCESO}/nidp/app?sid=0';</script></html>`);
  }

  function federate(peticion: Peticion, res: Parameters<Responder>[1]): true {
    const rfc = idp.get(peticion.cookies.get('IDP') ?? '');
    if (rfc === undefined) return redirect(res, `/${LOGIN}?id=SATUPCFDiCon&sid=0&option=credential&sid=0`);
    const token = randomUUID();
    tokens.set(token, rfc);
    return sendHtml(
      res,
      paginaPostIt(`${HOST_PORTAL}/`, {
        wa: 'wsignin1.0',
        wresult: `<wst:RequestSecurityTokenResponse Id="${token}">\n&'</wst:RequestSecurityTokenResponse>`,
        wctx: 'rm=0&id=passive&ru=%2f',
      }),
    );
  }

  function enter(peticion: Peticion, res: Parameters<Responder>[1]): true {
    const token = /Id="([^"]+)">\n&'</.exec(peticion.campos.get('wresult') ?? '')?.[1] ?? '';
    const rfc = tokens.get(token);
    if (rfc === undefined || peticion.campos.get('wctx') !== 'rm=0&id=passive&ru=%2f') {
      res.writeHead(500).end();
      return true;
    }
    tokens.delete(token);
    const sesion = randomUUID();
    portal.set(sesion, rfc);
    return redirect(res, '/portalcfdi/', { 'set-cookie': `ASP.NET_SessionId=${sesion}; Path=/; HttpOnly` });
  }

  const responder: Responder = (peticion, res) => {
    const { metodo, donde } = peticion;
    if (donde === LOGIN && peticion.query.get('id') === 'SATx509Custom') {
      return metodo === 'POST' ? loginEfirma(peticion, res) : showEfirma(res, peticion);
    }
    if (donde === LOGIN) return metodo === 'POST' ? login(peticion, res) : showAcceso(res, peticion);
    if (donde === 'cfdiau/nidp/bucle') return redirect(res, '/cfdiau/nidp/bucle');
    if (donde === 'cfdiau/nidp/vuelta') {
      return sendHtml(res, `<script>window.location.href = "/cfdiau/nidp/vuelta";</script>`);
    }
    if (donde === WSFED) return federate(peticion, res);
    if (!donde.startsWith('portalcfdi')) return false;
    if (donde === 'portalcfdi/' && metodo === 'POST') return enter(peticion, res);
    const sesion = peticion.cookies.get('ASP.NET_SessionId') ?? '';
    const rfc = portal.get(sesion);
    if (donde === 'portalcfdi/logout.aspx') {
      portal.delete(sesion);
      if (rfc !== undefined) salidas.push(`${rfc} ${peticion.query.get('salir')}`);
      return sendHtml(res, '<html><body>Su sesi&oacute;n ha terminado</body></html>');
    }
    if (rfc === undefined) {
      if (peticion.headers['x-microsoftajax'] !== undefined) {
        res.end(delta([['pageRedirect', '', '%2flogout.aspx%3fsalir%3dy%26expirada%3d1']]));
        return true;
      }
      if (metodo === 'POST') {
        return sendHtml(res, '<a href="https%3a%2f%2fportalcfdi%2flogout.aspx%3fsalir%3dy">Salir</a>');
      }
      return redirect(res, `${HOST_ACCESO}/nidp/wsfed/ep?wa=wsignin1.0&wtrealm=portal&wctx=rm%3d0`);
    }
    peticion.headers['x-rfc'] = guion.muestraRfc ? (guion.rfcMostrado ?? rfc) : '';
    if (donde !== 'portalcfdi/') return false;
    const shown = guion.muestraRfc ? (guion.rfcMostrado ?? rfc) : null;
    return sendHtml(
      res,
      paginaPortal(shown, './Consulta.aspx', '<input type="hidden" name="__VIEWSTATE" value="inicio" />'),
    );
  };

  return {
    responder,
    salidas,
    expire(que: 'portal' | 'todas'): void {
      portal.clear();
      if (que === 'todas') idp.clear();
    },
  };
}

/**
 * The RFC whose certificate made the token of this challenge, read as the pages' public clients describe it; null for
 * any other.
 */
function verifyToken(campos: URLSearchParams, guid: string, efirmas: ReadonlyMap<string, Buffer>): string | null {
  const decode = (base64: string) => Buffer.from(base64, 'base64').toString('utf8');
  const [texto = '', firma = ''] = decode(campos.get('token') ?? '').split('#');
  const [reto, rfc = '', numero] = decode(texto).split('|');
  const cer = efirmas.get(rfc);
  if (cer === undefined || reto !== guid || campos.get('guid') !== guid) return null;
  const certificado = new X509Certificate(cer);
  const digitos = Buffer.from(certificado.serialNumber, 'hex').toString();
  const fin = new Date(certificado.validTo).toISOString();
  const fert = `${fin.slice(2, 4)}${fin.slice(5, 7)}${fin.slice(8, 10)}${fin.slice(11, 19).replaceAll(':', '')}Z`;
  if (numero !== digitos || campos.get('fert') !== fert) return null;
  if (campos.get('credentialsRequired') !== 'CERT') return null;
  const verify = createVerify('RSA-SHA1').update(decode(texto), 'utf8');
  return verify.verify(certificado.publicKey, Buffer.from(decode(firma), 'base64')) ? rfc : null;
}
