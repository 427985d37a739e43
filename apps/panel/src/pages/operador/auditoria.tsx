import { createAuditoria, type FiltroAuditoria, isUuid, type LineaAuditoria } from '@acuse/db';
import { ConNota, Fecha, numeric, Paginacion, pageOf, sortOf, Tabla, Vacio } from '@acuse/page/blocks';
import { addDias, startOfDia } from '@acuse/page/dia-mexico';
import { Campo, Filtros, hrefWith } from '@acuse/page/form';
import { formatNumero } from '@acuse/page/formato';
import type { Child } from 'hono/jsx';
import { routesFor } from '../../paginas.ts';
import { describeCambio, nombreAccion, SCHEDULED } from './frases-auditoria.ts';

const PATH = '/operador/auditoria';
const POR_PAGINA = 25;

export const auditPage = routesFor('operador');

auditPage.get(PATH, async ({ c, deps, now, pagina }) => {
  const query = c.req.query();
  const auditoria = createAuditoria(deps.database);
  const { antes: _, ...chosen } = query;
  const { isReversed, orden } = sortOf(PATH, chosen, 'descending');
  const filtro = { ...filtroOf(query), isReversed };
  const dias = await readDays(auditoria, query, now, filtro);
  const [found, acciones] = await Promise.all([dias ? [] : auditoria.list(filtro), auditoria.acciones()]);
  const paging = { path: PATH, query, after: 'antes', placeOf: ({ id }: LineaAuditoria) => id };
  const { filas, ...links } = pageOf(found, POR_PAGINA, paging);
  return pagina(
    'Auditoría',
    <>
      <Filtros
        accion={PATH}
        descripcion="Filtrar"
        valores={query}
        activos={['accion', 'actor', 'cuenta', 'desde', 'hasta'].filter((name) => query[name]).length}
      >
        <Campo
          nombre="accion"
          label="Qué"
          value={query['accion'] ?? ''}
          opciones={[['', 'Todo'], ...acciones.map((accion) => [accion, nombreAccion(accion)] as const)]}
        />
        <Campo nombre="actor" label="Quién" maxLargo={200} literal />
        <Campo nombre="cuenta" label="Identificador de la cuenta" maxLargo={36} literal />
        <Campo nombre="desde" label="Desde" tipo="date" />
        <Campo nombre="hasta" label="Hasta" tipo="date" />
      </Filtros>
      {dias ? (
        <PorDia dias={dias} query={query} />
      ) : (
        <RenglonesAuditoria
          titulo={isReversed ? 'Cambios, los antiguos primero' : 'Cambios, los nuevos primero'}
          lineas={filas}
          orden={orden}
          vacia={<Vacio titulo="Nada coincide">Quite algún filtro, o amplíe las fechas.</Vacio>}
        />
      )}
      <Paginacion {...links} />
    </>,
    { scripts: ['tabla.js'] },
  );
});

/** Days on a page. */
const DIAS = 25;

/** Days of an action that a schedule makes; null for other actions, and for one day, which shows its lines. */
async function readDays(
  auditoria: ReturnType<typeof createAuditoria>,
  { accion = '', desde: from, hasta: until }: Readonly<Record<string, string>>,
  now: Date,
  { cuentaId, desde, hasta = now }: FiltroAuditoria,
) {
  if (!SCHEDULED.includes(accion) || (from && from === until)) return null;
  const since = new Date(Math.max(desde?.getTime() ?? 0, hasta.getTime() - DIAS * 86_400_000));
  return auditoria.byDay(accion, { cuentaId, desde: since, hasta });
}

interface PorDiaProps {
  readonly dias: NonNullable<Awaited<ReturnType<typeof readDays>>>;
  readonly query: Readonly<Record<string, string>>;
}

function PorDia({ dias, query }: PorDiaProps) {
  return (
    <Tabla
      titulo={nombreAccion(query['accion'] ?? '')}
      columnas={['Día', numeric('Cuentas'), numeric('Veces')]}
      filas={dias.map(({ dia, cuantas, cuentas }) => [
        <a href={hrefWith(PATH, { ...query, desde: dia, hasta: dia })}>
          <Fecha value={new Date(dia)} formato="calendario" />
        </a>,
        formatNumero(cuentas),
        formatNumero(cuantas),
      ])}
      vacia={<Vacio titulo="Ninguna vez en estos días" />}
    />
  );
}

/** What cannot be read is no filter; an account that cannot be one finds nothing. */
function filtroOf(query: Readonly<Record<string, string>>): FiltroAuditoria {
  const { accion = '', actor = '', cuenta = '', antes = '' } = query;
  const desde = startOfDia(query['desde'] ?? '');
  const hasta = startOfDia(query['hasta'] ?? '') && startOfDia(addDias(query['hasta'] ?? '', 1));
  return {
    limite: POR_PAGINA + 1,
    ...(accion === '' ? { salvo: SCHEDULED } : { accion }),
    ...(actor === '' ? {} : { actor }),
    ...(cuenta === '' ? {} : { cuentaId: isUuid(cuenta) ? cuenta : NADIE }),
    ...(desde === null ? {} : { desde }),
    ...(hasta === null ? {} : { hasta }),
    ...(/^\d{1,18}$/.test(antes) ? { antes } : {}),
  };
}

const NADIE = '00000000-0000-0000-0000-000000000000';

interface RenglonesProps {
  readonly titulo: string;
  readonly lineas: readonly LineaAuditoria[];
  readonly vacia: Child;
  /** Leaves the account out, where all lines are of one. */
  readonly sinCuenta?: boolean;
  /** How the column of time sorts them. */
  readonly orden?: ReturnType<typeof sortOf>['orden'];
}

/** Lines of the audit log as a table. */
export function RenglonesAuditoria({ titulo, lineas, vacia, sinCuenta = false, orden }: RenglonesProps) {
  return (
    <Tabla
      titulo={titulo}
      columnas={[
        'Qué',
        'Quién',
        { titulo: sinCuenta ? 'RFC' : 'Cuenta y RFC', phone: 'value' },
        { titulo: 'Cuándo', phone: 'end', orden },
      ]}
      filas={lineas.map((linea) => [
        <ConNota nota={nombreAccion(linea.accion)}>
          <span class="larga">{describeCambio(linea.accion, linea.detalle)}</span>
        </ConNota>,
        <ConNota nota={linea.ip && `desde ${linea.ip}`}>
          <a href={hrefWith(PATH, { actor: linea.actor })}>{linea.persona ?? linea.actor}</a>
        </ConNota>,
        sinCuenta ? (linea.rfc ?? '—') : <Cuenta linea={linea} />,
        <Fecha value={linea.en} />,
      ])}
      vacia={vacia}
    />
  );
}

function Cuenta({ linea: { cuentaId, cuenta, rfc } }: { readonly linea: LineaAuditoria }) {
  return (
    <ConNota nota={rfc} literal>
      {cuentaId === null ? '—' : <a href={`/operador/cuentas/${cuentaId}`}>{cuenta ?? cuentaId}</a>}
    </ConNota>
  );
}
