import { elegidosOf, Permitido } from '@acuse/page';
import {
  Aviso,
  ConNota,
  Datos,
  Estado,
  Fecha,
  numeric,
  Paginacion,
  pageOf,
  Tabla,
  Tarjeta,
  Vacio,
} from '@acuse/page/blocks';
import { Boton, Campo, Formulario } from '@acuse/page/form';
import { formatFecha, formatNumero } from '@acuse/page/formato';
import { createWebhooks, type EntregaVista, type IntentoVista, MAX_PRUEBAS, type WebhookVista } from '../db/index.ts';
import { type FalloDeEntrega, newSecreto } from '../index.ts';
import { type Contexto, routesOf } from './deps.ts';
import { CamposWebhook, type Faltas, readPedido, SecretoNuevo, valoresOf, YA_HAY } from './formulario.tsx';
import { Camino, EstadoWebhook, hrefWebhook, MOTIVOS } from './lista.tsx';

const POR_PAGINA = 25;
/** For how long an earlier secret signs too. */
const VIGENCIAS = [
  ['24', 'Un día'],
  ['168', 'Una semana'],
  ['1', 'Una hora'],
  ['0', 'Nada, ni los de antes: alguien más lo conoce'],
] as const;

const alcanceOf = ({ usuario }: Pick<Contexto, 'usuario'>) => ({ cuentaId: usuario.cuentaId });

export const webhookRoutes = () =>
  routesOf<WebhookVista, 'webhooks'>('webhooks', '/webhooks/:id', (contexto, id) =>
    createWebhooks(contexto.deps.database).find(alcanceOf(contexto), id),
  );

export const webhookPage = webhookRoutes();

webhookPage.get('', (contexto, webhook) => page(contexto, webhook));

/** Changes events, RFCs and address. */
webhookPage.post('', async (contexto, webhook) => {
  const { campos, deps, autor, redirectTo } = contexto;
  const read = readPedido(campos, deps.destinos);
  if ('faltas' in read) return page(contexto, webhook, read.faltas);
  const cambio = await createWebhooks(deps.database).update(alcanceOf(contexto), webhook.id, {
    ...read.pedido,
    ...autor,
  });
  if (typeof cambio === 'object' && cambio !== null) return page(contexto, webhook, { url: YA_HAY });
  if (cambio === 'RFC_DESCONOCIDO')
    return page(contexto, webhook, { rfcs: 'Hay un RFC que no es de la cuenta. Agréguelo primero en RFC.' });
  return redirectTo(hrefWebhook(webhook.id), { tono: 'exito', texto: 'El webhook quedó guardado.' });
});

/** Switches it on or off. */
webhookPage.post('/estado', async (contexto, { id }) => {
  const estado = contexto.campos['estado'] === 'ACTIVO' ? 'ACTIVO' : 'APAGADO';
  await createWebhooks(contexto.deps.database).update(alcanceOf(contexto), id, { estado, ...contexto.autor });
  const texto =
    estado === 'ACTIVO'
      ? 'El webhook está activo, y lo que estaba pendiente se envía.'
      : 'El webhook está desactivado: lo que pase desde ahora no se le cuenta.';
  return contexto.redirectTo(hrefWebhook(id), { tono: 'exito', texto });
});

/** Puts a new secret in force and shows it. */
webhookPage.post('/secreto', async (contexto, { id }) => {
  const { campos, deps, autor, pagina, noEncontrada, redirectTo } = contexto;
  const [horas] = VIGENCIAS.find(([value]) => value === campos['vigencia']) ?? VIGENCIAS[0];
  const { secreto, sellado } = newSecreto(id, { newId: deps.newId, sellado: deps.selladoWebhooks });
  const cambio = { secreto: sellado, vigenciaSegundos: Number(horas) * 3_600, ...autor };
  const hasta = await createWebhooks(deps.database).rotate(alcanceOf(contexto), id, cambio);
  if (hasta === null) return noEncontrada();
  if (hasta === 'SECRETOS_DEMASIADOS')
    return redirectTo(hrefWebhook(id), {
      tono: 'error',
      texto:
        'El webhook firma ya con su secreto y tres anteriores, y no se cambió. Espere a que venza uno, o elija que los anteriores no sirvan más.',
    });
  const isValid = horas !== '0';
  return pagina(
    'Secreto nuevo',
    <SecretoNuevo secreto={secreto} id={id} {...(isValid ? { hasta: formatFecha(hasta) } : {})} />,
    { camino: <Camino>Secreto nuevo</Camino> },
  );
});

