import { faultOfPassword, MIN_PASSWORD } from '../../acceso/reglas.ts';
import { Boton } from '../../components/boton.tsx';
import { Campo } from '../../components/campo.tsx';
import { Formulario } from '../../components/formulario.tsx';
import { type ContextoCliente, defineRuta } from '../../http/ruta.ts';
import { confirmPassword } from './confirmar-password.ts';
import { refuseMany } from './demasiados.ts';
import { CUENTA } from './destinos.ts';

interface Faltas {
  readonly status: 422 | 429;
  readonly actual?: string;
  readonly nueva?: string;
}

export const verPassword = defineRuta({
  metodo: 'GET',
  path: '/cuenta/password',
  acceso: 'cliente',
  handle: (contexto) => renderPassword(contexto),
});

/** Changes the password. Every other session ends, and this one goes on under another id. */
export const cambiarPassword = defineRuta({
  metodo: 'POST',
  path: '/cuenta/password',
  acceso: 'cliente',
  async handle(contexto) {
    const { campos, deps, ip, navegador, usuario } = contexto;
    const nueva = campos['nueva'] ?? '';
    const fault = faultOfPassword(nueva, usuario.email);
    if (fault !== null) return renderPassword(contexto, { status: 422, nueva: fault });
    const falta = await confirmPassword(contexto, campos['actual'] ?? '');
    if (falta) {
      const page = renderPassword(contexto, { status: falta.status, actual: falta.texto });
      return falta.status === 429 ? refuseMany(falta.esperar, page) : page;
    }
    await deps.usuarios.setPassword(usuario.id, await deps.passwords.hash(nueva));
    await deps.sesiones.closeAll(usuario.id, navegador.huella());
    await navegador.rotate();
    await deps.usuarios.audit(usuario, 'cambiar-password', ip);
    return contexto.redirigir(CUENTA, {
      tono: 'exito',
      texto: 'Su contraseña cambió, y las sesiones en otros dispositivos terminaron.',
    });
  },
});

function renderPassword({ csrf, pagina, usuario }: ContextoCliente, faltas?: Faltas): Response {
  return pagina({
    titulo: 'Cambiar contraseña',
    status: faltas?.status ?? 200,
    contenido: (
      <div class="angosta">
        <h1>Cambiar contraseña</h1>
        <Formulario accion="/cuenta/password" csrf={csrf}>
          <input type="hidden" name="usuario" autocomplete="username" value={usuario.email} />
          <Campo
            nombre="actual"
            etiqueta="Contraseña actual"
            tipo="password"
            requerido
            autocompletar="current-password"
            error={faltas?.actual}
          />
          <Campo
            nombre="nueva"
            etiqueta="Contraseña nueva"
            tipo="password"
            requerido
            minLargo={MIN_PASSWORD}
            autocompletar="new-password"
            ayuda={`Al menos ${MIN_PASSWORD} caracteres.`}
            error={faltas?.nueva}
          />
          <Boton>Cambiar contraseña</Boton>
        </Formulario>
        <p>
          <a href={CUENTA}>Volver sin cambiarla</a>
        </p>
      </div>
    ),
  });
}
