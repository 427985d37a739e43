import { randomUUID } from 'node:crypto';
import { COMPLEMENTOS, CONTENIDOS, FORMATOS } from '@acuse/contract';
import { createContribuyentes, createLibro, createSolicitudes, type RfcVista } from '@acuse/db';
import { MAX_ELEGIBLES, Permitido } from '@acuse/page';
import { Aviso, CopyButton, Tarjeta, Vacio } from '@acuse/page/blocks';
import { Botones, Campo, Formulario, hrefWith, Secret } from '@acuse/page/form';
import { EFECTO_NAMES, formatCreditos } from '@acuse/page/formato';
import { createLlaveRecordada, readTypedKey } from '@acuse/page/llave-tecleada';
import { Periodos, periodosDe } from '@acuse/page/periodos';
import { DichoPorApi } from '@acuse/page/rechazo';
import { wipeApiKey } from '@acuse/vault';
import type { Child } from 'hono/jsx';
import { type ContextoCliente, routesFor } from '../../paginas.ts';
import {
  askApi,
  type CampoPedido,
  COSTO,
  checkPedido,
  criteriosDe,
  criteriosOf,
  type Pedida,
  type Pedido,
  pedidoOf,
} from './pedido.ts';
import { CONTENIDO_NAMES, camino, ESTADO_NAMES, FORMAT_NAMES } from './solicitud.tsx';

const PATH = '/solicitudes/nueva';

export const newSolicitudPage = routesFor('solicitudes');

/** The form for a new solicitud; `como` names one whose criteria it begins with, `rfc` a taxpayer. */
newSolicitudPage.get(
  PATH,
  async (contexto) => {
    const { c, deps, usuario } = contexto;
    const como = await createSolicitudes(deps.database).detail(usuario.cuentaId, c.req.query('como') ?? '');
    const query = c.req.query();
    const { rfc = '', tipo, desde, hasta, formato } = como ?? query;
    const given: Readonly<Record<string, string>> = { ...query, ...criteriosDe(como) };
    const { contenido = 'metadata', tablas = '', estado = '', comprobante = '' } = given;
    const { contraparte = '', complemento = '', capsula = '' } = given;
    const criterios = { contenido, tablas, estado, comprobante, contraparte, complemento, capsula };
    return form(contexto, newPedido(contexto, { rfc, tipo, desde, hasta, formato, ...criterios }));
  },
  { cambia: true },
);

newSolicitudPage.post(PATH, async (contexto) => {
  const { deps, usuario, ip, redirectTo } = contexto;
  const tecleado = pedidoOf(contexto.campos);
  const vista = await createContribuyentes(deps.database).find(usuario.cuentaId, tecleado.rfc);
  const apiKey = tecleado.apiKey || ((vista && (await createLlaveRecordada(contexto).recall(vista))) ?? '');
  const pedido = { ...tecleado, apiKey };
  const fault = checkPedido(pedido, vista);
  const wrong = fault ?? (await keepTyped(contexto, tecleado.apiKey, vista));
  if (wrong) return form(contexto, pedido, { pedida: { resultado: 'RECHAZADA', ...wrong } });
  const pedida = await askApi(deps.api, pedido, ip);
  if (pedida.resultado === 'SIN_RESPUESTA') return form(contexto, pedido, { pedida });
  // A form that was answered may be sent again with other values, which is another request.
  if (pedida.resultado === 'RECHAZADA') return form(contexto, { ...pedido, intento: randomUUID() }, { pedida });
  await createSolicitudes(deps.database).note({
    cuentaId: usuario.cuentaId,
    solicitudId: pedida.id,
    accion: 'pedir-solicitud',
    ...contexto.autor,
  });
  return redirectTo(
    `/solicitudes/${pedida.id}`,
    pedida.isDuplicada
      ? { tono: 'info', texto: 'Ya había una solicitud igual en curso: es esta. No se cobró nada.' }
      : { tono: 'exito', texto: `El SAT recibirá su solicitud enseguida. Se cobró ${formatCreditos(COSTO)}.` },
  );
});

/** Keeps a typed key before the API is asked, so that a refused form does not ask for it again. Its fault, or null. */
async function keepTyped(contexto: ContextoCliente, texto: string, vista: RfcVista | null) {
  if (texto === '' || vista === null) return null;
  const tecleada = await readTypedKey(texto, vista, contexto);
  if (typeof tecleada === 'string') return { campo: 'api_key', texto: tecleada } as const;
  wipeApiKey(tecleada.apiKey);
  return null;
}

/** A new form: the CFDI received last month, unless said otherwise. */
function newPedido({ now }: ContextoCliente, given: Partial<Record<keyof Pedido, string | undefined>>): Pedido {
  const mesPasado = periodosDe(now)[1];
  const { desde = mesPasado?.desde, hasta = mesPasado?.hasta } = given;
  return { ...pedidoOf({ tipo: 'recibidos', ...definedIn({ ...given, desde, hasta }) }), intento: randomUUID() };
}

