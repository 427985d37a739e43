import {
  createPagos,
  ESTADOS_PAGO,
  type EstadoPago,
  isUuid,
  type Pago,
  type PagoConCuenta,
  type Resolucion,
} from '@acuse/db';
import type { Mensaje } from '@acuse/page';
import { Datos, Estado, Fecha, numeric, Paginacion, pageOf, Tabla, Tarjeta, Vacio } from '@acuse/page/blocks';
import { Boton, Campo, Formulario } from '@acuse/page/form';
import { formatCreditos } from '@acuse/page/formato';
import { type PersonContext, routesFor, routesOf } from '../../paginas.ts';
import { formatPesos } from '../../pagos/catalogo.ts';
import { MAX_MOTIVO, readMotivo } from './cuenta.tsx';

const PATH = '/operador/pagos';
const POR_PAGINA = 25;
/** Of those that a person confirms, each with its forms. */
const POR_CONFIRMAR = 6;
/** The only provider whose payments a person confirms; the others tell by themselves. */
const MANUAL = 'transferencia';
const GRUPOS: Record<EstadoPago, string> = {
  PENDIENTE: 'Pendientes',
  ACREDITADO: 'Acreditados',
  RECHAZADO: 'Rechazados',
  CANCELADO: 'Cancelados por quien compra',
};

export const paymentsPage = routesFor('operador');

paymentsPage.get(PATH, renderPagos);

interface Falta {
  readonly id: string;
  readonly campo: 'rastreo' | 'motivo';
  readonly texto: string;
}

async function renderPagos(contexto: PersonContext, falta?: Falta): Promise<Response> {
  const { c, deps, pagina } = contexto;
  const estado = ESTADOS_PAGO.find((each) => each === c.req.query('estado')) ?? 'PENDIENTE';
  const despues = c.req.query('despues');
  const query = { estado, ...(isUuid(despues) ? { despues } : {}) };
  const size = estado === 'PENDIENTE' ? POR_CONFIRMAR : POR_PAGINA;
  const found = await createPagos(deps.database).listEstado({ limite: size + 1, ...query });
  const paging = { path: PATH, query, after: 'despues', placeOf: ({ id }: Pago) => id };
  const { filas: pagos, ...links } = pageOf(found, size, paging);
  return pagina(
    'Pagos',
    <>
      <Formulario accion={PATH} metodo="get" enLinea descripcion="Filtrar pagos">
        <Campo
          nombre="estado"
          label="Estado"
          requerido
          value={estado}
          opciones={ESTADOS_PAGO.map((each) => [each, GRUPOS[each]])}
        />
        <Boton variante="secundario">Ver</Boton>
      </Formulario>
      {pagos.length === 0 ? (
        <Tarjeta titulo={GRUPOS[estado]}>
          <Vacio titulo="No hay ninguno">
            Quien compra por transferencia aparece aquí hasta que usted confirma que el dinero llegó.
          </Vacio>
        </Tarjeta>
      ) : estado === 'PENDIENTE' ? (
        pagos.map((pago) => <ToConfirm contexto={contexto} pago={pago} falta={falta} />)
      ) : (
        <Resueltos pagos={pagos} />
      )}
      <Paginacion {...links} />
    </>,
    { status: falta === undefined ? 200 : 422 },
  );
}

/** Declares an address of a payment that a person confirms. */
export const paymentPage = routesOf<Pago, 'operador'>('operador', `${PATH}/:id`, async ({ deps }, id) => {
  const pago = isUuid(id) ? await createPagos(deps.database).findAny(id) : null;
  return pago?.proveedor === MANUAL ? pago : null;
});

paymentPage.post('/confirmar', async (contexto, { id }) => {
  const rastreo = (contexto.campos['rastreo'] ?? '').trim().slice(0, 100);
  const input = { id, ...contexto.autor, ...(rastreo === '' ? {} : { proveedorRef: rastreo }) };
  const resolucion = await createPagos(contexto.deps.database).confirmar(input);
  if (resolucion.resultado !== 'REFERENCIA_USADA') return tell(contexto, resolucion);
  const texto = 'No se acreditó: esa clave de rastreo ya se usó en otro pago. Revise el estado de cuenta.';
  return renderPagos(contexto, { id, campo: 'rastreo', texto });
});

