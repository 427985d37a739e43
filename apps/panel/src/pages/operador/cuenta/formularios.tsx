import { Aviso } from '../../../components/aviso.tsx';
import { Boton } from '../../../components/boton.tsx';
import { Campo } from '../../../components/campo.tsx';
import { Fecha } from '../../../components/fecha.tsx';
import { Formulario } from '../../../components/formulario.tsx';
import { Tarjeta } from '../../../components/tarjeta.tsx';
import type { ContextoCliente } from '../../../http/ruta.ts';
import { type DetalleCuenta, type Faltas, hrefCuenta } from './ruta-cuenta.ts';

export const MAX_CREDITOS = 1_000_000;
export const MAX_MOTIVO = 200;

interface FormularioCuentaProps {
  readonly contexto: ContextoCliente;
  readonly cuenta: DetalleCuenta['cuenta'];
  readonly faltas: Faltas;
}

/** Credits that were paid for outside of the panel. */
export function Abono({ contexto: { c, campos, csrf }, cuenta, faltas }: FormularioCuentaProps) {
  const escrito = c.req.path.endsWith('/abono') ? campos : {};
  return (
    <Tarjeta titulo="Abonar créditos">
      <Formulario accion={hrefCuenta(cuenta.id, '/abono')} csrf={csrf} descripcion="Abonar créditos">
        <Campo
          nombre="creditos"
          id="abono-creditos"
          etiqueta="Créditos"
          tipo="number"
          teclado="numeric"
          requerido
          minimo={1}
          maximo={MAX_CREDITOS}
          valor={escrito['creditos']}
          error={faltas['abono.creditos']}
        />
        <Campo
          nombre="referencia"
          etiqueta="Referencia del pago"
          requerido
          maxLargo={100}
          literal
          ayuda="Única: la misma referencia se abona una sola vez, aunque el formulario se envíe dos veces."
          valor={escrito['referencia']}
          error={faltas['abono.referencia']}
        />
        <Campo nombre="detalle" etiqueta="Nota para el libro" maxLargo={200} valor={escrito['detalle']} />
        <Boton>Abonar</Boton>
      </Formulario>
    </Tarjeta>
  );
}

/** A correction of the balance, up or down. */
export function Ajuste({ contexto: { c, campos, csrf, deps }, cuenta, faltas }: FormularioCuentaProps) {
  const escrito = c.req.path.endsWith('/ajuste') ? campos : {};
  return (
    <Tarjeta titulo="Ajustar el saldo">
      <Formulario accion={hrefCuenta(cuenta.id, '/ajuste')} csrf={csrf} descripcion="Ajustar el saldo">
        <input type="hidden" name="ajuste" value={escrito['ajuste'] ?? deps.newId()} />
        <Campo
          nombre="creditos"
          id="ajuste-creditos"
          etiqueta="Créditos que se suman o se restan"
          requerido
          maxLargo={9}
          ayuda="Con signo: 50 suma, −50 resta. El saldo no puede quedar por debajo de cero."
          valor={escrito['creditos']}
          error={faltas['ajuste.creditos']}
        />
        <Campo
          nombre="motivo"
          id="ajuste-motivo"
          etiqueta="Motivo del ajuste"
          requerido
          maxLargo={MAX_MOTIVO}
          ayuda="Queda en el libro del cliente y en la auditoría."
          valor={escrito['motivo']}
          error={faltas['ajuste.motivo']}
        />
        <Boton variante="secundario">Ajustar</Boton>
      </Formulario>
    </Tarjeta>
  );
}

/** Whether the keys of the account are answered. */
export function Suspension({ contexto: { c, campos, csrf }, cuenta, faltas }: FormularioCuentaProps) {
  if (cuenta.suspendidaEn !== null)
    return (
      <Tarjeta titulo="Cuenta suspendida">
        <Aviso tono="error">
          Desde <Fecha valor={cuenta.suspendidaEn} /> sus llaves responden 403 con código 1003. Motivo:{' '}
          {cuenta.suspensionMotivo}
        </Aviso>
        <Formulario accion={hrefCuenta(cuenta.id, '/reapertura')} csrf={csrf} descripcion="Reabrir la cuenta">
          <Boton>Reabrir la cuenta</Boton>
        </Formulario>
      </Tarjeta>
    );
  return (
    <Tarjeta titulo="Suspender la cuenta">
      <p class="suave">
        Sus llaves responden 403 con código 1003 desde su siguiente llamada. Lo que está en curso termina, pues ya se
        pagó; en el panel, el cliente ve el motivo y puede bajar lo terminado.
      </p>
      <Formulario accion={hrefCuenta(cuenta.id, '/suspension')} csrf={csrf} descripcion="Suspender la cuenta">
        <Campo
          nombre="motivo"
          id="suspension-motivo"
          etiqueta="Motivo de la suspensión"
          requerido
          maxLargo={MAX_MOTIVO}
          valor={c.req.path.endsWith('/suspension') ? campos['motivo'] : undefined}
          error={faltas['suspension.motivo']}
        />
        <Boton variante="peligro">Suspender</Boton>
      </Formulario>
    </Tarjeta>
  );
}
