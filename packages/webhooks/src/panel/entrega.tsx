import type { Limite } from '@acuse/db';
import { demasiados, Permitido } from '@acuse/page';
import { Datos, Fecha, numeric, Tabla, Tarjeta, Vacio } from '@acuse/page/blocks';
import { Boton, Formulario } from '@acuse/page/form';
import { formatNumero } from '@acuse/page/formato';
import { createWebhooks } from '../db/index.ts';
import { EstadoEntrega, resultadoDe, webhookRoutes } from './detalle.tsx';
import { hrefWebhook } from './lista.tsx';

/** Deliveries that an account sends again, at the pace of webhooks/reenviar. */
export const limiteReenvios = (cuentaId: string): Limite => ({
  clave: `reenviar:${cuentaId}`,
  rafaga: 60,
  segundos: 1,
});

export const deliveryPage = webhookRoutes();

/** One delivery: its body and its attempts. */
deliveryPage.get('/entregas/:entrega', async ({ c, deps, usuario, pagina, noEncontrada }, { id, url }) => {
  const entrega = await createWebhooks(deps.database).entrega(
    { cuentaId: usuario.cuentaId },
    c.req.param('entrega') ?? '',
  );
  if (entrega === null || entrega.webhookId !== id) return noEncontrada();
  const { tipo, hechos, cuerpo, proximoIntento } = entrega;
  return pagina(
    `Aviso ${tipo}`,
    <>
      <Tarjeta>
        <Datos
          filas={[
            ['Estado', <EstadoEntrega estado={entrega.estado} />],
            ['Dirección', <code class="breve">{url}</code>],
            ['webhook-id', <code>{entrega.eventoId}</code>],
            ['Número', formatNumero(entrega.secuencia), 'numero'],
            entrega.rfc === null ? null : ['RFC', entrega.rfc],
            ['Pasó', <Fecha value={entrega.creadaEn} />],
            proximoIntento === null ? null : ['Próximo intento', <Fecha value={proximoIntento} />],
            entrega.terminadaEn === null ? null : ['Terminó', <Fecha value={entrega.terminadaEn} />],
          ]}
        />
        <Permitido cambiar="webhooks">
          <Formulario accion={hrefWebhook(id, `/entregas/${entrega.id}`)} descripcion="Enviar otra vez">
            <Boton variante="secundario">Enviar otra vez</Boton>
          </Formulario>
        </Permitido>
      </Tarjeta>
      <Tarjeta titulo="Intentos">
        <Tabla
          titulo="Intentos, del más nuevo al más antiguo"
          tituloOculto
          columnas={['Cuándo', 'Resultado', numeric('Tardó'), { titulo: 'Cómo empieza la respuesta', phone: 'line' }]}
          filas={hechos.map((intento) => [
            <Fecha value={intento.en} />,
            resultadoDe(intento),
            `${formatNumero(intento.ms)} ms`,
            intento.respuesta ? <code class="larga">{intento.respuesta}</code> : '—',
          ])}
          vacia={<Vacio titulo="Aún no se intenta">Recargue la página en unos segundos.</Vacio>}
        />
      </Tarjeta>
      {cuerpo === null ? null : (
        <Tarjeta titulo="Lo que se envía">
          <pre>{JSON.stringify(JSON.parse(cuerpo), null, 2)}</pre>
        </Tarjeta>
      )}
    </>,
    {
      camino: (
        <p class="suave">
          <a href="/webhooks">Webhooks</a> / <a href={hrefWebhook(id)}>Detalle</a>
        </p>
      ),
    },
  );
});

deliveryPage.post('/entregas/:entrega', async ({ c, deps, usuario, redirectTo, noEncontrada }, { id }) => {
  const alcance = { cuentaId: usuario.cuentaId };
  const entrega = await createWebhooks(deps.database).entrega(alcance, c.req.param('entrega') ?? '');
  if (entrega === null || entrega.webhookId !== id) return noEncontrada();
  const permiso = await deps.intentos.take([limiteReenvios(usuario.cuentaId)]);
  if (!permiso.permitido)
    return redirectTo(hrefWebhook(id, `/entregas/${entrega.id}`), {
      tono: 'error',
      texto: demasiados(permiso.esperar).texto,
    });
  const isSent = await createWebhooks(deps.database).resend(alcance, entrega.id);
  return redirectTo(
    hrefWebhook(id, `/entregas/${entrega.id}`),
    isSent
      ? { tono: 'exito', texto: 'Se envía otra vez, con el mismo webhook-id.' }
      : { tono: 'error', texto: 'El webhook está desactivado: actívelo y repita.' },
  );
});
