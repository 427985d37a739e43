import { addDays, calendarDay, explain } from '@acuse/core';
import { createLibro, type RfcVista } from '@acuse/db';
import { avisoOf, type ContextoCliente, headOf, hrefRfc, Permitido, rfcRoutes } from '@acuse/page';
import { Aviso, ConNota, Datos, Estado, Fecha, numeric, Tabla, Tarjeta } from '@acuse/page/blocks';
import { type ColumnaCsv, csvResponse, streamCsv, textCell } from '@acuse/page/csv';
import { isoMexico, startOfDia } from '@acuse/page/dia-mexico';
import { Boton, Campo, Formulario } from '@acuse/page/form';
import { count, formatImporte, formatNumero } from '@acuse/page/formato';
import { createLlaveRecordada, isRecordada } from '@acuse/page/llave-tecleada';
import { DichoPorApi, type RechazoApi, readRechazo } from '@acuse/page/rechazo';
import { z } from 'zod';
import { type Cambio, createAlmacenes, createSincronizaciones, type VistaSincronizacion } from '../db/index.ts';
import {
  type CampoPedido,
  CONTENIDOS,
  faultOf,
  lecturasOf,
  type Pedido,
  pedidoFrom,
  pedidoOf,
} from './pedido-al-dia.ts';
import { EnPausa, NOMBRES_FRECUENCIA, Permiso } from './permiso-al-dia.tsx';

const SUB = '/al-dia';
/** Changes that the page shows. */
const ULTIMOS = 10;
/** Those read at once for a file. */
const LOTE_CSV = 1_000;

export const upToDatePage = rfcRoutes('credenciales');

/** Whether the CFDI of an RFC are kept up to date, by which consent, and what changed last. */
upToDatePage.get(SUB, (contexto, rfc) => page(contexto, rfc));

/** Keeps them up to date, or gives a new consent, through the API: only there the key opens the CIEC. */
upToDatePage.post(SUB, async (contexto, rfc) => {
  const { campos, deps, autor, ip, redirectTo } = contexto;
  const recordada = createLlaveRecordada(contexto);
  const typed = (campos['api_key'] ?? '').trim();
  const apiKey = typed || ((await recordada.recall(rfc)) ?? '');
  const pedido = pedidoOf(campos);
  const fault = faultOf(pedido, apiKey, rfc);
  if (fault !== null) return page(contexto, rfc, { pedido, ...fault });
  const { meses, ...ajustes } = pedido;
  const answer = await deps.api.call({
    nombre: 'sincronizacion/crear',
    cuerpo: { rfc: rfc.rfc, ...ajustes, meses: Number(meses) },
    apiKey,
    ip,
    idempotencyKey: null,
  });
  if (answer.tipo === 'sin-respuesta')
    return page(contexto, rfc, {
      pedido,
      texto: 'La API no contestó. Vuelva a enviar el formulario: no se pide dos veces.',
    });
  if (answer.status !== 200) {
    const rechazo = readRechazo(answer.texto);
    if (rechazo === null)
      return page(contexto, rfc, { pedido, texto: 'La API no pudo hacerlo ahora. Inténtelo otra vez.' });
    const campo = campoDeApi.parse(rechazo.campo);
    return page(contexto, rfc, { pedido, ...rechazo, campo });
  }
  await createSincronizaciones(deps.database).noteGiver(rfc.id, autor);
  if (typed !== '' && rfc.llave !== null) await recordada.keep(typed, rfc, rfc.llave.id);
  return redirectTo(hrefRfc(rfc.rfc, SUB), {
    tono: 'exito',
    texto: 'Los CFDI se mantienen al día desde ahora. La primera carga puede tardar horas, según el SAT.',
  });
});

