import type { AvanceSolicitud } from '@acuse/db';
import { nombreEstado } from '@acuse/page/blocks';
import { formatFecha, formatNumero } from '@acuse/page/formato';
import type { Logger } from '@acuse/runtime';
import { describeEvento, describePartes } from './textos/eventos.ts';

interface FollowDeps {
  /** Where solicitudes are now; those that are gone are left out. */
  readonly watch: (ids: readonly string[]) => Promise<readonly AvanceSolicitud[]>;
  /** Which of these sessions are still logged in. */
  readonly liveSessions: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Ends every stream when it aborts, and refuses new ones. */
  readonly apagado: AbortSignal;
  readonly log: Logger;
  readonly limites?: Partial<LimitesSeguimiento>;
}

export interface LimitesSeguimiento {
  /** Pause between two looks at the database, for all streams together. */
  readonly cadaMs: number;
  /** Longest silence of a stream: proxies end connections that say nothing. */
  readonly heartbeatMs: number;
  readonly porSesion: number;
  readonly enTotal: number;
}

const LIMITES_SEGUIMIENTO: LimitesSeguimiento = { cadaMs: 1_000, heartbeatMs: 15_000, porSesion: 6, enTotal: 2_000 };

/** Streams of progress to browsers, all fed by one look at the database at a time. */
export type Seguimiento = ReturnType<typeof createSeguimiento>;

interface Oyente {
  readonly solicitudId: string;
  readonly sesionId: string;
  readonly controller: ReadableStreamDefaultController<Uint8Array>;
  /** The id of the last event that the browser has. */
  visto: string | null;
  /** When something was last sent to it. */
  dichoEn: number;
}

/** Messages that wait for a slow browser. Each tells everything: those in between are left out, never the end. */
const MAX_WAITING = 8;

const encoder = new TextEncoder();
const HEARTBEAT = encoder.encode(': latido\n\n');

/** Follows solicitudes for the browsers of this process. */
export function createSeguimiento(deps: FollowDeps) {
  const { watch, liveSessions, apagado, log } = deps;
  const limites = { ...LIMITES_SEGUIMIENTO, ...deps.limites };
  const oyentes = new Set<Oyente>();
  let timer: NodeJS.Timeout | null = null;
  let isLooking = false;
  let isWanted = false;

  function end(oyente: Oyente): void {
    if (!oyentes.delete(oyente)) return;
    oyente.controller.close();
  }

  function send(oyente: Oyente, bytes: Uint8Array): void {
    oyente.controller.enqueue(bytes);
    oyente.dichoEn = performance.now();
  }

  /** Looks at once, or again right after the look that is on its way. */
  function lookSoon(): void {
    if (isLooking) {
      isWanted = true;
      return;
    }
    if (timer) clearTimeout(timer);
    timer = setTimeout(() => void look(), 0);
  }

  async function look(): Promise<void> {
    timer = null;
    isLooking = true;
    isWanted = false;
    try {
      await tell([...oyentes]);
    } catch (err) {
      // The browsers keep what they have; the next look may succeed.
      log.warn({ err }, 'solicitudes_not_read');
      for (const oyente of oyentes) beat(oyente);
    }
    isLooking = false;
    if (oyentes.size === 0) return;
    timer = setTimeout(() => void look(), isWanted ? 0 : limites.cadaMs);
  }

  async function tell(present: readonly Oyente[]): Promise<void> {
    const [avances, vivas] = await Promise.all([
      watch([...new Set(present.map(({ solicitudId }) => solicitudId))]),
      liveSessions([...new Set(present.map(({ sesionId }) => sesionId))]),
    ]);
    const byId = new Map(avances.map((avance) => [avance.id, avance]));
    for (const oyente of present) {
      if (!oyentes.has(oyente)) continue;
      const avance = byId.get(oyente.solicitudId);
      if (avance === undefined || !vivas.has(oyente.sesionId)) end(oyente);
      else tellOne(oyente, avance);
    }
  }

  function tellOne(oyente: Oyente, avance: AvanceSolicitud): void {
    const version = versionOf(avance);
    const hasRoom = (oyente.controller.desiredSize ?? 0) > 0;
    if (version === oyente.visto || !hasRoom) {
      beat(oyente);
      return;
    }
    send(oyente, encoder.encode(messageOf(avance)));
    oyente.visto = version;
    if (isEnded(avance)) end(oyente);
  }

  function beat(oyente: Oyente): void {
    const hasRoom = (oyente.controller.desiredSize ?? 0) > 0;
    if (hasRoom && performance.now() - oyente.dichoEn >= limites.heartbeatMs) send(oyente, HEARTBEAT);
  }

  apagado.addEventListener(
    'abort',
    () => {
      if (timer) clearTimeout(timer);
      for (const oyente of oyentes) end(oyente);
    },
    { once: true },
  );

  return {
    /**
     * A stream of server-sent events about one solicitud, which the caller has found to be this session's account's.
     * Null when the session or the process has as many streams as it may.
     */
    open({ solicitudId, sesionId, visto }: Pick<Oyente, 'solicitudId' | 'sesionId' | 'visto'>) {
      if (apagado.aborted || oyentes.size >= limites.enTotal) return null;
      const ofSession = [...oyentes].filter((oyente) => oyente.sesionId === sesionId).length;
      if (ofSession >= limites.porSesion) return null;
      let oyente: Oyente | null = null;
      return new ReadableStream<Uint8Array>(
        {
          start(controller) {
            oyente = { solicitudId, sesionId, controller, visto, dichoEn: performance.now() };
            oyentes.add(oyente);
            // A browser that lost the stream comes back after this many milliseconds.
            send(oyente, encoder.encode('retry: 2000\n\n'));
            lookSoon();
          },
          cancel() {
            if (oyente) oyentes.delete(oyente);
          },
        },
        new CountQueuingStrategy({ highWaterMark: MAX_WAITING }),
      );
    },
    /** Streams that are open now. */
    get abiertos() {
      return oyentes.size;
    },
  };
}

