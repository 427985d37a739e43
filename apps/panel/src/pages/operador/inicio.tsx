import type { CanalMedido } from '@acuse/core';
import {
  createCaptchas,
  createHeartbeats,
  createLibro,
  createListaSolicitudes,
  createPagos,
  createSaludCanales,
  createSaludSat,
} from '@acuse/db';
import { Aviso, Estado, Fecha, numeric, Tabla, Tarjeta, Vacio } from '@acuse/page/blocks';
import { safeHref } from '@acuse/page/form';
import { formatCreditos, formatNumero } from '@acuse/page/formato';
import type { PanelDeps } from '../../deps.ts';
import { FEATURES } from '../../features.ts';
import { routesFor } from '../../paginas.ts';

const MOSTRADAS = 10;
/** Every role with a heartbeat sends one each ten seconds or less. */
const CALLADO_MS = 60_000;
/** The roles without which no download ends. */
const TAREAS = { descargas: 'lleva las descargas por el SAT', ensambles: 'prepara los ZIP' };
/** The channels to the SAT, as the page names them. */
const CANALES: Readonly<Record<CanalMedido, string>> = {
  soap: 'Servicios web',
  portal: 'Portales',
  publico: 'Consultas públicas',
  lista: 'Lista 69-B',
};
/** What a look at the queues may take of a page. */
const COLAS_MS = 1_000;

export const operatorPage = routesFor('operador');

operatorPage.get('/operador', async ({ deps, now, pagina }) => {
  const datos = await readDatos(deps, now);
  return pagina(
    'Operación',
    <>
      <Pendientes {...datos} estado={`${deps.settings.apiPublicUrl}/estado`} />
      <Colas colas={datos.colas} />
      <Procesos heartbeats={datos.heartbeats} now={now} />
      <Atrasadas atrasadas={datos.atrasadas} now={now} />
      <Devoluciones devoluciones={datos.devoluciones} />
    </>,
  );
});

async function readDatos(deps: PanelDeps, now: Date) {
  const { database, dashboard } = deps;
  const salud = createSaludCanales(database);
  const [trabajan, canales, captchas, pagos, abiertos, deFeatures, colas, heartbeats, atrasadas, devoluciones] =
    await Promise.all([
      salud.trabajan(),
      salud.canales(now),
      createCaptchas(database).pendientes(),
      createPagos(database).listEstado({ estado: 'PENDIENTE', limite: 100 }),
      createSaludSat(database).abiertos(),
      Promise.all(FEATURES.map(({ pendientes: read }) => read?.(deps) ?? [])),
      dashboard.cuentas(AbortSignal.timeout(COLAS_MS)),
      createHeartbeats(database).list(),
      createListaSolicitudes(database).overdue(MOSTRADAS),
      createLibro(database).devoluciones(MOSTRADAS),
    ]);
  const transferencias = pagos.filter(({ proveedor }) => proveedor === 'transferencia').length;
  return {
    fallan: canales.filter(({ estado }) => estado === 'CON_FALLAS'),
    paradas: Object.entries(TAREAS).flatMap(([rol, tarea]) => (trabajan.includes(rol) ? [] : [tarea])),
    captchas: captchas.length,
    transferencias,
    abiertos,
    deFeatures: deFeatures.flat(),
    colas,
    heartbeats,
    atrasadas,
    devoluciones,
  };
}

type Datos = Awaited<ReturnType<typeof readDatos>>;

/** `estado`: address of the public page about the SAT. */
function Pendientes(props: Datos & { readonly estado: string }) {
  const { estado, fallan, paradas, captchas, transferencias, abiertos, deFeatures, atrasadas } = props;
  const waiting = [
    paradas.length > 0 && `Ningún worker ${paradas.join(' ni ')}: arranque uno.`,
    fallan.length > 0 && (
      <>
        <a href={safeHref(estado)}>El SAT falla</a>: {fallan.map(({ canal }) => CANALES[canal]).join(', ')}.
      </>
    ),
    captchas > 0 && (
      <>
        <a href="/operador/captchas">{formatNumero(captchas)} captchas por contestar</a>: caducan en minutos.
      </>
    ),
    transferencias > 0 && <a href="/operador/pagos">{formatNumero(transferencias)} pagos por confirmar</a>,
    abiertos.length > 0 && (
      <>
        <a href={safeHref(estado)}>El SAT no contesta en {abiertos.join(', ')}</a>: se le deja descansar.
      </>
    ),
    ...deFeatures,
    atrasadas.length > 0 && 'Hay solicitudes atrasadas; están abajo.',
  ].filter(Boolean);
  if (waiting.length === 0) return <Aviso tono="exito">Nada espera a un operador en este momento.</Aviso>;
  return (
    <Aviso tono="alerta" titulo="Espera a un operador">
      <ul>
        {waiting.map((each) => (
          <li>{each}</li>
        ))}
      </ul>
    </Aviso>
  );
}

