import type { RfcVista } from '@acuse/db';
import { type Badges, type ContextoCliente, headOf, hrefRfc, rfcRoutes } from '@acuse/page';
import { Aviso, ConNota, Estado, Fecha, numeric, Paginacion, sortOf, Tabla, Vacio } from '@acuse/page/blocks';
import { diaDe } from '@acuse/page/dia-mexico';
import { Boton, Campo, Filtros, hrefWith } from '@acuse/page/form';
import { count, formatImporte, formatNumero, TRADE } from '@acuse/page/formato';
import { Periodos, periodosDe } from '@acuse/page/periodos';
import { type RenglonCfdi, xlsxOf } from '@acuse/storage';
import {
  type CfdiConocido,
  createAlmacenes,
  createSincronizaciones,
  type PaginaCfdi,
  type VistaSincronizacion,
} from '../db/index.ts';
import { EFECTOS, ESTADOS, type FiltroCfdiLeido, formatLugar, nameOf, readCfdiFilter } from './cfdi-filtro.ts';
import { cfdiOf, Sumas } from './cfdi-sumas.tsx';

const SUB = '/cfdi';
const EXCEL = '/cfdi.xlsx';
const FILAS = 25;
const CONTRAPARTES = 5;
/** Rows of an Excel file: it opens in seconds, and is made in some. */
const MAX_EXCEL = 100_000;
/** Rows read at once for it. */
const LOTE = 1_000;

export const cfdiPage = rfcRoutes('paquetes');

interface Leido extends FiltroCfdiLeido {
  readonly vista: VistaSincronizacion;
}

const TIPOS = [
  ['recibidos', 'Recibidos'],
  ['emitidos', 'Emitidos'],
] as const;

async function read({ c, deps }: ContextoCliente, { id }: RfcVista): Promise<Leido | null> {
  const vista = await createSincronizaciones(deps.database).find(id, null);
  if (vista === null) return null;
  const tipos = TIPOS.map(([tipo]) => tipo).filter((tipo) => vista[tipo]);
  return { vista, ...readCfdiFilter((name) => c.req.query(name), tipos) };
}

/** Store of an RFC: sums, chart, counterparties and CFDI. */
cfdiPage.get(SUB, (contexto, rfc) => page(contexto, rfc));

async function page(contexto: ContextoCliente, rfc: RfcVista, falta?: string): Promise<Response> {
  const { deps, pagina } = contexto;
  const leido = await read(contexto, rfc);
  const head = { ...headOf(rfc, SUB), status: falta === undefined ? 200 : 422 } as const;
  const titulo = `CFDI de ${rfc.rfc}`;
  if (leido === null)
    return pagina(
      titulo,
      <Vacio
        titulo="Los CFDI de este RFC no se mantienen al día"
        accion={{ href: hrefRfc(rfc.rfc, '/al-dia'), texto: 'Mantener al día', cambiar: 'credenciales' }}
      >
        Aquí verá los que el SAT tiene, cuáles se cancelaron, y cuánto suman.
      </Vacio>,
      head,
    );
  const { vista, filtro, despuesDe } = leido;
  const { isReversed, orden } = sortOf(hrefRfc(rfc.rfc, SUB), leido.valores, 'descending');
  const almacenes = createAlmacenes(deps.database);
  const { almacenId } = vista;
  const [cfdi, resumen] = await Promise.all([
    almacenes.page({ almacenId, filtro, despuesDe, isReversed, limite: FILAS }),
    almacenes.resumen({ almacenId, filtro, contrapartes: CONTRAPARTES }),
  ]);
  const badges = await contexto.badges([
    ...cfdi.filas.map(({ contraparte }) => contraparte.rfc),
    ...('demasiados' in resumen ? [] : resumen.contrapartes.map((each) => each.rfc)),
  ]);
  return pagina(
    titulo,
    <>
      {falta === undefined ? null : <Aviso tono="error">{falta}</Aviso>}
      {vista.porLeer === 0 ? null : (
        <Aviso tono="alerta">
          La primera carga no ha terminado: {vista.porLeer === 1 ? 'falta' : 'faltan'}{' '}
          {count(vista.porLeer, 'mes', 'meses')} por leer, y sus CFDI todavía no están aquí.
        </Aviso>
      )}
      {vista.estado === 'PAUSADA' ? (
        <Aviso tono="alerta">
          La sincronización está en pausa y nada de esto se vuelve a leer: lo que se cancele entretanto no se ve aquí.
        </Aviso>
      ) : null}
      <details class="suave">
        <summary>
          {vista.ultimaLectura === null ? (
            'Todavía no se ha leído nada'
          ) : (
            <>
              Leído del SAT el <Fecha value={vista.ultimaLectura} />
            </>
          )}
        </summary>
        <p>El SAT no dice aquí la moneda: los importes van, y se suman, como vienen.</p>
        <SinReleer vista={vista} filtro={filtro} />
      </details>
      <Buscar rfc={rfc} leido={leido} now={contexto.now} />
      <Sumas resumen={resumen} tipo={filtro.tipos[0]} badges={badges} />
      <Cfdi {...{ rfc, leido, cfdi, badges, orden }} />
    </>,
    {
      ...head,
      scripts: ['tabla.js'],
      accion: (
        <Boton variante="secundario" href={hrefWith(hrefRfc(rfc.rfc, EXCEL), leido.valores)} descarga>
          Descargar Excel
        </Boton>
      ),
    },
  );
}

