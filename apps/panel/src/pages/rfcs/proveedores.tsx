import { isFecha, parseRfc } from '@acuse/contract';
import { calendarDay, fault49Bis, MAX_NOTA_49BIS, type Publicacion49Bis, VIGENCIA_49BIS } from '@acuse/core';
import {
  type ContraparteListada,
  createPlazos,
  createRiesgo,
  createSincronizaciones,
  MAX_AVISOS_49BIS,
  type Plazo49Bis,
  type RfcVista,
} from '@acuse/db';
import { ConNota, Estado, Fecha, numeric, Paginacion, pageOf, Tabla, Tarjeta } from '../../components/blocks.tsx';
import { Boton, Campo, Formulario } from '../../components/form.tsx';
import { count, formatFecha } from '../../components/formato.ts';
import { lugarOf, Publicado, placeOf, QUE_ES_ADVERSO, Sumas, Supuesto } from '../../components/listadas.tsx';
import { Permitido } from '../../components/permitido.tsx';
import { avisoOf, type ContextoCliente } from '../../http/ruta.ts';
import { headOf, hrefRfc, rfcRoutes } from './rfc.tsx';

const SUB = '/proveedores';
const POR_PAGINA = 50;
/** UUIDs that are shown of each. */
const UUIDS = 20;
/** The card of the terms. */
const PLAZOS = 'plazos';

export const suppliersPage = rfcRoutes('paquetes');

/** Whoever the RFC has CFDI with and stands on a list of the SAT, and the terms that run, with what there is of them. */
suppliersPage.get(SUB, (contexto, rfc) => page(contexto, rfc));

/** Enters when the SAT published an issuer, or takes that back. */
suppliersPage.post(SUB, async (contexto, rfc) => {
  const { campos, deps, autor, now, redirectTo } = contexto;
  const plazos = createPlazos(deps.database);
  const here = hrefRfc(rfc.rfc, SUB);
  const proveedor = parseRfc(campos['proveedor_rfc'] ?? '');
  if (campos['accion'] === 'quitar' && proveedor !== null)
    return redirectTo(
      here,
      avisoOf(
        await plazos.remove(rfc.id, proveedor, autor),
        'Se quitó lo anotado de ese emisor.',
        'De ese emisor no había nada anotado por usted.',
      ),
    );
  const publicadoEn = (campos['publicado_en'] ?? '').trim();
  const nota = (campos['nota'] ?? '').trim();
  const faltas = faultsOf({ proveedor, publicadoEn, nota }, { rfc: rfc.rfc, hoy: calendarDay(now) });
  if (proveedor === null || Object.keys(faltas).length > 0) return page(contexto, rfc, faltas);
  const nuevo = { contribuyenteId: rfc.id, rfc: proveedor, publicadoEn, nota: nota === '' ? null : nota, ...autor };
  const venceEn = await plazos.add(nuevo);
  return venceEn === null
    ? page(contexto, rfc, { proveedor_rfc: `Ya hay ${MAX_AVISOS_49BIS} emisores anotados. Quite alguno.` })
    : redirectTo(here, {
        tono: 'exito',
        texto: `El plazo termina el ${formatFecha(new Date(venceEn), 'calendario')}. Se le avisa cuando falten 10 y 3 días, y el último día.`,
      });
});

type Faltas = Readonly<Record<string, string>>;

function faultsOf(
  { nota, ...publicacion }: Publicacion49Bis & { nota: string },
  de: { rfc: string; hoy: string },
): Faltas {
  const { proveedor, publicadoEn } = publicacion;
  const fault = isFecha(publicadoEn) ? fault49Bis(publicacion, de) : 'ANTES';
  return {
    ...(proveedor === null ? { proveedor_rfc: 'Escriba el RFC del emisor, de 12 o 13 caracteres.' } : {}),
    ...(fault === 'PROPIO'
      ? {
          proveedor_rfc:
            'Es su propio RFC, y el plazo es de quien recibió CFDI de otro. Escriba el del emisor publicado.',
        }
      : {}),
    ...(fault === 'ANTES' || fault === 'DESPUES'
      ? { publicado_en: `Escriba el día de la publicación, del ${VIGENCIA_49BIS} a hoy.` }
      : {}),
    ...(nota.length > MAX_NOTA_49BIS ? { nota: `Escriba a lo más ${MAX_NOTA_49BIS} caracteres.` } : {}),
  };
}

async function page(
  { c, deps, campos, now, pagina }: ContextoCliente,
  rfc: RfcVista,
  faltas: Faltas = {},
): Promise<Response> {
  const { despues = '', plazo = '' } = c.req.query();
  const vista = await createSincronizaciones(deps.database).find(rfc.id, null);
  const almacenId = vista?.almacenId ?? null;
  const read =
    almacenId === null
      ? []
      : await createRiesgo(deps.database).list({
          ...{ almacenId, despuesDe: lugarOf(despues), limite: POR_PAGINA + 1, uuids: UUIDS },
        });
  const terms = await createPlazos(deps.database).list({
    ...{ contribuyenteId: rfc.id, almacenId, despuesDe: parseRfc(plazo) ?? '', limite: POR_PAGINA + 1 },
    ...{ uuids: UUIDS, hoy: calendarDay(now) },
  });
  const path = hrefRfc(rfc.rfc, SUB);
  const query = { despues, plazo };
  const { filas, ...links } = pageOf(read, POR_PAGINA, { path, query, after: 'despues', placeOf });
  const plazos = pageOf(terms, POR_PAGINA, { path, query, after: 'plazo', placeOf: (fila) => fila.rfc });
  return pagina(
    `Contrapartes de ${rfc.rfc} en listas del SAT`,
    <>
      <p>
        Con quién tiene CFDI el RFC y está hoy en una lista que publica el SAT. {QUE_ES_ADVERSO} Se cuentan los CFDI
        vigentes, de ingreso y de egreso.
      </p>
      {vista === null ? (
        <SinSincronizacion rfc={rfc} />
      ) : (
        <Tarjeta titulo="En una lista">
          <Listadas de={rfc.rfc} filas={filas} now={now} />
          <Paginacion {...links} de="contrapartes" />
        </Tarjeta>
      )}
      <Plazos pagina={plazos} path={path} campos={campos} faltas={faltas} />
    </>,
    { ...headOf(rfc, SUB), status: Object.keys(faltas).length > 0 ? 422 : 200 },
  );
}

