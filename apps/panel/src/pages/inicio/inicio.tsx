import { ESTADOS_ABIERTOS } from '@acuse/contract';
import {
  createContribuyentes,
  createLibro,
  createListaSolicitudes,
  type MovimientoVista,
  type RfcVista,
} from '@acuse/db';
import { type Badges, hrefRfc, Permitido, puede, type Recordatorio } from '@acuse/page';
import { Estado, Fecha, numeric, Tabla, type TablaProps, Tarjeta, Vacio } from '@acuse/page/blocks';
import { Boton } from '@acuse/page/form';
import { formatCambio, formatFecha, formatNumero } from '@acuse/page/formato';
import type { Child, PropsWithChildren } from 'hono/jsx';
import { FEATURES } from '../../features.ts';
import { LECTURAS, nombreOperacion } from '../../operaciones.ts';
import { routesFor } from '../../paginas.ts';
import { columnasOf } from '../rfcs/lista.tsx';
import { estadoCiec, estadoEfirma } from '../rfcs/reglas/estado-credenciales.ts';
import { PocoSaldo } from '../saldo/resumen.tsx';
import { type Inicio, type Paso, pasosOf, recordatoriosOf, type SolicitudInicio } from './pasos.ts';

/** Taxpayers whose credentials are looked at for reminders. */
const MAX_RFCS = 200;
const MAX_LLAMADAS = 6;
const MAX_EN_CURSO = 10;

export const homePage = routesFor('inicio');

/** First page after a log-in: the steps to the first download, later the state of the account. */
homePage.get('/inicio', async (contexto) => {
  const { deps, usuario, now, pagina } = contexto;
  const { database, settings } = deps;
  const { cuentaId } = usuario;
  const libro = createLibro(database);
  const solicitudes = createListaSolicitudes(database);
  const [hay, enCurso, terminadas, rfcs, movimientos, resumen, avisos, recordatorios] = await Promise.all([
    solicitudes.summary(cuentaId),
    solicitudes.page(cuentaId, { estados: ESTADOS_ABIERTOS, isLectura: false }, null, MAX_EN_CURSO),
    solicitudes.page(cuentaId, { estado: 'TERMINADA', isLectura: false }, null, 1),
    createContribuyentes(database).list(cuentaId, { contiene: '', despues: '', limit: MAX_RFCS }),
    libro.page({ cuentaId, filtro: { tipo: 'cargo', salvo: LECTURAS }, limite: MAX_LLAMADAS }),
    libro.summary(cuentaId),
    Promise.all(FEATURES.map(({ inicio: show }) => show?.(contexto))),
    Promise.all(FEATURES.map(({ recordatorios: read }) => read?.(contexto) ?? [])),
  ]);
  const inicio: Inicio = {
    ...hay,
    saldo: resumen?.saldo ?? 0,
    enCurso: enCurso.filas,
    terminada: terminadas.filas[0] ?? null,
  };
  const isNuevo =
    inicio.terminada === null &&
    (await solicitudes.page(cuentaId, { estado: 'TERMINADA' }, null, 1)).filas.length === 0;
  const badges = await contexto.badges(rfcs.slice(0, MAX_MOSTRADOS).map(({ rfc }) => rfc));
  return pagina(
    'Inicio',
    <>
      {inicio.huboSolicitud ? <PocoSaldo saldo={inicio.saldo} umbral={resumen?.umbral ?? settings.saldoAviso} /> : null}
      {avisos}
      {isNuevo ? <PrimerosPasos pasos={pasosOf(rfcs, inicio)} /> : null}
      {isNuevo && rfcs.length === 0 ? null : (
        <Dashboard
          inicio={inicio}
          rfcs={rfcs}
          movimientos={movimientos}
          recordatorios={recordatoriosOf(rfcs, now, recordatorios.flat()).filter(({ parte }) =>
            puede(usuario.papel, 'ver', parte),
          )}
          hasCredenciales={puede(usuario.papel, 'ver', 'credenciales')}
          badges={badges}
          now={now}
        />
      )}
    </>,
    isNuevo ? { h1: `Le damos la bienvenida, ${usuario.nombre || usuario.email}` } : {},
  );
});

const AJENO = 'Este paso es de otra persona de la cuenta: su rol no lo permite. Pídalo a un propietario.';

function PrimerosPasos({ pasos }: { readonly pasos: readonly Paso[] }) {
  const hechos = pasos.filter(({ estado }) => estado === 'hecho').length;
  return (
    <Tarjeta
      titulo="De cero a su primera descarga"
      accion={
        <span class="suave numero">
          {hechos} de {pasos.length}
        </span>
      }
    >
      <progress max={pasos.length} value={hechos} aria-label="Pasos hechos" />
      <ol class="pasos">
        {pasos.map(({ titulo, texto, estado, href, boton, permiso }) => (
          <li class={estado} aria-current={estado === 'ahora' ? 'step' : undefined}>
            <h3>
              {titulo}
              {estado === 'hecho' ? <span class="solo-lectores"> (hecho)</span> : null}
            </h3>
            {estado === 'hecho' ? null : <p>{texto}</p>}
            {estado === 'ahora' ? (
              <Permitido {...permiso} otherwise={<p>{AJENO}</p>}>
                <Boton href={href}>{boton}</Boton>
              </Permitido>
            ) : null}
          </li>
        ))}
      </ol>
    </Tarjeta>
  );
}

