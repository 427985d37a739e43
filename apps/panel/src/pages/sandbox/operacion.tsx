import { OPERACIONES, parseRfc } from '@acuse/contract';
import { createCobros, createContribuyentes, createLlaves, type RfcVista } from '@acuse/db';
import type { ApiAnswer, Pagina } from '@acuse/page';
import { Aviso, ConNota, Estado, Tabla, Tarjeta } from '@acuse/page/blocks';
import { Boton, Campo, Formulario, Secret } from '@acuse/page/form';
import { formatCreditos } from '@acuse/page/formato';
import { createLlaveRecordada, readTypedKey } from '@acuse/page/llave-tecleada';
import { Periodos, periodosDe } from '@acuse/page/periodos';
import { parseApiKey, wipeApiKey } from '@acuse/vault';
import type { Child } from 'hono/jsx';
import { isTokenText } from '../../api/client.ts';
import { gruposDe } from '../../operaciones.ts';
import { type ContextoCliente, routesFor } from '../../paginas.ts';
import type { CampoOperacion, SandboxOperation } from './catalogo.ts';
import {
  curlOf,
  exampleCuerpo,
  exampleValues,
  fieldName,
  idempotencyKeyOf,
  maskCuerpo,
  maskText,
  readCuerpo,
  secretsOf,
  typedValues,
  type Valores,
} from './cuerpo.ts';
import { ComoCurl, Resultado } from './resultado.tsx';

const PATH = '/pruebas/:grupo/:operacion';

export const sandboxPage = routesFor('pruebas');

/** The form of an operation, filled with an example; non-secret fields may be given in the address. */
sandboxPage.get(PATH, async (contexto) => {
  const { c, deps, usuario, now } = contexto;
  const found = await findOperacion(contexto);
  if (found instanceof Response) return found;
  const rfc = await createContribuyentes(deps.database).oldest(usuario.cuentaId);
  return renderOperacion(contexto, {
    operacion: found,
    valores: exampleValues(found, { rfc, now, given: c.req.query() }),
  });
});

/** Calls the API as the form says and shows what it answered. */
sandboxPage.post(PATH, async (contexto) => {
  const found = await findOperacion(contexto);
  if (found instanceof Response) return found;
  const { campos, archivos, deps, usuario, ip } = contexto;
  const valores = typedValues(found, (campo) => campos[fieldName(campo)]);
  const tecleada = (campos['llave'] ?? '').trim();
  const recordada = createLlaveRecordada(contexto);
  const own = await ownRfc(contexto, valores['rfc']);
  const apiKey = tecleada || ((own && (await recordada.recall(own))) ?? '');
  if (!isTokenText(apiKey))
    return renderOperacion(contexto, {
      operacion: found,
      valores,
      status: 422,
      faltaLlave: 'Pegue aquí la llave completa, como se mostró al generarla: acuse_test_… o acuse_live_…',
    });

  const cuerpo = await readCuerpo(found, campos, archivos);
  const idempotencyKey = found.esIdempotente ? idempotencyKeyOf(campos['intento'], cuerpo) : null;
  const isOwn = await isOwnKey(contexto, apiKey);
  const cobros = createCobros(deps.database);
  const marca = isOwn ? await cobros.mark(usuario.cuentaId) : null;
  const resultado = await deps.sandbox.withSlot(usuario.id, () =>
    deps.api.call({ nombre: found.nombre, cuerpo, apiKey, ip, idempotencyKey }),
  );
  if (resultado === null)
    return renderOperacion(contexto, {
      operacion: found,
      valores,
      status: 429,
      faltaLlave: 'Ya tiene tres llamadas en curso desde esta página. Espere a que termine una y repita esta.',
    });
  if (own?.llave && tecleada && resultado.tipo === 'respuesta' && resultado.status === 200)
    await keepOwn(contexto, tecleada, own);
  return renderOperacion(contexto, {
    operacion: found,
    valores,
    resultado: (
      <Resultado
        id="respuesta"
        resultado={maskResultado(resultado, secretsOf(found, cuerpo, apiKey))}
        curl={curlOf(deps.settings.apiPublicUrl, found.nombre, maskCuerpo(found, cuerpo))}
        cobro={marca && (await cobros.since(usuario.cuentaId, found.nombre, marca))}
      />
    ),
  });
});

async function ownRfc({ deps, usuario }: ContextoCliente, text: string | undefined) {
  const rfc = parseRfc(text);
  return rfc === null ? null : createContribuyentes(deps.database).find(usuario.cuentaId, rfc);
}

