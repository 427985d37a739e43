import { ESTADOS_SOLICITUD, type EstadoSolicitud } from '@acuse/contract';
import {
  createContribuyentes,
  createListaSolicitudes,
  FIRST_ID,
  type FilaSolicitud,
  type PaginaSolicitudes,
  TOPE_CUENTA,
} from '@acuse/db';
import { MAX_ELEGIBLES, Permitido } from '@acuse/page';
import { ConNota, Estado, Fecha, numeric, Paginacion, sortOf, Tabla, Vacio } from '@acuse/page/blocks';
import { Boton, Campo, Filtros, hrefWith } from '@acuse/page/form';
import { countTrade, formatNumero } from '@acuse/page/formato';
import { Periodos, periodosDe, shortPeriod } from '@acuse/page/periodos';
import { routesFor } from '../../paginas.ts';
import { type FiltroLeido, readFilter } from './filtro.ts';
import { daysOf, isByDay, Lecturas } from './lecturas.tsx';

const PATH = '/solicitudes';
const POR_PAGINA = 25;
export const solicitudesPage = routesFor('solicitudes');

/** The solicitudes of the account, newest first. */
solicitudesPage.get('/solicitudes', async ({ c, deps, usuario, now, pagina }) => {
  const leido = readFilter((name) => c.req.query(name));
  const lista = createListaSolicitudes(deps.database);
  const { rfc } = leido.filtro;
  const [dias, pages, counts, rfcs] = await Promise.all([
    isByDay(leido.valores) ? lista.lecturas(usuario.cuentaId, { ...daysOf(leido.valores, now), rfc }) : null,
    lista.page(
      usuario.cuentaId,
      leido.filtro,
      leido.cursor ?? (sortedBy(leido).isReversed ? OLDEST : null),
      POR_PAGINA,
    ),
    lista.counts(usuario.cuentaId, leido.filtro.rfc),
    createContribuyentes(deps.database).names(usuario.cuentaId, MAX_ELEGIBLES),
  ]);
  const { valores } = leido;
  return pagina(
    'Solicitudes',
    <>
      {valores.origen === undefined ? <Cuentas valores={valores} cuentas={counts} /> : null}
      <Buscar leido={leido} rfcs={rfcs.map(({ rfc }) => rfc)} now={now} />
      {dias === null ? (
        <Lista {...{ leido, pages, now }} isMarked={deps.settings.modoLlave === 'live'} />
      ) : (
        <Lecturas {...{ dias, valores, now }} />
      )}
    </>,
    {
      scripts: ['tabla.js'],
      accion: (
        <Permitido cambiar="solicitudes">
          <Boton href="/solicitudes/nueva">Pedir CFDI al SAT</Boton>
        </Permitido>
      ),
    },
  );
});

interface ListaProps {
  readonly leido: FiltroLeido;
  readonly pages: PaginaSolicitudes;
  readonly now: Date;
  /** Those of keys for tests carry a mark. */
  readonly isMarked: boolean;
}

function Lista({ leido, pages, now, isMarked }: ListaProps) {
  const { valores } = leido;
  const { isReversed, orden } = sortedBy(leido);
  const isFiltered = Object.keys(valores).some((name) => name !== 'orden');
  return (
    <>
      <Tabla
        titulo={
          isReversed
            ? 'Solicitudes, de la más antigua a la más reciente'
            : 'Solicitudes, de la más reciente a la más antigua'
        }
        tituloOculto
        columnas={[
          'CFDI y periodo',
          'RFC',
          { titulo: 'Estado', phone: 'value' },
          numeric('CFDI', { isNamed: true }),
          { titulo: 'Pedida', phone: 'end', orden },
        ]}
        filas={(isReversed ? [...pages.filas].reverse() : pages.filas).map((fila) => [
          <a href={`/solicitudes/${fila.id}`}>
            {fila.tipo === 'emitidos' ? 'Emitidos' : 'Recibidos'} {shortPeriod(fila.desde, fila.hasta)}
          </a>,
          <ConNota nota={adversasOf(fila) ?? (fila.modo === 'test' && isMarked ? 'de pruebas' : null)}>
            <span class="fija">{fila.rfc}</span>
          </ConNota>,
          <EstadoDe fila={fila} />,
          fila.registros === null ? '—' : formatNumero(fila.registros),
          <Fecha value={fila.creadaEn} relativaA={now} />,
        ])}
        vacia={<Nada isFiltered={isFiltered} />}
      />
      <Paginacion {...linksOf(leido, pages)} />
    </>
  );
}

/** Before the oldest. */
const OLDEST = { despuesDe: FIRST_ID };

const sortedBy = ({ valores }: FiltroLeido) => sortOf(PATH, valores, 'descending');

/** Addresses of the pages before and after, in the order of the list. */
function linksOf(leido: FiltroLeido, { filas, hayAntes, hayDespues }: PaginaSolicitudes) {
  const { valores, cursor } = leido;
  const [newest, oldest] = [filas[0], filas.at(-1)];
  const newer = hayDespues && newest ? hrefWith(PATH, { ...valores, despues: newest.id }) : null;
  const older = hayAntes && oldest ? hrefWith(PATH, { ...valores, antes: oldest.id }) : null;
  if (!sortedBy(leido).isReversed) return { anterior: newer, siguiente: older };
  return { anterior: cursor === null ? null : older, siguiente: newer };
}

