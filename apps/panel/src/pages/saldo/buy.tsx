import { randomUUID } from 'node:crypto';
import { isUuid } from '@acuse/db';
import { Aviso, Tarjeta, Vacio } from '@acuse/page/blocks';
import { Boton, Formulario } from '@acuse/page/form';
import { formatCreditos, formatNumero } from '@acuse/page/formato';
import { type ContextoCliente, routesFor } from '../../paginas.ts';
import { formatPesos, type PaqueteCreditos } from '../../pagos/catalogo.ts';
import type { MotivoCompra } from '../../pagos/checkout.ts';
import { hrefOfPurchase, Precio } from './compras.tsx';

export const buyPage = routesFor('compras');

/** First step: how many credits, and how they are paid. */
buyPage.get('/saldo/comprar', renderChoose);

function renderChoose({ deps, pagina }: ContextoCliente, falta?: string) {
  const { catalogo, proveedores } = deps.checkout;
  return pagina(
    'Comprar créditos',
    proveedores.length === 0 ? (
      <Vacio titulo="Por ahora no hay forma de pago en línea" accion={{ href: '/saldo', texto: 'Volver al saldo' }}>
        Pida los créditos al operador de esta instalación: puede abonarlos directamente.
      </Vacio>
    ) : (
      <Formulario accion="/saldo/comprar/confirmar" metodo="get">
        <Tarjeta>
          <fieldset>
            <legend>¿Cuántos créditos?</legend>
            {catalogo.paquetes.map((paquete, lugar) => (
              <Eleccion
                nombre="paquete"
                value={String(paquete.creditos)}
                marcado={lugar === 0}
                texto={`${formatCreditos(paquete.creditos)}: ${formatPesos(paquete.total)}`}
                ayuda={`${formatPesos(paquete.subtotal)} más ${formatNumero(catalogo.iva)} % de IVA; ${perCredit(paquete)} por crédito con IVA`}
              />
            ))}
          </fieldset>
        </Tarjeta>
        <Tarjeta>
          <fieldset>
            <legend>¿Cómo se paga?</legend>
            {proveedores.map(({ id, nombre, descripcion }, lugar) => (
              <Eleccion nombre="forma" value={id} marcado={lugar === 0} texto={nombre} ayuda={descripcion} />
            ))}
          </fieldset>
        </Tarjeta>
        <Boton>Revisar la compra</Boton>
      </Formulario>
    ),
    { error: falta, status: falta === undefined ? 200 : 422 },
  );
}

const perCredit = ({ total, creditos }: PaqueteCreditos) => formatPesos(Math.round(total / creditos));

interface EleccionProps {
  readonly nombre: string;
  readonly value: string;
  readonly texto: string;
  readonly ayuda: string;
  readonly marcado: boolean;
}

function Eleccion({ nombre, value, texto, ayuda, marcado }: EleccionProps) {
  const id = `${nombre}-${value}`;
  return (
    <div class="campo casilla">
      <input
        type="radio"
        id={id}
        name={nombre}
        value={value}
        checked={marcado}
        required
        aria-describedby={`${id}-ayuda`}
      />
      <label for={id}>{texto}</label>
      <div class="ayuda" id={`${id}-ayuda`}>
        {ayuda}
      </div>
    </div>
  );
}

/** Second step: price with IVA, and the form that buys. Its key makes sending it twice one purchase. */
buyPage.get('/saldo/comprar/confirmar', (contexto) => {
  const { c, deps, pagina } = contexto;
  const { catalogo, proveedores } = deps.checkout;
  const paquete = catalogo.paquetes.find(({ creditos }) => String(creditos) === c.req.query('paquete'));
  const forma = proveedores.find(({ id }) => id === c.req.query('forma'));
  if (!paquete) return renderChoose(contexto, 'Ese paquete de créditos ya no se vende. Elija otro.');
  if (!forma) return renderChoose(contexto, 'Esa forma de pago ya no está disponible. Elija otra.');
  return pagina(
    'Revisar la compra',
    <>
      {forma.advertencia ? <Aviso tono="alerta">{forma.advertencia}</Aviso> : null}
      <Tarjeta titulo="Su compra">
        <Precio compra={paquete} tasa={catalogo.iva} />
        <p>
          Forma de pago: <strong>{forma.nombre}</strong>. <span class="suave">{forma.descripcion}</span>
        </p>
        <Formulario accion="/saldo/comprar">
          <input type="hidden" name="clave" value={randomUUID()} />
          <input type="hidden" name="paquete" value={String(paquete.creditos)} />
          <input type="hidden" name="total" value={String(paquete.total)} />
          <input type="hidden" name="forma" value={forma.id} />
          <div class="fila">
            <Boton>Comprar</Boton>
            <Boton variante="discreto" href="/saldo/comprar">
              Cambiar
            </Boton>
          </div>
        </Formulario>
      </Tarjeta>
    </>,
  );
});

const TEXTOS: Readonly<Record<MotivoCompra, string>> = {
  PAQUETE_DESCONOCIDO: 'No se compró nada: ese paquete de créditos ya no se vende. Elija otro.',
  PROVEEDOR_DESCONOCIDO: 'No se compró nada: esa forma de pago ya no está disponible. Elija otra.',
  PRECIO_CAMBIADO: 'No se compró nada: el precio cambió mientras lo revisaba. Vea el precio nuevo y confirme otra vez.',
  MUCHOS_PENDIENTES:
    'No se compró nada: hay demasiadas compras pendientes. Pague o cancele alguna en Saldo, Compras, y vuelva a intentarlo.',
};

/** Third step: makes the payment, once for each form. */
buyPage.post('/saldo/comprar', async (contexto) => {
  const { deps, usuario, campos, redirectTo } = contexto;
  const { clave = '', paquete = '', total = '', forma = '' } = campos;
  if (!isUuid(clave)) return renderChoose(contexto, 'No se compró nada: la página estaba incompleta. Elija de nuevo.');
  const pago = await deps.checkout.buy({
    cuentaId: usuario.cuentaId,
    usuarioId: usuario.id,
    ...contexto.autor,
    clave,
    creditos: Number(paquete),
    proveedor: forma,
    total: Number(total),
  });
  if (typeof pago === 'string') return renderChoose(contexto, TEXTOS[pago]);
  return redirectTo(hrefOfPurchase(pago));
});