/** The columns of changes as a file, called as `sincronizacion/cambios` calls them. */
const COLUMNAS_CAMBIO: readonly ColumnaCsv<Cambio>[] = [
  { titulo: 'secuencia', of: ({ n }) => String(n) },
  { titulo: 'cambio', of: ({ clase }) => clase },
  { titulo: 'notado_en', of: ({ notadoEn }) => isoMexico(notadoEn) },
  { titulo: 'tipo', of: ({ tipo }) => tipo },
  { titulo: 'uuid', of: ({ uuid }) => uuid },
  { titulo: 'estado', of: ({ isVigente }) => (isVigente ? 'VIGENTE' : 'CANCELADO') },
  { titulo: 'fecha_emision', of: ({ emitidaEn }) => emitidaEn },
  { titulo: 'fecha_certificacion', of: ({ certificadaEn }) => certificadaEn ?? '' },
  { titulo: 'fecha_cancelacion', of: ({ canceladaEn }) => canceladaEn ?? '' },
  { titulo: 'contraparte_rfc', of: ({ contraparte }) => textCell(contraparte.rfc) },
  { titulo: 'contraparte_nombre', of: ({ contraparte }) => textCell(contraparte.nombre) },
  { titulo: 'rfc_pac', of: ({ rfcPac }) => textCell(rfcPac) },
  { titulo: 'efecto_comprobante', of: ({ efecto }) => textCell(efecto) },
  { titulo: 'monto', of: ({ monto }) => monto ?? '' },
  { titulo: 'tercero_rfc', of: ({ tercero }) => textCell(tercero?.rfc ?? null) },
  { titulo: 'xml_solicitud_id', of: ({ xml }) => xml?.solicitudId ?? '' },
  { titulo: 'xml_ruta', of: ({ xml }) => xml?.ruta ?? '' },
];

/** The changes that were noticed on some days, as a file. */
upToDatePage.get(`${SUB}/cambios.csv`, async ({ c, deps, redirectTo }, rfc) => {
  const vista = await createSincronizaciones(deps.database).find(rfc.id, null);
  const [desde = '', hasta = ''] = [c.req.query('desde'), c.req.query('hasta')];
  const [start, end] = [startOfDia(desde), startOfDia(hasta)];
  if (vista === null || start === null || end === null || end < start) {
    const texto = 'Elija de qué día a qué día, el segundo no anterior al primero, y descargue otra vez.';
    return redirectTo(hrefRfc(rfc.rfc, SUB), { tono: 'error', texto });
  }
  const until = startOfDia(addDays(hasta, 1)) ?? end;
  const pedido = { almacenId: vista.almacenId, desde: start, hasta: until, lote: LOTE_CSV };
  const lots = createAlmacenes(deps.database).noticed(pedido);
  const withBom = c.req.query('bom') !== undefined;
  return csvResponse(streamCsv(COLUMNAS_CAMBIO, lots, { withBom }), `cambios-${rfc.rfc}-${desde}-${hasta}`);
});

/** What a button orders, what it says when done, and why it was not. */
const ORDENES = {
  pausar: ['pause', 'Quedó en pausa: no se pide nada más.', 'No estaba activo, así que no había qué poner en pausa.'],
  reanudar: [
    'resume',
    'Sigue al día desde ahora.',
    'No se reanudó: ya no hay permiso para usar la CIEC. Dé uno nuevo abajo.',
  ],
  retirar: [
    'revoke',
    'El permiso terminó y la copia de la CIEC se borró. Lo que estaba en curso se canceló y se devolvió.',
    'No había un permiso que retirar.',
  ],
  borrar: [
    'remove',
    'Este RFC ya no se mantiene al día, y lo que se sabía de sus CFDI se borra.',
    'Este RFC no se mantenía al día.',
  ],
} as const;

const isOrden = (text: string): text is keyof typeof ORDENES => Object.hasOwn(ORDENES, text);

/** Stops and goes on, takes the consent back, and ends it all. */
upToDatePage.post(`${SUB}/cambiar`, async (contexto, rfc) => {
  const { campos, deps, autor, redirectTo } = contexto;
  const { accion = '' } = campos;
  if (!isOrden(accion)) return page(contexto, rfc, { texto: 'Elija qué hacer con uno de los botones.' });
  if (accion === 'borrar' && campos['confirmado'] !== 'si')
    return page(contexto, rfc, {
      texto: 'No se borró nada. Si quiere borrarlo, marque antes la casilla junto al botón.',
    });
  const [orden, done, otherwise] = ORDENES[accion];
  const isDone = await createSincronizaciones(deps.database)[orden](rfc.id, autor);
  return redirectTo(hrefRfc(rfc.rfc, SUB), avisoOf(isDone, done, otherwise));
});

/** A fault of a field outside the form is shown above it. */
const campoDeApi = z.enum(['tipo', 'desde', 'frecuencia', 'contenido', 'meses']).optional().catch(undefined);

interface Tecleado extends Partial<Pick<RechazoApi, 'texto' | 'ir'>> {
  readonly pedido?: Pedido;
  readonly campo?: CampoPedido | undefined;
}

