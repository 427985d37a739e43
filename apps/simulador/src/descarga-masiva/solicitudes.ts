import { randomUUID } from 'node:crypto';
import { setImmediate as breathe } from 'node:timers/promises';
import type { Element } from '@xmldom/xmldom';
import { isVacioFalso } from '../world/asked.ts';
import { magiaDe } from '../world/magia.ts';
import { isRfc } from '../world/taxpayers/persona.ts';
import type { Documento, Row, Tipo } from '../world/taxpayers/row.ts';
import { DAY, parseWallTime, type WallTime, wallTimeOf } from '../world/wall-time.ts';
import type { World } from '../world/world.ts';
import { malformed, type Outcome, outcome } from './codes.ts';
import { child, children, NS } from './soap/message.ts';

/** Content of a request: a period, or one document by its UUID. */
export type Pedido = ({ por: 'periodo' } & Criterios) | { por: 'folio'; tipoSolicitud: 'CFDI'; uuid: string };

export type Paquete = { id: string; skip: number; filas: number; descargas: number };

/** EstadoSolicitud: 1 accepted, 2 in process, 3 finished, 5 rejected, 6 lapsed. */
type Progreso = { estado: 1 | 2 | 3 | 5 | 6; codigo: 5000 | 5002 | 5003 | 5004 | 5010; filas: number };

export type Solicitud = {
  id: string;
  rfc: string;
  pedido: Pedido;
  /** Equal for equal criteria. */
  clave: string;
  creada: Date;
  /** Rows later than this were not there yet when it was asked. */
  corte: WallTime;
  /** Finds nothing, whatever there is. */
  isVacia: boolean;
  verificaciones: number;
  terminada: Date | null;
  rechazo: 5002 | 5003 | 5004 | null;
  total: number | null;
  paquetes: Paquete[];
};

type Question = Pick<Solicitud, 'rfc' | 'pedido' | 'corte'>;

/** The requests of one service and their life. */
export type Solicitudes = ReturnType<typeof createSolicitudes>;

const ROWS_WITHOUT_BREATH = 20_000;
const HOUR = 3_600_000;

