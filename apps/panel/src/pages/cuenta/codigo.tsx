import { limiteCodigos, limiteCuenta, limiteIp } from '../../acceso/limites.ts';
import { takeSegundoFactor } from '../../acceso/segundo-factor.ts';
import { Aviso } from '../../components/aviso.tsx';
import { Boton } from '../../components/boton.tsx';
import { Campo } from '../../components/campo.tsx';
import { Formulario } from '../../components/formulario.tsx';
import { localPath } from '../../http/contexto.tsx';
import { type ContextoBase, defineRuta } from '../../http/ruta.ts';
import { INICIO } from './destinos.ts';
import { demasiados, type Falta } from './falta.ts';

/** Who has typed the password and not yet the code. */
function waiting({ browser: { sesion } }: ContextoBase) {
  return sesion?.fase === 'SEGUNDO_PASO' ? sesion.usuario : null;
}

export const verCodigo = defineRuta({
  metodo: 'GET',
  path: '/entrar/codigo',
  acceso: 'publica',
  handle: (contexto) => {
    if (!waiting(contexto)) return contexto.redirigir('/entrar');
    return renderCodigo(contexto, contexto.c.req.query('a'));
  },
});

export const enviarCodigo = defineRuta({
  metodo: 'POST',
  path: '/entrar/codigo',
  acceso: 'publica',
  async handle(contexto) {
    const { campos, deps, ip, browser } = contexto;
    const usuario = waiting(contexto);
    if (!usuario)
      return contexto.redirigir('/entrar', { tono: 'info', texto: 'Pasó demasiado tiempo. Entre de nuevo.' });
    const back = localPath(campos['a']) ?? INICIO;
    const limites = [limiteIp(ip, deps.settings), limiteCodigos(usuario.id, deps.settings)];
    const permiso = await deps.intentos.take(limites);
    if (!permiso.permitido) return renderCodigo(contexto, back, demasiados(permiso.esperar));
    const via = await takeSegundoFactor(deps, usuario, campos['codigo'] ?? '');
    if (via === null)
      return renderCodigo(contexto, back, {
        status: 422,
        texto:
          'Ese código no sirve, o ya se usó. Escriba el que la aplicación muestra ahora, o un código de recuperación sin usar.',
      });

    await deps.intentos.giveBack([limiteIp(ip, deps.settings)]);
    for (const { clave } of [limiteCodigos(usuario.id, deps.settings), limiteCuenta(usuario.email, deps.settings)])
      await deps.intentos.forget(clave);
    await browser.open(usuario.id, 'COMPLETA', via === 'app' ? 'entrar' : 'entrar-con-recuperacion');
    if (via === 'app') return contexto.redirigir(back);
    const quedan = await deps.segundosFactores.countCodigos(usuario.id);
    return contexto.redirigir(back, {
      tono: 'info',
      texto: `Usó un código de recuperación: le quedan ${quedan}. Puede hacer otros en Cuenta, Verificación en dos pasos.`,
    });
  },
});

function renderCodigo(contexto: ContextoBase, back: string | undefined, falta?: Falta): Response {
  return contexto.pagina({
    titulo: 'Código de verificación',
    status: falta?.status ?? 200,
    esperar: falta?.esperar,
    contenido: (
      <div class="angosta">
        <h1>Código de verificación</h1>
        {falta ? <Aviso tono="error">{falta.texto}</Aviso> : null}
        <Formulario accion="/entrar/codigo" csrf={contexto.csrf}>
          <input type="hidden" name="a" value={localPath(back) ?? INICIO} />
          <Campo
            nombre="codigo"
            etiqueta="Código"
            requerido
            enfocado
            literal
            autocompletar="one-time-code"
            maxLargo={40}
            ayuda="Los 6 dígitos de su aplicación, o uno de sus códigos de recuperación."
          />
          <Boton>Entrar</Boton>
        </Formulario>
        <p>
          <a href="/entrar">Entrar con otra cuenta</a>
        </p>
      </div>
    ),
  });
}
