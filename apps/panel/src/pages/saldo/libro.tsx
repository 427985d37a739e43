import { createContribuyentes, createLibro, createUso, type Records, TIPOS_MOVIMIENTO, type UsoDia } from '@acuse/db';
import { MAX_ELEGIBLES } from '@acuse/page';
import { Fecha, numeric, Paginacion, sortOf, Tabla, Vacio } from '@acuse/page/blocks';
import { csvResponse, streamCsv } from '@acuse/page/csv';
import { addDias, diaDe } from '@acuse/page/dia-mexico';
import { Boton, Campo, Filtros, hrefWith } from '@acuse/page/form';
import { formatCambio, formatNumero } from '@acuse/page/formato';
import { Periodos, periodosDe } from '@acuse/page/periodos';
import { LECTURAS, nombreOperacion } from '../../operaciones.ts';
import { routesFor } from '../../paginas.ts';
import {
  type FiltroLibro,
  formatCursor,
  type LecturaFiltro,
  parseCursor,
  readFilter,
  toFiltroMovimientos,
} from './filtro.ts';
import { COLUMNAS } from './libro-csv.ts';
import { cellsOf, columnasMovimiento, NOMBRES_TIPO } from './movimiento.tsx';

const PATH = '/saldo/movimientos';
const FILAS = 25;
/** Rows read at once for an export: some 300 kB of text. */
const CSV_BATCH = 2_000;

const sortedBy = (filtro: FiltroLibro) => sortOf(PATH, filtro, 'descending');
const countFilters = ({ orden: _, ...filtro }: FiltroLibro) => Object.keys(filtro).length;

const consultaOf = (url: string) => new URL(url).searchParams;

export const ledgerPage = routesFor('saldo');

/** The ledger: every movement of the account with the balance after it. */
ledgerPage.get(PATH, async ({ c, deps, now, usuario, pagina }) => {
  const { cuentaId } = usuario;
  const consulta = consultaOf(c.req.url);
  const lectura = readFilter(consulta);
  const [rfcs, operaciones, { filas, anterior, siguiente }, lecturas] = await Promise.all([
    createContribuyentes(deps.database).names(cuentaId, MAX_ELEGIBLES),
    createUso(deps.database).operaciones(cuentaId),
    readPage(createLibro(deps.database), cuentaId, lectura.filtro, consulta),
    readLecturas(deps.database, cuentaId, lectura.filtro, now),
  ]);
  const { filtro } = lectura;
  const isFiltered = countFilters(filtro) > 0;
  return pagina(
    'Movimientos',
    <>
      <p class="suave">
        Cada cargo, reembolso y compra, con el saldo que quedó después. Las lecturas automáticas se filtran aparte; el
        CSV las trae todas.
      </p>
      <Buscar lectura={lectura} rfcs={rfcs.map(({ rfc }) => rfc)} operaciones={operaciones} now={now} />
      {lecturas === null ? (
        <>
          <Tabla
            titulo="Movimientos de créditos"
            tituloOculto
            columnas={columnasMovimiento(sortedBy(filtro))}
            filas={filas.map(cellsOf)}
            vacia={
              isFiltered ? (
                <Vacio titulo="Nada coincide con el filtro" accion={{ href: PATH, texto: 'Quitar el filtro' }} />
              ) : (
                <Vacio
                  titulo="Todavía no hay movimientos"
                  accion={{ href: '/saldo/comprar', texto: 'Comprar créditos', cambiar: 'compras' }}
                >
                  Aquí verá cada compra y cada llamada que se cobre.
                </Vacio>
              )
            }
          />
          <Paginacion anterior={anterior} siguiente={siguiente} />
        </>
      ) : (
        <PorDia lecturas={lecturas} filtro={filtro} />
      )}
    </>,
    {
      scripts: ['tabla.js'],
      accion: (
        <div class="fila">
          <Boton variante="secundario" href={hrefWith(`${PATH}.csv`, filtro)} descarga>
            Descargar CSV
          </Boton>
          <Boton variante="secundario" href={hrefWith(`${PATH}.csv`, { ...filtro, bom: '1' })} descarga>
            CSV para Excel
          </Boton>
        </div>
      ),
    },
  );
});

/** Days of readings on a page. */
const DIAS = 25;

/** What readings cost, by day, newest first; null unless the filter asks for it. */
async function readLecturas(
  database: Records,
  cuentaId: string,
  { origen, desde, hasta = '' }: FiltroLibro,
  now: Date,
) {
  if (origen === undefined) return null;
  const until = hasta || diaDe(now);
  const uso = await createUso(database).byDay({ cuentaId, desde: desde ?? addDias(until, 1 - DIAS), hasta: until });
  return uso
    .filter(({ operacion }) => operacion === LECTURAS)
    .reverse()
    .slice(0, DIAS);
}

