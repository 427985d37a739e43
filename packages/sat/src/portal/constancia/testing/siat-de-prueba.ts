import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { type PeticionRecibida, type Servidor, startServidor } from '../../../testing/servidor.ts';
import { paginaAcceso, paginaEfirma } from '../../testing/paginas-de-prueba.ts';

const LOGIN = 'https://login.siat.sat.gob.mx';
const MAT = 'https://wwwmat.sat.gob.mx';
const REGISTRO = 'https://rfcampc.siat.sat.gob.mx';

/** What the tests change while the server runs. */
export interface GuionSiat {
  readonly rfc: string;
  readonly ciec: string;
  pdf: Buffer | string;
  boton: string;
  rotulo: string;
  parcial: string;
  /** Sent instead of the page with the form. */
  enLugarDeReimpresion: string | null;
}

export interface SiatDePrueba extends Servidor {
  readonly guion: GuionSiat;
  /** Times that a credential was sent. */
  accesos(): number;
  /** The provider and the services forget their sessions. */
  expire(): void;
}

const formulario = (accion: string, campos: Readonly<Record<string, string>>) =>
  `<form method="POST" action="${accion}">${Object.entries(campos)
    .map(([nombre, valor]) => `<input type="hidden" name="${nombre}" value="${valor}"/>`)
    .join('')}<noscript><input type="submit" value="Continuar"/></noscript></form>`;

/**
 * A small register of taxpayers by hand, behind the provider of `login.siat`: the launcher with two messages and a
 * frame, the broker, the page with the form, and the document, which is only made for a session whose form came with
 * all that the page had put in it.
 */
