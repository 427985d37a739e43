import { checkAcceso } from '../../acceso/comprobar.ts';
import { limiteCuenta } from '../../acceso/limites.ts';
import { Aviso } from '../../components/aviso.tsx';
import { Boton } from '../../components/boton.tsx';
import { Campo } from '../../components/campo.tsx';
import { Formulario } from '../../components/formulario.tsx';
import { localPath } from '../../http/contexto.tsx';
import { type ContextoBase, defineRuta } from '../../http/ruta.ts';
import { INICIO } from './destinos.ts';
import { demasiados, type Falta } from './falta.ts';

export const verEntrar = defineRuta({
  metodo: 'GET',
  path: '/entrar',
  acceso: 'publica',
  handle: (contexto) => {
    if (contexto.browser.sesion?.fase === 'COMPLETA') return contexto.redirigir(INICIO);
    return renderEntrar(contexto, contexto.c.req.query('a'));
  },
});

export const entrar = defineRuta({
  metodo: 'POST',
  path: '/entrar',
  acceso: 'publica',
  async handle(contexto) {
    const { campos, deps, ip, browser } = contexto;
    const email = campos['email'] ?? '';
    const back = localPath(campos['a']) ?? INICIO;
    const found = await checkAcceso(deps, { email, password: campos['password'] ?? '', ip });
    if (found.resultado === 'esperar') return renderEntrar(contexto, back, demasiados(found.segundos));
    if (found.resultado === 'no-coincide')
      return renderEntrar(contexto, back, {
        status: 422,
        texto: 'El correo o la contraseña no coinciden. Revíselos y vuelva a intentarlo.',
      });

    const { usuario } = found;
    if (usuario.tieneSegundoFactor) {
      await browser.open(usuario.id, 'SEGUNDO_PASO');
      return contexto.redirigir(`/entrar/codigo?a=${encodeURIComponent(back)}`);
    }
    await deps.intentos.forget(limiteCuenta(email, deps.settings).clave);
    await browser.open(usuario.id, 'COMPLETA', 'entrar');
    return contexto.redirigir(back);
  },
});

function renderEntrar(contexto: ContextoBase, back: string | undefined, falta?: Falta): Response {
  const { campos, csrf, deps } = contexto;
  return contexto.pagina({
    titulo: 'Entrar',
    status: falta?.status ?? 200,
    esperar: falta?.esperar,
    contenido: (
      <div class="angosta">
        <h1>Entrar</h1>
        {falta ? <Aviso tono="error">{falta.texto}</Aviso> : null}
        <Formulario accion="/entrar" csrf={csrf}>
          <input type="hidden" name="a" value={localPath(back) ?? INICIO} />
          <Campo
            nombre="email"
            etiqueta="Correo"
            tipo="email"
            requerido
            autocompletar="username"
            maxLargo={254}
            enfocado={falta !== undefined}
            valor={campos['email']}
          />
          <Campo nombre="password" etiqueta="Contraseña" tipo="password" requerido autocompletar="current-password" />
          <Boton>Entrar</Boton>
        </Formulario>
        {deps.settings.registro === 'abierto' ? (
          <p>
            ¿Aún no tiene cuenta? <a href="/registro">Cree una</a>.
          </p>
        ) : null}
        <p class="suave">
          ¿Olvidó su contraseña? Pida al operador de esta instalación un código y <a href="/restablecer">elija otra</a>.
        </p>
      </div>
    ),
  });
}