function PorDia({ lecturas, filtro }: { readonly lecturas: readonly UsoDia[]; readonly filtro: FiltroLibro }) {
  const oldest = lecturas.at(-1);
  return (
    <>
      <Tabla
        titulo="Lecturas automáticas por día"
        tituloOculto
        columnas={[
          'Día',
          numeric('Lecturas'),
          numeric('Reembolsados'),
          numeric('Créditos', { phone: 'value', isNamed: false }),
        ]}
        filas={lecturas.map(({ dia, llamadas, cargados, reembolsados }) => [
          <a href={hrefWith(PATH, { operacion: LECTURAS, desde: dia, hasta: dia })}>
            <Fecha value={new Date(dia)} formato="calendario" />
          </a>,
          formatNumero(llamadas),
          formatNumero(reembolsados),
          formatCambio(reembolsados - cargados),
        ])}
        vacia={<Vacio titulo="Sin lecturas en estos días" />}
      />
      <Paginacion
        anterior={filtro.hasta ? hrefWith(PATH, { ...filtro, hasta: undefined }) : null}
        siguiente={oldest && !filtro.desde ? hrefWith(PATH, { ...filtro, hasta: addDias(oldest.dia, -1) }) : null}
      />
    </>
  );
}

/** A page of rows and the addresses of its neighbours. One row more than is shown tells whether there is a next. */
async function readPage(
  libro: ReturnType<typeof createLibro>,
  cuentaId: string,
  filtroLibro: FiltroLibro,
  consulta: URLSearchParams,
) {
  const filtro = { ...toFiltroMovimientos(filtroLibro), ...(filtroLibro.operacion ? {} : { salvo: LECTURAS }) };
  const limite = FILAS + 1;
  const { isReversed } = sortedBy(filtroLibro);
  const antes = parseCursor(consulta.get('antes'));
  const despues = antes ? null : parseCursor(consulta.get('despues'));
  const isBack = despues !== null || (isReversed && antes === null);
  const read = isBack
    ? await libro.pageBack({ cuentaId, filtro, limite, ...(despues ? { despues } : {}) })
    : await libro.page({ cuentaId, filtro, limite, ...(antes ? { antes } : {}) });
  const hasMore = read.length === limite;
  const filas = isBack && hasMore ? read.slice(1) : read.slice(0, FILAS);
  const [first, last] = [filas[0], filas.at(-1)];
  const hasNewer = isBack ? hasMore : antes !== null;
  const hasOlder = isBack ? despues !== null : hasMore;
  const newer = first && hasNewer ? hrefWith(PATH, { ...filtroLibro, despues: formatCursor(first) }) : null;
  const older = last && hasOlder ? hrefWith(PATH, { ...filtroLibro, antes: formatCursor(last) }) : null;
  if (isReversed) return { filas: filas.reverse(), anterior: older, siguiente: newer };
  return { filas, anterior: newer, siguiente: older };
}

interface BuscarProps {
  readonly lectura: LecturaFiltro;
  readonly rfcs: readonly string[];
  readonly operaciones: readonly string[];
  readonly now: Date;
}

function Buscar({ lectura: { filtro, faltas }, rfcs, operaciones, now }: BuscarProps) {
  // A chosen value stays chosen when the account has no such movement.
  const withChosen = (each: readonly string[], chosen?: string) => [...new Set([...each, ...(chosen ? [chosen] : [])])];
  return (
    <Filtros
      accion={PATH}
      descripcion="Filtro de movimientos"
      valores={filtro}
      faltas={faltas}
      activos={countFilters(filtro)}
      antes={
        <Periodos
          periodos={periodosDe(now)}
          elegido={filtro}
          href={({ desde, hasta }) => hrefWith(PATH, { ...filtro, desde, hasta })}
        />
      }
    >
      <Campo nombre="desde" label="Desde" tipo="date" />
      <Campo nombre="hasta" label="Hasta" tipo="date" />
      <Campo nombre="rfc" label="RFC" opciones={[['', 'Todos'], ...withChosen(rfcs, filtro.rfc)]} />
      <Campo
        nombre="operacion"
        label="Operación"
        opciones={[
          ['', 'Todas'],
          ...withChosen(operaciones, filtro.operacion).map((path) => [path, nombreOperacion(path)] as const),
        ]}
      />
      <Campo
        nombre="tipo"
        label="Tipo"
        opciones={[['', 'Todos'], ...TIPOS_MOVIMIENTO.map((tipo) => [tipo, NOMBRES_TIPO[tipo]] as const)]}
      />
      <Campo
        nombre="origen"
        label="Origen"
        opciones={[
          ['', 'Sin lecturas automáticas'],
          ['lecturas', 'Lecturas automáticas, por día'],
        ]}
      />
    </Filtros>
  );
}

/** The ledger as a file, with the same filters as the page, in the order in which it was written. */
ledgerPage.get(`${PATH}.csv`, ({ c, deps, usuario, now }) => {
  const consulta = consultaOf(c.req.url);
  const filtro = toFiltroMovimientos(readFilter(consulta).filtro);
  const lots = createLibro(deps.database).all({ cuentaId: usuario.cuentaId, filtro, batch: CSV_BATCH });
  const withBom = consulta.get('bom') === '1';
  return csvResponse(streamCsv(COLUMNAS, lots, { withBom }), `movimientos-${diaDe(now)}`);
});
