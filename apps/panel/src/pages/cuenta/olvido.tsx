import { demasiados, type Falta, limiteEnlaces, REVISE } from '@acuse/page';
import { Boton, Campo, Formulario } from '@acuse/page/form';
import { limiteOlvido } from '../../acceso/comprobar.ts';
import { parseEmail } from '../../acceso/reglas.ts';
import { type ContextoBase, routesFor } from '../../paginas.ts';

export const forgottenPage = routesFor('publica');

forgottenPage.get('/olvide', (contexto) => renderForgotten(contexto));

/**
 * Mails a link for a new password. Answer and effort are equal with and without an account, and tries are counted
 * before.
 */
forgottenPage.post('/olvide', async (contexto) => {
  const { campos, deps, ip } = contexto;
  if (deps.settings.correo === null) return renderForgotten(contexto);
  const email = parseEmail(campos['email'] ?? '');
  if (email === null) return renderForgotten(contexto, REVISE, 'Escriba un correo completo, como nombre@empresa.mx.');
  const porCorreo = limiteEnlaces(email, deps.settings);
  const permiso = await deps.intentos.take([limiteOlvido(ip, deps.settings), porCorreo]);
  if (!permiso.permitido) return renderForgotten(contexto, demasiados(permiso.esperar));
  for (const mail of deps.accountMail) await mail.askReset(email, { limite: porCorreo.clave, ip });
  return contexto.redirectTo('/entrar', {
    tono: 'info',
    texto: `Si ${email} tiene una cuenta, en unos minutos le llega un enlace que sirve una hora. Revise también el correo no deseado.`,
  });
});

function renderForgotten(contexto: ContextoBase, falta?: Falta, faltaEmail?: string): Response {
  const { campos, deps } = contexto;
  if (deps.settings.correo === null)
    return contexto.pagina(
      'Elegir otra contraseña',
      <p>
        Esta instalación no envía correo. Pida al operador un código y <a href="/restablecer">elija otra contraseña</a>.
      </p>,
      { narrow: true },
    );
  return contexto.pagina(
    'Elegir otra contraseña',
    <>
      <p>Escriba el correo con el que entra y le enviamos un enlace para elegir otra contraseña.</p>
      <Formulario accion="/olvide" valores={campos} faltas={{ email: faltaEmail }}>
        <Campo nombre="email" label="Correo" tipo="email" requerido maxLargo={254} autocompletar="username" />
        <Boton>Enviar enlace</Boton>
      </Formulario>
      <p>
        <a href="/entrar">Volver</a>
      </p>
    </>,
    { ...falta, error: falta?.texto, narrow: true },
  );
}
