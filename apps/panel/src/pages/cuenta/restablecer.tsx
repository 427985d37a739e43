import { limiteCuenta, limiteIp } from '../../acceso/limites.ts';
import { faultOfPassword } from '../../acceso/reglas.ts';
import { Aviso } from '../../components/aviso.tsx';
import { Boton } from '../../components/boton.tsx';
import { Campo } from '../../components/campo.tsx';
import { Formulario } from '../../components/formulario.tsx';
import { type ContextoBase, defineRuta } from '../../http/ruta.ts';
import { demasiados, type Falta } from './falta.ts';
import { PasswordNueva } from './password-nueva.tsx';

/** Where somebody chooses a password with the code that the operator gave; its address may carry the code. */
export const verRestablecer = defineRuta({
  metodo: 'GET',
  path: '/restablecer',
  acceso: 'publica',
  handle: (contexto) => renderRestablecer(contexto, contexto.c.req.query('codigo') ?? ''),
});

export const restablecer = defineRuta({
  metodo: 'POST',
  path: '/restablecer',
  acceso: 'publica',
  async handle(contexto) {
    const { campos, deps, ip, browser } = contexto;
    const codigo = (campos['codigo'] ?? '').trim();
    const password = campos['password'] ?? '';
    const fault = faultOfPassword(password, '');
    if (fault !== null)
      return renderRestablecer(contexto, codigo, { status: 422, texto: 'Revise lo que se señala abajo.' }, fault);
    const limites = [limiteIp(ip, deps.settings)];
    const permiso = await deps.intentos.take(limites);
    if (!permiso.permitido) return renderRestablecer(contexto, codigo, demasiados(permiso.esperar));
    const email = await deps.usuarios.redeemCodigo(codigo, await deps.passwords.hash(password), ip);
    if (email === null)
      return renderRestablecer(contexto, codigo, {
        status: 422,
        texto: 'El código no sirve: ya se usó, venció o está incompleto. Pida otro al operador.',
      });
    await deps.intentos.giveBack(limites);
    // Tries with the password of before, the owner's or a stranger's, do not keep the owner waiting.
    await deps.intentos.forget(limiteCuenta(email, deps.settings).clave);
    await browser.close();
    return contexto.redirigir('/entrar', {
      tono: 'exito',
      texto: `La contraseña de ${email} quedó guardada. Entre con ella.`,
    });
  },
});

function renderRestablecer(contexto: ContextoBase, codigo: string, falta?: Falta, faltaPassword?: string): Response {
  return contexto.pagina({
    titulo: 'Elegir contraseña',
    status: falta?.status ?? 200,
    esperar: falta?.esperar,
    contenido: (
      <div class="angosta">
        <h1>Elegir contraseña</h1>
        {falta ? <Aviso tono="error">{falta.texto}</Aviso> : null}
        <p>
          El operador de esta instalación da un código para elegir una contraseña. Sirve una sola vez, y termina las
          sesiones que estén abiertas.
        </p>
        <Formulario accion="/restablecer" csrf={contexto.csrf}>
          <Campo
            nombre="codigo"
            etiqueta="Código"
            requerido
            literal
            maxLargo={100}
            autocompletar="off"
            enfocado={falta !== undefined && faltaPassword === undefined}
            valor={codigo.slice(0, 100)}
          />
          <PasswordNueva nombre="password" etiqueta="Contraseña nueva" error={faltaPassword} />
          <Boton>Guardar contraseña</Boton>
        </Formulario>
      </div>
    ),
  });
}
