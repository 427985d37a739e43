import type { FilaSolicitud, MovimientoVista, RfcVista } from '@acuse/db';
import type { Child } from 'hono/jsx';
import { Boton } from '../../components/boton.tsx';
import { Estado } from '../../components/estado.tsx';
import { Fecha } from '../../components/fecha.tsx';
import { formatCambio, formatFecha, formatNumero } from '../../components/formato.ts';
import { Tabla, type TablaProps } from '../../components/tabla.tsx';
import { Tarjeta } from '../../components/tarjeta.tsx';
import { Vacio } from '../../components/vacio.tsx';
import { nombreOperacion } from '../../operaciones/grupos.ts';
import { estadoCiec, estadoEfirma } from '../rfcs/reglas/estado-credenciales.ts';
import { hrefRfc } from '../rfcs/reglas/ruta-rfc.ts';
import type { Recordatorio } from './recordatorios.ts';

type SolicitudInicio = Pick<FilaSolicitud, 'id' | 'rfc' | 'tipo' | 'desde' | 'hasta' | 'estado' | 'creadaEn'>;

/** What the start page tells of an account. */
export interface Inicio {
  readonly saldo: number;
  /** How many solicitudes are under way. */
  readonly abiertas: number;
  /** The newest of them, newest first. */
  readonly enCurso: readonly SolicitudInicio[];
  /** The newest that ended with a package. */
  readonly terminada: SolicitudInicio | null;
  /** Whether anything was ever asked for. */
  readonly huboSolicitud: boolean;
}

interface TableroProps {
  readonly inicio: Inicio;
  readonly rfcs: readonly RfcVista[];
  readonly movimientos: readonly MovimientoVista[];
  readonly recordatorios: readonly Recordatorio[];
  readonly now: Date;
}

/** What somebody who already works with the service wants to see first. */
export function Dashboard({ inicio, rfcs, movimientos, recordatorios, now }: TableroProps) {
  return (
    <>
      <div class="rejilla">
        <Cifra
          titulo="Saldo"
          valor={inicio.saldo}
          unidad={inicio.saldo === 1 ? 'crédito' : 'créditos'}
          href="/saldo"
          enlace="Movimientos y uso"
        />
        <Cifra
          titulo="En curso"
          valor={inicio.abiertas}
          unidad={inicio.abiertas === 1 ? 'solicitud' : 'solicitudes'}
          href="/solicitudes"
          enlace="Todas las solicitudes"
        />
        <Tarjeta titulo="Última descarga">
          {inicio.terminada ? (
            <>
              <p>
                {describe(inicio.terminada)}, pedida <Fecha valor={inicio.terminada.creadaEn} relativaA={now} />
              </p>
              <a href={`/solicitudes/${inicio.terminada.id}`}>Ver y descargar</a>
            </>
          ) : (
            <p class="suave">Todavía ninguna ha terminado.</p>
          )}
        </Tarjeta>
      </div>
      <Pendientes recordatorios={recordatorios} />
      <EnCurso solicitudes={inicio.enCurso} now={now} />
      <Credenciales rfcs={rfcs} now={now} />
      <Movimientos movimientos={movimientos} now={now} />
    </>
  );
}

interface CifraProps {
  readonly titulo: string;
  readonly valor: number;
  readonly unidad: string;
  readonly href: string;
  readonly enlace: string;
}

function Cifra({ titulo, valor, unidad, href, enlace }: CifraProps) {
  return (
    <Tarjeta titulo={titulo}>
      <p>
        <span class="cifra">{formatNumero(valor)}</span> <span class="suave">{unidad}</span>
      </p>
      <a href={href}>{enlace}</a>
    </Tarjeta>
  );
}

const TONOS = { error: 'Urgente', alerta: 'Pronto', info: 'Aviso' } as const;

function Pendientes({ recordatorios }: { readonly recordatorios: readonly Recordatorio[] }) {
  if (recordatorios.length === 0) return null;
  return (
    <Tarjeta titulo="Pide su atención">
      <ul class="lista">
        {recordatorios.map(({ tono, texto, href, accion }) => (
          <li class="fila">
            <Estado texto={TONOS[tono]} tono={tono} />
            <span>{texto}</span>
            <a href={href}>{accion}</a>
          </li>
        ))}
      </ul>
    </Tarjeta>
  );
}