interface PlazosProps {
  readonly pagina: ReturnType<typeof pageOf<Plazo49Bis>>;
  readonly path: string;
  readonly campos: Readonly<Record<string, string>>;
  readonly faltas: Faltas;
}

function Plazos({ pagina: { filas, anterior, siguiente }, path, campos, faltas }: PlazosProps) {
  return (
    <Tarjeta titulo="Plazo del artículo 49 Bis" id={PLAZOS}>
      <p>
        Quien recibió CFDI de un emisor que el SAT publica por el artículo 49 Bis del CFF tiene 30 días naturales. Esas
        publicaciones no son una lista que un programa pueda leer: anote aquí la fecha, según el Portal del SAT o el
        Diario Oficial de la Federación. El día de la publicación no se cuenta.
      </p>
      <Tabla
        titulo="Plazos que corren, por emisor"
        tituloOculto
        columnas={['Emisor', 'Termina', 'Faltan', numeric('Recibidos'), { titulo: 'Quitar', oculta: true }]}
        filas={filas.map(({ rfc, nombre, publicadoEn, venceEn, quedan, nota, isDelOperador, cfdi }) => [
          <>
            <ConNota nota={nombre || null}>{rfc}</ConNota>
            {nota === null ? null : <div>{nota}</div>}
          </>,
          <ConNota nota={<Publicado dia={publicadoEn} />}>
            <Fecha value={new Date(venceEn)} formato="calendario" />
          </ConNota>,
          quedan < 0 ? <Estado texto="Venció" tono="error" /> : count(quedan, 'día', 'días'),
          cfdi === null ? '—' : <Sumas {...cfdi.recibidos} />,
          isDelOperador ? (
            <span class="suave">Del operador</span>
          ) : (
            <Permitido cambiar="paquetes">
              <Formulario accion={path} descripcion={`Quitar lo anotado de ${rfc}`}>
                <input type="hidden" name="proveedor_rfc" value={rfc} />
                <Boton variante="secundario" nombre="accion" value="quitar">
                  Quitar
                </Boton>
              </Formulario>
            </Permitido>
          ),
        ])}
        vacia={<p class="suave">No hay ninguno anotado.</p>}
      />
      <Paginacion anterior={toPlazos(anterior)} siguiente={toPlazos(siguiente)} de="plazos" />
      <Permitido cambiar="paquetes">
        <Formulario accion={path} descripcion="Anotar una publicación" valores={campos} faltas={faltas}>
          <div class="rejilla">
            <Campo nombre="proveedor_rfc" label="RFC del emisor" requerido />
            <Campo nombre="publicado_en" label="Día de la publicación" tipo="date" requerido />
          </div>
          <Campo nombre="nota" label="Nota" ayuda="Lo que quiera recordar, como el oficio." />
          <Boton>Anotar</Boton>
        </Formulario>
      </Permitido>
    </Tarjeta>
  );
}

const toPlazos = (href: string | null) => href && `${href}#${PLAZOS}`;

function SinSincronizacion({ rfc }: { readonly rfc: RfcVista }) {
  return (
    <Tarjeta titulo="Todavía no se sabe">
      <p>
        Se busca entre las contrapartes de los RFC que se mantienen al día, y este no lo está.{' '}
        <a href={hrefRfc(rfc.rfc, '/al-dia')}>Mantenerlo al día</a>
      </p>
    </Tarjeta>
  );
}

interface ListadasProps {
  readonly de: string;
  readonly filas: readonly ContraparteListada[];
  readonly now: Date;
}

function Listadas({ de, filas, now }: ListadasProps) {
  return (
    <Tabla
      titulo="Contrapartes en una lista del SAT"
      tituloOculto
      columnas={['Contraparte', 'Lista', 'Notado', numeric('Recibidos'), numeric('Emitidos')]}
      filas={filas.map(({ rfc, nombre, lista, supuesto, isAdverso, publicada, desde, cfdi }) => [
        <>
          <ConNota nota={nombre || null}>
            <a href={`${hrefRfc(de, '/cfdi')}?contraparte_rfc=${encodeURIComponent(rfc)}`}>{rfc}</a>
          </ConNota>
          <Uuids total={cfdi.total} uuids={cfdi.uuids} />
        </>,
        <Supuesto {...{ lista, supuesto, isAdverso, publicada }} />,
        <Fecha value={desde} relativaA={now} />,
        <Sumas {...cfdi.recibidos} />,
        <Sumas {...cfdi.emitidos} />,
      ])}
      vacia={<p class="suave">Ninguna contraparte está en una lista del SAT.</p>}
    />
  );
}

function Uuids({ total, uuids }: { readonly total: number; readonly uuids: readonly string[] }) {
  if (uuids.length === 0) return null;
  return (
    <details>
      <summary>{total > uuids.length ? `Los ${uuids.length} más nuevos` : count(total, 'CFDI', 'CFDI')}</summary>
      {uuids.map((uuid) => (
        <div>
          <code>{uuid}</code>
        </div>
      ))}
    </details>
  );
}
