import { randomUUID } from 'node:crypto';
import { COMPLEMENTOS, CONTENIDOS, FORMATOS, isFecha, OPERACIONES } from '@acuse/contract';
import { createContribuyentes, createLibro, createSolicitudes, type DetalleSolicitud, type RfcVista } from '@acuse/db';
import { type ApiClient, MAX_ELEGIBLES, readJson } from '@acuse/page';
import { Aviso, Tarjeta, Vacio } from '@acuse/page/blocks';
import { Boton, Campo, Formulario, hrefWith, Secret } from '@acuse/page/form';
import { EFECTO_NAMES, formatCreditos } from '@acuse/page/formato';
import { createLlaveRecordada, faultOfLlave } from '@acuse/page/llave-tecleada';
import { Periodos, periodosDe } from '@acuse/page/periodos';
import { DichoPorApi, type RechazoApi, readRechazo } from '@acuse/page/rechazo';
import { z } from 'zod';
import { type ContextoCliente, routesFor } from '../../paginas.ts';
import { CONTENIDO_NAMES, camino, ESTADO_NAMES, FORMAT_NAMES } from './solicitud.tsx';

const PATH = '/solicitudes/nueva';
const INTENTO = /^[\w-]{16,64}$/;

export const newSolicitudPage = routesFor('solicitudes');

/** The form for a new solicitud; `como` names one whose criteria it begins with, `rfc` a taxpayer. */
newSolicitudPage.get(
  PATH,
  async (contexto) => {
    const { c, deps, usuario } = contexto;
    const como = await createSolicitudes(deps.database).detail(usuario.cuentaId, c.req.query('como') ?? '');
    const query = c.req.query();
    const { rfc = '', tipo = 'recibidos', desde = '', hasta = '', formato = 'csv' } = como ?? query;
    const given: Readonly<Record<string, string>> = { ...query, ...criteriosDe(como) };
    const { contenido = 'metadata', tablas = '', estado = '', comprobante = '' } = given;
    const { contraparte = '', complemento = '', capsula = '' } = given;
    const criterios = { contenido, tablas, estado, comprobante, contraparte, complemento, capsula };
    return form(contexto, { rfc, tipo, desde, hasta, formato, ...criterios, apiKey: '', intento: randomUUID() });
  },
  { cambia: true },
);