paymentPage.post('/rechazar', async (contexto, { id, estado }) => {
  const motivo = readMotivo(contexto.campos);
  // An ended payment stays ended.
  if (estado === 'PENDIENTE' && motivo === null) {
    const texto = `No se rechazó: escriba por qué, en hasta ${MAX_MOTIVO} caracteres; lo lee quien compró.`;
    return renderPagos(contexto, { id, campo: 'motivo', texto });
  }
  const orden = { id, motivo: motivo ?? '', ...contexto.autor };
  return tell(contexto, await createPagos(contexto.deps.database).refuse(orden));
});

function tell(contexto: PersonContext, resolucion: Resolucion): Promise<Response> | Response {
  return 'pago' in resolucion ? contexto.redirectTo(PATH, avisoOf(resolucion)) : contexto.noEncontrada();
}

function avisoOf({ pago, saldo, resultado }: Extract<Resolucion, { pago: Pago }>): Mensaje {
  if (resultado === 'NO_PENDIENTE')
    return { tono: 'info', texto: `El pago ${pago.referencia} ya estaba resuelto: no se cambió nada.` };
  return pago.estado === 'ACREDITADO'
    ? {
        tono: 'exito',
        texto: `El pago ${pago.referencia} está acreditado: ${formatCreditos(pago.creditos)}. El saldo es de ${formatCreditos(saldo)}.`,
      }
    : { tono: 'exito', texto: `El pago ${pago.referencia} está rechazado. No se abonó nada.` };
}

interface ToConfirmProps {
  readonly contexto: PersonContext;
  readonly pago: PagoConCuenta;
  readonly falta: Falta | undefined;
}

function ToConfirm({ contexto, pago, falta }: ToConfirmProps) {
  const { c, campos, now } = contexto;
  const despues = c.req.query('despues');
  // A form that is refused is shown on the page of those that wait on which it was.
  const address = (sub: string) => `${PATH}/${pago.id}/${sub}${isUuid(despues) ? `?despues=${despues}` : ''}`;
  const sent = falta?.id === pago.id ? { valores: campos, faltas: { [falta.campo]: falta.texto } } : {};
  return (
    <Tarjeta titulo={`${pago.referencia}: ${formatPesos(pago.total)}`} id={`pago-${pago.id}`}>
      <Datos
        filas={[
          ['Cuenta', <a href={`/operador/cuentas/${pago.cuentaId}`}>{pago.email}</a>],
          ['Créditos', formatCreditos(pago.creditos)],
          ['Forma de pago', pago.proveedor],
          ['Pedido', <Fecha value={pago.creadoEn} relativaA={now} />],
        ]}
      />
      {pago.proveedor === MANUAL ? (
        <details open={falta?.id === pago.id}>
          <summary>Confirmar o rechazar</summary>
          <div class="dos">
            <Formulario accion={address('confirmar')} {...sent}>
              <Campo
                nombre="rastreo"
                label="Clave de rastreo"
                id={`rastreo-${pago.id}`}
                maxLargo={100}
                literal
                ayuda="La de la transferencia: impide acreditar dos veces el mismo depósito."
              />
              <Boton descripcion={`Confirmar el pago ${pago.referencia}`}>Confirmar que llegó</Boton>
            </Formulario>
            <Formulario accion={address('rechazar')} {...sent}>
              <Campo
                nombre="motivo"
                label="Motivo"
                id={`motivo-${pago.id}`}
                requerido
                maxLargo={MAX_MOTIVO}
                ayuda="Lo lee quien compró."
              />
              <Boton variante="peligro" descripcion={`Rechazar el pago ${pago.referencia}`}>
                Rechazar
              </Boton>
            </Formulario>
          </div>
        </details>
      ) : (
        <p class="suave">Lo confirma su proveedor de pagos; aquí solo se mira.</p>
      )}
    </Tarjeta>
  );
}

function Resueltos({ pagos }: { readonly pagos: readonly PagoConCuenta[] }) {
  return (
    <Tabla
      titulo="Pagos resueltos"
      columnas={['Referencia', 'Cuenta', numeric('Total'), numeric('Créditos'), 'Estado', 'Resuelto', 'Por', 'Motivo']}
      filas={pagos.map((pago) => [
        <span class="fija">{pago.referencia}</span>,
        <a href={`/operador/cuentas/${pago.cuentaId}`}>{pago.email}</a>,
        formatPesos(pago.total),
        formatCreditos(pago.creditos),
        <Estado value={pago.estado} />,
        <Fecha value={pago.resueltoEn} />,
        pago.resueltoPor ?? '—',
        pago.motivo ?? '—',
      ])}
    />
  );
}
