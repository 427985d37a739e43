import { isUuid } from '@acuse/db';
import { elegidosOf, Permitido } from '@acuse/page';
import { Aviso, ConNota, Estado, numeric, Tabla, Tarjeta, Vacio } from '@acuse/page/blocks';
import { Boton, Botones, Formulario } from '@acuse/page/form';
import { count, formatNumero } from '@acuse/page/formato';
import { createWebhooks, MAX_WEBHOOKS, type WebhookVista } from '../db/index.ts';
import { newSecreto } from '../index.ts';
import { type Contexto, routesFor } from './deps.ts';
import { CamposWebhook, type Faltas, readPedido, SecretoNuevo, YA_HAY } from './formulario.tsx';

export const hrefWebhook = (id: string, sub: '' | `/${string}` = '') => `/webhooks/${id}${sub}`;

/** How a webhook is doing, in a word. */
export function EstadoWebhook({
  webhook,
}: {
  readonly webhook: Pick<WebhookVista, 'estado' | 'motivo' | 'fallandoDesde'>;
}) {
  if (webhook.estado === 'APAGADO')
    return <Estado texto="Desactivado" tono={webhook.motivo === 'USUARIO' ? 'neutro' : 'error'} />;
  return webhook.fallandoDesde === null ? (
    <Estado texto="Activo" tono="exito" />
  ) : (
    <Estado texto="Fallando" tono="alerta" />
  );
}

/** Why one was switched off by itself. */
export const MOTIVOS: Readonly<Record<NonNullable<WebhookVista['motivo']>, string>> = {
  USUARIO: 'Lo desactivó alguien de la cuenta.',
  CONTESTO_410: 'Su receptor contestó 410: ya no quiere avisos.',
  FALLA_DIAS: 'Pasaron días sin que su receptor aceptara un aviso.',
  MUCHOS_PENDIENTES: 'Su receptor fallaba y ya lo esperaban demasiados avisos.',
};

/** Tells of those that were switched off by themselves: nobody is told of anything through them any more. */
export function WebhooksApagados({ webhooks }: { readonly webhooks: readonly WebhookVista[] }) {
  const apagados = webhooks.filter(({ motivo }) => motivo !== null && motivo !== 'USUARIO');
  if (apagados.length === 0) return null;
  return (
    <Aviso tono="alerta" titulo={`${count(apagados.length, 'webhook se desactivó', 'webhooks se desactivaron')}`}>
      <ul>
        {apagados.map(({ id, url, motivo }) => (
          <li>
            <a href={hrefWebhook(id)}>{url}</a>: {motivo === null ? '' : MOTIVOS[motivo]} Revise el receptor y actívelo.
          </li>
        ))}
      </ul>
    </Aviso>
  );
}

export const webhooksPage = routesFor('webhooks');

/** The webhooks of the account. */
webhooksPage.get('/webhooks', async ({ deps, usuario, pagina }) => {
  const webhooks = await createWebhooks(deps.database).list({ cuentaId: usuario.cuentaId });
  return pagina(
    'Webhooks',
    <>
      <p>
        Cada webhook es una dirección de su sistema a la que se avisa de lo que pasa, en vez de que pregunte: firmado
        según Standard Webhooks, con reintentos durante un día.
      </p>
      <WebhooksApagados webhooks={webhooks} />
      <Tabla
        titulo="Webhooks de la cuenta"
        tituloOculto
        columnas={['Dirección', 'Estado', 'RFC', numeric('Eventos'), numeric('Por entregar')]}
        filas={webhooks.map((webhook) => [
          <ConNota nota={webhook.descripcion || null}>
            <a class="larga breve" href={hrefWebhook(webhook.id)}>
              {webhook.url}
            </a>
          </ConNota>,
          <EstadoWebhook webhook={webhook} />,
          webhook.rfcs.length === 0 ? 'Todos' : webhook.rfcs.join(', '),
          formatNumero(webhook.eventos.length),
          formatNumero(webhook.pendientes),
        ])}
        vacia={
          <Vacio
            titulo="Aún no hay webhooks"
            accion={{ href: '/webhooks/nuevo', texto: 'Agregar el primero', cambiar: 'webhooks' }}
          >
            Con uno, su sistema se entera de que una solicitud terminó sin preguntar por ella.
          </Vacio>
        }
      />
    </>,
    webhooks.length === 0
      ? {}
      : {
          accion: (
            <Permitido cambiar="webhooks">
              <Boton href="/webhooks/nuevo">Agregar webhook</Boton>
            </Permitido>
          ),
        },
  );
});

export const newWebhookPage = routesFor('webhooks');

newWebhookPage.get(
  '/webhooks/nuevo',
  (contexto) => newPage(contexto, {}, ['solicitud.terminada', 'solicitud.fallida']),
  { cambia: true },
);

/** Creates one and shows its secret. The form carries its id, so that sending it twice makes one. */
newWebhookPage.post('/webhooks/nuevo', async (contexto) => {
  const { campos, deps, usuario, autor, pagina, redirectTo } = contexto;
  const read = readPedido(campos, deps.destinos);
  if ('faltas' in read) return newPage(contexto, read.faltas, elegidosOf(campos));
  const id = isUuid(campos['id']) ? campos['id'].toLowerCase() : deps.newId();
  const { secreto, sellado } = newSecreto(id, { newId: deps.newId, sellado: deps.selladoWebhooks });
  const { cuentaId } = usuario;
  const resultado = await createWebhooks(deps.database).create({
    id,
    cuentaId,
    secreto: sellado,
    ...read.pedido,
    ...autor,
  });
  if (typeof resultado === 'object') return newPage(contexto, { url: YA_HAY }, elegidosOf(campos));
  if (resultado === 'RFC_DESCONOCIDO')
    return newPage(
      contexto,
      { rfcs: 'Hay un RFC que no es de la cuenta. Agréguelo primero en RFC.' },
      elegidosOf(campos),
    );
  if (resultado === 'WEBHOOKS_DEMASIADOS')
    return redirectTo('/webhooks', {
      tono: 'error',
      texto: `La cuenta ya tiene ${MAX_WEBHOOKS} webhooks, el máximo. Borre uno que ya no use.`,
    });
  if (resultado === 'REPETIDO')
    return redirectTo('/webhooks', {
      tono: 'info',
      texto: 'Ese webhook ya se había creado; su secreto se mostró entonces.',
    });
  return pagina('Webhook creado', <SecretoNuevo secreto={secreto} id={id} />, { camino: <Camino /> });
});

export function Camino({ children }: { readonly children?: string }) {
  return (
    <p class="suave">
      <a href="/webhooks">Webhooks</a> / {children ?? 'Agregar'}
    </p>
  );
}

function newPage({ campos, deps, pagina }: Contexto, faltas: Faltas, elegidos: readonly string[]): Response {
  return pagina(
    'Agregar webhook',
    <Tarjeta>
      <Formulario accion="/webhooks/nuevo" descripcion="Agregar webhook" valores={campos} faltas={faltas}>
        <input type="hidden" name="id" value={deps.newId()} />
        <CamposWebhook elegidos={elegidos} faltas={faltas} />
        <Botones cancelar="/webhooks">Agregar webhook</Botones>
      </Formulario>
    </Tarjeta>,
    { camino: <Camino />, status: Object.keys(faltas).length > 0 ? 422 : 200 },
  );
}