function EstadoDe({ fila }: { readonly fila: FilaSolicitud }) {
  const porcentaje = Math.round(fila.progreso * 100);
  if (fila.estado === 'TERMINADA' && fila.paqueteBorradoEn !== null)
    return <Estado value="TERMINADA" texto="Terminada, ZIP borrado" tono="neutro" />;
  if (fila.estado !== 'EN_PROCESO') return <Estado value={fila.estado} />;
  return <Estado value="EN_PROCESO" texto={`En proceso, ${porcentaje} %`} />;
}

const adversasOf = ({ tipo, contrapartesAdversas: n }: FilaSolicitud) =>
  n === null || n === 0 ? null : <Permitido ver="paquetes">{countTrade(n, tipo)} en listas del SAT</Permitido>;

const NOMBRES: Readonly<Record<EstadoSolicitud, string>> = {
  EN_PROCESO: 'En proceso',
  ESPERA_EFIRMA: 'Esperan la e.firma',
  TERMINADA: 'Terminadas',
  ERROR: 'No se pudieron',
  RECHAZADA: 'Rechazadas por el SAT',
  VENCIDA: 'Vencieron',
  CANCELADA: 'Canceladas',
};

interface CuentasProps {
  readonly valores: FiltroLeido['valores'];
  readonly cuentas: Readonly<Record<EstadoSolicitud, number>>;
}

function Cuentas({ valores, cuentas }: CuentasProps) {
  const present = ESTADOS_SOLICITUD.filter((estado) => cuentas[estado] > 0 || estado === valores.estado);
  if (present.length === 0) return null;
  return (
    <nav class="fila" aria-label="Solicitudes por estado">
      <a href={hrefWith(PATH, { ...valores, estado: undefined })} aria-current={valores.estado ? undefined : 'true'}>
        Todas
      </a>
      {present.map((estado) => (
        <a href={hrefWith(PATH, { ...valores, estado })} aria-current={estado === valores.estado ? 'true' : undefined}>
          {NOMBRES[estado]} <span class="numero">({countText(cuentas[estado])})</span>
        </a>
      ))}
    </nav>
  );
}

const countText = (count: number) =>
  count > TOPE_CUENTA ? `más de ${formatNumero(TOPE_CUENTA)}` : formatNumero(count);

const TODOS = ['', 'Todos'] as const;

interface BuscarProps {
  readonly leido: FiltroLeido;
  readonly rfcs: readonly string[];
  readonly now: Date;
}

function Buscar({ leido, rfcs, now }: BuscarProps) {
  const { valores, faltas } = leido;
  const { orden, estado, ...elegidos } = valores;
  return (
    <Filtros
      accion={PATH}
      descripcion="Filtrar solicitudes"
      valores={valores}
      faltas={faltas}
      activos={Object.keys(elegidos).length}
      antes={
        <Periodos
          periodos={periodosDe(now)}
          elegido={{ desde: valores.periodo_desde, hasta: valores.periodo_hasta }}
          href={({ desde, hasta }) => hrefWith(PATH, { ...valores, periodo_desde: desde, periodo_hasta: hasta })}
        />
      }
    >
      <Campo nombre="rfc" label="RFC" opciones={[TODOS, ...rfcs]} />
      <Campo nombre="tipo" label="CFDI" opciones={[TODOS, ['emitidos', 'Emitidos'], ['recibidos', 'Recibidos']]} />
      <Campo
        nombre="estado"
        label="Estado"
        opciones={[TODOS, ...ESTADOS_SOLICITUD.map((each) => [each, NOMBRES[each]] as const)]}
      />
      <Campo nombre="periodo_desde" label="Periodo con días desde" tipo="date" />
      <Campo nombre="periodo_hasta" label="Periodo con días hasta" tipo="date" />
      <Campo nombre="creada_desde" label="Pedida desde" tipo="date" />
      <Campo nombre="creada_hasta" label="Pedida hasta" tipo="date" />
      <Campo nombre="id" label="Identificador" ayuda="Completo o una parte." literal maxLargo={36} />
      <Campo
        nombre="origen"
        label="Origen"
        opciones={[
          ['', 'Pedidas por personas o sistemas'],
          ['lecturas', 'Lecturas automáticas'],
        ]}
      />
    </Filtros>
  );
}

function Nada({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered)
    return (
      <Vacio titulo="Ninguna solicitud cumple con estos filtros" accion={{ href: '/solicitudes', texto: 'Ver todas' }}>
        Amplíe las fechas o quite algún filtro.
      </Vacio>
    );
  return (
    <Vacio
      titulo="Todavía no hay solicitudes"
      accion={{ href: '/solicitudes/nueva', texto: 'Pedir CFDI al SAT', cambiar: 'solicitudes' }}
    >
      Aquí aparecen las descargas que pida desde el panel o por la API, con su avance y su ZIP.
    </Vacio>
  );
}