newSolicitudPage.post(PATH, async (contexto) => {
  const { deps, usuario, ip, redirectTo } = contexto;
  const tecleado = pedidoOf(contexto.campos);
  const vista = await createContribuyentes(deps.database).find(usuario.cuentaId, tecleado.rfc);
  const recordada = createLlaveRecordada(contexto);
  const apiKey = tecleado.apiKey || ((vista && (await recordada.recall(vista))) ?? '');
  const pedido = { ...tecleado, apiKey };
  const fault = checkPedido(pedido, vista);
  if (fault) return form(contexto, pedido, { resultado: 'RECHAZADA', ...fault });
  const pedida = await askApi(deps.api, pedido, ip);
  if (pedida.resultado === 'SIN_RESPUESTA') return form(contexto, pedido, pedida);
  // A form that was answered may be sent again with other values, which is another request.
  if (pedida.resultado === 'RECHAZADA') return form(contexto, { ...pedido, intento: randomUUID() }, pedida);
  if (tecleado.apiKey && vista?.llave) await recordada.keep(tecleado.apiKey, vista, vista.llave.id);
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

function pedidoOf(campos: Readonly<Record<string, string>>): Pedido {
  const text = (name: string) => (campos[name] ?? '').trim();
  const intento = text('intento');
  return {
    rfc: text('rfc').toUpperCase(),
    tipo: text('tipo'),
    desde: text('desde'),
    hasta: text('hasta'),
    formato: text('formato') || 'csv',
    contenido: text('contenido') || 'metadata',
    tablas: text('tablas'),
    estado: text('estado'),
    comprobante: text('comprobante'),
    contraparte: text('contraparte').toUpperCase(),
    complemento: text('complemento'),
    capsula: text('capsula'),
    apiKey: text('api_key'),
    intento: INTENTO.test(intento) ? intento : randomUUID(),
  };
}

async function form(contexto: ContextoCliente, pedido: Pedido, pedida?: Exclude<Pedida, { resultado: 'ACEPTADA' }>) {
  const { deps, usuario, now, pagina } = contexto;
  const [recordadas, rfcs, libro] = await Promise.all([
    createLlaveRecordada(contexto).known(),
    createContribuyentes(deps.database).list(usuario.cuentaId, { contiene: '', despues: '', limit: MAX_ELEGIBLES }),
    createLibro(deps.database).summary(usuario.cuentaId),
  ]);
  const faults: Partial<Record<CampoPedido, string>> =
    pedida?.resultado === 'RECHAZADA' && pedida.campo ? { [pedida.campo]: pedida.texto } : {};
  return pagina(
    'Pedir CFDI al SAT',
    rfcs.length === 0 ? (
      <Vacio titulo="Primero agregue un RFC" accion={{ href: '/rfcs', texto: 'Ir a RFC' }}>
        Para pedir CFDI hace falta un RFC con su API key y su CIEC o e.firma.
      </Vacio>
    ) : (
      <>
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
        Puede que la solicitud se haya aceptado o no. Escriba otra vez la API key y envíe este mismo formulario: si ya
        se aceptó, no se pedirá ni se cobrará dos veces.
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
  /** Taxpayers, by id, whose key need not be typed in. */
  readonly recordadas: ReadonlySet<string>;
  readonly faults: Partial<Record<CampoPedido, string>>;
}

function Campos({ pedido, rfcs, saldo, now, recordadas, faults }: CamposProps) {
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
          <Campo
            nombre="estado"
            label="Estado de los CFDI"
            opciones={[['', 'Todos'], ...Object.entries(ESTADO_NAMES)]}
          />
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
          label="Contrapartes"
          ayuda="RFC separados por comas: con emitidos, hasta cinco receptores; con recibidos, un emisor. Sin ninguno, todas."
        />
        <Campo
          nombre="capsula"
          label="Continuar sin la llave de la e.firma, hasta 72 horas"
          tipo="checkbox"
          ayuda="Mientras la llave está guardada se firma de antemano lo que esta solicitud, y ninguna otra, preguntará al SAT. Con la CIEC no cambia nada. No está probado con el SAT en vivo."
        />
        <Secret
          nombre="api_key"
          label="API key del RFC"
          requerido
          sabido={recordadas.size > 0}
          ayuda={
            recordadas.size === 0
              ? 'La CIEC y la e.firma están cifradas con ella, así que solo quien la escribe puede usarlas. Se recuerda sellada unos minutos, solo en esta sesión.'
              : `No hace falta para ${rfcs
                  .filter(({ id }) => recordadas.has(id))
                  .map(({ rfc }) => rfc)
                  .join(', ')}: la escribió hace poco.`
          }
        />
        <p>
          Cuesta {formatCreditos(COSTO)}; su saldo es de {formatCreditos(saldo)}. Si termina sin ZIP, se devuelve. Si ya
          hay una igual en curso, no se cobra.
        </p>
        <div class="fila">
          <Boton>Pedir</Boton>
          <Boton variante="discreto" href="/solicitudes">
            Cancelar
          </Boton>
        </div>
      </Formulario>
    </Tarjeta>
  );
}

/** What the form begins with again when a period is chosen. */
const criteriosOf = ({ apiKey: _, intento: __, contenido, ...criterios }: Pedido) => ({
  ...criterios,
  contenido: contenido === 'metadata' ? '' : contenido,
});

/** Content and filters of an earlier request as the form writes them. */
const criteriosDe = (como: DetalleSolicitud | null) =>
  como && {
    contenido: como.contenido,
    tablas: como.tablas ? 'si' : '',
    estado: como.filtros?.estado_comprobante ?? '',
    comprobante: como.filtros?.tipo_comprobante ?? '',
    contraparte: como.filtros?.rfc_contraparte?.join(', ') ?? '',
    complemento: como.filtros?.complemento ?? '',
  };

const rfcsOf = (contraparte: string) => contraparte.split(/[\s,;]+/).filter(Boolean);

/** Missing step of a taxpayer, in the list of choices. */
function stateOf({ llave, ciec, efirmaKey }: RfcVista): string {
  if (llave === null) return ' (sin API key)';
  if (ciec === null && efirmaKey === null) return ' (sin CIEC ni e.firma)';
  return '';
}

const OPERACION = 'tax/descarga-metadata';

const COSTO = OPERACIONES.find(({ path }) => path === OPERACION)?.costo ?? 0;

type CampoPedido = z.infer<typeof campo> | 'api_key';

type Pedido = {
  readonly rfc: string;
  readonly tipo: string;
  readonly desde: string;
  readonly hasta: string;
  readonly formato: string;
  readonly contenido: string;
  /** `si` where its box is ticked. */
  readonly tablas: string;
  /** Filters; empty for none. RFCs with commas or spaces between. */
  readonly estado: string;
  readonly comprobante: string;
  readonly contraparte: string;
  readonly complemento: string;
  /** `si` where its box is ticked. */
  readonly capsula: string;
  readonly apiKey: string;
  /** The same for each time that one form is sent, so that twice sent is once asked. */
  readonly intento: string;
};

type Pedida =
  | { readonly resultado: 'ACEPTADA'; readonly id: string; readonly isDuplicada: boolean }
  /** Nothing was asked or charged. */
  | {
      readonly resultado: 'RECHAZADA';
      readonly texto: string;
      readonly campo?: CampoPedido | undefined;
      readonly ir?: RechazoApi['ir'];
    }
  /** Unknown outcome; the same form may be sent again. */
  | { readonly resultado: 'SIN_RESPUESTA' };

const aceptada = z.object({ data: z.object({ solicitud_id: z.uuid(), duplicada: z.boolean().optional() }) });
const campo = z.enum(['rfc', 'tipo', 'desde', 'hasta', 'formato', 'contenido', 'tablas', 'contraparte']);
/** A fault of another field, such as the key's, is shown above the form. */
const campoDeApi = z
  .string()
  .transform((campo) => (campo.startsWith('rfc_contraparte') ? 'contraparte' : campo))
  .pipe(campo)
  .optional()
  .catch(undefined);

/** Fault of a form before the API is called, or null. */
function checkPedido(pedido: Pedido, vista: RfcVista | null): { texto: string; campo: CampoPedido } | null {
  if (vista === null) return { campo: 'rfc', texto: 'Elija uno de sus RFC.' };
  if (pedido.tipo !== 'emitidos' && pedido.tipo !== 'recibidos')
    return { campo: 'tipo', texto: 'Elija emitidos o recibidos.' };
  if (!FORMATOS.some((formato) => formato === pedido.formato))
    return { campo: 'formato', texto: 'Elija uno de los formatos de la lista.' };
  for (const dia of ['desde', 'hasta'] as const)
    if (!isFecha(pedido[dia])) return { campo: dia, texto: 'Escriba el día como año-mes-día, por ejemplo 2025-03-31.' };
  if (pedido.desde > pedido.hasta) return { campo: 'desde', texto: 'El primer día no puede ser posterior al último.' };
  const fault = faultOfLlave(pedido.apiKey, vista);
  return fault === null ? null : { campo: 'api_key', texto: fault };
}

/** Asks through the API of this installation: accepted, checked and charged as any other. */
async function askApi(api: ApiClient, pedido: Pedido, ip: string): Promise<Pedida> {
  const { rfc, tipo, desde, hasta, formato, contenido, tablas, estado, comprobante, contraparte } = pedido;
  const { complemento, capsula, apiKey } = pedido;
  const rfcs = rfcsOf(contraparte);
  const answer = await api.call({
    nombre: OPERACION,
    cuerpo: {
      rfc,
      tipo,
      desde,
      hasta,
      formato,
      ...(contenido === 'metadata' ? {} : { contenido }),
      ...(tablas === 'si' ? { tablas: true } : {}),
      ...(estado === '' ? {} : { estado_comprobante: estado }),
      ...(comprobante === '' ? {} : { tipo_comprobante: comprobante }),
      ...(rfcs.length === 0 ? {} : { rfc_contraparte: rfcs }),
      ...(complemento === '' ? {} : { complemento }),
      ...(capsula === 'si' ? { capsula: true } : {}),
    },
    apiKey,
    ip,
    idempotencyKey: pedido.intento,
  });
  if (answer.tipo === 'sin-respuesta') return { resultado: 'SIN_RESPUESTA' };
  if (answer.status === 200) {
    const read = aceptada.safeParse(readJson(answer.texto));
    if (!read.success) return { resultado: 'SIN_RESPUESTA' };
    const { solicitud_id: id, duplicada = false } = read.data.data;
    return { resultado: 'ACEPTADA', id, isDuplicada: duplicada };
  }
  const rechazo = readRechazo(answer.texto);
  if (rechazo === null || answer.status >= 500) return { resultado: 'SIN_RESPUESTA' };
  return { resultado: 'RECHAZADA', ...rechazo, campo: campoDeApi.parse(rechazo.campo) };
}
