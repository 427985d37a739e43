/** Pages of the portal as the tests' server writes them: same ids, names and order as the real ones, own contents. */

/** Not an image for people: a PNG signature and the answer in clear, so that the tests' resolver can read it. */
export function captchaDe(respuesta: string): Buffer {
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.from(respuesta)]);
}

const PAGINA_EFIRMA = '/nidp/app/login?id=SATx509Custom&sid=0&option=credential&sid=0';

export function paginaAcceso(captcha: string, error = '', efirma = `/cfdiau${PAGINA_EFIRMA}`): string {
  const src = `data:image/jpeg;base64,${captchaDe(captcha).toString('base64')}`;
  return `<!DOCTYPE html><html lang="es"><head><title>SAT Autenticaci&oacute;n</title></head><body>
<div style="display: none;" id="divMsgError"><div class="alert" id="msgError"></div></div>
<form role="form" id="IDPLogin" name="IDPLogin" method="POST" autocomplete="off">
 <input type="hidden" name="option" value="credential">
 <input id="rfc" type="text" name="Ecom_User_ID" value="" onblur="javascript:this.value = this.value.toUpperCase();">
 <input id="password" type="password" name="Ecom_Password" maxlength="16">
 <label id="divCaptcha"><img src="${src}"></label>
 <input id="userCaptcha" type="text" name="userCaptcha" maxlength="16">
 <button type="button" id="buttonFiel">e.firma</button><input type="submit" value="Enviar" id="submit" name="submit">
</form>
<script>
 $(document).ready(function () {
  var error = '${error}';
  if (error != "") { $('#msgError').html('<strong>Error!</strong> ' + error); }
  $('#buttonFiel').click(function () {
    $(location).attr('href', '${efirma}')
  });
  function validate() { var error = ''; if (rfc == '') { $('#msgError').html('no ha llenado varios campos. RFC'); } }
 });
</script></body></html>`;
}

/** The log-in page of the e.firma: hidden fields only, filled in and submitted by a script. */
export function paginaEfirma(guid: string, error = ''): string {
  return `<!DOCTYPE html><html lang="es"><head><title>SAT Autenticaci&oacute;n</title></head><body>
<div id="divMsgError"><div class="alert" id="msgError">${error}</div></div>
<form action="" method="POST" id="certform" enctype="application/x-www-form-urlencoded">
 <input type="hidden" name="token" id="token"/><input type="hidden" name="credentialsRequired" value="CERT"/>
 <input type="hidden" name="guid" id="guid" value="${guid}"/><input type="hidden" name="ks" value="null"/>
 <input type="hidden" name="fert" id="fert"/><input type="file" id="fileCertificate"/><input type="password" id="privateKeyPassword"/>
</form>
<script>function firmar(t, f) { $('#token').val(t); $('#fert').val(f); document.getElementById('certform').submit(); }</script></body></html>`;
}

/** A page that sends a form by itself. */
export function pagePostIt(accion: string, campos: Readonly<Record<string, string>>): string {
  const inputs = Object.entries(campos)
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}"/>`)
    .join('\n');
  return `<html><head><title>PostIt</title></head><body>
<form method="POST" enctype="application/x-www-form-urlencoded" action="${accion}">${inputs}</form>
<script language="JavaScript"><!--
 document.forms[0].submit();
--></script></body></html>`;
}

/**
 * The frame of every page of the portal: the RFC, and a script that submits the form only when something is pressed.
 */
export function paginaPortal(rfc: string | null, accion: string, contenido: string): string {
  const nombre =
    rfc === null ? '' : `<span id="ctl00_LblRfcAutenticado" class="signin">RFC Autenticado: ${escapeHtml(rfc)}</span>`;
  return `<!DOCTYPE html><html><head><meta http-equiv="Content-Type" content="text/html; charset=utf-16" /></head><body>
<form method="post" action="${accion}" id="aspnetForm">
<input type="hidden" name="__CSRFTOKEN" id="__CSRFTOKEN" value="csrf/+=" />
${contenido}
<script>//<![CDATA[
var theForm = document.forms['aspnetForm']; function __doPostBack(t, a) { if (!theForm.onsubmit) { theForm.submit(); } }
//]]></script>
${nombre}<a href="/logout.aspx?salir=y" id="anchorClose">Salir</a></form></body></html>`;
}

export interface Panel {
  readonly uuids: readonly string[];
  readonly parametros: string;
  readonly muestraFilas: boolean;
  readonly diceQueNoHay: boolean;
}

export function panelResultados({ uuids, parametros, muestraFilas, diceQueNoHay }: Panel): string {
  const style = (visible: boolean) => `style="text-align:center;display:${visible ? 'inline' : 'none'};"`;
  const filas = uuids.map(
    (
      uuid,
    ) => `<tr><td><table><tr><td><input id="ListaFolios" name ="ListaFolios" type="checkbox" value=${uuid} class ="ListaFolios" />
<span id="BtnDescarga" onclick="return AccionCfdi('RecuperaCfdi.aspx?Datos=a/b+c=','Recuperacion');"></span></td></tr></table></td>
<td><span>${uuid}</span></td><td>AAA010101AAA</td><td>Peñón &amp; Cía | S.A.</td></tr>`,
  );
  return `\r\n<div id="ctl00_MainContent_PnlResultados" ${style(muestraFilas)}>
<table id="ctl00_MainContent_tblResult"><tr><th>Acciones</th><th>Folio Fiscal</th><th>RFC Emisor</th><th>Nombre</th></tr>${filas.join('')}</table></div>
<div id="ctl00_MainContent_PnlNoResultados" ${style(diceQueNoHay)}><h2>No existen registros que cumplan con los criterios de b&uacute;squeda</h2></div>
<input type="hidden" name="ctl00$MainContent$hfParametrosMetadata" id="hfParametrosMetadata" value="${escapeHtml(parametros)}" />`;
}

/** The answer to a partial postback. */
export function delta(registros: ReadonlyArray<readonly [tipo: string, id: string, contenido: string]>): string {
  return registros.map(([tipo, id, contenido]) => `${contenido.length}|${tipo}|${id}|${contenido}|`).join('');
}

interface Offer {
  readonly folio: string;
  readonly url: string;
  readonly registros?: number;
}

export function contenidoDescargas(offers: readonly Offer[], viewstate: string): string {
  const filas = offers.map(
    ({ folio, url, registros }) =>
      `<tr><td><table><tr><td><span class="Interactivo" onclick="return AccionRetencion(&#39;${folio}&#39;,&#39;${escapeHtml(url)}&#39;,&#39;Recuperacion&#39;);"></span></td></tr></table></td>
<td>${folio}</td><td>Metadata</td><td>${registros === undefined ? '' : registros.toLocaleString('en-US')}</td></tr>`,
  );
  return `<input type="hidden" name="__VIEWSTATE" value="${viewstate}" />
<input name="ctl00$MainContent$hfFolioDescargaActual" id="hfFolioDescargaActual" value="" type='hidden' />
<input type="hidden" name="ctl00$MainContent$hfUrlDescargaActual" id="hfUrlDescargaActual" />
<div id="ctl00_MainContent_PnlResultados"><table id="ctl00_MainContent_tblResult"><tr><th>Descargar paquete</th><th>Folio de descarga</th><th>Tipo Descarga</th><th>Cantidad de documentos</th></tr>${filas.join('')}</table></div>
<script>function AccionRetencion(folio, url, tipo) { $('#hfFolioDescargaActual').val(folio); }</script>`;
}

export function escapeHtml(texto: string): string {
  return texto.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll("'", '&#39;');
}
