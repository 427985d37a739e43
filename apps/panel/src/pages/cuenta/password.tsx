import { demasiados, type Falta, limiteIp, REVISE } from '@acuse/page';
import { Boton, Campo, Formulario } from '@acuse/page/form';
import { confirmPassword, noteOwner } from '../../acceso/comprobar.ts';
import { faultOfPassword, MIN_PASSWORD } from '../../acceso/reglas.ts';
import { type ContextoBase, type PersonContext, routesFor } from '../../paginas.ts';

interface FaltaDe extends Falta {
  readonly campo: 'actual' | 'nueva';
}

export const passwordPage = routesFor('persona');

passwordPage.get('/cuenta/password', renderPassword);

/** Changes the password. Every other session ends, and this one goes on under another id. */
passwordPage.post('/cuenta/password', async (contexto) => {
  const { campos, deps, browser, usuario } = contexto;
  const nueva = campos['nueva'] ?? '';
  const fault = faultOfPassword(nueva, usuario.email);
  if (fault !== null) return renderPassword(contexto, { status: 422, texto: fault, campo: 'nueva' });
  const falta = await confirmPassword(contexto, campos['actual'] ?? '');
  if (falta) return renderPassword(contexto, { ...falta, campo: 'actual' });
  const hash = await deps.passwords.hash(nueva);
  await deps.usuarios.setPassword(usuario.id, hash, browser.huella(), contexto.autor);
  await browser.rotate();
  return contexto.redirectTo('/cuenta', {
    tono: 'exito',
    texto: 'Su contraseña cambió, y las sesiones en otros dispositivos terminaron.',
  });
});

function renderPassword({ pagina, usuario }: PersonContext, falta?: FaltaDe): Response {
  return pagina(
    'Cambiar contraseña',
    <>
      <Formulario accion="/cuenta/password" faltas={falta ? { [falta.campo]: falta.texto } : {}}>
        <input type="hidden" name="usuario" autocomplete="username" value={usuario.email} />
        <Campo nombre="actual" label="Contraseña actual" tipo="password" requerido autocompletar="current-password" />
        <PasswordNueva nombre="nueva" label="Contraseña nueva" />
        <Boton>Cambiar contraseña</Boton>
      </Formulario>
      <p>
        <a href="/cuenta">Volver sin cambiarla</a>
      </p>
    </>,
    { ...falta, narrow: true },
  );
}

export const resetPage = routesFor('publica');

/** Page for a new password by a code, mailed or given by the operator; the address may carry the code. */
resetPage.get('/restablecer', (contexto) => renderReset(contexto, contexto.c.req.query('codigo') ?? ''));

resetPage.post('/restablecer', async (contexto) => {
  const { campos, deps, ip, browser } = contexto;
  const codigo = (campos['codigo'] ?? '').trim();
  const password = campos['password'] ?? '';
  const fault = faultOfPassword(password, '');
  if (fault !== null) return renderReset(contexto, codigo, REVISE, fault);
  const limites = [limiteIp(ip, deps.settings)];
  const permiso = await deps.intentos.take(limites);
  if (!permiso.permitido) return renderReset(contexto, codigo, demasiados(permiso.esperar));
  const email = await deps.usuarios.redeemCodigo(codigo, await deps.passwords.hash(password), ip);
  if (email === null)
    return renderReset(contexto, codigo, {
      status: 422,
      texto: deps.settings.correo
        ? 'El código no sirve: ya se usó, venció o está incompleto. Pida otro enlace en «¿Olvidó su contraseña?».'
        : 'El código no sirve: ya se usó, venció o está incompleto. Pida otro al operador.',
    });
  await deps.intentos.giveBack(limites);
  await noteOwner(deps, email, ip);
  await browser.close();
  return contexto.redirectTo('/entrar', {
    tono: 'exito',
    texto: `La contraseña de ${email} quedó guardada. Entre con ella.`,
  });
});

function renderReset(contexto: ContextoBase, codigo: string, falta?: Falta, faltaPassword?: string): Response {
  return contexto.pagina(
    'Elegir contraseña',
    <>
      <p>
        {contexto.deps.settings.correo
          ? 'El código viene en el enlace que se le envió por correo, o lo da el operador de esta instalación.'
          : 'El operador de esta instalación da un código para elegir una contraseña.'}{' '}
        Sirve una sola vez, y termina las sesiones que estén abiertas.
      </p>
      <Formulario accion="/restablecer" faltas={{ password: faltaPassword }}>
        <Campo
          nombre="codigo"
          label="Código"
          requerido
          literal
          maxLargo={100}
          autocompletar="off"
          enfocado={falta !== undefined && faltaPassword === undefined}
          value={codigo.slice(0, 100)}
        />
        <PasswordNueva nombre="password" label="Contraseña nueva" />
        <Boton>Guardar contraseña</Boton>
      </Formulario>
    </>,
    { ...falta, error: falta?.texto, narrow: true },
  );
}

/** The field for a new password. */
export function PasswordNueva({ nombre, label }: { readonly nombre: string; readonly label: string }) {
  return (
    <Campo
      nombre={nombre}
      label={label}
      tipo="password"
      requerido
      minLargo={MIN_PASSWORD}
      autocompletar="new-password"
      ayuda={`Al menos ${MIN_PASSWORD} caracteres. Varias palabras juntas son fáciles de recordar y difíciles de adivinar.`}
    />
  );
}
