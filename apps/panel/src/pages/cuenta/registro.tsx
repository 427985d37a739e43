import { type PasswordGuardada, Rechazo } from '@acuse/db';
import { type Falta, REVISE, waitText } from '@acuse/page';
import { Boton, Campo, Formulario } from '@acuse/page/form';
import { limiteRegistrado, limiteRegistro, noteOwner } from '../../acceso/comprobar.ts';
import { faultOfPassword, NOMBRE_INVALIDO, parseEmail, parseNombre } from '../../acceso/reglas.ts';
import { type ContextoBase, routesFor } from '../../paginas.ts';
import { PasswordNueva } from './password.tsx';

type Faltas = Partial<Record<'nombre' | 'email' | 'password', string>>;

export const signUpPage = routesFor('publica');

signUpPage.get('/registro', (contexto) => {
  if (contexto.browser.sesion?.fase === 'COMPLETA') return contexto.redirectTo('/inicio');
  return renderRegistro(contexto);
});

/**
 * Makes an account with its first user. Where mail is sent, an e-mail that has an account is answered as one that has
 * none, after the same statements: who reads it is mailed a link, to confirm it or to choose a password, and follows
 * that before anything else. Without mail the page says when an e-mail has an account, as rarely as accounts can be made
 * from one address.
 */
signUpPage.post('/registro', async (contexto) => {
  const { campos, deps, ip, browser } = contexto;
  if (deps.settings.registro === 'cerrado') return renderRegistro(contexto);
  const nombre = parseNombre(campos['nombre'] ?? '');
  const email = parseEmail(campos['email'] ?? '');
  const password = campos['password'] ?? '';
  const faltas = faultsOf(nombre, email, password);
  if (nombre === null || email === null || Object.keys(faltas).length > 0) return renderRegistro(contexto, faltas);

  const permiso = await deps.intentos.take([limiteRegistro(ip, deps.settings)]);
  if (!permiso.permitido)
    return renderRegistro(
      contexto,
      {},
      {
        status: 429,
        texto: `Desde su conexión se crearon varias cuentas. Espere ${waitText(permiso.esperar)} y vuelva a intentarlo.`,
        esperar: permiso.esperar,
      },
    );
  const guardada = await deps.passwords.hash(password);
  const nueva = { nombre, email, password: guardada, ip };
  if (deps.settings.correo !== null) return registerByMail(contexto, nueva);
  try {
    const usuario = await deps.usuarios.register(nueva);
    await noteOwner(deps, email, ip);
    await browser.open(usuario.id, 'COMPLETA');
    return contexto.redirectTo('/inicio', { tono: 'exito', texto: 'Su cuenta está lista.' });
  } catch (error) {
    if (!(error instanceof Rechazo)) throw error;
    return renderRegistro(contexto, { email: 'Ese correo ya tiene una cuenta. Entre con ella, o use otro correo.' });
  }
});

async function registerByMail(
  { deps, redirectTo }: ContextoBase,
  nueva: { nombre: string; email: string; password: PasswordGuardada; ip: string },
): Promise<Response> {
  const { email } = nueva;
  const { permitido } = await deps.intentos.take([limiteRegistrado(email, deps.settings)]);
  try {
    await deps.usuarios.register({ ...nueva, verificar: true });
  } catch (error) {
    if (!(error instanceof Rechazo)) throw error;
    if (permitido) for (const mail of deps.accountMail) await mail.tellRegistered(email);
  }
  return redirectTo('/entrar', {
    tono: 'info',
    texto: `Le enviamos un correo a ${email}. Siga su enlace para terminar, y después entre. Revise también el correo no deseado.`,
  });
}

function faultsOf(nombre: string | null, email: string | null, password: string): Faltas {
  const fault = faultOfPassword(password, email ?? '');
  return {
    ...(nombre === null ? { nombre: `Escriba su nombre o el de su empresa, ${NOMBRE_INVALIDO}` } : {}),
    ...(email === null ? { email: 'Escriba un correo completo, como nombre@empresa.mx.' } : {}),
    ...(fault === null ? {} : { password: fault }),
  };
}

function renderRegistro(
  contexto: ContextoBase,
  faltas: Faltas = {},
  falta: Falta | undefined = Object.keys(faltas).length > 0 ? REVISE : undefined,
): Response {
  const { campos, deps } = contexto;
  if (deps.settings.registro === 'cerrado')
    return contexto.pagina(
      'Crear cuenta',
      <p>
        En esta instalación las cuentas las crea el operador. Pídale una, y él le dará un enlace para elegir su
        contraseña.
      </p>,
    );
  return contexto.pagina(
    'Crear cuenta',
    <>
      <Formulario accion="/registro" valores={campos} faltas={faltas}>
        <Campo
          nombre="nombre"
          label="Nombre suyo o de su empresa"
          requerido
          maxLargo={120}
          autocompletar="organization"
        />
        <Campo nombre="email" label="Correo" tipo="email" requerido maxLargo={254} autocompletar="username" />
        <PasswordNueva nombre="password" label="Contraseña" />
        <Boton>Crear cuenta</Boton>
      </Formulario>
      <p>
        ¿Ya tiene una? <a href="/entrar">Entre</a>.
      </p>
    </>,
    { ...falta, error: falta?.texto, narrow: true },
  );
}
