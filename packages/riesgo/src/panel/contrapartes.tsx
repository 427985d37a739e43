import type { DetalleSolicitud } from '@acuse/db';
import { type ContextoCliente, hrefRfc, Permitido } from '@acuse/page';
import { ConNota, numeric, Paginacion, pageOf, Tabla, Tarjeta } from '@acuse/page/blocks';
import { countTrade, TRADE } from '@acuse/page/formato';
import type { Child } from 'hono/jsx';
import { createRiesgo } from '../db/index.ts';
import type { ContraparteDePaquete } from '../index.ts';
import { lugarOf, placeOf, QUE_ES_ADVERSO, Sumas, Supuesto } from './listadas.tsx';

const POR_PAGINA = 25;

/** Reads a page of those of the package that stood on a list, and one more; nothing of a package that was not crossed. */
async function readListadas({ c, deps }: ContextoCliente, { id, contrapartesListadas }: DetalleSolicitud) {
  const { contraparte = '' } = c.req.query();
  const read =
    contrapartesListadas === null
      ? []
      : await createRiesgo(deps.database).listPaquete({
          solicitudId: id,
          despuesDe: lugarOf(contraparte),
          limite: POR_PAGINA + 1,
        });
  const paging = { path: `/solicitudes/${id}`, query: { contraparte }, after: 'contraparte', placeOf };
  return pageOf(read, POR_PAGINA, paging);
}

interface ContrapartesProps {
  readonly solicitud: DetalleSolicitud;
  readonly pagina: Awaited<ReturnType<typeof readListadas>>;
}

/** Counterparties of the package of a finished solicitud on lists of the SAT, or why they are unknown. */
export async function showContrapartes(contexto: ContextoCliente, solicitud: DetalleSolicitud): Promise<Child> {
  if (solicitud.estado !== 'TERMINADA') return null;
  return (
    <Tarjeta titulo={`${TRADE[solicitud.tipo].many} en listas del SAT`} id="contrapartes">
      <Dicho solicitud={solicitud} pagina={await readListadas(contexto, solicitud)} />
    </Tarjeta>
  );
}

function Dicho({ solicitud, pagina }: ContrapartesProps): Child {
  const { contrapartesListadas: cruce, hasOrigin, rfc, id, tipo } = solicitud;
  if (hasOrigin)
    return (
      <p>
        Esta descarga es una lectura de un RFC que se mantiene al día: se busca entre todos sus clientes y proveedores.{' '}
        <a href={hrefRfc(rfc, '/proveedores')}>Ver los de {rfc}</a>
      </p>
    );
  if (cruce === null)
    return (
      <p>
        No se sabe: cuando se armó este ZIP no había ninguna lista cargada, o lo armó una versión anterior.{' '}
        <Permitido cambiar="solicitudes">
          <a href={`/solicitudes/nueva?como=${id}`}>Pida el periodo otra vez</a> o pregunte
        </Permitido>{' '}
        por la API con <code>efos/consultar-lote</code>, sin costo.
      </p>
    );
  if (cruce.total === 0)
    return (
      <p class="suave">
        Ningún {TRADE[tipo].one.toLowerCase()} de este ZIP estaba en una lista del SAT cuando se armó.
      </p>
    );
  if (pagina.filas.length === 0 && pagina.anterior === null)
    return (
      <p>
        {countOf(tipo, cruce)} Quiénes eran ya se borró, porque cumplió su tiempo de conservación. Cómo está hoy cada
        RFC lo dice <code>efos/consultar-lote</code>, sin costo.
      </p>
    );
  return (
    <>
      <p>
        {countOf(tipo, cruce)} {QUE_ES_ADVERSO} Se cuentan las facturas y notas de crédito vigentes del ZIP. Estar en
        una lista no dice que sus operaciones no existan.
      </p>
      <Listadas filas={pagina.filas} tipo={tipo} />
      <Paginacion anterior={here(pagina.anterior)} siguiente={here(pagina.siguiente)} />
    </>
  );
}

const here = (href: string | null) => href && `${href}#contrapartes`;

const countOf = (
  tipo: DetalleSolicitud['tipo'],
  { total, adversas }: NonNullable<DetalleSolicitud['contrapartesListadas']>,
) =>
  `${countTrade(total, tipo)} de este ZIP ${total === 1 ? 'estaba' : 'estaban'} en una lista del SAT cuando se armó, ${adversas === 0 ? 'ninguno' : adversas} por algo que habla en su contra.`;

interface ListadasProps {
  readonly filas: readonly ContraparteDePaquete[];
  readonly tipo: DetalleSolicitud['tipo'];
}

function Listadas({ filas, tipo }: ListadasProps) {
  return (
    <Tabla
      titulo={`${TRADE[tipo].many} en listas del SAT`}
      tituloOculto
      columnas={[TRADE[tipo].one, 'Lista', numeric('CFDI vigentes')]}
      filas={filas.map((fila) => [
        <ConNota nota={fila.nombre || null}>{fila.rfc}</ConNota>,
        <Supuesto {...fila} />,
        <Sumas {...fila} />,
      ])}
      vacia={<p class="suave">No hay más.</p>}
    />
  );
}
