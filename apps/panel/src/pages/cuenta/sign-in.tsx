import { type Falta, localPath } from '@acuse/page';
import { Boton, Campo, CampoCodigo, Formulario } from '@acuse/page/form';
import { checkAcceso, checkCodigo, noteOwner } from '../../acceso/comprobar.ts';
import { type ContextoBase, routesFor } from '../../paginas.ts';

export const signInPage = routesFor('publica');

signInPage.get('/entrar', (contexto) => {
  if (contexto.browser.sesion?.fase === 'COMPLETA') return contexto.redirectTo('/inicio');
  return renderSignIn(contexto, contexto.c.req.query('a'));
});

signInPage.post('/entrar', async (contexto) => {
  const { campos, deps, ip, browser } = contexto;
  const email = campos['email'] ?? '';
  const back = localPath(campos['a']) ?? '/inicio';
  const nueva =
    deps.settings.correo === null
      ? ''
      : ' Si acaba de crear su cuenta, siga antes el enlace del correo que le enviamos.';
  const noCoincide = `El correo o la contraseña no coinciden. Revíselos y vuelva a intentarlo.${nueva}`;
  const found = await checkAcceso(deps, { email, password: campos['password'] ?? '', ip }, noCoincide);
  if (!('usuario' in found)) return renderSignIn(contexto, back, found);

  const { usuario } = found;
  if (usuario.tieneSegundoFactor) {
    await browser.open(usuario.id, 'SEGUNDO_PASO');
    return contexto.redirectTo(`/entrar/codigo?a=${encodeURIComponent(back)}`);
  }
  await noteOwner(deps, email, ip);
  await browser.open(usuario.id, 'COMPLETA', 'entrar');
  return contexto.redirectTo(back);
});

function renderSignIn(contexto: ContextoBase, back: string | undefined, falta?: Falta): Response {
  const { campos, deps } = contexto;
  return contexto.pagina(
    'Entrar',
    <>
      <Formulario accion="/entrar">
        <input type="hidden" name="a" value={localPath(back) ?? '/inicio'} />
        <Campo
          nombre="email"
          label="Correo"
          tipo="email"
          requerido
          autocompletar="username"
          maxLargo={254}
          enfocado={falta !== undefined}
          value={campos['email']}
        />
        <Campo nombre="password" label="Contraseña" tipo="password" requerido autocompletar="current-password" />
        <Boton>Entrar</Boton>
      </Formulario>
      {deps.settings.registro === 'abierto' ? (
        <p>
          ¿Aún no tiene cuenta? <a href="/registro">Cree una</a>.
        </p>
      ) : null}
      <p class="suave">
        ¿Olvidó su contraseña?{' '}
        {deps.settings.correo ? (
          <a href="/olvide">Elija otra</a>
        ) : (
          <>
            Pida al operador de esta instalación un código y <a href="/restablecer">elija otra</a>.
          </>
        )}
      </p>
    </>,
    { ...falta, error: falta?.texto, narrow: true },
  );
}

/** Who has typed the password and not yet the code. */
function waiting({ browser: { sesion } }: ContextoBase) {
  return sesion?.fase === 'SEGUNDO_PASO' ? sesion.usuario : null;
}

signInPage.get('/entrar/codigo', (contexto) => {
  if (!waiting(contexto)) return contexto.redirectTo('/entrar');
  return renderCodigo(contexto, contexto.c.req.query('a'));
});

signInPage.post('/entrar/codigo', async (contexto) => {
  const { campos, deps, ip, browser } = contexto;
  const usuario = waiting(contexto);
  if (!usuario)
    return contexto.redirectTo('/entrar', { tono: 'info', texto: 'Pasó demasiado tiempo. Entre de nuevo.' });
  const back = localPath(campos['a']) ?? '/inicio';
  const checked = await checkCodigo(contexto, usuario);
  if (!('via' in checked)) return renderCodigo(contexto, back, checked);

  const { via } = checked;
  await noteOwner(deps, usuario.email, ip);
  await browser.open(usuario.id, 'COMPLETA', via === 'app' ? 'entrar' : 'entrar-con-recuperacion');
  if (via === 'app') return contexto.redirectTo(back);
  const quedan = await deps.segundosFactores.countCodigos(usuario.id);
  return contexto.redirectTo(back, {
    tono: 'info',
    texto: `Usó un código de recuperación: le quedan ${quedan}. Puede hacer otros en Cuenta, Verificación en dos pasos.`,
  });
});

function renderCodigo(contexto: ContextoBase, back: string | undefined, falta?: Falta): Response {
  return contexto.pagina(
    'Código de verificación',
    <>
      <Formulario accion="/entrar/codigo">
        <input type="hidden" name="a" value={localPath(back) ?? '/inicio'} />
        <CampoCodigo enfocado />
        <Boton>Entrar</Boton>
      </Formulario>
      <p>
        <a href="/entrar">Entrar con otra cuenta</a>
      </p>
    </>,
    { ...falta, error: falta?.texto, narrow: true },
  );
}

/** Ends this browser's session. */
signInPage.post('/salir', async (contexto) => {
  await contexto.browser.close();
  return contexto.redirectTo('/entrar', { tono: 'info', texto: 'Salió del panel.' });
});
