import type { CuentaDePersona } from '@acuse/db';
import { NOMBRES_PAPEL } from '@acuse/page';
import { Aviso, ConNota, Estado, Fecha, Tabla, Tarjeta, Vacio } from '@acuse/page/blocks';
import { Boton, Botones, Formulario } from '@acuse/page/form';
import { type PersonContext, routesFor } from '../../paginas.ts';

const PATH = '/cuentas';

export const myAccountsPage = routesFor('persona');

/** The accounts of a user: switch between them, or leave one. */
myAccountsPage.get(PATH, async ({ deps, usuario, pagina }) => {
  const cuentas = await deps.equipo.cuentasOf(usuario.id);
  return pagina(
    'Sus cuentas',
    <Tabla
      titulo="Cuentas a las que puede entrar"
      tituloOculto
      columnas={['Cuenta', 'Su rol', 'Desde', { titulo: 'Entrar', oculta: true }, { titulo: 'Dejarla', oculta: true }]}
      filas={cuentas.map((cuenta) => [
        <ConNota nota={cuenta.email}>{cuenta.nombre}</ConNota>,
        NOMBRES_PAPEL[cuenta.papel],
        <Fecha value={cuenta.desde} formato="dia" />,
        cuenta.cuentaId === usuario.cuentaId ? (
          <Estado texto="Está en ella" tono="info" />
        ) : (
          <Formulario accion={PATH} enLinea>
            <input type="hidden" name="cuenta" value={cuenta.cuentaId} />
            <Boton variante="secundario" descripcion={`Entrar a ${cuenta.nombre}`}>
              Entrar
            </Boton>
          </Formulario>
        ),
        <a href={`${PATH}/dejar?cuenta=${cuenta.cuentaId}`} aria-label={`Dejar la cuenta ${cuenta.nombre}`}>
          Dejar
        </a>,
      ])}
      vacia={
        <Vacio titulo="No está en ninguna cuenta">
          Pida a quien es propietario de una que lo invite con el correo {usuario.email}, y abra el enlace que le dé.
        </Vacio>
      }
    />,
  );
});

/** Takes the session into another account. */
myAccountsPage.post(PATH, async ({ campos, deps, usuario, browser, redirectTo, noEncontrada }) => {
  const cuenta = await findCuenta({ deps, usuario }, campos['cuenta']);
  if (cuenta === null || !(await browser.enter(cuenta.cuentaId))) return noEncontrada();
  return redirectTo('/inicio', { tono: 'exito', texto: `Ahora está en la cuenta «${cuenta.nombre}».` });
});

/** What leaving an account means, before it is done. */
myAccountsPage.get(`${PATH}/dejar`, async (contexto) => {
  const cuenta = await findCuenta(contexto, contexto.c.req.query('cuenta'));
  return cuenta === null ? contexto.noEncontrada() : renderLeave(contexto, cuenta);
});

myAccountsPage.post(`${PATH}/dejar`, async (contexto) => {
  const { campos, deps, usuario, autor, browser } = contexto;
  const cuenta = await findCuenta(contexto, campos['cuenta']);
  if (cuenta === null) return contexto.noEncontrada();
  const resultado = await deps.equipo.leave(cuenta.cuentaId, usuario.id, autor);
  if (resultado === 'SIN_PROPIETARIO') return renderLeave(contexto, { ...cuenta, esUnicoPropietario: true });
  const aviso = { tono: 'info', texto: `Dejó la cuenta «${cuenta.nombre}».` } as const;
  if (cuenta.cuentaId !== usuario.cuentaId) return contexto.redirectTo(PATH, aviso);
  // The session was in that account and ended with it.
  await browser.close();
  return contexto.redirectTo('/entrar', aviso);
});

async function findCuenta({ deps, usuario }: Pick<PersonContext, 'deps' | 'usuario'>, id: string | undefined) {
  const cuentas = await deps.equipo.cuentasOf(usuario.id);
  return cuentas.find(({ cuentaId }) => cuentaId === id) ?? null;
}

function renderLeave({ pagina }: PersonContext, cuenta: CuentaDePersona): Response {
  const camino = (
    <p class="suave">
      <a href={PATH}>Sus cuentas</a> / Dejar
    </p>
  );
  if (cuenta.esUnicoPropietario)
    return pagina(
      'Dejar la cuenta',
      <Aviso tono="alerta" titulo="Es la única persona propietaria">
        Sin usted nadie podría administrar «{cuenta.nombre}». Traspase antes la propiedad en Equipo; si no hay a quién,
        escriba al operador del servicio.
      </Aviso>,
      { camino, status: 409 },
    );
  return pagina(
    'Dejar la cuenta',
    <Tarjeta titulo={cuenta.nombre}>
      <p>
        Ya no podrá entrar a ella, y sus sesiones abiertas ahí terminan. Lo que hizo se queda en la cuenta, con sus API
        keys. Para volver necesita otra invitación.
      </p>
      <Formulario accion={`${PATH}/dejar`} descripcion="Dejar la cuenta">
        <input type="hidden" name="cuenta" value={cuenta.cuentaId} />
        <Botones cancelar={PATH} variante="peligro">
          Dejar la cuenta
        </Botones>
      </Formulario>
    </Tarjeta>,
    { camino },
  );
}
