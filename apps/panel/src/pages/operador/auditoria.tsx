import { createAuditoria, type FiltroAuditoria, isUuid, type LineaAuditoria } from '@acuse/db';
import { ConNota, Fecha, Paginacion, pageOf, Tabla, Vacio } from '@acuse/page/blocks';
import { addDias, startOfDia } from '@acuse/page/dia-mexico';
import { Boton, Campo, Formulario, hrefWith } from '@acuse/page/form';
import type { Child } from 'hono/jsx';
import { routesFor } from '../../paginas.ts';
import { describeCambio, nombreAccion } from './frases-auditoria.ts';

const PATH = '/operador/auditoria';
const POR_PAGINA = 50;

export const auditPage = routesFor('operador');

auditPage.get(PATH, async ({ c, deps, pagina }) => {
  const query = c.req.query();
  const auditoria = createAuditoria(deps.database);
  const [found, acciones] = await Promise.all([auditoria.list(filtroOf(query)), auditoria.acciones()]);
  const paging = { path: PATH, query, after: 'antes', placeOf: ({ id }: LineaAuditoria) => id };
  const { filas, ...links } = pageOf(found, POR_PAGINA, paging);
  return pagina(
    'Auditoría',
    <>
      <Formulario accion={PATH} metodo="get" enLinea descripcion="Filtrar" valores={query}>
        <Campo
          nombre="accion"
          label="Qué"
          requerido
          value={query['accion'] ?? ''}
          opciones={[['', 'Todo'], ...acciones.map((accion) => [accion, nombreAccion(accion)] as const)]}
        />
        <Campo nombre="actor" label="Quién" maxLargo={200} literal />
        <Campo nombre="cuenta" label="Identificador de la cuenta" maxLargo={36} literal />
        <Campo nombre="desde" label="Desde" tipo="date" />
        <Campo nombre="hasta" label="Hasta" tipo="date" />
        <Boton variante="secundario">Ver</Boton>
      </Formulario>
      <RenglonesAuditoria
        titulo="Cambios, los nuevos primero"
        lineas={filas}
        vacia={<Vacio titulo="Nada coincide">Quite algún filtro, o amplíe las fechas.</Vacio>}
      />
      <Paginacion {...links} />
    </>,
  );
});

/** What cannot be read is no filter; an account that cannot be one finds nothing. */
function filtroOf(query: Readonly<Record<string, string>>): FiltroAuditoria {
  const { accion = '', actor = '', cuenta = '', antes = '' } = query;
  const desde = startOfDia(query['desde'] ?? '');
  const hasta = startOfDia(query['hasta'] ?? '') && startOfDia(addDias(query['hasta'] ?? '', 1));
  return {
    limite: POR_PAGINA + 1,
    ...(accion === '' ? {} : { accion }),
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
}

/** Lines of the audit log as a table. */
export function RenglonesAuditoria({ titulo, lineas, vacia, sinCuenta = false }: RenglonesProps) {
  return (
    <Tabla
      titulo={titulo}
      columnas={['Cuándo', 'Qué', 'Quién', { titulo: sinCuenta ? 'RFC' : 'Cuenta y RFC' }]}
      filas={lineas.map((linea) => [
        <Fecha value={linea.en} />,
        <ConNota nota={nombreAccion(linea.accion)}>
          <span class="larga">{describeCambio(linea.accion, linea.detalle)}</span>
        </ConNota>,
        <ConNota nota={linea.ip && `desde ${linea.ip}`}>
          <a href={hrefWith(PATH, { actor: linea.actor })}>{linea.persona ?? linea.actor}</a>
        </ConNota>,
        sinCuenta ? (linea.rfc ?? '—') : <Cuenta linea={linea} />,
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