const definedIn = (values: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(Object.entries(values).flatMap(([name, value]) => (value ? [[name, value]] : [])));

/** The answer to a first credential: the key that was made for it, shown this once, over the form that comes next. */
export const renderPrimerPedido = (
  contexto: ContextoCliente,
  { rfc, llave, texto }: { readonly rfc: string; readonly llave: string; readonly texto: string },
): Promise<Response> =>
  form(contexto, newPedido(contexto, { rfc }), {
    titulo: `${rfc}: pida sus CFDI`,
    antes: (
      <>
        <Aviso tono="exito">{texto}</Aviso>
        <Tarjeta titulo="Su API key, por única vez">
          <p>
            El panel la usa solo durante esta sesión. Guárdela para otro día y para su sistema: no se vuelve a mostrar.
          </p>
          <CopyButton value={llave} label="API key" />
        </Tarjeta>
      </>
    ),
  });

interface FormOptions {
  readonly pedida?: Exclude<Pedida, { resultado: 'ACEPTADA' }>;
  readonly titulo?: string;
  readonly antes?: Child;
}

async function form(contexto: ContextoCliente, pedido: Pedido, options: FormOptions = {}) {
  const { deps, usuario, now, pagina } = contexto;
  const { pedida, titulo = 'Pedir CFDI al SAT', antes } = options;
  const [recordadas, rfcs, libro] = await Promise.all([
    createLlaveRecordada(contexto).known(),
    createContribuyentes(deps.database).list(usuario.cuentaId, { contiene: '', despues: '', limit: MAX_ELEGIBLES }),
    createLibro(deps.database).summary(usuario.cuentaId),
  ]);
  const faults: Partial<Record<CampoPedido, string>> =
    pedida?.resultado === 'RECHAZADA' && pedida.campo ? { [pedida.campo]: pedida.texto } : {};
  return pagina(
    titulo,
    rfcs.length === 0 ? (
      <Vacio titulo="Primero agregue un RFC" accion={{ href: '/rfcs/nuevo', texto: 'Agregar RFC', cambiar: 'rfcs' }}>
        Para pedir CFDI hace falta un RFC con su CIEC o su e.firma.
      </Vacio>
    ) : (
      <>
        {antes}
        <Rechazo pedida={pedida} rfc={pedido.rfc} />
        <Campos
          pedido={pedido}
          rfcs={rfcs}
          saldo={libro?.saldo ?? 0}
          now={now}
          recordadas={recordadas}
          faults={faults}
        />
      </>
    ),
    {
      camino: camino(),
      scripts: ['periodos.js'],
      status: pedida === undefined ? 200 : pedida.resultado === 'RECHAZADA' ? 422 : 503,
    },
  );
}

interface RechazoProps {
  readonly pedida: Exclude<Pedida, { resultado: 'ACEPTADA' }> | undefined;
  readonly rfc: string;
}

function Rechazo({ pedida, rfc }: RechazoProps) {
  if (pedida === undefined) return null;
  if (pedida.resultado === 'SIN_RESPUESTA')
    return (
      <Aviso tono="alerta" titulo="La API no contestó">
        Puede que la solicitud se haya aceptado o no. Envíe este mismo formulario otra vez: si ya se aceptó, no se
        pedirá ni se cobrará dos veces.
      </Aviso>
    );
  return (
    <Aviso tono="error" titulo="No se pidió ni se cobró nada">
      {pedida.campo ? 'Revise el campo señalado.' : <DichoPorApi rechazo={pedida} rfc={rfc} />}
    </Aviso>
  );
}

interface CamposProps {
  readonly pedido: Pedido;
  readonly rfcs: readonly RfcVista[];
  readonly saldo: number;
  readonly now: Date;
  /** Taxpayers, by id, whose key the session has. */
  readonly recordadas: ReadonlySet<string>;
  readonly faults: Partial<Record<CampoPedido, string>>;
}

function Campos({ pedido, rfcs, saldo, now, recordadas, faults }: CamposProps) {
  const elegido = rfcs.find(({ rfc }) => rfc === pedido.rfc) ?? rfcs[0];
  const { contenido, formato } = pedido;
  const hasOpciones =
    contenido !== 'metadata' ||
    formato !== 'csv' ||
    OPCIONES.some((name) => pedido[name] !== '') ||
    faults.contraparte !== undefined;
  return (
    <Tarjeta>
      <Formulario accion={PATH} id="pedir" descripcion="Pedir CFDI" valores={pedido} faltas={faults}>
        <input type="hidden" name="intento" value={pedido.intento} />
        <div class="rejilla">
          <Campo
            nombre="rfc"
            label="RFC"
            requerido
            opciones={rfcs.map((vista) => [
              vista.rfc,
              `${vista.rfc}${vista.nombre === null ? '' : ` · ${vista.nombre}`}${stateOf(vista)}`,
            ])}
          />
          <Campo
            nombre="tipo"
            label="CFDI"
            requerido
            opciones={[
              ['recibidos', 'Recibidos'],
              ['emitidos', 'Emitidos'],
            ]}
          />
        </div>
        <Periodos
          periodos={periodosDe(now)}
          elegido={pedido}
          formulario="pedir"
          href={({ desde, hasta }) => hrefWith(PATH, { ...criteriosOf(pedido), desde, hasta })}
        />
        <div class="rejilla">
          <Campo nombre="desde" label="Primer día" tipo="date" requerido />
          <Campo
            nombre="hasta"
            label="Último día"
            tipo="date"
            requerido
            ayuda="Hasta hoy, y hasta seis años atrás. El periodo puede ser tan largo como necesite."
          />
        </div>
        <details open={hasOpciones}>
          <summary>XML, formato y filtros</summary>
          <Opciones />
        </details>
        {elegido && recordadas.has(elegido.id) && !faults.api_key ? null : (
          <Secret
            nombre="api_key"
            label="API key del RFC"
            requerido
            sabido={recordadas.size > 0}
            ayuda="La CIEC y la e.firma están cifradas con ella, así que nadie puede usarlas sin ella, tampoco nosotros. Se pide una vez por sesión."
          />
        )}
        <p>
          Cuesta {formatCreditos(COSTO)}; su saldo es de {formatCreditos(saldo)}. Si termina sin ZIP, se devuelve. Si ya
          hay una igual en curso, no se cobra.{' '}
          {saldo < COSTO ? (
            <Permitido cambiar="compras">
              <a href="/saldo/comprar">Comprar créditos</a>
            </Permitido>
          ) : null}
        </p>
        <Botones cancelar="/solicitudes">Pedir</Botones>
      </Formulario>
    </Tarjeta>
  );
}

const OPCIONES = ['tablas', 'estado', 'comprobante', 'contraparte', 'complemento', 'capsula'] as const;

/** What most requests leave as it is. */
function Opciones() {
  return (
    <div class="pila">
      <Campo
        nombre="contenido"
        label="Contenido"
        requerido
        opciones={CONTENIDOS.map((contenido) => [contenido, CONTENIDO_NAMES[contenido]])}
        ayuda="Cuesta lo mismo. Con los XML tarda más y el ZIP es mayor: unos 5 KB por CFDI. Los de nómina traen salarios y otros datos personales: cuide quién abre el ZIP."
      />
      <Campo
        nombre="tablas"
        label="Agregar tablas con los datos de los XML"
        tipo="checkbox"
        ayuda="Solo si pide los XML: conceptos, impuestos, pagos y CFDI relacionados, en el formato de abajo. La nómina no tiene tablas."
      />
      <Campo
        nombre="formato"
        label="Formato"
        requerido
        opciones={FORMATOS.map((formato) => [formato, FORMAT_NAMES[formato]])}
        ayuda="Cómo vienen las filas dentro del ZIP. Los archivos del SAT vienen siempre tal cual."
      />
      <div class="rejilla">
        <Campo nombre="estado" label="Estado de los CFDI" opciones={[['', 'Todos'], ...Object.entries(ESTADO_NAMES)]} />
        <Campo
          nombre="comprobante"
          label="Tipo de comprobante"
          opciones={[['', 'Todos'], ...Object.entries(EFECTO_NAMES)]}
        />
        <Campo
          nombre="complemento"
          label="Complemento"
          opciones={[['', 'Con cualquiera, o sin él'], ...Object.entries(COMPLEMENTOS)]}
        />
      </div>
      <Campo
        nombre="contraparte"
        label="RFC de clientes o proveedores"
        ayuda="RFC separados por comas: con emitidos, hasta cinco receptores; con recibidos, un emisor. Sin ninguno, todas."
      />
      <Campo
        nombre="capsula"
        label="Continuar sin la llave de la e.firma, hasta 72 horas"
        tipo="checkbox"
        ayuda="Mientras la llave está guardada se firma de antemano lo que esta solicitud, y ninguna otra, preguntará al SAT. Con la CIEC no cambia nada. No está probado con el SAT en vivo."
      />
    </div>
  );
}

/** Missing step of a taxpayer, in the list of choices. */
function stateOf({ llave, ciec, efirmaKey }: RfcVista): string {
  if (llave === null || (ciec === null && efirmaKey === null)) return ' (sin CIEC ni e.firma)';
  return '';
}
