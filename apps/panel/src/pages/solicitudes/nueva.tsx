import { randomUUID } from 'node:crypto';
import { createContribuyentes, createLibro, createSolicitudes, type RfcVista } from '@acuse/db';
import { createLlaveRecordada } from '../../acceso/llave-recordada.ts';
import { Aviso } from '../../components/aviso.tsx';
import { Boton } from '../../components/boton.tsx';
import { Campo } from '../../components/campo.tsx';
import { formatCreditos } from '../../components/formato.ts';
import { Formulario } from '../../components/formulario.tsx';
import { Tarjeta } from '../../components/tarjeta.tsx';
import { Vacio } from '../../components/vacio.tsx';
import { periodosDe } from '../../fechas/periodos.ts';
import { Periodos } from '../../fechas/periodos-elegibles.tsx';
import { quien } from '../../http/quien.ts';
import { type ContextoCliente, defineRuta } from '../../http/ruta.ts';
import { createApiPropia } from '../sandbox/llamar-api.ts';
import { askApi, type CampoPedido, COSTO, checkPedido, type Pedida, type Pedido } from './pedir.ts';

const PATH = '/solicitudes/nueva';
const MAX_RFCS = 1_000;
const INTENTO = /^[\w-]{16,64}$/;

/** The form for a new solicitud; `como` names one whose criteria it begins with, `rfc` a taxpayer. */
export const formularioNueva = defineRuta({
  metodo: 'GET',
  path: PATH,
  acceso: 'cliente',
  async handle(contexto) {
    const { c, deps, usuario } = contexto;
    const como = await createSolicitudes(deps.database).detail(usuario.cuentaId, c.req.query('como') ?? '');
    const { rfc = '', tipo = 'recibidos', desde = '', hasta = '' } = como ?? c.req.query();
    return form(contexto, { rfc, tipo, desde, hasta, apiKey: '', intento: randomUUID() });
  },
});

export const pedirNueva = defineRuta({
  metodo: 'POST',
  path: PATH,
  acceso: 'cliente',
  async handle(contexto) {
    const { deps, usuario, ip, redirigir } = contexto;
    const tecleado = pedidoOf(contexto.campos);
    const vista = await createContribuyentes(deps.database).find(usuario.cuentaId, tecleado.rfc);
    const recordada = createLlaveRecordada(contexto);
    const apiKey = tecleado.apiKey || ((vista && (await recordada.recall(vista))) ?? '');
    const pedido = { ...tecleado, apiKey };
    const fault = checkPedido(pedido, vista);
    if (fault) return form(contexto, pedido, { resultado: 'RECHAZADA', ...fault });
    const api = createApiPropia({
      url: deps.settings.apiInternalUrl,
      userAgent: `Acuse-panel/${deps.settings.version}`,
    });
    const pedida = await askApi(api, pedido, ip);
    if (pedida.resultado === 'SIN_RESPUESTA') return form(contexto, pedido, pedida);
    // A form that was answered may be sent again with other values, which is another request.
    if (pedida.resultado === 'RECHAZADA') return form(contexto, { ...pedido, intento: randomUUID() }, pedida);
    if (tecleado.apiKey && vista?.llave) await recordada.keep(tecleado.apiKey, vista, vista.llave.id);
    await createSolicitudes(deps.database).note({
      cuentaId: usuario.cuentaId,
      solicitudId: pedida.id,
      accion: 'pedir-solicitud',
      ...quien(contexto),
    });
    return redirigir(
      `/solicitudes/${pedida.id}`,
      pedida.isDuplicada
        ? { tono: 'info', texto: 'Ya había una solicitud igual en curso: es esta. No se cobró nada.' }
        : {
            tono: 'exito',
            texto: `El SAT recibirá su solicitud enseguida. Se cobró ${formatCreditos(COSTO)}.`,
          },
    );
  },
});

function pedidoOf(campos: Readonly<Record<string, string>>): Pedido {
  const text = (name: string) => (campos[name] ?? '').trim();
  const intento = text('intento');
  return {
    rfc: text('rfc').toUpperCase(),
    tipo: text('tipo'),
    desde: text('desde'),
    hasta: text('hasta'),
    apiKey: text('api_key'),
    intento: INTENTO.test(intento) ? intento : randomUUID(),
  };
}

