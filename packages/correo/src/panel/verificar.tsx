import { type ContextoBase, demasiados, type Falta, limiteIp, routesFor } from '@acuse/page';
import { Boton, Campo, Formulario } from '@acuse/page/form';
import { createBuzones } from '../db/index.ts';

export const verifyPage = routesFor('publica');

/** Where the link of a mail leads that shows whose an address is. The link alone changes nothing: scanners follow it. */
verifyPage.get('/verificar', (contexto) => renderVerificar(contexto, contexto.c.req.query('codigo') ?? ''));

verifyPage.post('/verificar', async (contexto) => {
  const { campos, deps, ip, usuario } = { usuario: contexto.browser.sesion?.usuario ?? null, ...contexto };
  const codigo = (campos['codigo'] ?? '').trim();
  const limites = [limiteIp(ip, deps.settings)];
  const permiso = await deps.intentos.take(limites);
  if (!permiso.permitido) return renderVerificar(contexto, codigo, demasiados(permiso.esperar));
  const email = await createBuzones(deps.database).verify(codigo, ip);
  if (email === null)
    return renderVerificar(contexto, codigo, {
      status: 422,
      texto:
        'El enlace no sirve: ya se usó, venció o está incompleto. Entre y, si su correo aún no está confirmado, pida otro en Avisos por correo.',
    });
  await deps.intentos.giveBack(limites);
  return contexto.redirectTo(usuario === null ? '/entrar' : '/inicio', {
    tono: 'exito',
    texto: `El correo ${email} quedó confirmado.`,
  });
});

function renderVerificar(contexto: ContextoBase, codigo: string, falta?: Falta): Response {
  return contexto.pagina(
    'Confirmar su correo',
    <>
      <p>Con esto sabemos que el correo es suyo, y que los avisos de su cuenta no le llegan a nadie más.</p>
      <Formulario accion="/verificar">
        <Campo
          nombre="codigo"
          label="Código del enlace"
          requerido
          literal
          maxLargo={100}
          autocompletar="off"
          enfocado={falta !== undefined}
          value={codigo.slice(0, 100)}
        />
        <Boton>Confirmar mi correo</Boton>
      </Formulario>
    </>,
    { ...falta, error: falta?.texto, narrow: true },
  );
}