/** The part of the page that is not read again. */
function SinReleer({ vista: { estado, releidoDesde }, filtro }: Pick<Leido, 'vista' | 'filtro'>) {
  if (estado === 'PAUSADA' || releidoDesde === null || (filtro.desde !== undefined && filtro.desde >= releidoDesde))
    return null;
  return (
    <p>
      Se vuelven a leer los emitidos desde el <Fecha value={new Date(releidoDesde)} formato="calendario" />. De los
      anteriores, si hay, vale lo que el SAT dio en su última lectura: son de antes de lo que se pidió mantener al día,
      o ya pasó su plazo para cancelarse.
    </p>
  );
}

/** What the filters leave, as a workbook. */
cfdiPage.get(EXCEL, async (contexto, rfc) => {
  const { deps, now, redirectTo } = contexto;
  const leido = await read(contexto, rfc);
  if (leido === null) return redirectTo(hrefRfc(rfc.rfc, SUB));
  const { vista, filtro } = leido;
  const almacenes = createAlmacenes(deps.database);
  const resumen = await almacenes.resumen({ almacenId: vista.almacenId, filtro, contrapartes: 0 });
  const cuantos = 'demasiados' in resumen ? null : cfdiOf(resumen.total);
  if (cuantos === null || cuantos > MAX_EXCEL) {
    const son = cuantos === null ? 'Son demasiados CFDI' : `Son ${formatNumero(cuantos)} CFDI`;
    return page(
      contexto,
      rfc,
      `${son}, y un Excel lleva a lo más ${formatNumero(MAX_EXCEL)}. Acorte el periodo, y descárguelo por partes.`,
    );
  }
  const [tipo] = filtro.tipos;
  async function* lots() {
    let despuesDe: PaginaCfdi['siguiente'] = null;
    do {
      const pagina: PaginaCfdi = await almacenes.page({ almacenId: vista.almacenId, filtro, despuesDe, limite: LOTE });
      yield pagina.filas.map((cfdi) => renglonOf(cfdi, rfc));
      despuesDe = pagina.siguiente;
    } while (despuesDe !== null);
  }
  const bytes = xlsxOf(lots());
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await bytes.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await bytes.return();
      },
    },
    { highWaterMark: 1 },
  );
  return new Response(body, {
    headers: {
      'Content-Type': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      'Content-Disposition': `attachment; filename="cfdi-${tipo}-${diaDe(now)}.xlsx"`,
      'Cache-Control': 'no-store',
    },
  });
});

function renglonOf({ contraparte, isVigente, ausenteDesde, ...cfdi }: CfdiConocido, yo: RfcVista): RenglonCfdi {
  const propio = { rfc: yo.rfc, nombre: yo.nombre };
  const [emisor, receptor] = cfdi.tipo === 'emitidos' ? [propio, contraparte] : [contraparte, propio];
  const estatus = ausenteDesde !== null ? 'AUSENTE' : isVigente ? 'VIGENTE' : 'CANCELADO';
  return { ...cfdi, emisor, receptor, estatus };
}

function Buscar({ rfc, leido, now }: { readonly rfc: RfcVista; readonly leido: Leido; readonly now: Date }) {
  const path = hrefRfc(rfc.rfc, SUB);
  const { valores, faltas, vista } = leido;
  const [tipo] = leido.filtro.tipos;
  const { tipo: _, orden, ...elegidos } = valores;
  const tipos = TIPOS.filter(([each]) => vista[each]);
  return (
    <>
      {tipos.length < 2 ? null : (
        <nav class="fila" aria-label="CFDI">
          {tipos.map(([each, texto]) => (
            <a href={hrefWith(path, { ...valores, tipo: each })} aria-current={each === tipo ? 'true' : undefined}>
              {texto}
            </a>
          ))}
        </nav>
      )}
      <Filtros
        accion={path}
        descripcion="Filtro de CFDI"
        valores={valores}
        faltas={faltas}
        activos={Object.keys(elegidos).length}
        antes={
          <Periodos
            periodos={periodosDe(now)}
            elegido={valores}
            href={({ desde, hasta }) => hrefWith(path, { ...valores, desde, hasta })}
          />
        }
      >
        <Campo nombre="tipo" label="CFDI" opciones={tipos} />
        <Campo nombre="desde" label="Emitidos desde" tipo="date" />
        <Campo nombre="hasta" label="Hasta" tipo="date" />
        <Campo nombre="contraparte_rfc" label={`RFC del ${TRADE[tipo].one.toLowerCase()}`} literal />
        <Campo nombre="estado" label="Estado" opciones={[['', 'Todos'], ...ESTADOS]} />
        <Campo
          nombre="efecto_comprobante"
          label="Tipo de comprobante"
          opciones={[['', 'Todos'], ...EFECTOS.map((efecto) => [efecto, nameOf(tipo, efecto)] as const)]}
        />
        <Campo nombre="monto_min" label="Importe desde" teclado="decimal" />
        <Campo nombre="monto_max" label="Importe hasta" teclado="decimal" />
        <Campo nombre="uuid" label="Folio fiscal" literal />
      </Filtros>
    </>
  );
}