async function page(contexto: ContextoCliente, rfc: RfcVista, tecleado: Tecleado = {}): Promise<Response> {
  const { deps, now, pagina } = contexto;
  const vista = await createSincronizaciones(deps.database).find(rfc.id, null);
  const last = vista === null ? [] : await lastChanges(contexto, vista);
  const isKnown = await isRecordada(contexto, rfc);
  const isFree = rfc.llave?.modo === 'test' && deps.settings.modoLlave === 'live';
  const libro = await createLibro(deps.database).summary(rfc.cuentaId);
  const { texto, campo, ir } = tecleado;
  const isFaulty = texto !== undefined;
  const pedido = tecleado.pedido ?? pedidoFrom(vista, now);
  const lecturas = await lecturasOf(deps.database, pedido, { vista, now });
  return pagina(
    `CFDI al día de ${rfc.rfc}`,
    <>
      <p>
        Acuse lee por sí mismo los CFDI del RFC, los de los últimos días y los de cada mes mientras todavía se pueden
        cancelar, y anota qué cambió. Su sistema lo toma con <code>sincronizacion/cambios</code>.
      </p>
      {isFaulty && campo === undefined ? (
        <Aviso tono="error">
          <DichoPorApi rechazo={{ texto, ir }} rfc={rfc.rfc} />
        </Aviso>
      ) : null}
      {vista === null ? null : (
        <>
          <Situacion
            {...{ vista, now }}
            isDePruebas={vista.modo === 'test' && deps.settings.modoLlave === 'live'}
            path={hrefRfc(rfc.rfc, `${SUB}/cambiar`)}
          />
          <Cambios cambios={last} path={hrefRfc(rfc.rfc, `${SUB}/cambios.csv`)} now={now} />
        </>
      )}
      <Permitido cambiar="credenciales">
        <Permiso
          {...{ rfc, pedido, isKnown, lecturas }}
          isNew={vista === null}
          saldo={isFree ? null : (libro?.saldo ?? 0)}
          faltas={campo === undefined || texto === undefined ? {} : { [campo]: texto }}
        />
      </Permitido>
    </>,
    { ...headOf(rfc, SUB), status: isFaulty ? 422 : 200 },
  );
}

/** The newest first. */
async function lastChanges({ deps }: ContextoCliente, { almacenId, cambios }: VistaSincronizacion): Promise<Cambio[]> {
  const despuesDe = cambios > BigInt(ULTIMOS) ? cambios - BigInt(ULTIMOS) : 0n;
  return (await createAlmacenes(deps.database).cambios({ almacenId, despuesDe, limite: ULTIMOS })).reverse();
}

interface SituacionProps {
  readonly vista: VistaSincronizacion;
  /** Its CFDI are a simulator's, in an installation that asks the SAT with other keys. */
  readonly isDePruebas: boolean;
  readonly now: Date;
  readonly path: string;
}

/** Green once every month was read. */
export function estadoOf({ estado, meses, porLeer }: Pick<VistaSincronizacion, 'estado' | 'meses' | 'porLeer'>) {
  if (estado !== 'ACTIVA') return { texto: 'En pausa', tono: 'alerta' } as const;
  if (porLeer === 0) return { texto: 'Al día', tono: 'exito' } as const;
  return {
    texto: `${formatNumero(meses - porLeer)} de ${count(meses, 'mes leído', 'meses leídos')}`,
    tono: 'info',
  } as const;
}

const POR_CONFIRMAR = [
  ['porConfirmar', 'Por confirmar', 'el SAT no dijo lo mismo que antes, y se le pregunta otra vez'],
  ['sinConfirmar', 'Sin confirmar', 'el SAT no dijo dos veces lo mismo; se le pregunta al renovar el permiso'],
] as const;

