import type { RfcVista } from '@acuse/db';
import { type ContextoCliente, Grafica, headOf, hrefRfc, rfcRoutes } from '@acuse/page';
import { Aviso, ConNota, Estado, Fecha, numeric, Paginacion, Tabla, Tarjeta, Vacio } from '@acuse/page/blocks';
import { diaDe, mesCorto } from '@acuse/page/dia-mexico';
import { Boton, Campo, Formulario, hrefWith } from '@acuse/page/form';
import { count, formatDecimal, formatImporte, formatNumero } from '@acuse/page/formato';
import { Periodos, periodosDe } from '@acuse/page/periodos';
import { type RenglonCfdi, xlsxOf } from '@acuse/storage';
import {
  type CfdiConocido,
  createAlmacenes,
  createSincronizaciones,
  type DemasiadosCfdi,
  type PaginaCfdi,
  type ResumenCfdi,
  type VistaSincronizacion,
} from '../db/index.ts';
import { EFECTOS, ESTADOS, type FiltroCfdiLeido, formatLugar, readCfdiFilter } from './cfdi-filtro.ts';

const SUB = '/cfdi';
const EXCEL = '/cfdi.xlsx';
const FILAS = 50;
const CONTRAPARTES = 10;
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
  const almacenes = createAlmacenes(deps.database);
  const { almacenId } = vista;
  const [cfdi, resumen] = await Promise.all([
    almacenes.page({ almacenId, filtro, despuesDe, limite: FILAS }),
    almacenes.resumen({ almacenId, filtro, contrapartes: CONTRAPARTES }),
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
      <p class="suave">
        {vista.ultimaLectura === null ? (
          'Todavía no se ha leído nada.'
        ) : (
          <>
            Lo que el SAT dio hasta la última lectura, <Fecha value={vista.ultimaLectura} />.
          </>
        )}{' '}
        El SAT no dice aquí la moneda: los importes van, y se suman, como vienen.
      </p>
      <SinReleer vista={vista} filtro={filtro} />
      <Filtros rfc={rfc} leido={leido} now={contexto.now} />
      <Sumas resumen={resumen} />
      <Cfdi rfc={rfc} leido={leido} cfdi={cfdi} />
    </>,
    {
      ...head,
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
  if (estado === 'PAUSADA')
    return (
      <Aviso tono="alerta">
        La sincronización está en pausa y nada de esto se vuelve a leer: lo que se cancele entretanto no se ve aquí.
      </Aviso>
    );
  if (releidoDesde === null || (filtro.desde !== undefined && filtro.desde >= releidoDesde)) return null;
  return (
    <p class="suave">
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

function Filtros({ rfc, leido, now }: { readonly rfc: RfcVista; readonly leido: Leido; readonly now: Date }) {
  const path = hrefRfc(rfc.rfc, SUB);
  const { valores, faltas, vista } = leido;
  return (
    <>
      <Periodos
        periodos={periodosDe(now)}
        elegido={valores}
        href={({ desde, hasta }) => hrefWith(path, { ...valores, desde, hasta })}
      />
      <Tarjeta>
        <Formulario accion={path} metodo="get" enLinea descripcion="Filtro de CFDI" valores={valores} faltas={faltas}>
          <Campo nombre="tipo" label="CFDI" opciones={TIPOS.filter(([tipo]) => vista[tipo])} />
          <Campo nombre="desde" label="Emitidos desde" tipo="date" />
          <Campo nombre="hasta" label="Hasta" tipo="date" />
          <Campo nombre="contraparte_rfc" label="RFC de la contraparte" literal />
          <Campo nombre="estado" label="Estado" opciones={[['', 'Todos'], ...ESTADOS]} />
          <Campo nombre="efecto_comprobante" label="Efecto" opciones={[['', 'Todos'], ...EFECTOS]} />
          <Campo nombre="monto_min" label="Importe desde" teclado="decimal" />
          <Campo nombre="monto_max" label="Importe hasta" teclado="decimal" />
          <Campo nombre="uuid" label="Folio fiscal" literal />
          <Boton variante="secundario">Filtrar</Boton>
        </Formulario>
      </Tarjeta>
    </>
  );
}

type Suma = ResumenCfdi['total'];

const cfdiOf = ({ vigentes, cancelados, ausentes }: Suma) => vigentes.cfdi + cancelados.cfdi + ausentes.cfdi;

function Sumas({ resumen }: { readonly resumen: ResumenCfdi | DemasiadosCfdi }) {
  if ('demasiados' in resumen)
    return (
      <Aviso tono="info">
        Hay más de {formatNumero(resumen.tope)} CFDI en el periodo, más de los que se suman de una vez. Acórtelo para
        ver cuánto suman.
      </Aviso>
    );
  const { total, meses, contrapartes, otras } = resumen;
  if (cfdiOf(total) === 0) return null;
  return (
    <>
      <Tarjeta titulo="Cuánto suman">
        <Tabla
          titulo="Sumas por estado"
          tituloOculto
          columnas={['Estado', numeric('CFDI'), numeric('Ingresos'), numeric('Egresos'), numeric('Nómina')]}
          filas={(
            [
              ['Vigentes', total.vigentes],
              ['Cancelados', total.cancelados],
              ['El SAT ya no los da', total.ausentes],
            ] as const
          ).map(([estado, { cfdi, ingresos, egresos, nomina }]) => [
            estado,
            formatNumero(cfdi),
            ...[ingresos, egresos, nomina].map(formatDecimal),
          ])}
        />
        <p class="suave">Los egresos, como las notas de crédito, no están sumados ni restados en los ingresos.</p>
        <PorMes meses={meses} />
      </Tarjeta>
      <Tarjeta titulo="Mayores contrapartes">
        <Tabla
          titulo="Mayores contrapartes, por ingresos vigentes menos egresos"
          tituloOculto
          columnas={['Contraparte', numeric('CFDI'), numeric('Ingresos'), numeric('Egresos'), numeric('Cancelados')]}
          filas={[
            ...contrapartes.map(({ rfc, nombre, ...sumas }) => [
              <ConNota nota={nombre || null}>{rfc}</ConNota>,
              ...cellsOf(sumas),
            ]),
            ...(otras.contrapartes === 0
              ? []
              : [
                  [
                    otras.contrapartes === 1 ? 'La otra' : `Las otras ${formatNumero(otras.contrapartes)}, juntas`,
                    ...cellsOf(otras),
                  ],
                ]),
          ]}
        />
      </Tarjeta>
    </>
  );
}

const cellsOf = ({ vigentes, cancelados }: Suma) => [
  formatNumero(vigentes.cfdi),
  formatDecimal(vigentes.ingresos),
  formatDecimal(vigentes.egresos),
  formatNumero(cancelados.cfdi),
];

/** Months of the chart; of more, the newest. */
const MESES = 36;

function PorMes({ meses }: { readonly meses: ResumenCfdi['meses'] }) {
  const [first, last] = [meses[0], meses.at(-1)];
  if (first === undefined || last === undefined) return null;
  const byMonth = new Map(meses.map((each) => [each.mes, each]));
  const all = monthsBetween(first.mes, last.mes).slice(-MESES);
  const pesos = (decimal = '0') => Math.max(0, Math.round(Number(decimal)));
  return (
    <Grafica
      titulo={`Ingresos por mes de emisión${all.length === MESES ? `, los últimos ${MESES} meses` : ''}`}
      unidad="pesos"
      series={['Vigentes', 'Cancelados']}
      puntos={all.map((mes) => ({
        label: `${mesCorto(mes.slice(5))} ${mes.slice(2, 4)}`,
        valores: [pesos(byMonth.get(mes)?.vigentes.ingresos), pesos(byMonth.get(mes)?.cancelados.ingresos)],
      }))}
    />
  );
}

/** `yyyy-MM`, both included. */
function monthsBetween(first: string, last: string): string[] {
  const [year = 0, month = 1] = first.split('-').map(Number);
  const months: string[] = [];
  for (let at = 0; months.at(-1) !== last && at < 12 * 100; at++)
    months.push(new Date(Date.UTC(year, month - 1 + at, 1)).toISOString().slice(0, 7));
  return months;
}

const NOMBRE_EFECTO = new Map<string, string>(EFECTOS);

interface CfdiProps {
  readonly rfc: RfcVista;
  readonly leido: Leido;
  readonly cfdi: PaginaCfdi;
}

function Cfdi({ rfc, leido: { valores, vista, despuesDe }, cfdi: { filas, siguiente } }: CfdiProps) {
  const path = hrefRfc(rfc.rfc, SUB);
  return (
    <>
      <Tabla
        titulo="CFDI, del emitido más nuevo al más viejo"
        tituloOculto
        columnas={['Emisión', 'Folio fiscal', 'Contraparte', numeric('Importe'), 'Estado']}
        filas={filas.map((cfdi) => [
          <ConNota nota={cfdi.emitidaEn.slice(11)}>
            <Fecha value={new Date(cfdi.emitidaEn.slice(0, 10))} formato="calendario" />
          </ConNota>,
          <code class="larga">{cfdi.uuid}</code>,
          <ConNota nota={cfdi.contraparte.nombre || null}>{cfdi.contraparte.rfc}</ConNota>,
          <ConNota nota={NOMBRE_EFECTO.get(cfdi.efecto) ?? cfdi.efecto}>
            {cfdi.monto === null ? '—' : formatImporte(cfdi.monto)}
          </ConNota>,
          <EstadoCfdi cfdi={cfdi} releidoDesde={vista.releidoDesde} />,
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
  if (Object.entries(valores).some(([campo, valor]) => campo !== 'tipo' && valor))
    return <Vacio titulo="Ningún CFDI coincide" accion={{ href: path, texto: 'Quitar el filtro' }} />;
  if (vista.porLeer === 0) return <Vacio titulo="El SAT no ha dado ningún CFDI de estos" />;
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
  const texto = ausenteDesde !== null ? 'El SAT ya no lo da' : isVigente ? 'Vigente' : 'Cancelado';
  const tono = ausenteDesde !== null ? 'alerta' : isVigente ? 'exito' : 'error';
  return (
    <ConNota nota={nota}>
      <Estado texto={texto} tono={tono} />
    </ConNota>
  );
}