/** The id of the event that tells the end: a browser that has it wants nothing more. */
export const VERSION_FINAL = 'fin';

const isEnded = ({ terminadaEn }: Pick<AvanceSolicitud, 'terminadaEn'>) => terminadaEn !== null;

/** Changes whenever there is something new to say. */
function versionOf(avance: AvanceSolicitud): string {
  if (isEnded(avance)) return VERSION_FINAL;
  const { estado, fase, progreso, intentos, proximaConsulta, ultimoEvento, xmlCopiados } = avance;
  const xml = xmlCopiados === null ? [] : [xmlCopiados];
  return [estado, fase, progreso, intentos, proximaConsulta?.getTime() ?? 0, ultimoEvento?.id ?? 0, ...xml].join('.');
}

/** What the page and the stream say of a solicitud that is being worked on, so that both say the same. */
export function textsOf(avance: Omit<AvanceSolicitud, 'id' | 'fase' | 'ultimoEvento'>) {
  const { estado, progreso, intentos, registros, ultimaConsulta, proximaConsulta, partes } = avance;
  const { xmlCopiados, completoHacia } = avance;
  const xml = xmlCopiados ?? 0;
  return {
    partes: partes.total > 1 ? describePartes(partes) : '',
    porcentaje: Math.round(progreso * 100),
    estado: nombreEstado(estado),
    intentos: formatNumero(intentos),
    registros: registros === null ? 'todavía no se sabe' : formatNumero(registros),
    ultima: ultimaConsulta === null ? 'todavía ninguna' : formatFecha(ultimaConsulta),
    proxima: nextLook(estado, proximaConsulta),
    xml: formatNumero(xml),
    faltan: registros === null ? 'todavía no se sabe' : formatNumero(Math.max(0, registros - xml)),
    completo: completoHacia === null ? 'todavía no se sabe' : `hacia el ${formatFecha(completoHacia, 'dia')}`,
  };
}

function nextLook(estado: AvanceSolicitud['estado'], proxima: Date | null): string {
  if (estado === 'ESPERA_EFIRMA') return 'cuando guarde la llave de la e.firma';
  return proxima === null ? 'ninguna' : formatFecha(proxima);
}

/** One server-sent event (HTML standard, section 9.2): `avance`, or `fin` once it has ended. */
function messageOf(avance: AvanceSolicitud): string {
  const { ultimoEvento } = avance;
  const linea = ultimoEvento === null ? null : describeEvento(ultimoEvento).texto;
  const data = JSON.stringify({ ...textsOf(avance), palabra: avance.estado, linea });
  return `id: ${versionOf(avance)}\nevent: ${isEnded(avance) ? 'fin' : 'avance'}\ndata: ${data}\n\n`;
}