/** Creates the requests of one service, in memory. */
export function createSolicitudes(world: World, documento: Documento) {
  const { clock, settings, taxpayers } = world;
  const byId = new Map<string, Solicitud>();
  const byClave = new Map<string, Solicitud[]>();
  const claveOf = (rfc: string, pedido: Pedido) => JSON.stringify([rfc, pedido]);
  const hoursSince = (date: Date) => (clock.now().getTime() - date.getTime()) / HOUR;
  const hasLapsed = ({ rfc, terminada, creada }: Solicitud) => {
    const slow = terminada ? 0 : (magiaDe(rfc)?.horasHastaTerminar ?? 0);
    return hoursSince(terminada ?? creada) >= settings.horas_solicitud + slow;
  };

  function* allRows({ rfc, pedido, corte }: Question, skip = 0): Iterable<Row> {
    if (pedido.por === 'folio') {
      const found = (['emitidos', 'recibidos'] as const)
        .map((tipo) => taxpayers.find(rfc, tipo, pedido.uuid, { documento, corte }))
        .find((row) => row !== null);
      if (found) yield found;
      return;
    }
    const { tipo, inicio, fin } = pedido;
    if (letsAllPass(pedido)) {
      yield* taxpayers.rows(rfc, tipo, inicio, fin, { documento, corte, skip });
      return;
    }
    let left = skip;
    for (const row of taxpayers.rows(rfc, tipo, inicio, fin, { documento, corte })) {
      if (matches(pedido, row) && left-- <= 0) yield row;
    }
  }

  const countRows = async (question: Question): Promise<number> => {
    const { rfc, pedido, corte } = question;
    if (pedido.por === 'periodo' && letsAllPass(pedido))
      return taxpayers.count(rfc, pedido.tipo, pedido.inicio, pedido.fin, { documento, corte });
    let total = 0;
    for (const _ of allRows(question)) if (++total % ROWS_WITHOUT_BREATH === 0) await breathe();
    return total;
  };

  const finish = (solicitud: Solicitud, total: number): void => {
    const max = solicitud.pedido.tipoSolicitud === 'CFDI' ? settings.max_filas_cfdi : settings.max_filas_metadata;
    solicitud.terminada = clock.now();
    solicitud.rechazo = total === 0 ? 5004 : total > max ? 5003 : null;
    if (solicitud.rechazo !== null) return;
    const size = settings.filas_por_paquete;
    solicitud.paquetes = Array.from({ length: Math.ceil(total / size) }, (_, n) => ({
      id: `${solicitud.id}_${String(n + 1).padStart(2, '0')}`,
      skip: n * size,
      filas: Math.min(size, total - n * size),
      descargas: 0,
    }));
  };

  /** One verification: the request goes on as far as settings and clock let it. */
  const verify = async (solicitud: Solicitud): Promise<Progreso> => {
    solicitud.verificaciones += 1;
    const { verificaciones } = solicitud;
    const needed = settings.verificaciones_hasta_terminar;
    solicitud.total ??= solicitud.isVacia ? 0 : await countRows(solicitud);
    const seconds = (clock.now().getTime() - solicitud.creada.getTime()) / 1000;
    const hours = magiaDe(solicitud.rfc)?.horasHastaTerminar ?? 0;
    const isDone = verificaciones >= needed && seconds >= Math.max(settings.segundos_hasta_terminar, hours * 3600);
    const isOpen = solicitud.terminada === null && solicitud.rechazo === null;
    if (isDone && isOpen && !hasLapsed(solicitud)) finish(solicitud, solicitud.total);
    if (hasLapsed(solicitud)) return { estado: 6, codigo: 5000, filas: 0 };
    if (solicitud.rechazo) return { estado: 5, codigo: solicitud.rechazo, filas: 0 };
    if (solicitud.terminada) {
      const codigo = magiaDe(solicitud.rfc)?.codigoTerminada ?? 5000;
      return { estado: 3, codigo, filas: solicitud.total };
    }
    if (verificaciones === 1) return { estado: 1, codigo: 5000, filas: 0 };
    const share = Math.min(1, verificaciones / (needed + 1));
    return { estado: 2, codigo: 5000, filas: Math.floor(solicitud.total * share) };
  };

  const find = (rfc: string, id: string): Solicitud | null => {
    const solicitud = byId.get(id.toLowerCase());
    return solicitud?.rfc === rfc ? solicitud : null;
  };

  return {
    create: (rfc: string, pedido: Pedido, rechazo: Solicitud['rechazo'] = null) => {
      const clave = claveOf(rfc, pedido);
      const solicitud: Solicitud = {
        id: randomUUID(),
        rfc,
        pedido,
        clave,
        creada: clock.now(),
        corte: wallTimeOf(clock.now()),
        isVacia: pedido.por === 'periodo' && isVacioFalso(world, rfc, 'servicio web', { documento, ...pedido }),
        verificaciones: 0,
        terminada: null,
        rechazo,
        total: null,
        paquetes: [],
      };
      byId.set(solicitud.id, solicitud);
      byClave.set(clave, [...(byClave.get(clave) ?? []), solicitud]);
      return solicitud;
    },
    /** Whether there is not one row that a request would find. */
    isEmpty: async (rfc: string, pedido: Pedido) =>
      (await countRows({ rfc, pedido, corte: wallTimeOf(clock.now()) })) === 0,
    /** Requests of a taxpayer with equal criteria, oldest first. */
    equalTo: (rfc: string, pedido: Pedido): Solicitud[] => byClave.get(claveOf(rfc, pedido)) ?? [],
    byFolio: (rfc: string) => [...byId.values()].filter((some) => some.rfc === rfc && some.pedido.por === 'folio'),
    find,
    findPaquete: (rfc: string, id: string) => {
      const solicitud = find(rfc, id.slice(0, 36));
      const wanted = id.toLowerCase();
      const paquete = solicitud?.paquetes.find((some) => some.id === wanted);
      return solicitud ? { solicitud, paquete: paquete ?? null } : null;
    },
    verify,
    isInForce: (solicitud: Solicitud) => solicitud.rechazo === null && !hasLapsed(solicitud),
    /** The rows of a package, made one by one; the same each time. */
    *rows(solicitud: Solicitud, paquete: Paquete): Iterable<Row> {
      let left = paquete.filas;
      if (left === 0) return;
      for (const row of allRows(solicitud, paquete.skip)) {
        yield row;
        if (--left === 0) return;
      }
    },
  };
}

/** What a request asks for. Both instants belong to the interval. */
export type Criterios = {
  tipo: Tipo;
  tipoSolicitud: 'CFDI' | 'Metadata';
  inicio: WallTime;
  fin: WallTime;
  /** The other side: up to five receivers of issued ones, one issuer of received ones; empty: all. */
  contrapartes: readonly string[];
  tipoComprobante: string;
  estado: 'Todos' | 'Vigente' | 'Cancelado';
  terceros: string;
  complemento: string;
};