/** A table under a heading that is its name too, with what there is to do beside it. */
function Lista({ titulo, accion, ...tabla }: Omit<TablaProps, 'tituloOculto'> & { readonly accion?: Child }) {
  const cabeza = <h2>{titulo}</h2>;
  return (
    <section class="pila" aria-label={titulo}>
      {accion ? (
        <div class="titular">
          {cabeza}
          {accion}
        </div>
      ) : (
        cabeza
      )}
      <Tabla titulo={titulo} tituloOculto {...tabla} />
    </section>
  );
}

function EnCurso({ solicitudes, now }: { readonly solicitudes: readonly SolicitudInicio[]; readonly now: Date }) {
  return (
    <Lista
      titulo="Solicitudes en curso"
      accion={
        <Boton variante="secundario" href="/solicitudes/nueva">
          Pedir otra
        </Boton>
      }
      columnas={[{ titulo: 'Solicitud' }, { titulo: 'Estado' }, { titulo: 'Pedida' }]}
      filas={solicitudes.map((solicitud) => [
        <a href={`/solicitudes/${solicitud.id}`}>{describe(solicitud)}</a>,
        <Estado valor={solicitud.estado} />,
        <Fecha valor={solicitud.creadaEn} relativaA={now} />,
      ])}
      vacia={<Vacio titulo="Nada en curso">Aquí se ven las descargas mientras el SAT las prepara.</Vacio>}
    />
  );
}

const MAX_RFCS = 8;

function Credenciales({ rfcs, now }: { readonly rfcs: readonly RfcVista[]; readonly now: Date }) {
  return (
    <Lista
      titulo="RFC y credenciales"
      accion={<a href="/rfcs">{rfcs.length > MAX_RFCS ? 'Ver todos' : 'Administrar'}</a>}
      columnas={[
        { titulo: 'RFC' },
        { titulo: 'API key' },
        { titulo: 'Último uso' },
        { titulo: 'CIEC' },
        { titulo: 'e.firma' },
      ]}
      filas={rfcs.slice(0, MAX_RFCS).map((vista) => {
        const [ciec, efirma] = [estadoCiec(vista), estadoEfirma(vista, now)];
        return [
          <a class="fija" href={hrefRfc(vista.rfc)}>
            {vista.rfc}
          </a>,
          vista.llave ? <code>…{vista.llave.ultimos4}</code> : <span class="suave">Sin llave</span>,
          <Fecha valor={vista.llave?.ultimoUsoEn ?? null} relativaA={now} />,
          <Estado texto={ciec.texto} tono={ciec.tono} />,
          <Estado texto={efirma.texto} tono={efirma.tono} />,
        ];
      })}
      vacia={
        <Vacio titulo="Aún no hay RFC" accion={{ href: '/rfcs/nuevo', texto: 'Agregar RFC' }}>
          Agregue el del contribuyente del que quiere descargar.
        </Vacio>
      }
    />
  );
}

function Movimientos({ movimientos, now }: { readonly movimientos: readonly MovimientoVista[]; readonly now: Date }) {
  return (
    <Lista
      titulo="Últimas llamadas con costo"
      columnas={[
        { titulo: 'Operación' },
        { titulo: 'RFC' },
        { titulo: 'Cuándo' },
        { titulo: 'Créditos', numerica: true },
      ]}
      filas={movimientos.map(({ operacion, rfc, creadoEn, importe }) => [
        operacion === null ? '—' : <span title={operacion}>{nombreOperacion(operacion)}</span>,
        <code>{rfc}</code>,
        <Fecha valor={creadoEn} relativaA={now} />,
        formatCambio(importe),
      ])}
      vacia={
        <Vacio titulo="Sin llamadas todavía" accion={{ href: '/pruebas', texto: 'Probar una operación' }}>
          Lo que su sistema llame, y lo que pruebe aquí, aparece en esta lista.
        </Vacio>
      }
    />
  );
}

function describe({ rfc, tipo, desde, hasta }: SolicitudInicio): string {
  const dia = (text: string) => formatFecha(new Date(text), 'calendario');
  return `${tipo === 'emitidos' ? 'Emitidos' : 'Recibidos'} de ${rfc}, del ${dia(desde)} al ${dia(hasta)}`;
}
