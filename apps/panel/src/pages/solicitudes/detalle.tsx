import { createSolicitudes, type DetalleSolicitud } from '@acuse/db';
import { Aviso } from '../../components/aviso.tsx';
import { Boton } from '../../components/boton.tsx';
import { Copiar } from '../../components/copiar.tsx';
import { Estado } from '../../components/estado.tsx';
import { Fecha } from '../../components/fecha.tsx';
import { formatCreditos } from '../../components/formato.ts';
import { Tarjeta } from '../../components/tarjeta.tsx';
import { Avance } from './avance/avance.tsx';
import { Linea, POR_LINEA } from './linea.tsx';
import { Paquete } from './paquete.tsx';
import { Periodo } from './periodo.tsx';
import { Resumen } from './resumen.tsx';
import { defineRutaSolicitud } from './ruta-solicitud.ts';
import { type Explicacion, explain } from './textos/motivos.ts';

/** One solicitud: where it is, what it gave, what happened to it. */
export const detalleSolicitud = defineRutaSolicitud({
  metodo: 'GET',
  sub: '',
  async handle({ c, deps, usuario, csrf, pagina }, solicitud) {
    const antesDe = eventBefore(c.req.query('eventos'));
    const solicitudes = createSolicitudes(deps.database);
    const [hitos, eventos] = await Promise.all([
      solicitudes.milestones(usuario.cuentaId, solicitud.id),
      solicitudes.timeline(usuario.cuentaId, solicitud.id, { limit: POR_LINEA + 1, ...antesDe }),
    ]);
    const isOpen = solicitud.terminadaEn === null;
    return pagina({
      titulo: `Solicitud de ${solicitud.tipo} de ${solicitud.rfc}`,
      scripts: isOpen ? ['solicitud.js'] : [],
      contenido: (
        <>
          <p class="chica">
            <a href="/solicitudes">Solicitudes</a>
          </p>
          <div class="titular">
            <h1>
              CFDI {solicitud.tipo} <Periodo {...solicitud} />
            </h1>
            <span data-estado>
              <Estado valor={solicitud.estado} />
            </span>
          </div>
          <Motivo solicitud={solicitud} />
          {isOpen ? <Avance solicitud={solicitud} /> : null}
          {solicitud.estado === 'TERMINADA' ? <Paquete solicitud={solicitud} csrf={csrf} /> : null}
          <Resumen resumen={solicitud.resumen} registros={solicitud.registros} />
          <Datos solicitud={solicitud} />
          <Linea solicitud={solicitud} hitos={hitos} eventos={eventos} isFirst={!('antesDe' in antesDe)} />
        </>
      ),
    });
  },
});

/** Events have numbers; anything else begins at the newest. */
function eventBefore(text: string | undefined): { antesDe?: number } {
  const number = Number(text);
  return text !== undefined && Number.isSafeInteger(number) && number > 0 ? { antesDe: number } : {};
}

interface SolicitudProps {
  readonly solicitud: DetalleSolicitud;
}

/** Why it ended without a package or waits, and what to do. */
function Motivo({ solicitud }: SolicitudProps) {
  const { motivo, estado, reembolso } = solicitud;
  if (motivo === null) return null;
  const explicacion = explain(motivo);
  const isWaiting = estado === 'ESPERA_EFIRMA';
  return (
    <Aviso tono={isWaiting ? 'alerta' : 'error'} titulo={explicacion.causa}>
      <div class="pila">
        <p>{explicacion.remedio}</p>
        {reembolso ? <p>Se devolvió {formatCreditos(reembolso.creditos)} a su saldo.</p> : null}
        <Remedio solicitud={solicitud} accion={explicacion.accion} />
      </div>
    </Aviso>
  );
}

function Remedio({ solicitud, accion }: SolicitudProps & { readonly accion: Explicacion['accion'] }) {
  const rfc = encodeURIComponent(solicitud.rfc);
  switch (accion) {
    case 'credenciales':
    case 'llaves':
      return (
        <p>
          <a href={`/rfcs/${rfc}`}>
            {accion === 'llaves' ? 'Ver las API keys del RFC' : 'Ver las credenciales del RFC'}
          </a>
        </p>
      );
    case 'repetir':
      return (
        <p>
          <a href={`/solicitudes/nueva?como=${solicitud.id}`}>Pedir otra vez</a>
        </p>
      );
    default:
      return null;
  }
}

function Datos({ solicitud }: SolicitudProps) {
  const { id, rfc, canal, cargo, reembolso, creadaEn, terminadaEn, plazoEn, intentos } = solicitud;
  return (
    <Tarjeta
      titulo="Datos"
      accion={
        terminadaEn === null ? (
          <Boton variante="secundario" href={`/solicitudes/${id}/cancelar`}>
            Cancelar la solicitud
          </Boton>
        ) : (
          <Boton variante="secundario" href={`/solicitudes/nueva?como=${id}`}>
            Pedir otra vez
          </Boton>
        )
      }
    >
      <dl class="datos">
        <dt>Identificador</dt>
        <dd>
          <Copiar valor={id} etiqueta="Identificador de la solicitud" />
        </dd>
        <dt>RFC</dt>
        <dd>
          <a class="fija" href={`/rfcs/${encodeURIComponent(rfc)}`}>
            {rfc}
          </a>
        </dd>
        <dt>Medio</dt>
        <dd>{canal === 'soap' ? 'Web service del SAT, con la e.firma' : 'Portal del SAT, con la CIEC'}</dd>
        <dt>Pedida</dt>
        <dd>
          <Fecha valor={creadaEn} />
        </dd>
        <dt>{terminadaEn === null ? 'Plazo' : 'Terminó'}</dt>
        <dd>
          <Fecha valor={terminadaEn ?? plazoEn} />
        </dd>
        {terminadaEn === null ? null : (
          <>
            <dt>Consultas al SAT</dt>
            <dd class="numero">{intentos}</dd>
          </>
        )}
        <dt>Cargo</dt>
        <dd>{cargo === null ? 'Sin cargo' : formatCreditos(cargo.creditos)}</dd>
        <dt>Devolución</dt>
        <dd>
          {reembolso === null ? (
            'Ninguna'
          ) : (
            <>
              {formatCreditos(reembolso.creditos)}, <Fecha valor={reembolso.en} />
            </>
          )}
        </dd>
      </dl>
    </Tarjeta>
  );
}