interface TableroProps {
  readonly inicio: Inicio;
  readonly rfcs: readonly RfcVista[];
  readonly movimientos: readonly MovimientoVista[];
  readonly recordatorios: readonly Recordatorio[];
  /** Whether the reader may see how credentials are. */
  readonly hasCredenciales: boolean;
  readonly badges: Badges;
  readonly now: Date;
}

function Dashboard({ inicio, rfcs, movimientos, recordatorios, hasCredenciales, badges, now }: TableroProps) {
  return (
    <>
      <div class="rejilla">
        <Cifra titulo="Saldo" value={inicio.saldo} unidad={inicio.saldo === 1 ? 'crédito' : 'créditos'}>
          <a href="/saldo">Movimientos y uso</a>
        </Cifra>
        <Cifra titulo="En curso" value={inicio.abiertas} unidad={inicio.abiertas === 1 ? 'solicitud' : 'solicitudes'}>
          <a href="/solicitudes">Todas las solicitudes</a>
        </Cifra>
        <Tarjeta titulo="Última descarga">
          {inicio.terminada ? (
            <>
              <p>
                {describe(inicio.terminada)}, pedida <Fecha value={inicio.terminada.creadaEn} relativaA={now} />
              </p>
              <a href={`/solicitudes/${inicio.terminada.id}`}>
                <Permitido ver="paquetes" otherwise="Ver la solicitud">
                  Ver y descargar
                </Permitido>
              </a>
            </>
          ) : (
            <p class="suave">Todavía ninguna ha terminado.</p>
          )}
        </Tarjeta>
      </div>
      <Pendientes recordatorios={recordatorios} />
      <EnCurso solicitudes={inicio.enCurso} now={now} />
      <Taxpayers {...{ rfcs, hasCredenciales, badges, now }} />
      <Movimientos movimientos={movimientos} now={now} />
    </>
  );
}

type CifraProps = PropsWithChildren<{ readonly titulo: string; readonly value: number; readonly unidad: string }>;

function Cifra({ titulo, value, unidad, children }: CifraProps) {
  return (
    <Tarjeta titulo={titulo}>
      <p>
        <span class="cifra">{formatNumero(value)}</span> <span class="suave">{unidad}</span>
      </p>
      {children}
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
        <Permitido cambiar="solicitudes">
          <Boton variante="secundario" href="/solicitudes/nueva">
            Pedir otra
          </Boton>
        </Permitido>
      }
      columnas={['Solicitud', 'Estado', 'Pedida']}
      filas={solicitudes.map((solicitud) => [
        <a href={`/solicitudes/${solicitud.id}`}>{describe(solicitud)}</a>,
        <Estado value={solicitud.estado} />,
        <Fecha value={solicitud.creadaEn} relativaA={now} />,
      ])}
      vacia={<Vacio titulo="Nada en curso">Aquí se ven las descargas mientras el SAT las prepara.</Vacio>}
    />
  );
}

const MAX_MOSTRADOS = 8;
type TaxpayersProps = Pick<TableroProps, 'rfcs' | 'hasCredenciales' | 'badges' | 'now'>;

function Taxpayers({ rfcs, hasCredenciales, badges, now }: TaxpayersProps) {
  return (
    <Lista
      titulo={hasCredenciales ? 'RFC y credenciales' : 'RFC'}
      accion={<a href="/rfcs">{rfcs.length > MAX_MOSTRADOS ? 'Ver todos' : 'Administrar'}</a>}
      columnas={columnasOf(hasCredenciales)}
      filas={rfcs.slice(0, MAX_MOSTRADOS).map((vista) => [
        <>
          <a class="fija" href={hrefRfc(vista.rfc)}>
            {vista.rfc}
          </a>{' '}
          {badges.get(vista.rfc)}
        </>,
        vista.llave ? <code>…{vista.llave.ultimos4}</code> : <span class="suave">Sin llave</span>,
        <Fecha value={vista.llave?.ultimoUsoEn ?? null} relativaA={now} />,
        ...(hasCredenciales ? [<Estado {...estadoCiec(vista)} />, <Estado {...estadoEfirma(vista, now)} />] : []),
      ])}
      vacia={
        <Vacio titulo="Aún no hay RFC" accion={{ href: '/rfcs/nuevo', texto: 'Agregar RFC', cambiar: 'rfcs' }}>
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
      columnas={['Operación', 'RFC', 'Cuándo', numeric('Créditos')]}
      filas={movimientos.map(({ operacion, rfc, creadoEn, importe }) => [
        operacion === null ? '—' : <span title={operacion}>{nombreOperacion(operacion)}</span>,
        <code>{rfc}</code>,
        <Fecha value={creadoEn} relativaA={now} />,
        formatCambio(importe),
      ])}
      vacia={
        <Vacio
          titulo="Sin llamadas todavía"
          accion={{ href: '/pruebas', texto: 'Probar una operación', cambiar: 'pruebas' }}
        >
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