/** Sends a message for trying. */
webhookPage.post('/prueba', async (contexto, { id }) => {
  const prueba = await createWebhooks(contexto.deps.database).ping(alcanceOf(contexto), id);
  if (prueba === 'PRUEBAS_DEMASIADAS')
    return contexto.redirectTo(hrefWebhook(id), {
      tono: 'error',
      texto: `Ya se le enviaron ${MAX_PRUEBAS} pruebas en un minuto. Espere un momento y repita.`,
    });
  return prueba === null
    ? contexto.redirectTo(hrefWebhook(id), { tono: 'error', texto: 'El webhook está desactivado: actívelo y repita.' })
    : contexto.redirectTo(hrefWebhook(id, `/entregas/${prueba.entrega}`), {
        tono: 'exito',
        texto: 'El aviso de prueba va en camino. Recargue para ver cómo le fue.',
      });
});

webhookPage.post('/borrar', async (contexto, { id, url }) => {
  await createWebhooks(contexto.deps.database).remove(alcanceOf(contexto), id, contexto.autor);
  return contexto.redirectTo('/webhooks', { tono: 'exito', texto: `El webhook a ${url} quedó borrado.` });
});

/** Whether a delivery arrived, as a pill. */
export function EstadoEntrega({ estado }: Pick<EntregaVista, 'estado'>) {
  if (estado === 'ENTREGADA') return <Estado texto="Entregada" tono="exito" />;
  return estado === 'FALLIDA' ? (
    <Estado texto="No se entregó" tono="error" />
  ) : (
    <Estado texto="Por entregar" tono="info" />
  );
}

/** What a receiver answered, or why there was no answer. */
export const resultadoDe = ({ status, error }: Pick<IntentoVista, 'status' | 'error'>) =>
  status !== null ? `HTTP ${status}` : error === null ? 'Se lee por API' : ERRORES[error];

const ERRORES: Readonly<Record<FalloDeEntrega, string>> = {
  DIRECCION_NO_PERMITIDA: 'La dirección no es pública',
  NOMBRE_SIN_DIRECCION: 'El nombre no existe en internet',
  TIEMPO_AGOTADO: 'No contestó a tiempo',
  CONEXION_RECHAZADA: 'Nadie contesta en esa dirección',
  CONEXION_CORTADA: 'Se cortó la conexión',
  TLS_INVALIDO: 'Su certificado TLS no es válido',
  SECRETO_ILEGIBLE: 'No se pudo firmar: cambie el secreto',
};

