import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Credencial, CredencialCiec, CredencialEfirma } from '@acuse/core';
import { onTestFinished } from 'vitest';
import type { SatHttpSettings } from '../../http/direcciones.ts';
import { createSatHttp } from '../../http/sat-http.ts';
import { createLectorPdf } from '../../pdf/lector-pdf.ts';
import { createEfirma } from '../../testing/certificados.ts';
import { type PeticionRecibida, startServidor } from '../../testing/servidor.ts';
import { createPortalCanal, type PortalCanal } from '../create-portal-canal.ts';
import type { PortalSettings } from '../settings.ts';
import { CIEC, RESOLVEDOR, RFC } from './canal-de-prueba.ts';
import { paginaAcceso, paginaEfirma, paginaPostIt } from './paginas-de-prueba.ts';
import { createSelladoEfimero } from './sellado-efimero.ts';
import { createSesionesEnMemoria } from './sesiones-en-memoria.ts';

/** A request with its address taken apart. */
export interface Paso {
  readonly metodo: string;
  /** First label of the host. */
  readonly host: string;
  readonly camino: string;
  readonly query: URLSearchParams;
  readonly campos: URLSearchParams;
  readonly cuerpo: string;
  readonly headers: PeticionRecibida['headers'];
}

export interface PtscOptions {
  /** First label of the identity provider. */
  readonly acceso: 'login' | 'loginda';
  /** First labels of the hosts that ask for a session, and the place of return of each. */
  readonly protegidos: Readonly<Record<string, { readonly regreso: string; readonly inicio: string }>>;
  /** Full names by first label, for the forms that go from one host to another. */
  readonly dominios: Readonly<Record<string, string>>;
  /** Pages of the portal, once there is a session (`rfc`) or the host asks for none (null). Nothing: HTTP 404. */
  responder(paso: Paso, res: ServerResponse, rfc: string | null): void;
}

export interface Ptsc {
  readonly canal: PortalCanal;
  readonly pasos: Paso[];
  /** Passwords and signed challenges that were sent. */
  accesos(): number;
  /** The portal forgets its sessions; `todas` the identity provider's too. */
  expire(que: 'portal' | 'todas'): void;
  readonly efirma: CredencialEfirma;
  readonly ciec: CredencialCiec;
}

/** One for all tests of a process: a thread takes its time to start, and keeps no process alive while it is idle. */
const lector = createLectorPdf();

/**
 * A portal of the SAT behind one of its newer identity providers: the empty form that sends itself on, the two log-in
 * pages, the script that leaves them, the form that brings the assertion back.
 */