/** Keeps a key that the API has just taken, if it is the one of this taxpayer. */
async function keepOwn(contexto: ContextoCliente, texto: string, own: RfcVista): Promise<void> {
  const tecleada = await readTypedKey(texto, own, contexto);
  if (typeof tecleada !== 'string') wipeApiKey(tecleada.apiKey);
}

/** The operation that the address names, or the page that says why there is none. */
async function findOperacion(contexto: ContextoCliente): Promise<SandboxOperation | Response> {
  const { c, deps } = contexto;
  const nombre = `${c.req.param('grupo')}/${c.req.param('operacion')}`;
  const operaciones = await deps.sandbox.catalogo();
  if (operaciones === null) return renderSinApi(contexto);
  return operaciones.find((operacion) => operacion.nombre === nombre) ?? contexto.noEncontrada();
}

/** Whether a call with this key is paid by the person's account: only then its balance says what the call cost. */
async function isOwnKey({ deps, usuario }: ContextoCliente, text: string): Promise<boolean> {
  const apiKey = parseApiKey(text);
  if (apiKey === null) return false;
  wipeApiKey(apiKey);
  return createLlaves(deps.database).isOf(usuario.cuentaId, apiKey.keyId);
}

function maskResultado(resultado: ApiAnswer, secretos: readonly string[]): ApiAnswer {
  if (resultado.tipo === 'sin-respuesta') return resultado;
  return { ...resultado, texto: maskText(resultado.texto, secretos) };
}

interface PaginaOperacion {
  readonly operacion: SandboxOperation;
  readonly valores: Valores;
  readonly faltaLlave?: string | undefined;
  /** The result of a call that was just made. */
  readonly resultado?: Child;
  readonly status?: Pagina['status'];
}

async function renderOperacion(contexto: ContextoCliente, pagina: PaginaOperacion): Promise<Response> {
  const { operacion, valores, faltaLlave, resultado, status = 200 } = pagina;
  const { nombre, resumen, descripcion, costo, credencial } = operacion;
  // By any RFC of the session: a script may have changed the one in the form since.
  const isRecordada = (await createLlaveRecordada(contexto).known()).size > 0;
  return contexto.pagina(
    resumen,
    <>
      <p class="suave">
        <code>POST /api/v1/{nombre}</code>
      </p>
      {descripcion.split('\n\n').map((parrafo) => (
        <p>{parrafo}</p>
      ))}
      <div class="dos">
        <Tarjeta titulo="Petición">
          <FormularioOperacion {...{ contexto, operacion, valores, isRecordada, faltaLlave }} />
          {isRecordada ? (
            <Formulario accion="/llaves/olvidar">
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
              <ComoCurl curl={curlOf(contexto.deps.settings.apiPublicUrl, nombre, exampleCuerpo(operacion, valores))} />
            </Tarjeta>
          )}
        </div>
      </div>
    </>,
    {
      camino: (
        <p>
          <a href="/pruebas">← Todas las operaciones</a>
        </p>
      ),
      accion: (
        <div class="fila">
          <Estado texto={costo === 0 ? 'Sin costo' : formatCreditos(costo)} tono={costo === 0 ? 'exito' : 'info'} />
          <Estado texto={credencial} />
        </div>
      ),
      status,
      scripts: ['pruebas.js', 'periodos.js'],
    },
  );
}

/** The page while the API does not answer. */
function renderSinApi(contexto: ContextoCliente): Response {
  return contexto.pagina(
    'Probar la API',
    <Aviso tono="alerta" titulo="La API no contesta en este momento">
      Sus solicitudes en curso no se pierden. Espere un minuto y vuelva a abrir esta página; si sigue igual, avise al
      operador.
    </Aviso>,
    { status: 503 },
  );
}

interface FormularioOperacionProps extends Pick<PaginaOperacion, 'operacion' | 'valores' | 'faltaLlave'> {
  readonly contexto: ContextoCliente;
  /** Whether the key of the taxpayer in the form was typed in lately. */
  readonly isRecordada: boolean;
}