function Situacion({ vista, isDePruebas, now, path }: SituacionProps) {
  const { estado, motivo, consentimiento, ultimaLectura, proximaLectura, fallando, ultimoFallo } = vista;
  const isActive = estado === 'ACTIVA';
  return (
    <Tarjeta titulo="Cómo va">
      {isDePruebas ? (
        <Aviso tono="info">
          Es de pruebas: sus CFDI son de un SAT simulado, porque se pidió con una llave de pruebas.
        </Aviso>
      ) : null}
      {motivo === null ? null : <EnPausa motivo={motivo} rfc={vista.rfc} />}
      <Datos
        filas={[
          ['Estado', <Estado {...estadoOf(vista)} />],
          ['Desde', <Fecha value={new Date(vista.desde)} formato="calendario" />],
          ['Se leen', NOMBRES_FRECUENCIA[vista.frecuencia]],
          ['Se guarda', Object.fromEntries(CONTENIDOS)[vista.contenido]],
          ultimaLectura === null ? null : ['Última lectura', <Fecha value={ultimaLectura} relativaA={now} />],
          proximaLectura === null ? null : ['Siguiente', <Fecha value={proximaLectura} />],
          fallando === 0 ? null : ['Con fallas', count(fallando, 'periodo', 'periodos')],
          fallando === 0 || ultimoFallo === null ? null : ['Por qué falló', explain(ultimoFallo).causa],
          ...POR_CONFIRMAR.map(([campo, nombre, que]) =>
            vista[campo] === 0 ? null : ([nombre, `${count(vista[campo], 'periodo', 'periodos')}: ${que}`] as const),
          ),
          ['Último cambio', `n.º ${formatNumero(vista.cambios)}`],
          consentimiento === null
            ? ['Permiso para usar la CIEC', 'No hay']
            : [
                'Permiso para usar la CIEC',
                <>
                  {consentimiento.finalidad}; hasta el <Fecha value={consentimiento.expiraEn} formato="dia" />
                </>,
              ],
        ]}
      />
      <Permitido cambiar="credenciales">
        <Formulario accion={path} descripcion="Cambiar lo que se mantiene al día">
          <div class="fila">
            {isActive || consentimiento !== null ? (
              <Boton variante="secundario" nombre="accion" value={isActive ? 'pausar' : 'reanudar'}>
                {isActive ? 'Poner en pausa' : 'Reanudar'}
              </Boton>
            ) : null}
            {consentimiento === null ? null : (
              <Boton variante="peligro" nombre="accion" value="retirar">
                Retirar el permiso
              </Boton>
            )}
          </div>
        </Formulario>
        <Formulario accion={path} descripcion="Dejar de mantener al día">
          <Campo
            nombre="confirmado"
            label="Borrar lo que se sabe de sus CFDI y sus cambios: no se recupera"
            tipo="checkbox"
            requerido
          />
          <Boton variante="peligro" nombre="accion" value="borrar">
            Dejar de mantener al día y borrar
          </Boton>
        </Formulario>
      </Permitido>
    </Tarjeta>
  );
}

const CLASES: Readonly<Record<Cambio['clase'], string>> = {
  nuevo: 'Nuevo',
  cancelado: 'Cancelado',
  vigente: 'Vigente otra vez',
  corregido: 'Con otros datos',
  ausente: 'Ya no aparece en el SAT',
  presente: 'Aparece otra vez en el SAT',
};

interface CambiosProps {
  readonly cambios: readonly Cambio[];
  /** Of the file. */
  readonly path: string;
  readonly now: Date;
}

function Cambios({ cambios, path, now }: CambiosProps) {
  const hoy = calendarDay(now);
  return (
    <Tarjeta titulo="Últimos cambios">
      <Tabla
        titulo="Últimos cambios, del más nuevo al más antiguo"
        tituloOculto
        columnas={['Qué', { titulo: 'CFDI', phone: 'none' }, 'Cliente o proveedor', numeric('Importe'), 'Detectado']}
        filas={cambios.map(({ clase, tipo, uuid, contraparte, emitidaEn, monto, notadoEn }) => [
          CLASES[clase],
          <ConNota
            nota={
              <>
                {tipo === 'emitidos' ? 'emitido' : 'recibido'} el{' '}
                <Fecha value={new Date(emitidaEn.slice(0, 10))} formato="calendario" />
              </>
            }
          >
            <code>{uuid}</code>
          </ConNota>,
          <ConNota nota={contraparte.nombre || null}>{contraparte.rfc}</ConNota>,
          monto === null ? '—' : formatImporte(monto),
          <ConNota nota={<Fecha value={notadoEn} formato="hora" />}>
            <Fecha value={notadoEn} formato="dia" />
          </ConNota>,
        ])}
        vacia={<p class="suave">Todavía no hay ninguno.</p>}
      />
      <Formulario
        accion={path}
        metodo="get"
        enLinea
        descripcion="Cambios de unos días como archivo"
        valores={{ desde: `${hoy.slice(0, 7)}-01`, hasta: hoy }}
      >
        <Campo nombre="desde" id="csv-desde" label="Detectados desde" tipo="date" requerido />
        <Campo nombre="hasta" id="csv-hasta" label="Hasta" tipo="date" requerido />
        <Boton variante="secundario">Descargar CSV</Boton>
        <Boton variante="secundario" nombre="bom" value="1">
          CSV para Excel
        </Boton>
      </Formulario>
    </Tarjeta>
  );
}
