import { ESTADOS_SOLICITUD, type EstadoSolicitud } from '@acuse/contract';
import { createContribuyentes, createListaSolicitudes, type FilaSolicitud, TOPE_CUENTA } from '@acuse/db';
import { MAX_ELEGIBLES, Permitido } from '@acuse/page';
import { ConNota, Estado, Fecha, numeric, Paginacion, Tabla, Vacio } from '@acuse/page/blocks';
import { Boton, Campo, Formulario, hrefWith } from '@acuse/page/form';
import { count, formatNumero } from '@acuse/page/formato';
import { Periodos, periodosDe } from '@acuse/page/periodos';
import { routesFor } from '../../paginas.ts';
import { type FiltroLeido, readFilter } from './filtro.ts';
import { Periodo } from './solicitud.tsx';

const PATH = '/solicitudes';
const POR_PAGINA = 25;
export const solicitudesPage = routesFor('solicitudes');

/** The solicitudes of the account, newest first. */
solicitudesPage.get('/solicitudes', async ({ c, deps, usuario, now, pagina }) => {
  const leido = readFilter((name) => c.req.query(name));
  const lista = createListaSolicitudes(deps.database);
  const [pages, counts, rfcs] = await Promise.all([
    lista.page(usuario.cuentaId, leido.filtro, leido.cursor, POR_PAGINA),
    lista.counts(usuario.cuentaId, leido.filtro.rfc),
    createContribuyentes(deps.database).names(usuario.cuentaId, MAX_ELEGIBLES),
  ]);
  const { valores } = leido;
  const [first, last] = [pages.filas[0], pages.filas.at(-1)];
  const isFiltered = Object.keys(valores).length > 0;
  return pagina(
    'Solicitudes',
    <>
      <Cuentas valores={valores} cuentas={counts} />
      <Filtros leido={leido} rfcs={rfcs.map(({ rfc }) => rfc)} now={now} />
      <Tabla
        titulo="Solicitudes, de la más reciente a la más antigua"
        tituloOculto
        columnas={['CFDI y periodo', 'RFC', 'Estado', numeric('CFDI en el ZIP'), 'Pedida']}
        filas={pages.filas.map((fila) => [
          <a href={`/solicitudes/${fila.id}`}>
            {fila.tipo === 'emitidos' ? 'Emitidos' : 'Recibidos'} <Periodo {...fila} />
          </a>,
          <ConNota nota={fila.modo === 'test' && deps.settings.modoLlave === 'live' ? 'de pruebas' : null}>
            <span class="fija">{fila.rfc}</span>
          </ConNota>,
          <ConNota nota={adversasOf(fila)}>
            <EstadoDe fila={fila} />
          </ConNota>,
          fila.registros === null ? '—' : formatNumero(fila.registros),
          <Fecha value={fila.creadaEn} relativaA={now} />,
        ])}
        vacia={<Nada isFiltered={isFiltered} />}
      />
      <Paginacion
        anterior={pages.hayDespues && first ? hrefWith(PATH, { ...valores, despues: first.id }) : null}
        siguiente={pages.hayAntes && last ? hrefWith(PATH, { ...valores, antes: last.id }) : null}
      />
    </>,
    {
      accion: (
        <Permitido cambiar="solicitudes">
          <Boton href="/solicitudes/nueva">Pedir CFDI al SAT</Boton>
        </Permitido>
      ),
    },
  );
});

function EstadoDe({ fila }: { readonly fila: FilaSolicitud }) {
  const porcentaje = Math.round(fila.progreso * 100);
  if (fila.estado === 'TERMINADA' && fila.paqueteBorradoEn !== null)
    return <Estado value="TERMINADA" texto="Terminada, ZIP borrado" tono="neutro" />;
  if (fila.estado !== 'EN_PROCESO') return <Estado value={fila.estado} />;
  return <Estado value="EN_PROCESO" texto={`En proceso, ${porcentaje} %`} />;
}

const adversasOf = ({ contrapartesAdversas: n }: FilaSolicitud) =>
  n === null || n === 0 ? null : (
    <Permitido ver="paquetes">{count(n, 'contraparte', 'contrapartes')} en listas del SAT</Permitido>
  );

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

interface FiltrosProps {
  readonly leido: FiltroLeido;
  readonly rfcs: readonly string[];
  readonly now: Date;
}

function Filtros({ leido, rfcs, now }: FiltrosProps) {
  const { valores, faltas } = leido;
  const isOpen = Object.keys(valores).some((name) => name !== 'estado');
  return (
    <details open={isOpen}>
      <summary>Filtrar</summary>
      <Periodos
        periodos={periodosDe(now)}
        elegido={{ desde: valores.periodo_desde, hasta: valores.periodo_hasta }}
        href={({ desde, hasta }) => hrefWith(PATH, { ...valores, periodo_desde: desde, periodo_hasta: hasta })}
      />
      <Formulario
        accion="/solicitudes"
        metodo="get"
        descripcion="Filtrar solicitudes"
        valores={valores}
        faltas={faltas}
      >
        <div class="rejilla">
          <Campo nombre="rfc" label="RFC" opciones={[TODOS, ...rfcs]} />
          <Campo nombre="tipo" label="CFDI" opciones={[TODOS, ['emitidos', 'Emitidos'], ['recibidos', 'Recibidos']]} />
          <Campo
            nombre="estado"
            label="Estado"
            opciones={[TODOS, ...ESTADOS_SOLICITUD.map((estado) => [estado, NOMBRES[estado]] as const)]}
          />
          <Campo nombre="periodo_desde" label="Periodo con días desde" tipo="date" />
          <Campo nombre="periodo_hasta" label="Periodo con días hasta" tipo="date" />
          <Campo nombre="creada_desde" label="Pedida desde" tipo="date" />
          <Campo nombre="creada_hasta" label="Pedida hasta" tipo="date" />
          <Campo nombre="id" label="Identificador" ayuda="Completo o una parte." literal maxLargo={36} />
        </div>
        <div class="fila">
          <Boton variante="secundario">Filtrar</Boton>
          <Boton variante="discreto" href="/solicitudes">
            Quitar filtros
          </Boton>
        </div>
      </Formulario>
    </details>
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
