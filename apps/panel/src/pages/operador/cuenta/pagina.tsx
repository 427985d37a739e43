import { createAuditoria } from '@acuse/db';
import { Boton } from '../../../components/boton.tsx';
import { Estado } from '../../../components/estado.tsx';
import { Fecha } from '../../../components/fecha.tsx';
import { formatCreditos } from '../../../components/formato.ts';
import { Formulario } from '../../../components/formulario.tsx';
import { Tabla } from '../../../components/tabla.tsx';
import { Tarjeta } from '../../../components/tarjeta.tsx';
import type { ContextoCliente, Pagina } from '../../../http/ruta.ts';
import { RenglonesAuditoria } from '../renglones-auditoria.tsx';
import { Seccion } from '../seccion.tsx';
import { Abono, Ajuste, Suspension } from './formularios.tsx';
import { type DetalleCuenta, defineRutaCuenta, type Faltas, hrefCuenta } from './ruta-cuenta.ts';

export const verCuenta = defineRutaCuenta({
  metodo: 'GET',
  sub: '',
  handle: (contexto, found) => renderCuenta(contexto, found),
});

/** The page of an account, with what is wrong with the form that was sent. */
export async function renderCuenta(
  contexto: ContextoCliente,
  { cuenta, personas, rfcs, abiertas }: DetalleCuenta,
  faltas: Faltas = {},
  status: Pagina['status'] = Object.keys(faltas).length > 0 ? 422 : 200,
): Promise<Response> {
  const { c, csrf, deps, now, pagina } = contexto;
  const formulario = { contexto, cuenta, faltas };
  const auditoria = await createAuditoria(deps.database).list({ cuentaId: cuenta.id, limite: 10 });
  return pagina({
    titulo: cuenta.email,
    status,
    contenido: (
      <Seccion titulo={cuenta.email} ruta={c.req.path}>
        <Tarjeta titulo="Cuenta">
          <dl class="datos">
            <dt>Nombre</dt>
            <dd>{cuenta.nombre}</dd>
            <dt>Saldo</dt>
            <dd>{formatCreditos(cuenta.saldo)}</dd>
            <dt>Estado</dt>
            <dd>
              {cuenta.suspendidaEn === null ? <Estado valor="ACTIVA" /> : <Estado texto="Suspendida" tono="error" />}
            </dd>
            <dt>Creada</dt>
            <dd>
              <Fecha valor={cuenta.creadaEn} />
            </dd>
            <dt>Identificador</dt>
            <dd class="fija">{cuenta.id}</dd>
          </dl>
        </Tarjeta>
        <Tabla
          titulo="Quiénes entran al panel"
          columnas={[{ titulo: 'Correo' }, { titulo: 'Nombre' }, { titulo: 'Contraseña', oculta: true }]}
          filas={personas.map((persona) => [
            persona.email,
            persona.nombre,
            <Formulario accion={hrefCuenta(cuenta.id, '/codigo')} csrf={csrf}>
              <input type="hidden" name="usuario" value={persona.id} />
              <Boton variante="secundario" descripcion={`Dar código para elegir contraseña a ${persona.email}`}>
                Dar código para elegir contraseña
              </Boton>
            </Formulario>,
          ])}
          vacia={<p class="suave">Nadie entra al panel con esta cuenta.</p>}
        />
        <Abono {...formulario} />
        <Ajuste {...formulario} />
        <Suspension {...formulario} />
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
            rfc.ultimos4 === null ? <Estado texto="Sin API key" /> : <span class="fija">…{rfc.ultimos4}</span>,
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
