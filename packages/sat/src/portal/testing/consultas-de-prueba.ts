import {
  contenidoDescargas,
  delta,
  formularioBusqueda,
  paginaPortal,
  panelBusqueda,
  panelResultados,
} from './paginas-de-prueba.ts';
import { type Guion, type Peticion, type Responder, sendHtml } from './portal-de-prueba.ts';

const C = 'ctl00$MainContent$';
const FORMA_METADATA = /^\{'Parametros':'((?:[A-Za-z0-9]|%2B|%2F|%3D)+)'\}$/;

/** The pages behind the log-in. Answers HTTP 500 to a request that a browser would not have sent. */
export function createConsultas(guion: Guion) {
  const busquedas: URLSearchParams[] = [];
  const solicitudes: string[] = [];
  const PARAMETROS = 'criterios "cifrados" <ñ> =&';

  function search(tipo: 'emitidos' | 'recibidos', peticion: Peticion): string | null {
    const { campos, headers } = peticion;
    const isAjax = headers['x-microsoftajax'] === 'Delta=true' && campos.get('__ASYNCPOST') === 'true';
    if (!isAjax || campos.get('__CSRFTOKEN') !== 'csrf/+=') return null;
    if (campos.get(`${C}FiltroCentral`) !== 'RdoFechas' || campos.has('seleccionador')) return null;
    if (campos.get('__EVENTTARGET') === `${C}RdoFechas`) {
      const fresh =
        campos.get('__VIEWSTATE') === `${tipo}-1` &&
        !campos.has(`${C}BtnBusqueda`) &&
        !campos.has(`${C}CldFecha$DdlDia`) &&
        campos.get('ctl00$ScriptManager1') === `${C}UpnlBusqueda|${C}RdoFechas`;
      if (!fresh) return null;
      const eleccion = delta([
        ['#', '', '4'],
        ['updatePanel', 'ctl00_MainContent_UpnlBusqueda', panelBusqueda()],
        ['hiddenField', '__EVENTTARGET', ''],
        ['hiddenField', '__VIEWSTATE', `${tipo}-2|/+=`],
        ['formAction', '', './Consulta.aspx'],
      ]);
      return guion.eleccion === null ? eleccion : guion.eleccion(eleccion);
    }
    const complete =
      campos.get('__VIEWSTATE') === `${tipo}-2|/+=` &&
      campos.get(`${C}BtnBusqueda`) === 'Buscar CFDI' &&
      campos.get(`${C}hfUrlDescarga`) === 'ñ|/+=' &&
      campos.get(`${C}ddlComplementos`) === '-1' &&
      campos.get('ctl00$ScriptManager1') === `${C}UpnlBusqueda|${C}BtnBusqueda`;
    if (!complete) return null;
    busquedas.push(campos);
    const vacia = guion.filas.length === 0;
    const panel = panelResultados({
      uuids: guion.filas,
      parametros: PARAMETROS,
      muestraFilas: !vacia,
      diceQueNoHay: vacia,
    });
    const texto = delta([
      ['#', '', '4'],
      ['updatePanel', 'ctl00_UpnlNombre', '\r\n   '],
      ['updatePanel', 'ctl00_MainContent_UpnlResultados', panel],
      ['hiddenField', '__VIEWSTATE', `${tipo}-3`],
      ['pageTitle', '', 'Portal Contribuyentes CFDI | Buscar CFDI'],
    ]);
    return guion.resultado === null ? texto : guion.resultado(texto);
  }

  const responder: Responder = (peticion, res) => {
    const { metodo, donde } = peticion;
    const rfc = String(peticion.headers['x-rfc']) || null;
    const pagina = donde.slice('portalcfdi/'.length);
    const tipo = pagina.startsWith('ConsultaEmisor.aspx') ? 'emitidos' : 'recibidos';
    if (/^Consulta(Emisor|Receptor)\.aspx$/.test(pagina)) {
      if (metodo === 'GET')
        return sendHtml(res, paginaPortal(rfc, `./${pagina}`, formularioBusqueda(tipo, `${tipo}-1`)));
      const texto = search(tipo, peticion);
      res.writeHead(texto === null ? 500 : 200, { 'content-type': 'text/plain; charset=utf-8' }).end(texto ?? '');
      return true;
    }
    if (/^Consulta(Emisor|Receptor)\.aspx\/DescargaMetadatos$/.test(pagina)) {
      const escaped = FORMA_METADATA.exec(peticion.cuerpo)?.[1];
      const parametros = Buffer.from(decodeURIComponent(escaped ?? ''), 'base64').toString();
      const isJson = peticion.headers['content-type'] === 'application/json; charset=utf-8';
      const good = isJson && metodo === 'POST' && parametros === PARAMETROS;
      if (good) solicitudes.push(tipo);
      res.writeHead(good ? 200 : 500, { 'content-type': 'application/json; charset=utf-8' });
      res.end(good ? guion.respuestaFolio : '');
      return true;
    }
    if (pagina !== 'ConsultaDescargaMasiva.aspx') return false;
    if (metodo === 'GET') {
      return sendHtml(res, paginaPortal(rfc, `./${pagina}`, contenidoDescargas(guion.ofertas, 'lista-1')));
    }
    const offered = guion.ofertas.some(
      ({ folio, url }) =>
        peticion.campos.get(`${C}hfFolioDescargaActual`) === folio &&
        peticion.campos.get(`${C}hfUrlDescargaActual`) === url &&
        peticion.campos.get('__EVENTTARGET') === `${C}setLinkButtonDescarga` &&
        peticion.campos.get('__VIEWSTATE') === 'lista-1' &&
        peticion.campos.get('__CSRFTOKEN') === 'csrf/+=',
    );
    if (offered) guion.descarga(res, peticion.campos);
    else res.writeHead(500).end();
    return true;
  };

  return { responder, busquedas, solicitudes };
}