const ESTADOS = ['Todos', 'Vigente', 'Cancelado'] as const;
const COMPROBANTES = ['', 'I', 'E', 'T', 'N', 'P'];
const MAX_RECEPTORES = 5;
const YEARS_BACK = 6;

/**
 * Reads the element `solicitud` of a request by period of `rfc` and applies the rules of the manual, or returns the
 * fault. A date without a time is its first second (the SAT takes it: SAT-CFDI/python-satcfdi issue 56). Without
 * EstadoComprobante the request is for valid and cancelled CFDI, so XML of received ones is refused (the same, 43).
 */
export function readCriteria(
  solicitud: Element,
  tipo: Tipo,
  { rfc, now }: { rfc: string; now: WallTime },
): Criterios | Outcome {
  const get = (name: string) => solicitud.getAttribute(name) ?? '';
  const own = get(tipo === 'emitidos' ? 'RfcEmisor' : 'RfcReceptor');
  if (own === '') return malformed(`Falta ${tipo === 'emitidos' ? 'RfcEmisor' : 'RfcReceptor'}.`);
  if (own !== rfc) return outcome(5001);

  const inicio = parseWallTime(get('FechaInicial'));
  const fin = parseWallTime(get('FechaFinal'));
  if (inicio === null || fin === null) return malformed('Las fechas son yyyy-MM-ddTHH:mm:ss.');
  if (inicio >= fin) return malformed('La fecha inicial es mayor o igual a la fecha final.');
  if (fin > now) return malformed('Fecha final invalida');
  if (inicio < oldest(now)) return malformed('La fecha inicial es anterior a seis años.');

  const tipoSolicitud = get('TipoSolicitud');
  if (tipoSolicitud !== 'CFDI' && tipoSolicitud !== 'Metadata') return malformed('TipoSolicitud');
  const estado = ESTADOS.find((some) => some === (get('EstadoComprobante') || 'Todos'));
  if (!estado) return malformed('EstadoComprobante');
  const tipoComprobante = get('TipoComprobante');
  if (!COMPROBANTES.includes(tipoComprobante)) return malformed('TipoComprobante');
  if (tipo === 'recibidos' && tipoSolicitud === 'CFDI' && estado !== 'Vigente')
    return malformed('No se permite la descarga de xml que se encuentren cancelados.');

  const contrapartes = tipo === 'emitidos' ? receptoresOf(solicitud) : [get('RfcEmisor')].filter(Boolean);
  if (contrapartes.length > MAX_RECEPTORES) return malformed('Más de cinco RfcReceptor.');
  const terceros = get('RfcACuentaTerceros');
  if (![...contrapartes, ...(terceros ? [terceros] : [])].every(isRfc)) return malformed('RFC');
  return {
    tipo,
    tipoSolicitud,
    inicio,
    fin,
    contrapartes,
    tipoComprobante,
    estado,
    terceros,
    complemento: get('Complemento'),
  };
}

/** Whether the criteria let every row of the period pass, so that no row must be looked at. */
function letsAllPass({ contrapartes, tipoComprobante, estado, terceros, complemento }: Criterios): boolean {
  return estado === 'Todos' && contrapartes.length === 0 && !tipoComprobante && !terceros && !complemento;
}

export function matches(criterios: Criterios, row: Row): boolean {
  const { contrapartes, tipo, tipoComprobante, estado, terceros, complemento } = criterios;
  const contraparte = tipo === 'emitidos' ? row.rfcReceptor : row.rfcEmisor;
  return (
    (estado === 'Todos' || row.estatus === estado) &&
    (contrapartes.length === 0 || contrapartes.includes(contraparte)) &&
    (tipoComprobante === '' || row.efecto === tipoComprobante) &&
    (terceros === '' || row.tercero?.rfc === terceros) &&
    (complemento === '' || row.complemento === complemento)
  );
}

/** Empty RfcReceptor elements, which one public client always sends, count for nothing. */
function receptoresOf(solicitud: Element): string[] {
  return children(child(solicitud, NS.descarga, 'RfcReceptores'))
    .map((element) => element.textContent?.trim() ?? '')
    .filter((text) => text !== '');
}

/** 00:00 of this day six years ago. */
function oldest(today: WallTime): WallTime {
  const date = new Date(Math.floor(today / DAY) * DAY * 1000);
  date.setUTCFullYear(date.getUTCFullYear() - YEARS_BACK);
  return date.getTime() / 1000;
}
