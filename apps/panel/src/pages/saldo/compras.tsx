import { createPagos, type EstadoPago, isUuid, type Pago } from '@acuse/db';
import { Boton } from '../../components/boton.tsx';
import { Estado } from '../../components/estado.tsx';
import { Fecha } from '../../components/fecha.tsx';
import { formatNumero } from '../../components/formato.ts';
import { Paginacion } from '../../components/paginacion.tsx';
import { Tabla } from '../../components/tabla.tsx';
import { Vacio } from '../../components/vacio.tsx';
import { defineRuta } from '../../http/ruta.ts';
import { formatPesos } from '../../pagos/catalogo.ts';
import type { Checkout } from '../../pagos/checkout.ts';
import { hrefCompra } from './ruta-compra.ts';

const FILAS = 25;

const ESTADOS: Readonly<Record<EstadoPago, readonly [string, 'alerta' | 'exito' | 'error' | 'neutro']>> = {
  PENDIENTE: ['Pendiente', 'alerta'],
  ACREDITADO: ['Abonada', 'exito'],
  RECHAZADO: ['Rechazada', 'error'],
  CANCELADO: ['Cancelada', 'neutro'],
};

/** The state of a purchase as a pill. */
export function EstadoCompra({ estado }: { readonly estado: EstadoPago }) {
  const [texto, tono] = ESTADOS[estado];
  return <Estado texto={texto} tono={tono} />;
}

/** How a payment's provider is called, also when it is switched off now. */
export function nombreProveedor(checkout: Checkout, pago: Pago): string {
  return checkout.proveedores.find(({ id }) => id === pago.proveedor)?.nombre ?? pago.proveedor;
}

/** All purchases of the account, newest first. */
export const compras = defineRuta({
  metodo: 'GET',
  path: '/saldo/compras',
  acceso: 'cliente',
  async handle({ c, deps, usuario, pagina }) {
    const antes = c.req.query('antes');
    const read = await createPagos(deps.database).list({
      cuentaId: usuario.cuentaId,
      limite: FILAS + 1,
      ...(isUuid(antes) ? { antes } : {}),
    });
    const filas = read.slice(0, FILAS);
    const last = filas.at(-1);
    return pagina({
      titulo: 'Compras',
      contenido: (
        <>
          <div class="titular">
            <h1>Compras</h1>
            <Boton href="/saldo/comprar">Comprar créditos</Boton>
          </div>
          <Tabla
            titulo="Compras de créditos"
            tituloOculto
            columnas={[
              { titulo: 'Referencia' },
              { titulo: 'Fecha' },
              { titulo: 'Créditos', numerica: true },
              { titulo: 'Total', numerica: true },
              { titulo: 'Forma de pago' },
              { titulo: 'Estado' },
            ]}
            filas={filas.map((pago) => [
              <a href={hrefCompra(pago)} class="fija">
                {pago.referencia}
              </a>,
              <Fecha valor={pago.creadoEn} />,
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
          <Paginacion
            anterior={isUuid(antes) ? '/saldo/compras' : null}
            siguiente={last && read.length > FILAS ? `/saldo/compras?antes=${last.id}` : null}
          />
        </>
      ),
    });
  },
});
