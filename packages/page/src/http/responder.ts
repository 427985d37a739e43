import { bodyLimit } from 'hono/body-limit';
import { type Accion, describePermiso, isParte, NOMBRES_PAPEL, type Parte, puede } from '../acceso/permisos.ts';
import type { PageDeps } from '../deps.ts';
import { FormularioIlegible, isUpload, MAX_FORM_BYTES, MAX_UPLOAD_BYTES, readForm } from './campos.ts';
import {
  createContexto,
  type Peticion,
  renderNoEncontrada,
  renderRechazo,
  renderSesionTerminada,
} from './contexto.tsx';
import type { ContextoCliente, Mount, Persona, Ruta, Usuario } from './ruta.ts';

const AJENA = {
  status: 403,
  titulo: 'Esta acción no se hizo',
  texto:
    'La página desde la que llegó ya no es válida: la sesión cambió, o la envió otro sitio. Abra la página de nuevo desde el panel y repita la acción.',
};
const GRANDE = {
  status: 413,
  titulo: 'Lo que envió es demasiado grande',
  texto: 'No se guardó nada. Revise que haya elegido el archivo correcto y vuelva a enviarlo.',
};
const ILEGIBLE = {
  status: 400,
  titulo: 'No entendimos lo que envió',
  texto: 'No se guardó nada. Abra la página de nuevo desde el panel y repita la acción.',
};

/** Answers one address. A POST's origin comes first; then who may come in; size, fields and token; the page itself. */
export async function answerRuta<D extends PageDeps>(ruta: Ruta<D>, peticion: Peticion<D>): Promise<Response> {
  const isPost = ruta.metodo === 'POST';
  if (isPost && !isFromPanel(peticion)) return renderRechazo(peticion, AJENA);
  const refusal = await refuseEntry(ruta, peticion);
  if (refusal) return refusal;
  // U+0000: the database takes it in no text, so nothing has such a name.
  if (peticion.c.req.url.includes('%00')) return renderNoEncontrada(peticion);
  // A public page has no `usuario`, a person's may be in no account; `routesFor` gives its handler the type that says so.
  if (!isPost) return ruta.handle(createContexto(peticion, ruta.acceso) as ContextoCliente<D>);

  const tooLarge = () => renderRechazo(peticion, GRANDE);
  const maxSize = ruta.maxBytes ?? (isUpload(peticion.c) ? MAX_UPLOAD_BYTES : MAX_FORM_BYTES);
  let answer: Response | undefined;
  const refused = await bodyLimit({ maxSize, onError: tooLarge })(peticion.c, async () => {
    answer = await answerPost(ruta, peticion);
  });
  return refused instanceof Response ? refused : (answer ?? tooLarge());
}

async function answerPost<D extends PageDeps>(ruta: Ruta<D>, peticion: Peticion<D>): Promise<Response> {
  const formulario = await readForm(peticion.c).catch((error: unknown) => {
    if (error instanceof FormularioIlegible) return null;
    throw error;
  });
  if (formulario === null) return renderRechazo(peticion, ILEGIBLE);
  if (!peticion.browser.isCsrf(formulario.campos['_csrf'])) return renderRechazo(peticion, AJENA);
  return ruta.handle(createContexto(peticion, ruta.acceso, formulario) as ContextoCliente<D>);
}

/** Answers for an application that is mounted whole. */
export async function answerMount<D extends PageDeps>(mount: Mount<D>, peticion: Peticion<D>): Promise<Response> {
  const { c, deps, activos, usuario } = peticion;
  const isReading = c.req.method === 'GET' || c.req.method === 'HEAD';
  if (!isReading && !isFromPanel(peticion)) return renderRechazo(peticion, AJENA);
  if (usuario === null) return renderSesionTerminada(peticion, mount.pagina);
  const refusal = await refuseEntry({ ...mount, accion: 'cambiar' }, peticion);
  if (refusal) return refusal;
  return mount.fetch(c.req.raw, { deps, activo: activos.href });
}

function isFromPanel({ c, deps }: Peticion): boolean {
  const headers = { secFetchSite: c.req.header('sec-fetch-site'), origin: c.req.header('origin') };
  return isSameOrigin(headers, new URL(deps.settings.publicUrl).origin);
}

/**
 * Answer to a visitor without access: strangers log in; users with an unconfirmed e-mail confirm it; pages of the
 * operator do not exist for others; users without an account choose one; a page of an account names the members with
 * the right.
 */
async function refuseEntry(ruta: Pick<Ruta, 'acceso' | 'accion'>, peticion: Peticion): Promise<Response | null> {
  const { acceso, accion } = ruta;
  const { c, usuario } = peticion;
  if (acceso === 'publica') return null;
  if (usuario === null) {
    const { pathname, search } = new URL(c.req.url);
    const back = c.req.method === 'GET' && pathname !== '/' ? `?a=${encodeURIComponent(pathname + search)}` : '';
    return new Response(null, { status: 303, headers: { Location: `/entrar${back}` } });
  }
  if (acceso === 'persona') return null;
  // Of who signed up: the address may be a stranger's.
  if (usuario.porVerificar && peticion.deps.settings.correo !== null)
    return new Response(null, { status: 303, headers: { Location: '/cuenta/correo' } });
  if (acceso === 'operador') return usuario.rol === 'OPERADOR' ? null : renderNoEncontrada(peticion);
  if (!isInCuenta(usuario)) return new Response(null, { status: 303, headers: { Location: '/cuentas' } });
  if (!isParte(acceso)) return renderNoEncontrada(peticion);
  return puede(usuario.papel, accion, acceso) ? null : renderSinPermiso(peticion, usuario, accion, acceso);
}

const isInCuenta = (persona: Persona): persona is Usuario => persona.cuentaId !== null && persona.papel !== null;

/** E-mails of members shown to a reader who must ask one of them. */
const MAX_A_QUIEN = 5;

/** The page for a missing right: the members who have it, and the remedy. */
async function renderSinPermiso(peticion: Peticion, usuario: Usuario, accion: Accion, parte: Parte): Promise<Response> {
  const { papeles, que } = describePermiso(accion, parte);
  const personas = await peticion.deps.equipo.list(usuario.cuentaId);
  const able = personas.filter(({ papel }) => papeles.includes(papel)).map(({ email }) => email);
  const quienes = able.slice(0, MAX_A_QUIEN).join(', ') + (able.length > MAX_A_QUIEN ? ' y otras personas' : '');
  return renderRechazo(peticion, {
    status: 403,
    titulo: 'Su rol no permite esto',
    texto: `En la cuenta «${usuario.cuenta}» su rol es ${NOMBRES_PAPEL[usuario.papel]}, y con él no puede ${que}. No se cambió nada. Quien sí puede: ${quienes || 'nadie'}. Pídaselo, o pida a un propietario que cambie su rol en Equipo.`,
  });
}

/**
 * Whether a request that changes something comes from a page of the panel. Browsers say so themselves (Fetch Metadata,
 * and the `Origin` header of every POST); a request that says neither comes from no browser that could be tricked, and
 * is refused as well.
 */
function isSameOrigin(
  headers: { readonly secFetchSite: string | undefined; readonly origin: string | undefined },
  own: string,
): boolean {
  const { secFetchSite, origin } = headers;
  if (secFetchSite === undefined && origin === undefined) return false;
  if (secFetchSite !== undefined && secFetchSite !== 'same-origin') return false;
  return origin === undefined || origin === own;
}