function FormularioOperacion({ contexto, operacion, valores, isRecordada, faltaLlave }: FormularioOperacionProps) {
  const { nombre, campos, costo } = operacion;
  return (
    <Formulario accion={`/pruebas/${nombre}`} id="llamar" archivos={campos.some(({ tipo }) => tipo === 'archivo')}>
      {/* Names this form, so that sending it twice is one call. */}
      <input type="hidden" name="intento" value={contexto.deps.newId()} />
      <Secret
        nombre="llave"
        label="API key"
        requerido
        sabido={isRecordada}
        error={faltaLlave}
        maxLargo={512}
        ayuda={
          isRecordada
            ? 'Se usa la de este RFC que esta sesión ya tiene; escriba otra solo si quiere usarla.'
            : 'No se muestra ni queda en la bitácora. Se pide una vez por sesión.'
        }
      />
      {hasPeriodo(campos) ? (
        <Periodos
          periodos={periodosDe(contexto.now)}
          elegido={valores}
          formulario="llamar"
          href={({ desde, hasta }) => `/pruebas/${nombre}?${new URLSearchParams({ ...valores, desde, hasta })}`}
        />
      ) : null}
      {campos.map((campo) => (
        <CampoDeOperacion campo={campo} value={valores[campo.nombre]} />
      ))}
      <div class="fila">
        <Boton>Llamar a la API</Boton>
        <span class="suave chica">{costo === 0 ? 'Sin costo' : `Cuesta ${formatCreditos(costo)} de su saldo`}</span>
      </div>
    </Formulario>
  );
}

const hasPeriodo = (campos: readonly CampoOperacion[]) =>
  ['desde', 'hasta'].every((nombre) => campos.some((campo) => campo.nombre === nombre));

function CampoDeOperacion({ campo, value }: { readonly campo: CampoOperacion; readonly value: string | undefined }) {
  const { nombre, tipo, requerido, secreto, descripcion, patron, maxLargo, opciones } = campo;
  return (
    <Campo
      nombre={fieldName(campo)}
      id={`campo-${nombre}`}
      label={nombre}
      requerido={requerido}
      ayuda={descripcion}
      literal
      autocompletar="off"
      value={value}
      {...(patron === undefined ? {} : { patron: patron.replace(/^\^|\$$/g, '') })}
      {...(maxLargo === undefined ? {} : { maxLargo })}
      {...(opciones.length > 0 && tipo !== 'varios' ? { opciones } : {})}
      {...(tipo === 'archivo' ? { acepta: `.${nombre}` } : {})}
      {...(secreto && tipo === 'texto' ? { tipo: 'password' } : INPUTS[tipo])}
    />
  );
}

/** How a value of each kind is typed in. */
const INPUTS = {
  texto: {},
  varios: {},
  lista: {},
  booleano: {},
  archivo: { tipo: 'file' },
  fecha: { tipo: 'date' },
  entero: { teclado: 'numeric' },
  numero: { teclado: 'decimal' },
} as const;

/** Forgets the API keys typed in lately. Leads back to the operation that the form names. */
sandboxPage.post('/llaves/olvidar', async (contexto) => {
  await createLlaveRecordada(contexto).forget();
  const operacion = OPERACIONES.find(({ path }) => path === contexto.campos['operacion']);
  return contexto.redirectTo(operacion ? `/pruebas/${operacion.path}` : '/pruebas', {
    tono: 'exito',
    texto: 'Las API keys que escribió en esta sesión quedaron olvidadas.',
  });
});

/** Every operation of the API, in the order in which a new user needs them. */
sandboxPage.get('/pruebas', async (contexto) => {
  const operaciones = await contexto.deps.sandbox.catalogo();
  return operaciones ? renderIndex(contexto, operaciones) : renderSinApi(contexto);
});

function renderIndex(contexto: ContextoCliente, operaciones: readonly SandboxOperation[]): Response {
  const grupos = gruposDe(operaciones.map(({ nombre }) => nombre));
  return contexto.pagina(
    'Probar la API',
    <>
      <p>
        Cada operación, desde un formulario con un ejemplo. Las llamadas son de verdad: usan su llave, sus credenciales
        y su saldo.
      </p>
      {grupos.map(({ grupo, titulo, texto }) => (
        <Tarjeta titulo={titulo} isFolded>
          {texto ? <p class="suave">{texto}</p> : null}
          <Tabla
            titulo={titulo}
            tituloOculto
            columnas={['Operación', 'Credencial', 'Costo']}
            filas={operaciones
              .filter((operacion) => operacion.grupo === grupo)
              .map(({ nombre, resumen, credencial, costo }) => [
                <ConNota nota={nombre} literal>
                  <a href={`/pruebas/${nombre}`}>{resumen}</a>
                </ConNota>,
                credencial,
                costo === 0 ? <Estado texto="Sin costo" tono="exito" /> : formatCreditos(costo),
              ])}
          />
        </Tarjeta>
      ))}
    </>,
  );
}
