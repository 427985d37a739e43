import { dispositivoDe } from '../../acceso/dispositivo.ts';
import { parseNombre } from '../../acceso/reglas.ts';
import { Boton } from '../../components/boton.tsx';
import { Campo } from '../../components/campo.tsx';
import { Estado } from '../../components/estado.tsx';
import { Fecha } from '../../components/fecha.tsx';
import { Formulario } from '../../components/formulario.tsx';
import { Tabla } from '../../components/tabla.tsx';
import { Tarjeta } from '../../components/tarjeta.tsx';
import { quien } from '../../http/quien.ts';
import { type ContextoCliente, defineRuta } from '../../http/ruta.ts';
import { CUENTA } from './destinos.ts';

export const verCuenta = defineRuta({
  metodo: 'GET',
  path: CUENTA,
  acceso: 'cliente',
  handle: (contexto) => renderCuenta(contexto),
});

export const cambiarNombre = defineRuta({
  metodo: 'POST',
  path: '/cuenta/nombre',
  acceso: 'cliente',
  async handle(contexto) {
    const { campos, deps, usuario } = contexto;
    const nombre = parseNombre(campos['nombre'] ?? '');
    if (nombre === null) return renderCuenta(contexto, 'Escriba un nombre de hasta 120 caracteres.');
    await deps.usuarios.setNombre(usuario.id, nombre, quien(contexto));
    return contexto.redirigir(CUENTA, { tono: 'exito', texto: 'Su nombre quedó guardado.' });
  },
});

export const cerrarSesion = defineRuta({
  metodo: 'POST',
  path: '/cuenta/sesiones/:id/cerrar',
  acceso: 'cliente',
  async handle(contexto) {
    const { c, deps, browser, usuario } = contexto;
    const id = c.req.param('id') ?? '';
    if (id === browser.sesion?.id || !(await deps.sesiones.closeOne(usuario.id, id, quien(contexto))))
      return contexto.noEncontrada();
    return contexto.redirigir(CUENTA, { tono: 'exito', texto: 'Esa sesión terminó.' });
  },
});

export const cerrarTodas = defineRuta({
  metodo: 'POST',
  path: '/cuenta/sesiones/cerrar',
  acceso: 'cliente',
  async handle(contexto) {
    const { deps, browser, usuario } = contexto;
    await deps.sesiones.closeAll(usuario.id, quien(contexto));
    await browser.close();
    return contexto.redirigir('/entrar', {
      tono: 'info',
      texto: 'Salió del panel en todos sus dispositivos.',
    });
  },
});

async function renderCuenta(contexto: ContextoCliente, falta?: string): Promise<Response> {
  const { campos, csrf, deps, browser, now, usuario } = contexto;
  const [sesiones, factor] = await Promise.all([
    deps.sesiones.list(usuario.id),
    deps.segundosFactores.find(usuario.id),
  ]);
  const isProtected = factor?.confirmadoEn != null;
  return contexto.pagina({
    titulo: 'Cuenta',
    status: falta ? 422 : 200,
    contenido: (
      <>
        <h1>Cuenta y seguridad</h1>
        <Tarjeta titulo="Sus datos">
          <p>
            Correo: <strong>{usuario.email}</strong>
          </p>
          <Formulario accion="/cuenta/nombre" csrf={csrf}>
            <Campo
              nombre="nombre"
              etiqueta="Nombre"
              requerido
              maxLargo={120}
              autocompletar="name"
              valor={campos['nombre'] ?? usuario.nombre}
              error={falta}
            />
            <Boton variante="secundario">Guardar nombre</Boton>
          </Formulario>
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
            columnas={[
              { titulo: 'Dispositivo' },
              { titulo: 'Dirección IP' },
              { titulo: 'Entró' },
              { titulo: 'Último uso' },
              { titulo: 'Acción', oculta: true },
            ]}
            filas={sesiones.map((sesion) => [
              dispositivoDe(sesion.agente),
              sesion.ip,
              <Fecha valor={sesion.creadaEn} />,
              <Fecha valor={sesion.ultimoUsoEn} relativaA={now} />,
              sesion.id === browser.sesion?.id ? (
                <Estado texto="Esta sesión" tono="info" />
              ) : (
                <Formulario accion={`/cuenta/sesiones/${sesion.id}/cerrar`} csrf={csrf} enLinea>
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
          <Formulario accion="/cuenta/sesiones/cerrar" csrf={csrf}>
            <Boton variante="peligro">Salir en todos los dispositivos</Boton>
          </Formulario>
        </Tarjeta>
      </>
    ),
  });
}