function Colas({ colas }: Pick<Datos, 'colas'>) {
  const cell = (n: number | undefined) => (n === undefined ? '—' : formatNumero(n));
  return (
    <Tarjeta titulo="Colas" accion={<a href="/operador/colas">Ver cada trabajo</a>}>
      <Tabla
        titulo="Trabajos por cola"
        tituloOculto
        columnas={['Cola', numeric('Esperan'), numeric('En curso'), numeric('Aplazados')]}
        filas={colas.map(({ queue, trabajos }) => [
          queue,
          trabajos === null ? <Estado texto="No contesta" tono="error" /> : cell(trabajos.esperan),
          cell(trabajos?.activos),
          cell(trabajos?.aplazados),
        ])}
      />
    </Tarjeta>
  );
}

function Procesos({ heartbeats, now }: Pick<Datos, 'heartbeats'> & { readonly now: Date }) {
  const isQuiet = ({ vistoEn }: Datos['heartbeats'][number]) => now.getTime() - vistoEn.getTime() > CALLADO_MS;
  return (
    <Tarjeta titulo="Procesos de trabajo">
      <Tabla
        titulo="Procesos vistos en el último día"
        tituloOculto
        columnas={['Proceso', 'Atiende', 'Estado', 'Visto', 'Último trabajo']}
        filas={heartbeats.map((latido) => [
          <span class="fija">{latido.proceso}</span>,
          latido.rol,
          isQuiet(latido) ? <Estado texto="Callado" tono="alerta" /> : <Estado texto="Vivo" tono="exito" />,
          <Fecha value={latido.vistoEn} relativaA={now} />,
          latido.consumidoEn === null ? '—' : <Fecha value={latido.consumidoEn} relativaA={now} />,
        ])}
        vacia={
          <Vacio titulo="Ningún proceso ha dado señales en el último día">
            Arranque al menos un worker: sin él no avanza ninguna descarga.
          </Vacio>
        }
      />
    </Tarjeta>
  );
}

function Atrasadas({ atrasadas, now }: Pick<Datos, 'atrasadas'> & { readonly now: Date }) {
  return (
    <Tarjeta titulo="Solicitudes atrasadas">
      <Tabla
        titulo="Solicitudes que nadie ha tomado a su hora"
        tituloOculto
        columnas={['Solicitud', 'Cuenta', { titulo: 'RFC', phone: 'line' }, 'Fase', 'Debía avanzar']}
        filas={atrasadas.map((solicitud) => [
          <span class="fija">{solicitud.id}</span>,
          <a href={`/operador/cuentas/${solicitud.cuentaId}`}>{solicitud.cuenta}</a>,
          solicitud.rfc,
          solicitud.fase,
          <Fecha value={solicitud.dueAt} relativaA={now} />,
        ])}
        vacia={<p class="suave">Ninguna: todas avanzan a su hora.</p>}
      />
    </Tarjeta>
  );
}

function Devoluciones({ devoluciones }: Pick<Datos, 'devoluciones'>) {
  return (
    <Tarjeta titulo="Devoluciones que hizo el servicio">
      <Tabla
        titulo="Cargos devueltos sin que nadie lo pidiera"
        tituloOculto
        columnas={['Cuándo', 'Cuenta', 'Operación', 'Por qué', numeric('Devuelto')]}
        filas={devoluciones.map((devolucion) => [
          <Fecha value={devolucion.creadoEn} />,
          <a href={`/operador/cuentas/${devolucion.cuentaId}`}>{devolucion.cuenta}</a>,
          devolucion.operacion ?? '—',
          devolucion.detalle === 'PLAZO_AGOTADO' ? 'la solicitud llegó a su plazo' : devolucion.detalle,
          formatCreditos(devolucion.importe),
        ])}
        vacia={<p class="suave">Ninguna: no quedó ninguna llamada a medias.</p>}
      />
    </Tarjeta>
  );
}
