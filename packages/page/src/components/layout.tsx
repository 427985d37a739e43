import { raw } from 'hono/html';
import type { Child } from 'hono/jsx';
import { NOMBRES_PAPEL } from '../acceso/permisos.ts';
import type { Mensaje, Persona } from '../http/ruta.ts';
import { Aviso } from './blocks.tsx';
import { Boton, Csrf, Formulario, safeHref } from './form.tsx';
import { Menus, type MenusPanel, Navegacion } from './navegacion.tsx';
import { PapelDeQuienLee, Permitido } from './permitido.tsx';

interface LayoutProps {
  /** Of the page, without the product's name. */
  readonly titulo: string;
  /** Null without a log-in: links to log in replace the navigation. */
  readonly usuario: Persona | null;
  readonly menus: MenusPanel;
  /** Path of the request, to mark where the reader is. */
  readonly ruta: string;
  readonly csrf: string;
  readonly nonce: string;
  /** The message that the page before left. */
  readonly aviso?: Mensaje | undefined;
  /** Address with content hash of a file in assets/. */
  readonly activo: (nombre: string) => string;
  readonly scripts?: readonly string[];
  readonly version: string;
  /** Where integrators reach the API, without a slash at the end. */
  readonly apiUrl: string;
  readonly children?: Child;
}

/** The whole document around a page. */
export function Layout(props: LayoutProps) {
  const { titulo, usuario, ruta, nonce, aviso, activo, scripts = [], version, apiUrl, children } = props;
  return (
    <Csrf.Provider value={props.csrf}>
      <PapelDeQuienLee.Provider value={usuario?.papel ?? null}>
        <Menus.Provider value={props.menus}>
          {raw('<!DOCTYPE html>')}
          <html lang="es-MX">
            <head>
              <meta charset="utf-8" />
              <title>{`${titulo} · Acuse`}</title>
              <meta name="viewport" content="width=device-width, initial-scale=1" />
              <meta name="color-scheme" content="light dark" />
              <meta name="referrer" content="same-origin" />
              <link rel="icon" type="image/svg+xml" href={activo('icono.svg')} />
              {['marca.css', 'estilo.css'].map((name) => (
                <link rel="stylesheet" href={activo(name)} nonce={nonce} />
              ))}
              {[...new Set(['copiar.js', ...scripts])].map((script) => (
                <script type="module" src={activo(script)} nonce={nonce} />
              ))}
            </head>
            <body>
              <a class="saltar" href="#contenido">
                Saltar al contenido
              </a>
              <div class={usuario ? 'marco con-nav' : 'marco'}>
                <header class="encabezado">
                  <a class="marca" href={usuario ? '/inicio' : '/'}>
                    <Marca />
                    Acuse
                  </a>
                  {usuario ? <Menu usuario={usuario} /> : <Entrada />}
                </header>
                {usuario ? <Navegacion ruta={ruta} usuario={usuario} /> : null}
                <main class="contenido" id="contenido" tabindex={-1}>
                  {usuario?.suspension ? (
                    <Aviso tono="alerta" titulo="Su cuenta está suspendida">
                      Las llaves de la cuenta responden 403 con código 1003. Motivo: {usuario.suspension}. Lo que está
                      en curso termina y lo terminado se puede bajar; para reabrirla, aclárelo con el operador del
                      servicio.
                    </Aviso>
                  ) : null}
                  {aviso ? <Aviso tono={aviso.tono}>{aviso.texto}</Aviso> : null}
                  {children}
                </main>
                <footer class="pie">
                  <span>Acuse {version}</span>
                  <a href={safeHref(`${apiUrl}/docs`)}>Documentación</a>
                  <a href={safeHref(`${apiUrl}/openapi.json`)}>OpenAPI</a>
                  <a href={safeHref(`${apiUrl}/estado`)}>Estado del SAT</a>
                  <span>Horas del centro de México</span>
                </footer>
              </div>
            </body>
          </html>
        </Menus.Provider>
      </PapelDeQuienLee.Provider>
    </Csrf.Provider>
  );
}

/** A receipt with a tick. */
function Marca() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <path
        fill="currentColor"
        d="M7 2h18a2 2 0 0 1 2 2v26l-3.7-2.4L19.7 30 16 27.6 12.3 30l-3.6-2.4L5 30V4a2 2 0 0 1 2-2Z"
      />
      <path
        class="palomita"
        fill="none"
        stroke-width="3"
        stroke-linecap="round"
        stroke-linejoin="round"
        d="m10.5 14.5 4 4 7-8"
      />
    </svg>
  );
}

function Entrada() {
  return (
    <nav class="fila" aria-label="Acceso">
      <a class="boton discreto" href="/entrar">
        Entrar
      </a>
      <a class="boton primario" href="/registro">
        Crear cuenta
      </a>
    </nav>
  );
}

function Menu({ usuario }: { readonly usuario: Persona }) {
  const nombre = usuario.nombre.trim() || usuario.email;
  return (
    <details class="menu">
      <summary>
        <span class="inicial" aria-hidden="true">
          {[...nombre][0]?.toUpperCase()}
        </span>
        <span class="solo-lectores">Menú de </span>
        <span>{nombre}</span>
      </summary>
      <div class="menu-hoja">
        <span class="suave chica">{usuario.email}</span>
        {usuario.papel === null ? null : (
          <span class="suave chica">
            {usuario.cuenta}, {NOMBRES_PAPEL[usuario.papel]}
          </span>
        )}
        <a href="/cuenta">Cuenta y seguridad</a>
        <Permitido ver="equipo">
          <a href="/equipo">Equipo</a>
        </Permitido>
        {usuario.cuentas > 1 ? <a href="/cuentas">Cambiar de cuenta</a> : null}
        <Formulario accion="/salir">
          <Boton variante="secundario">Salir</Boton>
        </Formulario>
      </div>
    </details>
  );
}
