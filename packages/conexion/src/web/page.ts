/** The page, filled by its script; `href`: the address of an asset. The field of the CIEC has no name, so that no form sends it. */
export const pageHtml = (href: (file: string) => string): string => `<!doctype html>
<html lang="es-MX">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Conectar su RFC</title>
<link rel="stylesheet" href="${href('marca.css')}">
<link rel="stylesheet" href="${href('conectar.css')}">
<script type="module" src="${href('conectar.js')}"></script>
</head>
<body>
<main>
<img id="logo" alt="" hidden>
<h1 id="titulo" tabindex="-1">Conectar su RFC</h1>
<noscript><p>Esta página necesita JavaScript para cerrar su contraseña antes de enviarla. Actívelo y recargue.</p></noscript>
<p id="aviso" role="status"></p>
<section id="quien" aria-labelledby="quien-titulo" hidden>
<h2 id="quien-titulo">Quién la pide y para qué</h2>
<dl>
<dt>Quién</dt><dd id="dato-solicitante"></dd>
<dt>Para qué</dt><dd id="dato-finalidad"></dd>
<dt>De qué RFC</dt><dd id="dato-rfc"></dd>
<dt>Hasta cuándo</dt><dd id="dato-hasta"></dd>
</dl>
</section>
<form id="forma" method="post" novalidate hidden>
<h2>Su contraseña del SAT</h2>
<p id="ciec-ayuda" class="ayuda">Su navegador la cierra antes de enviarla. Solo la abre el programa que entra al SAT en su nombre: quien la pide no la ve.</p>
<label for="ciec">Contraseña del SAT (CIEC)</label>
<input id="ciec" type="password" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="64" aria-describedby="ciec-ayuda error" required>
<p><button id="ver" type="button" aria-controls="ciec">Mostrar</button></p>
<label class="casilla"><input id="acepto" type="checkbox" required><span>Doy permiso para que se use mi contraseña con ese fin hasta esa fecha. Puedo retirarlo cuando quiera.</span></label>
<button id="enviar" type="submit">Dar permiso y conectar</button>
</form>
<p id="error" role="alert"></p>
<section id="hecho" aria-labelledby="hecho-titulo" hidden>
<h2 id="hecho-titulo" tabindex="-1">Su permiso está vigente</h2>
<p>El SAT aceptó su contraseña. Quien la pidió puede usarla, sin verla, hasta la fecha de arriba.</p>
<div id="con-retiro">
<p>Guarde este enlace: con él puede retirar el permiso cuando quiera.</p>
<p><a id="enlace-retiro"></a></p>
<p><button id="recibo-pdf" type="button">Guardar recibo (PDF)</button><button id="recibo-json" type="button">Guardar recibo (JSON)</button></p>
</div>
<p id="sin-retiro">El enlace para retirar el permiso se mostró una vez, en el navegador con que lo dio. También termina si cambia su contraseña en el portal del SAT.</p>
<div id="retiro" hidden><button id="retirar" type="button">Retirar el permiso</button></div>
<p><a id="regreso" class="boton" rel="noreferrer" hidden></a></p>
</section>
</main>
</body>
</html>
`;
