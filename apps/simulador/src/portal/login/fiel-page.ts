import { encode } from '../web/html.ts';

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