export async function startPtsc(
  options: PtscOptions,
  { settings = {}, http = {} }: { settings?: PortalSettings; http?: SatHttpSettings } = {},
): Promise<Ptsc> {
  const pasos: Paso[] = [];
  const idp = new Map<string, string>();
  const captchas = new Map<string, string>();
  const sesiones = new Map<string, string>();
  const aserciones = new Map<string, string>();
  const efirma = createEfirma({ rfc: RFC });
  const HOST_IDP = `https://${options.dominios[options.acceso]}`;

  function showAcceso(res: ServerResponse, sesion: string): void {
    const captcha = randomUUID().slice(0, 6).toUpperCase();
    captchas.set(sesion, captcha);
    send(res, paginaAcceso(captcha, '', `/${options.acceso}/nidp/app/login?id=fiel&sid=0`));
  }

  function provide(paso: Paso, res: ServerResponse): void {
    const sesion = cookie(paso, 'IDP') ?? randomUUID();
    res.setHeader('set-cookie', `IDP=${sesion}; Path=/; Secure; HttpOnly`);
    const rfc = idp.get(sesion);
    const vuelta = paso.query.get('vuelta');
    if (vuelta !== null) res.appendHeader('set-cookie', `VUELTA=${vuelta}; Path=/; Secure`);
    const conEfirma = paso.query.get('id') === 'fiel';
    if (rfc !== undefined) deliver(res, rfc, vuelta ?? cookie(paso, 'VUELTA') ?? '');
    else if (conEfirma ? isFirmado(paso) : isCiec(paso, sesion)) {
      idp.set(sesion, RFC);
      send(res, `<html><head><script>top.location.href='${HOST_IDP}/nidp/continuar';</script></head></html>`);
    } else if (conEfirma) send(res, paginaEfirma(randomUUID()));
    else if (paso.query.get('option') === 'credential') showAcceso(res, sesion);
    else {
      const action = `/${options.acceso}/nidp/app/login?id=ciec&sid=0&option=credential`;
      send(
        res,
        `<form method="POST" name="IDPLogin" action="${action}"></form><script>document.IDPLogin.submit();</script>`,
      );
    }
  }

  function isCiec({ campos }: Paso, sesion: string): boolean {
    const captcha = captchas.get(sesion);
    return (
      captcha !== undefined &&
      campos.get('userCaptcha') === captcha &&
      campos.get('Ecom_User_ID') === RFC &&
      campos.get('Ecom_Password') === CIEC
    );
  }

  function isFirmado({ campos }: Paso): boolean {
    const texto = decode(decode(campos.get('token') ?? '').split('#')[0] ?? '');
    return texto.split('|')[1] === RFC;
  }

  function deliver(res: ServerResponse, rfc: string, host: string): void {
    const asercion = randomUUID();
    aserciones.set(asercion, rfc);
    const regreso = options.protegidos[host]?.regreso ?? '';
    send(
      res,
      paginaPostIt(`https://${options.dominios[host]}${regreso}`, {
        SAMLResponse: asercion,
        RelayState: 'x&"<',
      }),
    );
  }

  function enter(paso: Paso, res: ServerResponse, inicio: string): void {
    const rfc = aserciones.get(paso.campos.get('SAMLResponse') ?? '');
    if (rfc === undefined || paso.campos.get('RelayState') !== 'x&"<') {
      end(res, 500);
      return;
    }
    const sesion = randomUUID();
    sesiones.set(sesion, rfc);
    res.setHeader('set-cookie', `APP=${sesion}; Path=/; Secure; HttpOnly`);
    const pendiente = cookie(paso, 'PENDIENTE');
    redirect(res, `/${paso.host}${pendiente === undefined ? inicio : decodeURIComponent(pendiente)}`);
  }

  const servidor = await startServidor((peticion, res) => {
    const paso = toPaso(peticion);
    pasos.push(paso);
    const protegido = options.protegidos[paso.host];
    const rfc = sesiones.get(cookie(paso, 'APP') ?? '') ?? null;
    if (paso.host === options.acceso && paso.camino.startsWith('/nidp/app/log')) provide(paso, res);
    else if (paso.host === options.acceso && paso.camino === '/nidp/continuar') provide(paso, res);
    else if (paso.camino === protegido?.regreso) enter(paso, res, protegido.inicio);
    else if (protegido !== undefined && rfc === null) {
      const pendiente = encodeURIComponent(`${paso.camino}?${paso.query}`);
      res.setHeader('set-cookie', `PENDIENTE=${pendiente}; Path=/; Secure`);
      redirect(res, `${HOST_IDP}/nidp/app/login?sid=0&vuelta=${paso.host}`);
    } else {
      options.responder(paso, res, rfc);
      if (!res.headersSent) end(res, 404);
    }
  });
  const satHttp = createSatHttp({ baseUrl: servidor.url, ...http });
  onTestFinished(servidor.close);
  onTestFinished(satHttp.close);
  return {
    canal: createPortalCanal({
      sellado: createSelladoEfimero(),
      http: satHttp,
      captcha: RESOLVEDOR,
      sesiones: createSesionesEnMemoria(),
      settings,
      readPdf: lector.read,
    }),
    pasos,
    accesos: () => pasos.filter((p) => p.campos.has('Ecom_Password') || (p.campos.get('token') ?? '') !== '').length,
    expire(que) {
      sesiones.clear();
      if (que === 'todas') idp.clear();
    },
    efirma,
    ciec: { tipo: 'ciec', rfc: RFC, ciec: Buffer.from(CIEC) },
  };
}

export function send(res: ServerResponse, html: string, tipo = 'text/html; charset=utf-8'): void {
  res.writeHead(200, { 'content-type': tipo }).end(html);
}

export function redirect(res: ServerResponse, location: string): void {
  res.writeHead(302, { location }).end();
}

export function end(res: ServerResponse, status: number): void {
  res.writeHead(status).end();
}

/** The credential of each kind, for tests of both. */
export function credencialDe(ptsc: Ptsc, tipo: Credencial['tipo']): Credencial {
  return tipo === 'ciec' ? ptsc.ciec : ptsc.efirma;
}

function toPaso({ method, url, headers, body }: PeticionRecibida): Paso {
  const { pathname, searchParams } = new URL(url, 'http://ptsc');
  const [, host = '', ...resto] = pathname.split('/');
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true;
  return {
    metodo: method,
    host,
    camino: `/${resto.join('/')}`,
    query: searchParams,
    campos: new URLSearchParams(isForm ? body : ''),
    cuerpo: body,
    headers,
  };
}

function cookie({ headers }: Paso, nombre: string): string | undefined {
  return (headers.cookie ?? '')
    .split('; ')
    .find((par) => par.startsWith(`${nombre}=`))
    ?.slice(nombre.length + 1);
}

function decode(base64: string): string {
  return Buffer.from(base64, 'base64').toString('utf8');
}
