import type { Child } from 'hono/jsx';
import { createLlaveRecordada } from '../../acceso/llave-recordada.ts';
import { Aviso } from '../../components/aviso.tsx';
import { Boton } from '../../components/boton.tsx';
import { Estado } from '../../components/estado.tsx';
import { formatCreditos } from '../../components/formato.ts';
import { Formulario } from '../../components/formulario.tsx';
import { Tarjeta } from '../../components/tarjeta.tsx';
import type { ContextoCliente, Pagina } from '../../http/ruta.ts';
import type { SandboxOperation } from './catalogo.ts';
import { ComoCurl } from './como-curl.tsx';
import { curlOf, exampleCuerpo } from './cuerpo.ts';
import { FormularioOperacion } from './formulario-operacion.tsx';
import type { Valores } from './valores.ts';

interface PaginaOperacion {
  readonly operacion: SandboxOperation;
  readonly valores: Valores;
  readonly faltaLlave?: string;
  /** The result of a call that was just made. */
  readonly resultado?: Child;
  readonly status?: Pagina['status'];
}

/** The page of one operation: what it does, its form, and under it what the last call gave. */
export async function renderOperacion(contexto: ContextoCliente, pagina: PaginaOperacion): Promise<Response> {
  const { operacion, valores, faltaLlave, resultado, status = 200 } = pagina;
  const { nombre, resumen, descripcion, costo, credencial } = operacion;
  // By any RFC of the session: a script may have changed the one in the form since.
  const isRecordada = (await createLlaveRecordada(contexto).known()).size > 0;
  return contexto.pagina({
    titulo: resumen,
    status,
    scripts: ['pruebas.js', 'periodos.js'],
    contenido: (
      <>
        <p>
          <a href="/pruebas">← Todas las operaciones</a>
        </p>
        <div class="titular">
          <h1>{resumen}</h1>
          <div class="fila">
            <Estado texto={costo === 0 ? 'Sin costo' : formatCreditos(costo)} tono={costo === 0 ? 'exito' : 'info'} />
            <Estado texto={credencial} />
          </div>
        </div>
        <p class="suave">
          <code>POST /api/v1/{nombre}</code>
        </p>
        {descripcion.split('\n\n').map((parrafo) => (
          <p>{parrafo}</p>
        ))}
        <div class="dos">
          <Tarjeta titulo="Petición">
            <FormularioOperacion
              operacion={operacion}
              valores={valores}
              csrf={contexto.csrf}
              now={contexto.now}
              isRecordada={isRecordada}
              intento={contexto.deps.newId()}
              faltaLlave={faltaLlave}
            />
            {isRecordada ? (
              <Formulario accion="/llaves/olvidar" csrf={contexto.csrf}>
                <input type="hidden" name="operacion" value={nombre} />
                <Boton variante="discreto">Olvidar las API keys de esta sesión</Boton>
              </Formulario>
            ) : null}
          </Tarjeta>
          <div id="resultado" aria-live="polite">
            {resultado ?? (
              <Tarjeta titulo="Desde su sistema">
                <p>
                  La misma llamada con curl. Cuando la haga desde aquí, en este lugar aparecen la respuesta, su tiempo y
                  lo que costó.
                </p>
                <ComoCurl
                  curl={curlOf(contexto.deps.settings.apiPublicUrl, nombre, exampleCuerpo(operacion, valores))}
                />
              </Tarjeta>
            )}
          </div>
        </div>
      </>
    ),
  });
}

/** The page while the API does not answer. */
export function renderSinApi(contexto: ContextoCliente): Response {
  return contexto.pagina({
    titulo: 'Probar la API',
    status: 503,
    contenido: (
      <>
        <h1>Probar la API</h1>
        <Aviso tono="alerta" titulo="La API no contesta en este momento">
          Sus solicitudes en curso no se pierden. Espere un minuto y vuelva a abrir esta página; si sigue igual, avise
          al operador.
        </Aviso>
      </>
    ),
  });
}
