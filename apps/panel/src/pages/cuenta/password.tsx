import { faultOfPassword } from '../../acceso/reglas.ts';
import { Boton } from '../../components/boton.tsx';
import { Campo } from '../../components/campo.tsx';
import { Formulario } from '../../components/formulario.tsx';
import { quien } from '../../http/quien.ts';
import { type ContextoCliente, defineRuta } from '../../http/ruta.ts';
import { confirmPassword } from './confirmar-password.ts';
import { CUENTA } from './destinos.ts';
import type { Falta } from './falta.ts';
import { PasswordNueva } from './password-nueva.tsx';

/** A fault, and the field that it is beside. */
interface FaltaDe extends Falta {
  readonly campo: 'actual' | 'nueva';
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
    const { campos, deps, browser, usuario } = contexto;
    const nueva = campos['nueva'] ?? '';
    const fault = faultOfPassword(nueva, usuario.email);
    if (fault !== null) return renderPassword(contexto, { status: 422, texto: fault, campo: 'nueva' });
    const falta = await confirmPassword(contexto, campos['actual'] ?? '');
    if (falta) return renderPassword(contexto, { ...falta, campo: 'actual' });
    const hash = await deps.passwords.hash(nueva);
    await deps.usuarios.setPassword(usuario.id, hash, browser.huella(), quien(contexto));
    await browser.rotate();
    return contexto.redirigir(CUENTA, {
      tono: 'exito',
      texto: 'Su contraseña cambió, y las sesiones en otros dispositivos terminaron.',
    });
  },
});

function renderPassword({ csrf, pagina, usuario }: ContextoCliente, falta?: FaltaDe): Response {
  const faultOf = (campo: FaltaDe['campo']) => (falta?.campo === campo ? falta.texto : undefined);
  return pagina({
    titulo: 'Cambiar contraseña',
    status: falta?.status ?? 200,
    esperar: falta?.esperar,
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
            error={faultOf('actual')}
          />
          <PasswordNueva nombre="nueva" etiqueta="Contraseña nueva" error={faultOf('nueva')} />
          <Boton>Cambiar contraseña</Boton>
        </Formulario>
        <p>
          <a href={CUENTA}>Volver sin cambiarla</a>
        </p>
      </div>
    ),
  });
}
