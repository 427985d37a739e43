import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { CredencialCiec } from '@acuse/core';
import { onTestFinished } from 'vitest';
import { createSatHttp } from '../../../http/sat-http.ts';
import { type PeticionRecibida, startServidor } from '../../../testing/servidor.ts';
import { createPortalCanal, type PortalCanal } from '../../create-portal-canal.ts';
import { paginaAcceso, paginaPostIt } from '../../testing/paginas-de-prueba.ts';
import { createSelladoEfimero } from '../../testing/sellado-efimero.ts';
import { createSesionesEnMemoria } from '../../testing/sesiones-en-memoria.ts';
import {
  type LadoDePrueba,
  paginaBusqueda,
  paginaInicio,
  type RetencionDePrueba,
  resultadoDe,
} from './paginas-retenciones.ts';

export const CIEC = 'secreta1';
const CAPTCHA = 'ABC123';
const RETENCIONES = 'https://prodretencioncontribuyente.clouda.sat.gob.mx';
const ACCESO = 'https://cfdiau.sat.gob.mx';
const INICIAL = '<div id="divResultados" style="display:none"></div>';

export interface MontajeRetenciones {
  readonly canal: PortalCanal;
  readonly peticiones: readonly PeticionRecibida[];
  readonly busquedas: URLSearchParams[];
  todas: RetencionDePrueba[];
  tope: number;
  diceTope: boolean;
  diaAbierto: boolean;
  /** "Continuar" comes back to the start page. */
  continuarNoLleva: boolean;
  /** What stands under the form before any search. */
  inicial: string;
  rfcMostrado: string;
  ciec: string;
  /** Changes every page of a search result. */
  alterar: (html: string) => string;
  /** Called before a search is answered. */
  antes: () => void;
  expire(): void;
}

