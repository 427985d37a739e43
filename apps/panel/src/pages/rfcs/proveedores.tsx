import {
  type ContraparteListada,
  createRiesgo,
  createSincronizaciones,
  type LugarListado,
  type RfcVista,
  type SumasCfdi,
} from '@acuse/db';
import { Estado, Fecha, numeric, Paginacion, pageOf, Tabla, Tarjeta } from '../../components/blocks.tsx';
import { count, formatNumero } from '../../components/formato.ts';
import { headOf, hrefRfc, rfcRoutes } from './rfc.tsx';

const SUB = '/proveedores';
const POR_PAGINA = 50;
/** UUIDs that are shown of each. */
const UUIDS = 20;

export const suppliersPage = rfcRoutes('paquetes');

/** Whoever the RFC has CFDI with and stands on a list of the SAT, with what there is of them. */
suppliersPage.get(SUB, async ({ c, deps, now, pagina }, rfc) => {
  const { despues = '' } = c.req.query();
  const vista = await createSincronizaciones(deps.database).find(rfc.id);
  const read =
    vista === null
      ? []
      : await createRiesgo(deps.database).list({
          almacenId: vista.almacenId,
          despuesDe: lugarOf(despues),
          limite: POR_PAGINA + 1,
          uuids: UUIDS,
        });
  const paging = { path: hrefRfc(rfc.rfc, SUB), query: { despues }, after: 'despues', placeOf };
  const { filas, ...links } = pageOf(read, POR_PAGINA, paging);
  return pagina(
    `Contrapartes de ${rfc.rfc} en listas del SAT`,
    <>
      <p>
        Con quién tiene CFDI el RFC y está hoy en una lista que publica el SAT. Presunto y Definitivo son adversos;
        Desvirtuado y Sentencia Favorable aclaran. Se cuentan los CFDI vigentes, de ingreso y de egreso.
      </p>
      {vista === null ? (
        <SinSincronizacion rfc={rfc} />
      ) : (
        <Tarjeta titulo="En una lista">
          <Listadas filas={filas} now={now} />
          <Paginacion {...links} />
        </Tarjeta>
      )}
    </>,
    headOf(rfc, SUB),
  );
});

const placeOf = ({ rfc, lista }: LugarListado) => `${rfc} ${lista}`;

function lugarOf(text: string): LugarListado | null {
  const [rfc = '', ...lista] = text.split(' ');
  return rfc === '' ? null : { rfc, lista: lista.join(' ') };
}

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

function Listadas({ filas, now }: { readonly filas: readonly ContraparteListada[]; readonly now: Date }) {
  return (
    <Tabla
      titulo="Contrapartes en una lista del SAT"
      tituloOculto
      columnas={['Contraparte', 'Lista', 'Publicado', 'Notado', numeric('Recibidos'), numeric('Emitidos'), 'CFDI']}
      filas={filas.map(({ rfc, nombre, lista, supuesto, isAdverso, publicada, desde, cfdi }) => [
        `${rfc} ${nombre}`,
        <span class="fila">
          {lista} <Estado texto={supuesto} tono={isAdverso ? 'error' : 'exito'} />
        </span>,
        publicada ?? '—',
        <Fecha value={desde} relativaA={now} />,
        <Sumas {...cfdi.recibidos} />,
        <Sumas {...cfdi.emitidos} />,
        <Uuids total={cfdi.total} uuids={cfdi.uuids} />,
      ])}
      vacia={<p class="suave">Ninguna contraparte está en una lista del SAT.</p>}
    />
  );
}

/** Pesos as the SAT gives them, with separators. */
const pesos = (monto: string) => {
  const [enteros = '0', centavos = ''] = monto.split('.');
  return `$${formatNumero(BigInt(enteros))}.${centavos.slice(0, 2).padEnd(2, '0')}`;
};

function Sumas({ ingresos, egresos }: SumasCfdi) {
  if (ingresos.cfdi + egresos.cfdi === 0) return <>—</>;
  return (
    <>
      {ingresos.cfdi === 0 ? null : (
        <div>
          {pesos(ingresos.monto)} <span class="suave">en {count(ingresos.cfdi, 'ingreso', 'ingresos')}</span>
        </div>
      )}
      {egresos.cfdi === 0 ? null : (
        <div>
          {pesos(egresos.monto)} <span class="suave">en {count(egresos.cfdi, 'egreso', 'egresos')}</span>
        </div>
      )}
    </>
  );
}

function Uuids({ total, uuids }: { readonly total: number; readonly uuids: readonly string[] }) {
  if (uuids.length === 0) return <>—</>;
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
