import type { Pago } from '@acuse/db';
import { Aviso } from '../../components/aviso.tsx';
import { Boton } from '../../components/boton.tsx';
import { Copiar } from '../../components/copiar.tsx';
import { Fecha } from '../../components/fecha.tsx';
import { formatCreditos } from '../../components/formato.ts';
import { Formulario } from '../../components/formulario.tsx';
import { Tarjeta } from '../../components/tarjeta.tsx';
import type { Checkout } from '../../pagos/checkout.ts';
import type { Instrucciones, ProveedorPago } from '../../pagos/proveedor.ts';
import { EstadoCompra, nombreProveedor } from './compras.tsx';
import { Precio } from './precio.tsx';
import { defineRutaCompra, hrefCompra } from './ruta-compra.ts';

/** One purchase: its result, or what is left to do. */
export const compra = defineRutaCompra({
  metodo: 'GET',
  sub: '',
  async handle({ deps, csrf, pagina }, pago) {
    const isPending = pago.estado === 'PENDIENTE';
    const proveedor = deps.checkout.proveedores.find(({ id }) => id === pago.proveedor);
    const paso = isPending ? await deps.checkout.instrucciones(pago) : null;
    return pagina({
      titulo: `Compra ${pago.referencia}`,
      contenido: (
        <>
          <div class="titular">
            <h1>Compra {pago.referencia}</h1>
            <EstadoCompra estado={pago.estado} />
          </div>
          <Resultado pago={pago} proveedor={proveedor} />
          {paso === null ? null : <PorPagar pago={pago} paso={paso} csrf={csrf} />}
          <Tarjeta titulo="Detalle">
            <Precio compra={pago} />
            <dl class="datos">
              <dt>Forma de pago</dt>
              <dd>{nombreProveedor(deps.checkout, pago)}</dd>
              <dt>Pedida</dt>
              <dd>
                <Fecha valor={pago.creadoEn} />
              </dd>
              {pago.resueltoEn ? (
                <>
                  <dt>Terminada</dt>
                  <dd>
                    <Fecha valor={pago.resueltoEn} />
                  </dd>
                </>
              ) : null}
            </dl>
          </Tarjeta>
          <p>
            <a href="/saldo">Ver el saldo</a> · <a href="/saldo/compras">Todas las compras</a>
          </p>
        </>
      ),
    });
  },
});

interface ResultadoProps {
  readonly pago: Pago;
  readonly proveedor: ProveedorPago | undefined;
}

function Resultado({ pago, proveedor }: ResultadoProps) {
  const { estado, creditos, motivo } = pago;
  if (estado === 'ACREDITADO')
    return (
      <Aviso tono="exito" titulo={`Se abonaron ${formatCreditos(creditos)}`}>
        Ya puede usarlos. {proveedor?.advertencia ?? ''}
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

interface PorPagarProps {
  readonly pago: Pago;
  readonly paso: Awaited<ReturnType<Checkout['instrucciones']>>;
  readonly csrf: string;
}

function PorPagar({ pago, paso, csrf }: PorPagarProps) {
  const path = hrefCompra(pago);
  return (
    <Tarjeta titulo="Falta el pago">
      {typeof paso === 'string' ? <SinInstrucciones paso={paso} /> : <QueHacer instrucciones={paso} />}
      <div class="fila">
        {paso === 'SIN_EMPEZAR' ? (
          <Formulario accion={`${path}/continuar`} csrf={csrf}>
            <Boton>Continuar la compra</Boton>
          </Formulario>
        ) : null}
        <Formulario accion={`${path}/cancelar`} csrf={csrf}>
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
      <dl class="datos">
        {datos.map(({ etiqueta, valor, copiable }) => (
          <>
            <dt>{etiqueta}</dt>
            <dd>{copiable ? <Copiar valor={valor} etiqueta={etiqueta} /> : valor}</dd>
          </>
        ))}
      </dl>
      {enlace ? <Boton href={enlace.href}>{enlace.texto}</Boton> : null}
    </>
  );
}
