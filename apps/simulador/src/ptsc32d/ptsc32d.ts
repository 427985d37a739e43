import { type Context, Hono } from 'hono';
import { z } from 'zod';
import type { Nidp } from '../nidp/nidp.ts';
import { ROOT } from '../portal/guard.ts';
import { attend, encode, htmlResponse, originOf, putSettings, redirect } from '../web/http.ts';
import type { World } from '../world/world.ts';
import {
  issueOpinion,
  type OpinionEmitida,
  opinionPdf,
  opinionSettingsSchema,
  SENTIDO_IMPRESO,
} from './opinion-pdf.ts';
import { createSignIn } from './sign-in.ts';

const service = 'ptsc32d';

const requestSchema = z.object({
  canal: z.string(),
  curp: z.string(),
  idCorrelacion: z.string().min(1),
  ip: z.string(),
  rfc: z.string(),
  tipoConsulta: z.literal('COMPLETA'),
  tipoReporte: z.literal('32D'),
  usuario: z.string(),
  rfcCorto: z.string(),
});

/**
 * The application that issues a taxpayer's opinion, to be mounted at `/ptsc32d`. Paths and JSON keys:
 * phpcfdi/opinion-cumplimiento-sat-scraper and SAT-CFDI/python-satcfdi.
 */
export function createPtsc32d({ world, loginda }: { world: World; loginda: Nidp }): Hono {
  const settings = opinionSettingsSchema.parse({});
  const signIn = createSignIn({ world, loginda });
  const baseOf = (c: Context) => `${originOf(c)}/${service}`;

  const home = (c: Context) => {
    const rfc = signIn.current(c);
    return attend(world, { service, operation: 'Inicio', rfc: rfc ?? '' }, (fault) =>
      rfc === null || fault?.kind === 'expired'
        ? signIn.challenge(c, `/${new URL(c.req.url).search}`)
        : htmlResponse(applicationPage(baseOf(c), rfc)),
    );
  };

  const callback = async (c: Context) => {
    const { answer, rfc } = await signIn.callback(c);
    return attend(world, { service, operation: 'RecibirCodigo', rfc }, () => answer);
  };

  /** Where a page that speaks OAuth itself is brought back to, with the code in its address. */
  const returned = () => htmlResponse('<!DOCTYPE html><html><body><div id="root"></div></body></html>');

  const document = async (c: Context) => {
    const rfc = signIn.current(c);
    const call = { service, operation: 'ObtenerRespuestaCompletaPdf', rfc: rfc ?? '' };
    return attend(world, call, async (fault) => {
      if (rfc === null || fault?.kind === 'expired') return signIn.end(c, unauthorized());
      const request = requestSchema.safeParse(await c.req.json().catch(() => null));
      if (!request.success) return c.json({ title: 'Bad Request', status: 400 }, 400);
      if (fault?.kind === 'code') return c.json(failure(fault.mensaje ?? NOT_AVAILABLE));
      if ([request.data.rfc, request.data.usuario].some((given) => given.toUpperCase() !== rfc))
        return c.json(failure('El RFC de la consulta no corresponde al contribuyente autenticado.'));
      const opinion = issueOpinion(world, rfc);
      return c.json(success(opinion, await opinionPdf(opinion, settings.diseno)));
    });
  };

  const logOut = (c: Context) => {
    const rfc = signIn.current(c);
    return attend(world, { service, operation: 'Salir', rfc: rfc ?? '' }, () =>
      signIn.end(c, redirect(`${originOf(c)}/loginda/nidp/app/logout`)),
    );
  };

  return new Hono()
    .get('/simulador/ajustes', (c) => c.json(settings))
    .put('/simulador/ajustes', (c) => putSettings(c, opinionSettingsSchema, settings))
    .on('GET', ROOT, home)
    .get('/static/js/main.js', (c) => c.body(APPLICATION_SCRIPT, 200, { 'content-type': 'text/javascript' }))
    .post('/oauth2/callback', callback)
    .get('/oauth2/callback', returned)
    .post('/RespuestaCompleta/ObtenerRespuestaCompletaPdf', document)
    .get('/logout', logOut);
}

const NOT_AVAILABLE = 'Por el momento no es posible generar la opinión del cumplimiento. Intente más tarde.';

function success(opinion: OpinionEmitida, pdf: Buffer) {
  const [palabra, letra] = SENTIDO_IMPRESO[opinion.sentido];
  return {
    ContenidoBase64: pdf.toString('base64'),
    NombreArchivo: `${opinion.rfc}_${opinion.folio}.pdf`,
    Validaciones: {
      Descripcion: palabra.charAt(0) + palabra.slice(1).toLowerCase(),
      Valor: letra,
      Estatus: 'Vigente',
      Folio: opinion.folio,
    },
    Respuesta: { Exito: true, Mensaje: 'La consulta se realizó correctamente', Codigo: '200' },
  };
}

function failure(mensaje: string) {
  const Respuesta = { Exito: false, Mensaje: mensaje, Codigo: '500' };
  return { ContenidoBase64: null, NombreArchivo: null, Validaciones: null, Respuesta };
}

function unauthorized(): Response {
  return new Response(null, { status: 401, headers: { 'www-authenticate': 'Bearer' } });
}

/** Title that the application's frame of the document has; public clients look for it. */
const FRAME = 'pdfReporteOpinion';

function applicationPage(base: string, rfc: string): string {
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

const APPLICATION_SCRIPT = `(function () {
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
