import { encode } from '../portal/web/html.ts';

/** Title that the application's frame of the document has; public clients look for it. */
const FRAME = 'pdfReporteOpinion';

/** The page of the application: its script asks for the document and shows it in a frame. */
export function applicationPage(base: string, rfc: string): string {
  return `<!DOCTYPE html>
<html lang="es">
<head>
<meta charset="UTF-8">
<title>Opini&oacute;n del cumplimiento de obligaciones fiscales</title>
</head>
<body>
<nav><span id="rfc">${encode(rfc)}</span> <a href="${encode(base)}/logout">Cerrar sesi&oacute;n</a></nav>
<div id="root" data-base="${encode(base)}" data-rfc="${encode(rfc)}"></div>
<script src="${encode(base)}/static/js/main.js"></script>
</body>
</html>
`;
}

/** The application's script. */
export const APPLICATION_SCRIPT = `(function () {
  var root = document.getElementById('root');
  var rfc = root.dataset.rfc;
  var pedido = {
    canal: 'G', curp: '', idCorrelacion: crypto.randomUUID(), ip: '127.0.0.1', rfc: rfc,
    tipoConsulta: 'COMPLETA', tipoReporte: '32D', usuario: rfc, rfcCorto: rfc
  };
  fetch(root.dataset.base + '/RespuestaCompleta/ObtenerRespuestaCompletaPdf', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
    body: JSON.stringify(pedido)
  }).then(function (respuesta) { return respuesta.json(); }).then(function (cuerpo) {
    if (!cuerpo.Respuesta.Exito) { root.textContent = cuerpo.Respuesta.Mensaje; return; }
    var marco = document.createElement('iframe');
    marco.title = '${FRAME}';
    marco.src = 'data:application/pdf;base64,' + cuerpo.ContenidoBase64;
    root.appendChild(marco);
  });
})();
`;