async function page(contexto: Contexto, webhook: WebhookVista, faltas: Faltas = {}): Promise<Response> {
  const { c, campos, deps, now, pagina } = contexto;
  const { id, url, estado, motivo, secretosAnteriores } = webhook;
  const isRefused = Object.keys(faltas).length > 0;
  const antes = Number(c.req.query('antes'));
  const place = Number.isSafeInteger(antes) && antes > 0 ? { antesDe: antes } : {};
  const read = await createWebhooks(deps.database).entregas(alcanceOf(contexto), id, {
    limite: POR_PAGINA + 1,
    ...place,
  });
  const { filas, anterior, siguiente } = pageOf(read, POR_PAGINA, {
    path: hrefWebhook(id),
    query: { antes: c.req.query('antes') },
    after: 'antes',
    placeOf: ({ secuencia }) => String(secuencia),
  });
  return pagina(
    'Webhook',
    <>
      {motivo !== null && motivo !== 'USUARIO' ? (
        <Aviso tono="alerta" titulo="Se desactivó">
          {MOTIVOS[motivo]} Revise el receptor y actívelo: lo que quedó pendiente se envía entonces.
        </Aviso>
      ) : null}
      <Tarjeta titulo="Cómo va">
        <Datos
          filas={[
            ['Estado', <EstadoWebhook webhook={webhook} />],
            webhook.fallandoDesde === null ? null : ['No acepta nada desde', <Fecha value={webhook.fallandoDesde} />],
            webhook.apagadoEn === null ? null : ['Desactivado', <Fecha value={webhook.apagadoEn} />],
            ['Por entregar', formatNumero(webhook.pendientes), 'numero'],
            ['Identificador', <code>{id}</code>],
          ]}
        />
        <Permitido cambiar="webhooks">
          <div class="fila">
            <Formulario accion={hrefWebhook(id, '/prueba')} descripcion="Enviar un aviso de prueba">
              <Boton variante="secundario">Enviar prueba</Boton>
            </Formulario>
            <Formulario accion={hrefWebhook(id, '/estado')} descripcion="Activar o desactivar">
              <Boton variante="secundario" nombre="estado" value={estado === 'ACTIVO' ? 'APAGADO' : 'ACTIVO'}>
                {estado === 'ACTIVO' ? 'Desactivar' : 'Activar'}
              </Boton>
            </Formulario>
          </div>
        </Permitido>
      </Tarjeta>
      <Tarjeta titulo="Entregas">
        <Tabla
          titulo="Entregas, de la más nueva a la más antigua"
          tituloOculto
          columnas={[
            'Aviso',
            { titulo: 'Estado', phone: 'value' },
            { titulo: 'RFC', phone: 'none' },
            'Último intento',
            numeric('Intentos', { phone: 'none' }),
            { titulo: 'Cuándo', phone: 'end' },
          ]}
          filas={filas.map((entrega) => [
            <a href={hrefWebhook(id, `/entregas/${entrega.id}`)}>
              {entrega.tipo} <span class="suave">n.º {formatNumero(entrega.secuencia)}</span>
            </a>,
            <EstadoEntrega estado={entrega.estado} />,
            entrega.rfc ?? '—',
            <ConNota
              nota={
                entrega.proximoIntento && entrega.intentos > 0 ? (
                  <>
                    Sigue: <Fecha value={entrega.proximoIntento} relativaA={now} />
                  </>
                ) : null
              }
            >
              {entrega.ultimo === null ? '—' : resultadoDe(entrega.ultimo)}
            </ConNota>,
            formatNumero(entrega.intentos),
            <Fecha value={entrega.creadaEn} />,
          ])}
          vacia={<Vacio titulo="Aún no se le avisa de nada">Envíe una prueba para ver que su receptor contesta.</Vacio>}
        />
        <Paginacion anterior={anterior} siguiente={siguiente} />
      </Tarjeta>
      <Permitido cambiar="webhooks">
        <Tarjeta titulo="Cambiar" isFolded={!isRefused}>
          <Formulario
            accion={hrefWebhook(id)}
            descripcion="Cambiar el webhook"
            valores={isRefused ? campos : valoresOf(webhook)}
            faltas={faltas}
          >
            <CamposWebhook elegidos={isRefused ? elegidosOf(campos) : webhook.eventos} faltas={faltas} />
            <Boton>Guardar</Boton>
          </Formulario>
        </Tarjeta>
        <Tarjeta titulo="Secreto" isFolded>
          {secretosAnteriores.length === 0 ? null : (
            <p>
              Se firma también con {secretosAnteriores.length === 1 ? 'el secreto anterior' : 'los secretos anteriores'}{' '}
              hasta el {formatFecha(secretosAnteriores.at(-1) ?? now)}.
            </p>
          )}
          <Formulario accion={hrefWebhook(id, '/secreto')} descripcion="Cambiar el secreto" enLinea>
            <Campo nombre="vigencia" label="El anterior sirve todavía" opciones={VIGENCIAS} sabido />
            <Boton variante="secundario">Cambiar el secreto</Boton>
          </Formulario>
        </Tarjeta>
        <Tarjeta titulo="Borrar" isFolded>
          <p>Se borra con sus entregas, y lo que falta por entregar no se envía.</p>
          <Formulario accion={hrefWebhook(id, '/borrar')} descripcion="Borrar el webhook">
            <Boton variante="peligro">Borrar el webhook</Boton>
          </Formulario>
        </Tarjeta>
      </Permitido>
    </>,
    { h1: <code>{url}</code>, camino: <Camino>Detalle</Camino>, status: isRefused ? 422 : 200 },
  );
}
