import type { CanalMedido, EstadoCanal, SaludCanal } from '@acuse/core';
import { createSaludCanales, createSaludSat, type MedidasSat, type SaludHost, type SaludSat } from '@acuse/db';
import { ConNota, Datos, Estado, Fecha, numeric, Tabla, Tarjeta, type Tono, Vacio } from '../../components/blocks.tsx';
import { count, formatFecha, formatNumero } from '../../components/formato.ts';
import { Grafica } from '../../components/grafica.tsx';
import { routesFor } from '../../http/ruta.ts';

/** The channels to the SAT, in the order of the page. */
export const CANALES: Readonly<Record<CanalMedido, string>> = {
  soap: 'Servicios web',
  portal: 'Portales',
  publico: 'Consultas públicas',
  lista: 'Lista 69-B',
};
const ESTADOS: Record<EstadoCanal, readonly [string, Tono | 'neutro']> = {
  NORMAL: ['Normal', 'exito'],
  LENTO: ['Lento', 'alerta'],
  CON_FALLAS: ['Con fallas', 'error'],
  SIN_DATOS: ['Sin datos', 'neutro'],
};
const BREAKERS: Record<SaludHost['estado'], readonly [string, Tono | 'neutro']> = {
  CERRADO: ['Se le pregunta', 'neutro'],
  ABIERTO: ['Se le deja descansar', 'error'],
  A_PRUEBA: ['Espera una prueba', 'alerta'],
};
const MINUTOS = { hora: 60, dia: 1_440 } as const;

export const healthPage = routesFor('operador');

healthPage.get('/operador/salud', async ({ c, deps, now, pagina }) => {
  const periodo = c.req.query('periodo') === 'dia' ? 'dia' : 'hora';
  const [salud, canales] = await Promise.all([
    createSaludSat(deps.database).read({ now, periodo }),
    createSaludCanales(deps.database).canales(now),
  ]);
  return pagina(
    'Salud del SAT',
    <>
      <nav class="fila" aria-label="Periodo">
        <a href="/operador/salud" aria-current={periodo === 'hora' ? 'true' : undefined}>
          Última hora
        </a>
        <a href="/operador/salud?periodo=dia" aria-current={periodo === 'dia' ? 'true' : undefined}>
          Último día
        </a>
      </nav>
      <p class="suave">
        Lo que de verdad se le preguntó al SAT, contado por cada API y cada worker, con hasta diez segundos de retraso.
        Las latencias son aproximadas.
      </p>
      {salud.hosts.length === 0 ? (
        <Vacio titulo="Nadie ha preguntado nada al SAT en este tiempo">
          En cuanto alguien haga una consulta o avance una descarga, aquí se verá cómo contesta.
        </Vacio>
      ) : (
        <>
          <Canales canales={canales} />
          <Hosts hosts={salud.hosts} minutos={MINUTOS[periodo]} />
          <Lineas salud={salud} />
        </>
      )}
    </>,
  );
});

const percent = (parte: number | null) => (parte === null ? '—' : `${formatNumero(Math.round(parte * 1_000) / 10)} %`);
const milliseconds = (ms: number | null) => (ms === null ? '—' : `${formatNumero(Math.round(ms))} ms`);
const rate = (peticiones: number, minutos: number) => formatNumero(Math.round((peticiones / minutos) * 100) / 100);

/** The state of each channel, as everybody reads it at `/estado`. */
function Canales({ canales }: { readonly canales: readonly SaludCanal[] }) {
  return (
    <Datos
      filas={canales.map(({ canal, estado, desde, fallas }) => [
        CANALES[canal],
        <>
          <Estado texto={ESTADOS[estado][0]} tono={ESTADOS[estado][1]} />
          {fallas === null ? null : <> {percent(fallas)} de fallas</>}
          {desde === null ? null : (
            <>
              , desde <Fecha value={desde} formato="hora" />
            </>
          )}
        </>,
      ])}
    />
  );
}

function Hosts({ hosts, minutos }: { readonly hosts: readonly SaludHost[]; readonly minutos: number }) {
  return (
    <Tabla
      titulo="Por servidor"
      columnas={[
        'Servidor',
        'Cortacircuitos',
        numeric('Peticiones'),
        numeric('Fallos'),
        numeric('4xx'),
        numeric('Latencia'),
      ]}
      filas={hosts.map((host) => [
        <ConNota nota={host.host}>{CANALES[host.canal]}</ConNota>,
        <Breaker host={host} />,
        <ConNota nota={`${rate(host.peticiones, minutos)} por minuto`}>{formatNumero(host.peticiones)}</ConNota>,
        <ConNota nota={percent(host.fallosParte)}>{formatNumero(host.fallos)}</ConNota>,
        formatNumero(host.rechazos),
        <ConNota nota={`p95 ${milliseconds(host.p95)}`}>{milliseconds(host.p50)}</ConNota>,
      ])}
    />
  );
}

function Breaker({ host }: { readonly host: SaludHost }) {
  const [texto, tono] = BREAKERS[host.estado];
  return (
    <>
      <Estado texto={texto} tono={tono} />
      {host.abiertoHasta === null ? null : (
        <div class="chica suave">
          hasta <Fecha value={host.abiertoHasta} formato="hora" />
        </div>
      )}
      {host.evitadas > 0 ? <div class="chica suave">{count(host.evitadas, 'no enviada', 'no enviadas')}</div> : null}
      {host.estado === 'CERRADO' && host.seguidos > 0 ? (
        <div class="chica suave">{count(host.seguidos, 'fallo seguido', 'fallos seguidos')}</div>
      ) : null}
    </>
  );
}

/** The charts: title, unit, and drawn value of the measures of `minutos`. */
const GRAFICAS: readonly (readonly [string, string, (medidas: MedidasSat, minutos: number) => number])[] = [
  ['Peticiones por minuto', 'peticiones por minuto', ({ peticiones }, minutos) => peticiones / minutos],
  ['Fallos, en porcentaje', 'por ciento', ({ fallosParte }) => (fallosParte ?? 0) * 100],
  ['Latencia p95, en milisegundos', 'milisegundos', ({ p95 }) => p95 ?? 0],
];

function Lineas({ salud: { puntos, pasoMinutos } }: { readonly salud: SaludSat }) {
  const used = (Object.entries(CANALES) as [CanalMedido, string][]).filter(([canal]) =>
    puntos.some(({ canales }) => canales.has(canal)),
  );
  return (
    <Tarjeta titulo="En el tiempo">
      {GRAFICAS.map(([titulo, unidad, pick]) => (
        <Grafica
          titulo={titulo}
          tipo="lineas"
          series={used.map(([, nombre]) => nombre)}
          unidad={unidad}
          puntos={puntos.map(({ desde, canales }) => ({
            label: formatFecha(desde, 'hora').slice(0, 5),
            valores: used.map(([canal]) => {
              const medidas = canales.get(canal);
              return medidas ? Math.max(0, Math.round(pick(medidas, pasoMinutos) * 10) / 10) : 0;
            }),
          }))}
        />
      ))}
    </Tarjeta>
  );
}