/** A small portal of retenciones by hand, with its log-in on the host of the CFDI portal. */
export async function setUpRetenciones(todas: RetencionDePrueba[] = []): Promise<MontajeRetenciones> {
  const sesiones = new Set<string>();
  const asertos = new Set<string>();
  const servidor = await startServidor((peticion, res) => {
    answer(peticion, res);
  });
  const http = createSatHttp({ baseUrl: servidor.url });
  onTestFinished(servidor.close);
  onTestFinished(http.close);
  const montaje: MontajeRetenciones = {
    canal: createPortalCanal({
      sellado: createSelladoEfimero(),
      http,
      captcha: { resolve: async () => CAPTCHA },
      sesiones: createSesionesEnMemoria(),
    }),
    peticiones: servidor.peticiones,
    busquedas: [],
    todas,
    tope: 500,
    diceTope: true,
    diaAbierto: true,
    continuarNoLleva: false,
    inicial: INICIAL,
    rfcMostrado: 'EKU9003173C9',
    ciec: CIEC,
    alterar: (html) => html,
    antes: () => {},
    expire: () => sesiones.clear(),
  };

  const html = (res: ServerResponse, texto: string, headers: Record<string, string> = {}) =>
    res.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(texto);
  const redirect = (res: ServerResponse, location: string, headers: Record<string, string> = {}) =>
    res.writeHead(302, { location, ...headers }).end();

  function answer(peticion: PeticionRecibida, res: ServerResponse): ServerResponse {
    const url = new URL(peticion.url, 'http://sat');
    const campos = new URLSearchParams(peticion.body);
    if (url.pathname === '/cfdiau/nidp/wsfed/ep') return federate(peticion, campos, res);
    const [, host, ...resto] = url.pathname.split('/');
    if (host !== 'prodretencioncontribuyente') return res.writeHead(404).end();
    const camino = resto.join('/');
    if (peticion.method === 'POST' && campos.has('wresult')) {
      if (!asertos.delete(campos.get('wresult') ?? '')) return res.writeHead(500).end();
      const sesion = randomUUID();
      sesiones.add(sesion);
      return redirect(res, '/?oculta=1', { 'set-cookie': `FedAuth=${sesion}; Path=/; Secure; HttpOnly` });
    }
    const sesion = /FedAuth=([\w-]+)/.exec(peticion.headers.cookie ?? '')?.[1] ?? '';
    if (!sesiones.has(sesion)) return redirect(res, `${ACCESO}/nidp/wsfed/ep?wa=wsignin1.0&wctx=ru%3d0`);
    return serve(camino, peticion, campos, res);
  }

  function federate(peticion: PeticionRecibida, campos: URLSearchParams, res: ServerResponse): ServerResponse {
    if (peticion.method !== 'POST') return html(res, paginaAcceso(CAPTCHA));
    if (campos.get('userCaptcha') !== CAPTCHA) return html(res, paginaAcceso(CAPTCHA, 'Captcha no válido'));
    if (campos.get('Ecom_Password') !== montaje.ciec) {
      return html(res, paginaAcceso(CAPTCHA, 'El RFC o contraseña son incorrectos'));
    }
    const wresult = `<aserto>${randomUUID()}</aserto>`;
    asertos.add(wresult);
    return html(res, paginaPostIt(`${RETENCIONES}/`, { wa: 'wsignin1.0', wresult, wctx: 'ru=0' }));
  }

  function serve(
    camino: string,
    { method }: PeticionRecibida,
    campos: URLSearchParams,
    res: ServerResponse,
  ): ServerResponse {
    if (camino === '' && method === 'POST') {
      const eleccion = campos.get('ctl00$MainContent$TipoBusqueda');
      const good =
        campos.get('__VIEWSTATE') === 'inicio' && campos.get('ctl00$MainContent$BtnBusqueda') === 'Continuar';
      if (!good) return res.writeHead(500).end();
      const destino = eleccion === 'RdoTipoBusquedaReceptor' ? '/ConsultaReceptor' : '/ConsultaEmisor';
      return redirect(res, montaje.continuarNoLleva ? '/?oculta=1' : destino);
    }
    if (camino === '') return html(res, paginaInicio(montaje.rfcMostrado));
    const lado = { ConsultaReceptor: 'receptor', ConsultaEmisor: 'emisor' }[camino] as LadoDePrueba | undefined;
    if (lado === undefined) return res.writeHead(503).end();
    const pantalla = { lado, viewstate: `${lado}-${randomUUID()}`, diaAbierto: montaje.diaAbierto };
    if (method !== 'POST')
      return html(res, paginaBusqueda(montaje.rfcMostrado, { ...pantalla, resultado: montaje.inicial }));
    const complete =
      campos.get('__VIEWSTATE')?.startsWith(`${lado}-`) === true &&
      campos.get('n_filtro') === 'filtros' &&
      campos.get('n_buscar') === '1' &&
      !campos.has('n_cancelar');
    if (!complete) return res.writeHead(500).end();
    montaje.busquedas.push(campos);
    montaje.antes();
    const found = matching(montaje.todas, lado, campos);
    const resultado = resultadoDe(lado, found.slice(0, montaje.tope), montaje.diceTope && found.length > montaje.tope);
    return html(res, montaje.alterar(paginaBusqueda(montaje.rfcMostrado, { ...pantalla, resultado })));
  }
  return montaje;
}

export function ciecDe(ciec = CIEC): CredencialCiec {
  return { tipo: 'ciec', rfc: 'EKU9003173C9', ciec: Buffer.from(ciec) };
}

function matching(
  todas: readonly RetencionDePrueba[],
  lado: LadoDePrueba,
  campos: URLSearchParams,
): RetencionDePrueba[] {
  const campo = (id: string) => campos.get(`n_${id}`) ?? '';
  const two = (id: string) => campo(id).padStart(2, '0');
  const hora = (fin: 'Ini' | 'Fin') => [`selHor${fin}`, `selMin${fin}`, `selSeg${fin}`].map(two).join(':');
  const iso = (mexicana: string) => mexicana.split('/').reverse().join('-');
  const mes = `${campo('selAnio')}-${two('selMes')}`;
  const abierto = campo('selDia') === '0';
  const dias =
    lado === 'emisor'
      ? [iso(campo('fecIniEmi')), iso(campo('fecFinEmi'))]
      : [`${mes}-${abierto ? '01' : two('selDia')}`, `${mes}-${abierto ? '31' : two('selDia')}`];
  const filtro = campos.get('ctl00$MainContent$DdlEstadoComprobante') ?? campos.get('n_selEstado');
  const estado = filtro === '-1' ? null : filtro === '0' ? 'Cancelado' : 'Vigente';
  return todas.filter(
    (r) =>
      r.lado === lado &&
      r.fecha >= `${dias[0]}T${hora('Ini')}` &&
      r.fecha <= `${dias[1]}T${hora('Fin')}` &&
      (estado === null || r.estado === estado),
  );
}
