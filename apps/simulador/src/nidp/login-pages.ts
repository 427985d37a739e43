import { encode } from '../web/http.ts';

/** Texts that the page gives a refused log-in; the first two are those that public clients look for. */
export const CIEC_ERRORS = {
  captcha: 'Captcha no válido',
  wrong: 'El RFC o contraseña son incorrectos. Verifique su información e intente de nuevo.',
  locked: 'Su cuenta está bloqueada temporalmente por exceder los intentos permitidos. Intente más tarde.',
} as const;

type CiecPage = {
  action: string;
  fielAddress: string;
  /** PNG of the captcha; null when the simulator shows none. */
  imagen: Buffer | null;
  error: string;
};

/**
 * The log-in page by password. Form fields, ids and the place of the error (a script variable, shown by the script)
 * are those of phpcfdi/cfdi-sat-scraper, tests/_files. The image says image/jpeg though it is a PNG, as there.
 */
export function ciecPage({ action, fielAddress, imagen, error }: CiecPage): string {
  return `<!DOCTYPE html>
<html lang="es">
<head>
<meta charset="UTF-8">
<title>SAT Autenticaci&oacute;n</title>
</head>
<body style="padding-top: 0px;">
<main class="page">
  <div class="container" id="container">
    <h3>Acceso por contrase&ntilde;a</h3>
    <div class="row" style="display: none;" id="divMsgError">
      <div class="col-sm-12"><div class="alert alert-danger" id="msgError"></div></div>
    </div>
    <form role="form" id="IDPLogin" name="IDPLogin" enctype="application/x-www-form-urlencoded"
          method="POST" action="${encode(action)}" class="form-horizontal" autocomplete="off">
      <input type="hidden" name="option" value="credential">
      <label for="rfc">RFC:</label>
      <input class="form-control" id="rfc" placeholder="RFC" type="text" name="Ecom_User_ID" size="25" value="">
      <label for="password">Contrase&ntilde;a:</label>
      <input class="form-control" id="password" type="password" name="Ecom_Password" size="25" maxlength="16">
      <label for="claveDinamica">e.firma portable:</label>
      <input class="form-control" disabled id="claveDinamica" type="password">
${imagen ? captchaFields(imagen) : ''}
      <div class="pull-right">
        <button type="button" class="btn btn-default" id="buttonFiel">e.firma</button>
        <input class="btn btn-primary" type="submit" value="Enviar" id="submit" name="submit">
      </div>
    </form>
  </div>
</main>
<script>
  var error = '${error}';
  if (error.length != 0) {
    document.getElementById('msgError').innerHTML = '<strong>Error!</strong> ' + error;
    document.getElementById('divMsgError').style.display = 'block';
  }
  $('#buttonFiel').click(function () { $(location).attr('href', '${fielAddress}'); });
</script>
</body>
</html>
`;
}

function captchaFields(imagen: Buffer): string {
  return `      <label for="userCaptcha">Captcha:</label>
      <label class="col-sm-3 control-label" id="divCaptcha">
        <img src="data:image/jpeg;base64,${imagen.toString('base64')}">
      </label>
      <input class="form-control" id="userCaptcha" type="text" name="userCaptcha" size="25" maxlength="16"
             onkeyup="javascript:this.value=this.value.toUpperCase();">`;
}

/** Why the log-in by e.firma was refused, as the page says it. */
export const FIEL_ERRORS = {
  token: 'Los datos enviados no son válidos.',
  guid: 'La página ha caducado, intente de nuevo.',
  certificado: 'El certificado no es una e.firma válida.',
  firma: 'El certificado, clave privada o contraseña de clave privada son inválidos.',
  vigencia: 'El certificado está revocado, caduco o aún no es vigente.',
} as const;

/**
 * The log-in page by e.firma. A browser's script computes `token` and `fert`; every named input of `#certform` is sent
 * back. Some controls have no name, as on the SAT's page. (phpcfdi/cfdi-sat-scraper, src/Sessions/Fiel.)
 */
export function fielPage({ action, guid, error }: { action: string; guid: string; error: string }): string {
  return `<!DOCTYPE html>
<html lang="es">
<head>
<meta charset="UTF-8">
<title>SAT Autenticaci&oacute;n</title>
</head>
<body>
<main class="page">
  <div class="container" id="container">
    <h3>Acceso con e.firma</h3>
    <div id="divError" style="display: ${error === '' ? 'none' : 'block'};"><div id="msgError">${encode(error)}</div></div>
    <form id="certform" name="certform" method="POST" action="${encode(action)}">
      <input type="hidden" name="token" id="token" value="">
      <input type="hidden" name="credentialsRequired" value="CERT">
      <input type="hidden" name="guid" id="guid" value="${guid}">
      <input type="hidden" name="ks" value="null">
      <input type="hidden" name="seeder" id="seeder" value="">
      <input type="hidden" name="arc" id="arc" value="">
      <input type="hidden" name="tan" id="tan" value="">
      <input type="hidden" name="placer" id="placer" value="">
      <input type="hidden" name="secuence" id="secuence" value="">
      <input type="hidden" name="urlApplet" value="${encode(action)}">
      <input type="hidden" name="fert" id="fert" value="">
      <input type="text" id="txtCertificate" disabled>
      <input type="file" id="fileCertificate" style="display: none;">
      <input type="file" id="filePrivateKey" style="display: none;">
      <input type="text" id="rfc" disabled>
      <input type="password" id="privateKeyPassword" autocomplete="off">
      <input type="button" id="submit" value="Enviar">
    </form>
  </div>
</main>
</body>
</html>
`;
}