/** The form with what was typed, but for the key, and what was wrong. */
async function form(contexto: ContextoCliente, pedido: Pedido, pedida?: Exclude<Pedida, { resultado: 'ACEPTADA' }>) {
  const { deps, usuario, csrf, now, pagina } = contexto;
  const [recordadas, rfcs, libro] = await Promise.all([
    createLlaveRecordada(contexto).known(),
    createContribuyentes(deps.database).list(usuario.cuentaId, {
      contiene: '',
      despues: '',
      limit: MAX_RFCS,
    }),
    createLibro(deps.database).summary(usuario.cuentaId),
  ]);
  const faults: Partial<Record<CampoPedido, string>> =
    pedida?.resultado === 'RECHAZADA' && pedida.campo ? { [pedida.campo]: pedida.texto } : {};
  return pagina({
    titulo: 'Pedir CFDI al SAT',
    scripts: ['periodos.js'],
    status: pedida === undefined ? 200 : pedida.resultado === 'RECHAZADA' ? 422 : 503,
    contenido: (
      <>
        <p class="chica">
          <a href="/solicitudes">Solicitudes</a>
        </p>
        <h1>Pedir CFDI al SAT</h1>
        {rfcs.length === 0 ? (
          <Vacio titulo="Primero agregue un RFC" accion={{ href: '/rfcs', texto: 'Ir a RFC' }}>
            Para pedir CFDI hace falta un RFC con su API key y su CIEC o e.firma.
          </Vacio>
        ) : (
          <>
            <Rechazo pedida={pedida} />
            <Campos
              pedido={pedido}
              rfcs={rfcs}
              saldo={libro?.saldo ?? 0}
              csrf={csrf}
              now={now}
              recordadas={recordadas}
              faults={faults}
            />
          </>
        )}
      </>
    ),
  });
}

function Rechazo({ pedida }: { readonly pedida: Exclude<Pedida, { resultado: 'ACEPTADA' }> | undefined }) {
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
      {pedida.campo ? 'Revise el campo señalado.' : pedida.texto}
    </Aviso>
  );
}

interface CamposProps {
  readonly pedido: Pedido;
  readonly rfcs: readonly RfcVista[];
  readonly saldo: number;
  readonly csrf: string;
  readonly now: Date;
  /** Taxpayers, by id, whose key need not be typed in. */
  readonly recordadas: ReadonlySet<string>;
  readonly faults: Partial<Record<CampoPedido, string>>;
}

function Campos({ pedido, rfcs, saldo, csrf, now, recordadas, faults }: CamposProps) {
  return (
    <Tarjeta>
      <Formulario accion={PATH} csrf={csrf} id="pedir" descripcion="Pedir CFDI">
        <input type="hidden" name="intento" value={pedido.intento} />
        <div class="rejilla">
          <Campo
            nombre="rfc"
            etiqueta="RFC"
            valor={pedido.rfc}
            error={faults.rfc}
            requerido
            opciones={rfcs.map((vista) => ({
              valor: vista.rfc,
              texto: `${vista.rfc}${vista.nombre === null ? '' : ` · ${vista.nombre}`}${stateOf(vista)}`,
            }))}
          />
          <Campo
            nombre="tipo"
            etiqueta="CFDI"
            valor={pedido.tipo}
            error={faults.tipo}
            requerido
            opciones={[
              { valor: 'recibidos', texto: 'Recibidos' },
              { valor: 'emitidos', texto: 'Emitidos' },
            ]}
          />
        </div>
        <Periodos
          periodos={periodosDe(now)}
          elegido={pedido}
          formulario="pedir"
          href={({ desde, hasta }) =>
            `${PATH}?${new URLSearchParams({ rfc: pedido.rfc, tipo: pedido.tipo, desde, hasta })}`
          }
        />
        <div class="rejilla">
          <Campo nombre="desde" etiqueta="Primer día" tipo="date" valor={pedido.desde} error={faults.desde} requerido />
          <Campo
            nombre="hasta"
            etiqueta="Último día"
            tipo="date"
            valor={pedido.hasta}
            error={faults.hasta}
            requerido
            ayuda="Hasta hoy, y hasta seis años atrás. El periodo puede ser tan largo como necesite."
          />
        </div>
        <Campo
          nombre="api_key"
          etiqueta="API key del RFC"
          tipo="password"
          error={faults.api_key}
          requerido
          sabido={recordadas.size > 0}
          literal
          autocompletar="off"
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

/** What is missing before this taxpayer can ask, in the list to choose from. */
function stateOf({ llave, ciec, efirmaKey }: RfcVista): string {
  if (llave === null) return ' (sin API key)';
  if (ciec === null && efirmaKey === null) return ' (sin CIEC ni e.firma)';
  return '';
}
