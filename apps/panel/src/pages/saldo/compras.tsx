import { createPagos, type EstadoPago, isUuid, type Pago } from '@acuse/db';
import { avisoOf } from '@acuse/page';
import {
  Aviso,
  CopyButton,
  Datos,
  Estado,
  Fecha,
  numeric,
  Paginacion,
  pageOf,
  Tabla,
  Tarjeta,
  Vacio,
} from '@acuse/page/blocks';
import { Boton, Formulario } from '@acuse/page/form';
import { formatCreditos, formatNumero } from '@acuse/page/formato';
import { routesFor, routesOf } from '../../paginas.ts';
import { formatPesos, type PaqueteCreditos } from '../../pagos/catalogo.ts';
import type { Checkout } from '../../pagos/checkout.ts';
import type { Instrucciones, ProveedorPago } from '../../pagos/proveedor.ts';

/** The page of a purchase. */
export function hrefOfPurchase({ id }: Pick<Pago, 'id'>): string {
  return `/saldo/compras/${id}`;
}

/** Declares an address of a purchase of the account. */
export const purchasePage = routesOf<Pago, 'compras'>('compras', '/saldo/compras/:id', async ({ deps, usuario }, id) =>
  isUuid(id) ? createPagos(deps.database).find(usuario.cuentaId, id) : null,
);

const FILAS = 25;

const ESTADOS: Readonly<Record<EstadoPago, readonly [string, 'alerta' | 'exito' | 'error' | 'neutro']>> = {
  PENDIENTE: ['Pendiente', 'alerta'],
  ACREDITADO: ['Abonada', 'exito'],
  RECHAZADO: ['Rechazada', 'error'],
  CANCELADO: ['Cancelada', 'neutro'],
};

function EstadoCompra({ estado }: { readonly estado: EstadoPago }) {
  const [texto, tono] = ESTADOS[estado];
  return <Estado texto={texto} tono={tono} />;
}

/** How a payment's provider is called, also when it is switched off now. */
function nombreProveedor(checkout: Checkout, pago: Pago): string {
  return checkout.proveedores.find(({ id }) => id === pago.proveedor)?.nombre ?? pago.proveedor;
}

export const purchasesPage = routesFor('compras');

/** All purchases of the account, newest first. */
purchasesPage.get('/saldo/compras', async ({ c, deps, usuario, pagina }) => {
  const antes = c.req.query('antes');
  const query = isUuid(antes) ? { antes } : {};
  const read = await createPagos(deps.database).list({ cuentaId: usuario.cuentaId, limite: FILAS + 1, ...query });
  const paging = { path: '/saldo/compras', query, after: 'antes', placeOf: ({ id }: Pago) => id };
  const { filas, ...links } = pageOf(read, FILAS, paging);
  return pagina(
    'Compras',
    <>
      <Tabla
        titulo="Compras de créditos"
        tituloOculto
        columnas={['Referencia', 'Fecha', numeric('Créditos'), numeric('Total'), 'Forma de pago', 'Estado']}
        filas={filas.map((pago) => [
          <a href={hrefOfPurchase(pago)} class="fija">
            {pago.referencia}
          </a>,
          <Fecha value={pago.creadoEn} />,
          formatNumero(pago.creditos),
          formatPesos(pago.total),
          nombreProveedor(deps.checkout, pago),
          <EstadoCompra estado={pago.estado} />,
        ])}
        vacia={
          <Vacio titulo="Todavía no hay compras" accion={{ href: '/saldo/comprar', texto: 'Comprar créditos' }}>
            Aquí verá cada compra y si ya se abonó.
          </Vacio>
        }
      />
      <Paginacion {...links} />
    </>,
    { accion: <Boton href="/saldo/comprar">Comprar créditos</Boton> },
  );
});

/** One purchase: its result, or the next step. */
purchasePage.get('', async ({ deps, pagina }, pago) => {
  const isPending = pago.estado === 'PENDIENTE';
  const proveedor = deps.checkout.proveedores.find(({ id }) => id === pago.proveedor);
  const paso = isPending ? await deps.checkout.instrucciones(pago) : null;
  return pagina(
    `Compra ${pago.referencia}`,
    <>
      <Resultado pago={pago} proveedor={proveedor} />
      {paso === null ? null : <ToPay pago={pago} paso={paso} />}
      <Tarjeta titulo="Detalle">
        <Precio compra={pago} />
        <Datos
          filas={[
            ['Forma de pago', nombreProveedor(deps.checkout, pago)],
            ['Pedida', <Fecha value={pago.creadoEn} />],
            pago.resueltoEn ? ['Terminada', <Fecha value={pago.resueltoEn} />] : null,
          ]}
        />
      </Tarjeta>
      <p>
        <a href="/saldo">Ver el saldo</a> · <a href="/saldo/compras">Todas las compras</a>
      </p>
    </>,
    { accion: <EstadoCompra estado={pago.estado} /> },
  );
});

