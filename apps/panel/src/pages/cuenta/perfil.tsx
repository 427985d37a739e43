import { NOMBRES_PAPEL, Permitido } from '@acuse/page';
import { Estado, Fecha, Tabla, Tarjeta } from '@acuse/page/blocks';
import { Boton, Campo, Formulario } from '@acuse/page/form';
import { dispositivoDe } from '../../acceso/dispositivo.ts';
import { NOMBRE_INVALIDO, parseNombre } from '../../acceso/reglas.ts';
import { FEATURES } from '../../features.ts';
import { type PersonContext, routesFor } from '../../paginas.ts';

export const profilePage = routesFor('persona');

profilePage.get('/cuenta', renderCuenta);

profilePage.post('/cuenta/nombre', async (contexto) => {
  const { campos, deps, usuario } = contexto;
  const nombre = parseNombre(campos['nombre'] ?? '');
  if (nombre === null) return renderCuenta(contexto, `Escriba un nombre ${NOMBRE_INVALIDO}`);
  await deps.usuarios.setNombre(usuario.id, nombre, contexto.autor);
  return contexto.redirectTo('/cuenta', { tono: 'exito', texto: 'Su nombre quedó guardado.' });
});

profilePage.post('/cuenta/sesiones/:id/cerrar', async (contexto) => {
  const { c, deps, browser, usuario, autor } = contexto;
  const id = c.req.param('id') ?? '';
  if (id === browser.sesion?.id || !(await deps.sesiones.closeOne(usuario.id, id, autor)))
    return contexto.noEncontrada();
  return contexto.redirectTo('/cuenta', { tono: 'exito', texto: 'Esa sesión terminó.' });
});

profilePage.post('/cuenta/sesiones/cerrar', async (contexto) => {
  const { deps, browser, usuario, autor } = contexto;
  await deps.sesiones.closeAll(usuario.id, autor);
  await browser.close();
  return contexto.redirectTo('/entrar', { tono: 'info', texto: 'Salió del panel en todos sus dispositivos.' });
});

async function renderCuenta(contexto: PersonContext, falta?: string): Promise<Response> {
  const { campos, deps, browser, now, usuario } = contexto;
  const [sesiones, factor] = await Promise.all([
    deps.sesiones.list(usuario.id),
    deps.segundosFactores.find(usuario.id),
  ]);
  const isProtected = factor?.confirmadoEn != null;
  return contexto.pagina(
    'Cuenta',
    <>
      <Tarjeta titulo="Sus datos">
        <p>
          Correo: <strong>{usuario.email}</strong>. {FEATURES.map(({ cuenta }) => cuenta?.())}
        </p>
        <Formulario accion="/cuenta/nombre" valores={{ nombre: usuario.nombre, ...campos }} faltas={{ nombre: falta }}>
          <Campo nombre="nombre" label="Nombre" requerido maxLargo={120} autocompletar="name" />
          <Boton variante="secundario">Guardar nombre</Boton>
        </Formulario>
      </Tarjeta>
      <Tarjeta titulo="Cuentas">
        <p>
          {usuario.papel === null
            ? 'No está en ninguna cuenta.'
            : `Está en «${usuario.cuenta}», como ${NOMBRES_PAPEL[usuario.papel]}.`}
        </p>
        <div class="fila">
          <Boton variante="secundario" href="/cuentas">
            Sus cuentas
          </Boton>
          <Permitido ver="equipo">
            <Boton variante="secundario" href="/equipo">
              Equipo
            </Boton>
          </Permitido>
        </div>
      </Tarjeta>
      <Tarjeta titulo="Contraseña">
        <p>Cambiarla termina sus sesiones en los demás dispositivos.</p>
        <Boton variante="secundario" href="/cuenta/password">
          Cambiar contraseña
        </Boton>
      </Tarjeta>
      <Tarjeta
        titulo="Verificación en dos pasos"
        accion={<Estado texto={isProtected ? 'Activa' : 'Inactiva'} tono={isProtected ? 'exito' : 'alerta'} />}
      >
        <p>Además de la contraseña se pide un código de su teléfono: quien adivine la contraseña no entra.</p>
        <Boton variante={isProtected ? 'secundario' : 'primario'} href="/cuenta/dos-pasos">
          {isProtected ? 'Ver o desactivar' : 'Activar'}
        </Boton>
      </Tarjeta>
      <Tarjeta titulo="Sesiones abiertas">
        <Tabla
          titulo="Dónde está abierta su cuenta"
          tituloOculto
          columnas={['Dispositivo', 'Dirección IP', 'Entró', 'Último uso', { titulo: 'Acción', oculta: true }]}
          filas={sesiones.map((sesion) => [
            dispositivoDe(sesion.agente),
            sesion.ip,
            <Fecha value={sesion.creadaEn} />,
            <Fecha value={sesion.ultimoUsoEn} relativaA={now} />,
            sesion.id === browser.sesion?.id ? (
              <Estado texto="Esta sesión" tono="info" />
            ) : (
              <Formulario accion={`/cuenta/sesiones/${sesion.id}/cerrar`} enLinea>
                <Boton
                  variante="discreto"
                  descripcion={`Cerrar la sesión de ${dispositivoDe(sesion.agente)}, ${sesion.ip}`}
                >
                  Cerrar
                </Boton>
              </Formulario>
            ),
          ])}
        />
        <Formulario accion="/cuenta/sesiones/cerrar">
          <Boton variante="peligro">Salir en todos los dispositivos</Boton>
        </Formulario>
      </Tarjeta>
    </>,
    { h1: 'Cuenta y seguridad', status: falta ? 422 : 200 },
  );
}