export async function startSiat(inicial: Partial<GuionSiat> & { rfc: string; ciec: string }): Promise<SiatDePrueba> {
  const guion: GuionSiat = {
    pdf: '',
    boton: 'formReimpAcuse:j_idt50',
    rotulo: 'Generar Constancia',
    parcial: '<?xml version="1.0"?><partial-response id="j_id1"><changes></changes></partial-response>',
    enLugarDeReimpresion: null,
    ...inicial,
  };
  const idp = new Set<string>();
  const captchas = new Map<string, string>();
  const registro = new Map<string, { hecho: boolean; vista: string }>();
  const mensajes = new Set<string>();
  let accesos = 0;

  const cookieOf = ({ headers }: PeticionRecibida, nombre: string) =>
    new RegExp(`(?:^|; )${nombre}=([^;]+)`).exec(headers.cookie ?? '')?.[1] ?? '';
  const html = (res: ServerResponse, cuerpo: string, headers: Record<string, string> = {}) =>
    res
      .writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers })
      .end(`<html><body>${cuerpo}</body></html>`);
  const newMensaje = () => {
    const mensaje = randomUUID();
    mensajes.add(mensaje);
    return mensaje;
  };
  const spend = (campos: URLSearchParams, nombre: string) => mensajes.delete(campos.get(nombre) ?? '');

  function login(peticion: PeticionRecibida, campos: URLSearchParams, res: ServerResponse) {
    const sesion = cookieOf(peticion, 'IDP') || randomUUID();
    const cookie = { 'set-cookie': `IDP=${sesion}; Path=/; Secure` };
    const efirma = campos.get('token') !== null;
    if (efirma || campos.has('Ecom_User_ID')) accesos += 1;
    const ciec =
      campos.get('Ecom_User_ID') === guion.rfc &&
      campos.get('Ecom_Password') === guion.ciec &&
      captchas.get(sesion) === campos.get('userCaptcha')?.toLowerCase();
    if (ciec || (efirma && campos.get('guid') === 'reto-1')) {
      idp.add(sesion);
      return html(res, `<p>Bienvenido ${guion.rfc}</p>`, cookie);
    }
    const captcha = randomUUID().slice(0, 6);
    captchas.set(sesion, captcha);
    res.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...cookie });
    return res.end(
      peticion.url.includes('id=fiel')
        ? paginaEfirma('reto-1')
        : paginaAcceso(captcha, campos.has('Ecom_User_ID') ? 'El RFC o contrase\\u00f1a son incorrectos' : ''),
    );
  }

  function reimpresion(sesion: { vista: string }): string {
    return `<script>function salir() { document.forms[0].submit(); }</script>
      <form id="formReimpAcuse" name="formReimpAcuse" method="post" action="/rfcampc/PTSC/IdcSiat/autc/ReimpresionTramite/ConsultaTramite.jsf">
      <input type="hidden" name="formReimpAcuse" value="formReimpAcuse"/><select name="formReimpAcuse:tipoTramite_input"><option value="0">x</option></select>
      <input type="text" name="formReimpAcuse:folio"/><button id="formReimpAcuse:j_idt31" type="submit"><span>Consultar</span></button>
      <button id="${guion.boton}" name="${guion.boton}" type="submit"><span>${guion.rotulo}</span></button>
      <input type="hidden" name="javax.faces.ViewState" value="${sesion.vista}"/></form>`;
  }

  function answer(peticion: PeticionRecibida, res: ServerResponse) {
    const { pathname } = new URL(peticion.url, 'http://siat');
    const campos = new URLSearchParams(peticion.body);
    const dentro = idp.has(cookieOf(peticion, 'IDP'));
    const sesion = registro.get(cookieOf(peticion, 'JSESSIONID'));
    switch (pathname) {
      case '/login/nidp/app':
        return html(res, '<p>Acceso</p>', { 'set-cookie': `IDP=${randomUUID()}; Path=/; Secure` });
      case '/login/nidp/app/login':
        return login(peticion, campos, res);
      case '/login/nidp/idff/sso':
        return html(res, formulario(`${LOGIN}/nidp/app/login?id=fiel_Aviso&amp;sid=0`, { relay: 'x' }));
      case '/login/nidp/saml2/sso': {
        if (!spend(campos, 'SAMLRequest')) break;
        if (!dentro) return login(peticion, new URLSearchParams(), res);
        return html(res, formulario(campos.get('RelayState') ?? '', { SAMLResponse: newMensaje(), RelayState: 'x' }));
      }
      case '/wwwmat/app/seg/faces/pages/lanzador.jsf':
        return html(
          res,
          formulario(`${LOGIN}/nidp/saml2/sso`, {
            SAMLRequest: newMensaje(),
            RelayState: `${MAT}/Shibboleth.sso/SAML2/POST`,
          }),
        );
      case '/wwwmat/Shibboleth.sso/SAML2/POST':
        if (!spend(campos, 'SAMLResponse')) break;
        return html(
          res,
          `<iframe class="marco" id="iframetoload" src="${REGISTRO}/app/seg/SessionBroker?url=/PTSC&amp;parametro=c"></iframe>`,
        );
      case '/rfcampc/app/seg/SessionBroker':
        return html(
          res,
          formulario(`${LOGIN}/nidp/saml2/sso`, {
            SAMLRequest: newMensaje(),
            RelayState: `${REGISTRO}/saml2/sp/acs/post`,
          }),
        );
      case '/rfcampc/saml2/sp/acs/post': {
        if (!spend(campos, 'SAMLResponse')) break;
        const id = randomUUID();
        registro.set(id, { hecho: false, vista: randomUUID() });
        res.writeHead(302, {
          location: `${REGISTRO}/PTSC/IdcSiat/autc/ReimpresionTramite/ConsultaTramite.jsf`,
          'set-cookie': `JSESSIONID=${id}; Path=/`,
        });
        return res.end();
      }
      case '/rfcampc/PTSC/IdcSiat/autc/ReimpresionTramite/ConsultaTramite.jsf': {
        if (sesion === undefined) break;
        if (peticion.method === 'GET') return html(res, guion.enLugarDeReimpresion ?? reimpresion(sesion));
        sesion.hecho =
          campos.get('javax.faces.ViewState') === sesion.vista &&
          campos.get('javax.faces.source') === guion.boton &&
          campos.get(guion.boton) === guion.boton &&
          campos.get('javax.faces.partial.ajax') === 'true' &&
          campos.get('javax.faces.partial.execute') === '@all' &&
          campos.get('formReimpAcuse') === 'formReimpAcuse' &&
          campos.get('formReimpAcuse:tipoTramite_input') === '0';
        return res.writeHead(200, { 'content-type': 'text/xml' }).end(guion.parcial);
      }
      case '/rfcampc/PTSC/IdcSiat/IdcGeneraConstancia.jsf':
        if (sesion?.hecho !== true) return html(res, '<p>Error al generar</p>');
        return res.writeHead(200, { 'content-type': 'application/pdf' }).end(guion.pdf);
    }
    return res.writeHead(404).end();
  }

  const servidor = await startServidor((peticion, res) => {
    answer(peticion, res);
  });
  return {
    ...servidor,
    guion,
    accesos: () => accesos,
    expire() {
      idp.clear();
      registro.clear();
    },
  };
}
