import { Estado, Tabla } from '../../components/blocks.tsx';
import { formatCreditos } from '../../components/formato.ts';
import { type ContextoCliente, routesFor } from '../../http/ruta.ts';
import { gruposDe } from '../../operaciones.ts';
import type { SandboxOperation } from './catalogo.ts';
import { renderSinApi } from './operacion.tsx';
import { sandboxOf } from './sandbox.ts';

export const sandboxPage = routesFor('cliente');

/** Every operation of the API, in the order in which somebody new needs them. */
sandboxPage.get('/pruebas', async (contexto) => {
  const operaciones = await sandboxOf(contexto.deps).catalogo();
  return operaciones ? renderIndice(contexto, operaciones) : renderSinApi(contexto);
});

function renderIndice(contexto: ContextoCliente, operaciones: readonly SandboxOperation[]): Response {
  const grupos = gruposDe(operaciones.map(({ nombre }) => nombre));
  return contexto.pagina(
    'Probar la API',
    <>
      <p>
        Cada operación, desde un formulario con un ejemplo. Las llamadas son de verdad: usan su llave, sus credenciales
        y su saldo.
      </p>
      {grupos.map(({ grupo, titulo, texto }) => (
        <section class="pila" aria-label={titulo}>
          <h2>{titulo}</h2>
          {texto ? <p class="suave">{texto}</p> : null}
          <Tabla
            titulo={titulo}
            tituloOculto
            columnas={['Operación', 'Credencial', 'Costo']}
            filas={operaciones
              .filter((operacion) => operacion.grupo === grupo)
              .map(({ nombre, resumen, credencial, costo }) => [
                <>
                  <a href={`/pruebas/${nombre}`}>{resumen}</a>
                  <div class="suave chica fija">{nombre}</div>
                </>,
                credencial,
                costo === 0 ? <Estado texto="Sin costo" tono="exito" /> : formatCreditos(costo),
              ])}
          />
        </section>
      ))}
    </>,
  );
}
