import { createAuditoria, createOperador, type Operador } from '@acuse/db';
import { Boton } from '../../components/boton.tsx';
import { Campo } from '../../components/campo.tsx';
import { Estado } from '../../components/estado.tsx';
import { Fecha } from '../../components/fecha.tsx';
import { formatCreditos } from '../../components/formato.ts';
import { Formulario } from '../../components/formulario.tsx';
import { Tabla } from '../../components/tabla.tsx';
import { Tarjeta } from '../../components/tarjeta.tsx';
import { quien } from '../../http/quien.ts';
import type { ContextoCliente } from '../../http/ruta.ts';
import { rutasDe } from '../../http/ruta-de.ts';
import { RenglonesAuditoria } from './renglones-auditoria.tsx';
import { Seccion } from './seccion.tsx';

const MAX_CREDITOS = 1_000_000;

type DetalleCuenta = NonNullable<Awaited<ReturnType<Operador['cuenta']>>>;

/** Declares an address of an account. */
const defineRutaCuenta = rutasDe<DetalleCuenta>(
  '/operador/cuentas/:id',
  ({ deps }, id) => createOperador(deps.database).cuenta(id),
  'operador',
);

export const verCuenta = defineRutaCuenta({
  metodo: 'GET',
  sub: '',
  handle: (contexto, found) => renderCuenta(contexto, found),
});

export const abonar = defineRutaCuenta({
  metodo: 'POST',
  sub: '/abono',
  async handle(contexto, found) {
    const { campos, deps, redirigir } = contexto;
    const cuentaId = found.cuenta.id;
    const creditos = Number(campos['creditos']);
    const referencia = (campos['referencia'] ?? '').trim();
    const detalle = (campos['detalle'] ?? '').trim() || 'abono del operador';
    const faltas: Faltas = {};
    if (!/^\d+$/.test(campos['creditos'] ?? '') || creditos < 1 || creditos > MAX_CREDITOS)
      faltas.creditos = 'Escriba un número entero de 1 a 1,000,000.';
    if (referencia === '' || referencia.length > 100)
      faltas.referencia = 'Escriba la referencia del pago, de hasta 100 caracteres.';
    if (Object.keys(faltas).length > 0) return renderCuenta(contexto, found, faltas);

    const abono = await createOperador(deps.database).abonar({
      ...{ cuentaId, creditos, referencia, detalle: detalle.slice(0, 200) },
      ...quien(contexto),
    });
    if (abono.resultado === 'CUENTA_DESCONOCIDA') return contexto.noEncontrada();
    if (!('saldo' in abono))
      return renderCuenta(contexto, found, {
        referencia: 'Esa referencia ya se abonó, a otra cuenta o por otra cantidad. Revise el pago.',
      });
    return redirigir(`/operador/cuentas/${cuentaId}`, {
      tono: abono.resultado === 'ABONADO' ? 'exito' : 'info',
      texto:
        abono.resultado === 'ABONADO'
          ? `Se abonaron ${formatCreditos(creditos)}. El saldo es de ${formatCreditos(abono.saldo)}.`
          : `Esa referencia ya estaba abonada: no se repitió. El saldo es de ${formatCreditos(abono.saldo)}.`,
    });
  },
});

interface Faltas {
  creditos?: string;
  referencia?: string;
}

async function renderCuenta(
  contexto: ContextoCliente,
  { cuenta, rfcs, abiertas }: DetalleCuenta,
  faltas: Faltas = {},
): Promise<Response> {
  const { c, deps, now, pagina } = contexto;
  const auditoria = await createAuditoria(deps.database).list({ cuentaId: cuenta.id, limite: 10 });
  return pagina({
    titulo: cuenta.email,
    status: Object.keys(faltas).length > 0 ? 422 : 200,
    contenido: (
      <Seccion titulo={cuenta.email} ruta={c.req.path}>
        <Tarjeta titulo="Cuenta">
          <dl class="datos">
            <dt>Nombre</dt>
            <dd>{cuenta.nombre}</dd>
            <dt>Saldo</dt>
            <dd>{formatCreditos(cuenta.saldo)}</dd>
            <dt>Creada</dt>
            <dd>
              <Fecha valor={cuenta.creadaEn} />
            </dd>
            <dt>Identificador</dt>
            <dd class="fija">{cuenta.id}</dd>
          </dl>
        </Tarjeta>
        <Abono contexto={contexto} cuentaId={cuenta.id} faltas={faltas} />
        <Tabla
          titulo="RFC"
          columnas={[
            { titulo: 'RFC' },
            { titulo: 'Nombre' },
            { titulo: 'API key' },
            { titulo: 'Última llamada' },
            { titulo: 'Desde' },
          ]}
          filas={rfcs.map((rfc) => [
            rfc.rfc,
            rfc.nombre ?? '—',
            rfc.ultimos4 === null ? (
              <Estado texto="Sin API key" />
            ) : (
              <span class="fija">…{rfc.ultimos4}</span>
            ),
            rfc.ultimoUsoEn === null ? 'Nunca' : <Fecha valor={rfc.ultimoUsoEn} relativaA={now} />,
            <Fecha valor={rfc.creadoEn} formato="dia" />,
          ])}
          vacia={<p class="suave">Esta cuenta todavía no tiene ningún RFC.</p>}
        />
        <Tabla
          titulo="Solicitudes abiertas"
          columnas={[
            { titulo: 'Solicitud' },
            { titulo: 'RFC' },
            { titulo: 'Tipo' },
            { titulo: 'Estado' },
            { titulo: 'Siguiente paso' },
            { titulo: 'Vence' },
          ]}
          filas={abiertas.map((solicitud) => [
            <span class="fija">{solicitud.id}</span>,
            solicitud.rfc,
            solicitud.tipo,
            <Estado valor={solicitud.estado} />,
            <Fecha valor={solicitud.dueAt} relativaA={now} />,
            <Fecha valor={solicitud.deadlineAt} />,
          ])}
          vacia={<p class="suave">No tiene solicitudes abiertas.</p>}
        />
        <RenglonesAuditoria
          titulo="Últimos cambios"
          sinCuenta
          lineas={auditoria}
          vacia={<p class="suave">Nadie ha cambiado nada en esta cuenta.</p>}
        />
        <p>
          <a href={`/operador/auditoria?cuenta=${cuenta.id}`}>Ver todos los cambios de esta cuenta</a>
        </p>
      </Seccion>
    ),
  });
}

function Abono({
  contexto,
  cuentaId,
  faltas,
}: {
  contexto: ContextoCliente;
  cuentaId: string;
  faltas: Faltas;
}) {
  const { campos, csrf } = contexto;
  return (
    <Tarjeta titulo="Abonar créditos">
      <Formulario accion={`/operador/cuentas/${cuentaId}/abono`} csrf={csrf}>
        <Campo
          nombre="creditos"
          etiqueta="Créditos"
          tipo="number"
          teclado="numeric"
          requerido
          minimo={1}
          maximo={MAX_CREDITOS}
          valor={campos['creditos']}
          error={faltas.creditos}
        />
        <Campo
          nombre="referencia"
          etiqueta="Referencia del pago"
          requerido
          maxLargo={100}
          literal
          ayuda="Única: la misma referencia se abona una sola vez, aunque el formulario se envíe dos veces."
          valor={campos['referencia']}
          error={faltas.referencia}
        />
        <Campo nombre="detalle" etiqueta="Nota para el libro" maxLargo={200} valor={campos['detalle']} />
        <Boton>Abonar</Boton>
      </Formulario>
    </Tarjeta>
  );
}