function Resultado({ pago, proveedor }: { readonly pago: Pago; readonly proveedor: ProveedorPago | undefined }) {
  const { estado, creditos, motivo } = pago;
  if (estado === 'ACREDITADO')
    return (
      <Aviso tono="exito" titulo={`Se abonaron ${formatCreditos(creditos)}`}>
        Ya puede usarlos: <a href="/solicitudes/nueva">pida CFDI al SAT</a>. {proveedor?.advertencia ?? ''}
      </Aviso>
    );
  if (estado === 'RECHAZADO')
    return (
      <Aviso tono="error" titulo="El pago no se aceptó">
        No se abonaron créditos. Motivo: {motivo ?? 'no se indicó'}. Si ya pagó, avise al operador con la referencia; si
        no, <a href="/saldo/comprar">haga otra compra</a>.
      </Aviso>
    );
  if (estado === 'CANCELADO')
    return (
      <Aviso tono="info" titulo="La compra se canceló">
        No se abonaron créditos. Si de todos modos pagó, avise al operador con la referencia.
      </Aviso>
    );
  return null;
}

interface ToPayProps {
  readonly pago: Pago;
  readonly paso: Awaited<ReturnType<Checkout['instrucciones']>>;
}

function ToPay({ pago, paso }: ToPayProps) {
  const path = hrefOfPurchase(pago);
  return (
    <Tarjeta titulo="Falta el pago">
      {typeof paso === 'string' ? <SinInstrucciones paso={paso} /> : <QueHacer instrucciones={paso} />}
      <div class="fila">
        {paso === 'SIN_EMPEZAR' ? (
          <Formulario accion={`${path}/continuar`}>
            <Boton>Continuar la compra</Boton>
          </Formulario>
        ) : null}
        <Formulario accion={`${path}/cancelar`}>
          <Boton variante="peligro" descripcion={`Cancelar la compra ${pago.referencia}`}>
            Cancelar la compra
          </Boton>
        </Formulario>
      </div>
    </Tarjeta>
  );
}

function SinInstrucciones({ paso }: { readonly paso: 'SIN_EMPEZAR' | 'SIN_RESPUESTA' }) {
  if (paso === 'SIN_EMPEZAR')
    return <p>La compra quedó apuntada, pero el pago no empezó. Continúe para empezarlo: no se cobra dos veces.</p>;
  return (
    <Aviso tono="alerta">
      La forma de pago no contesta en este momento. La compra sigue pendiente: espere un minuto y abra esta página otra
      vez, o cancélela y elija otra forma.
    </Aviso>
  );
}

function QueHacer({ instrucciones: { texto, datos, enlace } }: { readonly instrucciones: Instrucciones }) {
  return (
    <>
      <p>{texto}</p>
      <Datos
        filas={datos.map(({ label, value, copiable }) => [
          label,
          copiable ? <CopyButton value={value} label={label} /> : value,
        ])}
      />
      {enlace ? <Boton href={enlace.href}>{enlace.texto}</Boton> : null}
    </>
  );
}

interface PrecioProps {
  readonly compra: PaqueteCreditos;
  /** Percent; left out where the rate of that day is not known. */
  readonly tasa?: number;
}

/** Credits, price and IVA of a purchase. */
export function Precio({ compra, tasa }: PrecioProps) {
  return (
    <Datos
      filas={[
        ['Créditos', formatCreditos(compra.creditos)],
        ['Precio', formatPesos(compra.subtotal)],
        [`IVA${tasa === undefined ? '' : ` (${tasa} %)`}`, formatPesos(compra.iva)],
        ['Total', <strong>{formatPesos(compra.total)}</strong>],
      ]}
    />
  );
}

/** Gives a pending purchase up. */
purchasePage.post('/cancelar', async (contexto, pago) => {
  const { deps, redirectTo } = contexto;
  const isDone = await deps.checkout.cancel(pago, contexto.autor);
  const already =
    'La compra no se canceló: ya había terminado, o la forma de pago no lo permitió. Abajo está su estado.';
  return redirectTo(hrefOfPurchase(pago), avisoOf(isDone, 'La compra se canceló. No se cobró nada.', already));
});

/** Begins a pending purchase again, after its provider did not answer. */
purchasePage.post('/continuar', async (contexto, pago) => {
  await contexto.deps.checkout.continuar(pago, contexto.autor);
  return contexto.redirectTo(hrefOfPurchase(pago));
});

/** Where a provider sends the buyer back. What it carries is only believed as far as the provider confirms it. */
purchasePage.get('/regreso', async ({ c, deps, redirectTo }, pago) => {
  const aviso = {
    via: 'regreso' as const,
    headers: c.req.raw.headers,
    cuerpo: new Uint8Array(),
    consulta: new URL(c.req.url).searchParams,
  };
  await deps.checkout.receive(pago.proveedor, aviso).catch((err: unknown) => {
    deps.log.warn({ err, pago: pago.id }, 'payment_status_unknown');
  });
  return redirectTo(hrefOfPurchase(pago));
});