interface CfdiProps {
  readonly rfc: RfcVista;
  readonly leido: Leido;
  readonly cfdi: PaginaCfdi;
  readonly badges: Badges;
  readonly orden: ReturnType<typeof sortOf>['orden'];
}

function Cfdi({ rfc, leido, cfdi: { filas, siguiente }, badges, orden }: CfdiProps) {
  const { filtro, valores, vista, despuesDe } = leido;
  const [tipo] = filtro.tipos;
  const path = hrefRfc(rfc.rfc, SUB);
  return (
    <>
      <Tabla
        titulo={`CFDI, del emitido más ${orden.sorted === 'ascending' ? 'viejo al más nuevo' : 'nuevo al más viejo'}`}
        tituloOculto
        columnas={[
          TRADE[tipo].one,
          { titulo: 'Folio fiscal', phone: 'none' },
          { titulo: 'Emisión', orden },
          { titulo: 'Estado', phone: 'end' },
          numeric('Importe', { phone: 'value' }),
        ]}
        filas={filas.map((cfdi) => [
          <ConNota nota={cfdi.contraparte.nombre || null}>
            {cfdi.contraparte.rfc} {badges.get(cfdi.contraparte.rfc)}
          </ConNota>,
          <code class="larga">{cfdi.uuid}</code>,
          <ConNota
            nota={[...(cfdi.efecto === 'I' ? [] : [nameOf(tipo, cfdi.efecto)]), cfdi.emitidaEn.slice(11)].join(', ')}
          >
            <Fecha value={new Date(cfdi.emitidaEn.slice(0, 10))} formato="calendario" />
          </ConNota>,
          <EstadoCfdi cfdi={cfdi} releidoDesde={vista.releidoDesde} />,
          cfdi.monto === null ? '—' : formatImporte(cfdi.monto),
        ])}
        vacia={
          siguiente === null ? (
            <NoHay {...{ path, valores, vista }} />
          ) : (
            <Vacio titulo="Ninguno coincide hasta aquí">
              Se revisó hasta el <Fecha value={new Date(siguiente.emitidaEn.slice(0, 10))} formato="calendario" />; siga
              con los siguientes, o acorte el periodo.
            </Vacio>
          )
        }
      />
      <Paginacion
        anterior={despuesDe === null ? null : hrefWith(path, valores)}
        siguiente={siguiente && hrefWith(path, { ...valores, despues: formatLugar(siguiente) })}
      />
    </>
  );
}

/** Why there is nothing to show: the filter, the first load, or the SAT. */
function NoHay({ path, valores, vista }: Pick<Leido, 'valores' | 'vista'> & { readonly path: string }) {
  if (Object.entries(valores).some(([campo, valor]) => campo !== 'tipo' && campo !== 'orden' && valor))
    return <Vacio titulo="Ningún CFDI coincide" accion={{ href: path, texto: 'Quitar el filtro' }} />;
  if (vista.porLeer === 0) return <Vacio titulo="El SAT no tiene CFDI de estos" />;
  return (
    <Vacio titulo="Todavía no hay CFDI">
      {vista.estado === 'ACTIVA'
        ? 'La primera carga puede tardar horas, según el SAT. Vuelva más tarde.'
        : 'La primera carga está en pausa. En Al día se dice por qué y qué hacer.'}
    </Vacio>
  );
}

interface EstadoCfdiProps {
  readonly cfdi: CfdiConocido;
  readonly releidoDesde: string | null;
}

/** State of a CFDI with its time; without further readings also the time of the last one. */
function EstadoCfdi({ cfdi, releidoDesde }: EstadoCfdiProps) {
  const { isVigente, canceladaEn, ausenteDesde, emitidaEn, leidoEn } = cfdi;
  const isReleido = releidoDesde !== null && emitidaEn >= releidoDesde;
  const desde = ausenteDesde ?? (canceladaEn === null ? null : new Date(canceladaEn.slice(0, 10)));
  const fecha = desde && <Fecha value={desde} formato={ausenteDesde === null ? 'calendario' : 'dia'} />;
  const nota = isReleido ? (
    fecha
  ) : (
    <>
      {fecha} leído el <Fecha value={leidoEn} formato="dia" />
    </>
  );
  const texto = ausenteDesde !== null ? 'Ya no aparece en el SAT' : isVigente ? 'Vigente' : 'Cancelado';
  const tono = ausenteDesde !== null ? 'alerta' : isVigente ? 'exito' : 'error';
  return (
    <ConNota nota={nota}>
      <Estado texto={texto} tono={tono} />
    </ConNota>
  );
}
