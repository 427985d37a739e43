import type { MiembroVista } from '@acuse/db';
import { type Falta, NOMBRES_PAPEL } from '@acuse/page';
import { Datos, Fecha, Tarjeta } from '@acuse/page/blocks';
import { Boton, Campo, Formulario } from '@acuse/page/form';
import { confirmPassword } from '../../acceso/comprobar.ts';
import { type ContextoCliente, routesOf } from '../../paginas.ts';
import { hrefPersona, isPapel, OPCIONES_PAPEL, SuPassword } from './equipo.tsx';

/** Of the other people of the account: one's own role is handed over, not changed. */
export const memberPage = routesOf<MiembroVista, 'equipo'>(
  'equipo',
  '/equipo/personas/:id',
  async ({ deps, usuario }, id) => {
    const personas = await deps.equipo.list(usuario.cuentaId);
    return personas.find(({ usuarioId }) => usuarioId === id && id !== usuario.id) ?? null;
  },
);

memberPage.get('', (contexto, persona) => renderPersona(contexto, persona));

function renderPersona(contexto: ContextoCliente, persona: MiembroVista, falta?: Falta): Response {
  const { c, pagina } = contexto;
  const { usuarioId, email, nombre, papel, desde } = persona;
  const formOf = (sub: `/${string}`) => ({
    accion: hrefPersona(usuarioId, sub),
    faltas: falta && c.req.path.endsWith(sub) ? { password: falta.texto } : {},
  });
  return pagina(
    email,
    <>
      <Tarjeta titulo="Persona">
        <Datos
          filas={[
            ['Nombre', nombre || '—'],
            ['Rol', NOMBRES_PAPEL[papel]],
            ['En la cuenta desde', <Fecha value={desde} formato="dia" />],
          ]}
        />
      </Tarjeta>
      <Tarjeta titulo="Cambiar su rol">
        <Formulario {...formOf('/rol')} descripcion="Cambiar su rol">
          <Campo nombre="papel" label="Rol" requerido opciones={OPCIONES_PAPEL} value={papel} />
          <SuPassword id="rol-password" />
          <Boton variante="secundario">Cambiar el rol</Boton>
        </Formulario>
      </Tarjeta>
      <Tarjeta titulo="Traspasarle la propiedad">
        <p>Será propietario de la cuenta en lugar de usted, que pasa a ser contador y ya no podrá deshacerlo.</p>
        <Formulario {...formOf('/traspaso')} descripcion="Traspasar la propiedad">
          <SuPassword id="traspaso-password" />
          <Boton variante="peligro">Traspasar la propiedad</Boton>
        </Formulario>
      </Tarjeta>
      <Tarjeta titulo="Quitar de la cuenta">
        <p>
          Sus sesiones en la cuenta terminan de inmediato y sus invitaciones sin aceptar dejan de servir. Las API keys
          que hizo siguen sirviendo: después verá cuáles son, para cambiarlas.
        </p>
        <Formulario {...formOf('/quitar')} descripcion="Quitar de la cuenta">
          <SuPassword id="quitar-password" />
          <Boton variante="peligro">Quitar de la cuenta</Boton>
        </Formulario>
      </Tarjeta>
    </>,
    {
      ...falta,
      error: falta?.texto,
      camino: (
        <p class="suave">
          <a href="/equipo">Equipo</a> / {email}
        </p>
      ),
    },
  );
}

/** The author is no longer an owner, or the member left meanwhile. */
const OVERTAKEN = {
  tono: 'error',
  texto: 'No se hizo: el equipo cambió mientras tanto. Vea cómo está y, si hace falta, repítalo.',
} as const;

const changeOf = ({ usuario, autor }: ContextoCliente) => ({ cuentaId: usuario.cuentaId, quien: usuario.id, ...autor });

memberPage.post('/rol', async (contexto, persona) => {
  const { campos, deps, redirectTo, noEncontrada } = contexto;
  const { papel } = campos;
  if (!isPapel(papel)) return noEncontrada();
  const falta = await confirmPassword(contexto, campos['password'] ?? '');
  if (falta) return renderPersona(contexto, persona, falta);
  if (papel === persona.papel)
    return redirectTo('/equipo', { tono: 'info', texto: `${persona.email} ya tiene ese rol.` });
  const resultado = await deps.equipo.setPapel(changeOf(contexto), persona.usuarioId, papel);
  if (resultado !== 'HECHO') return redirectTo('/inicio', OVERTAKEN);
  const texto = `${persona.email} es ahora ${NOMBRES_PAPEL[papel]}; sus sesiones en la cuenta terminaron.`;
  return redirectTo('/equipo', { tono: 'exito', texto });
});

memberPage.post('/quitar', async (contexto, persona) => {
  const { campos, deps, redirectTo } = contexto;
  const falta = await confirmPassword(contexto, campos['password'] ?? '');
  if (falta) return renderPersona(contexto, persona, falta);
  const resultado = await deps.equipo.remove(changeOf(contexto), persona.usuarioId);
  if (resultado !== 'HECHO') return redirectTo('/inicio', OVERTAKEN);
  return redirectTo('/equipo', { tono: 'exito', texto: `${persona.email} ya no está en la cuenta.` });
});

/** The new owner's sessions end, and the one that asks goes on under another id. */
memberPage.post('/traspaso', async (contexto, persona) => {
  const { campos, deps, browser, redirectTo } = contexto;
  const falta = await confirmPassword(contexto, campos['password'] ?? '');
  if (falta) return renderPersona(contexto, persona, falta);
  const resultado = await deps.equipo.transfer(changeOf(contexto), persona.usuarioId, 'CONTADOR', browser.huella());
  if (resultado !== 'HECHO') return redirectTo('/inicio', OVERTAKEN);
  await browser.rotate();
  const texto = `${persona.email} es ahora propietario de la cuenta, y usted contador.`;
  return redirectTo('/inicio', { tono: 'exito', texto });
});
