import type { RfcVista } from '@acuse/db';
import { type ContextoCliente, headOf, hrefRfc, type Recordatorio, rfcRoutes } from '@acuse/page';
import { ConNota, Fecha, numeric, Paginacion, pageOf, sortOf, Tabla, Tarjeta } from '@acuse/page/blocks';
import { count } from '@acuse/page/formato';
import { createSincronizaciones } from '@acuse/sincronizacion/db';
import { type ContraparteListada, createRiesgo } from '../db/index.ts';
import { lugarOf, placeOf, QUE_ES_ADVERSO, Sumas, Supuesto } from './listadas.tsx';

const SUB = '/proveedores';
const POR_PAGINA = 25;
/** UUIDs that are shown of each. */
const UUIDS = 20;

export const suppliersPage = rfcRoutes('paquetes');

/** Counterparties of the RFC that stand on a list of the SAT. */
suppliersPage.get(SUB, async ({ c, deps, now, pagina }, rfc) => {
  const { despues = '', orden: asked } = c.req.query();
  const path = hrefRfc(rfc.rfc, SUB);
  const { isReversed, orden } = sortOf(path, { orden: asked }, 'ascending');
  const vista = await createSincronizaciones(deps.database).find(rfc.id, null);
  const read =
    vista === null
      ? []
      : await createRiesgo(deps.database).list({
          almacenId: vista.almacenId,
          despuesDe: lugarOf(despues),
          limite: POR_PAGINA + 1,
          uuids: UUIDS,
          isReversed,
        });
  const { filas, ...links } = pageOf(read, POR_PAGINA, {
    path,
    query: { orden: asked, despues },
    after: 'despues',
    placeOf,
  });
  return pagina(
    `Clientes y proveedores de ${rfc.rfc} en listas del SAT`,
    <>
      <p>
        Con quién tiene CFDI el RFC y está hoy en una lista que publica el SAT. {QUE_ES_ADVERSO} Se cuentan las facturas
        y notas de crédito vigentes.
      </p>
      {vista === null ? (
        <SinSincronizacion rfc={rfc} />
      ) : (
        <Tarjeta titulo="En una lista">
          <Listadas de={rfc.rfc} {...{ filas, now, orden }} />
          <Paginacion {...links} de="clientes y proveedores" />
        </Tarjeta>
      )}
    </>,
    headOf(rfc, SUB),
  );
});

function SinSincronizacion({ rfc }: { readonly rfc: RfcVista }) {
  return (
    <Tarjeta titulo="Todavía no se sabe">
      <p>
        Se busca entre los clientes y proveedores de los RFC que se mantienen al día, y este no lo está.{' '}
        <a href={hrefRfc(rfc.rfc, '/al-dia')}>Mantenerlo al día</a>
      </p>
    </Tarjeta>
  );
}

interface ListadasProps {
  readonly de: string;
  readonly filas: readonly ContraparteListada[];
  readonly now: Date;
  readonly orden: ReturnType<typeof sortOf>['orden'];
}

function Listadas({ de, filas, now, orden }: ListadasProps) {
  return (
    <Tabla
      titulo="Clientes y proveedores en una lista del SAT"
      tituloOculto
      columnas={[
        { titulo: 'Cliente o proveedor', orden },
        'Lista',
        { titulo: 'Detectado', phone: 'none' },
        numeric('Recibidos', { phone: 'value' }),
        numeric('Emitidos'),
      ]}
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
      vacia={<p class="suave">Ningún cliente ni proveedor está en una lista del SAT.</p>}
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

/** Days for which a counterparty that entered a list is mentioned. */
const DIAS = 14;
const DIA_MS = 86_400_000;
const MAX_RFCS = 20;

/** Reminders of the RFCs with counterparties that entered a list lately. */
export async function readReminders({ deps, usuario, now }: ContextoCliente): Promise<readonly Recordatorio[]> {
  const desde = new Date(now.getTime() - DIAS * DIA_MS);
  const listados = await createRiesgo(deps.database).news(usuario.cuentaId, desde, MAX_RFCS);
  return listados.map(({ rfc, contrapartes }) => ({
    tono: 'alerta',
    texto:
      contrapartes === 1
        ? `Un cliente o proveedor de ${rfc} está en una lista del SAT desde hace poco.`
        : `${contrapartes} clientes o proveedores de ${rfc} están en una lista del SAT desde hace poco.`,
    href: hrefRfc(rfc, '/proveedores'),
    accion: 'Ver sus CFDI',
    parte: 'paquetes',
  }));
}
