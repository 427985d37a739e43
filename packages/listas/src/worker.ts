import { createSemaphore, SatError, type SatMetrics } from '@acuse/core';
import type { Database } from '@acuse/db';
import { createScheduledConsumer, createScheduler } from '@acuse/queue';
import { type ObserveInstallation, type OpenRole, startHeartbeat, startLoop } from '@acuse/roles';
import { deadline } from '@acuse/runtime';
import { createCargaListado, createCargaListas } from './db/carga-listas.ts';
import { createListados, type EstadoListado } from './db/listados.ts';
import { createLista69b, createListado, DIRECCIONES_LISTADOS } from './lectura/listado.ts';
import { CLAVES_LISTADO, type ClaveListado, LISTADOS } from './listados.ts';
import { ListaRechazada, type ResultadoCarga } from './listas.ts';
import type { ListasSettings } from './settings.ts';

/** Settings of the role, with those of the process that it reads too. */
interface Settings extends ListasSettings {
  readonly SAT_BASE_URL?: string | undefined;
  readonly SAT_TLS_CA?: string | undefined;
  readonly QUEUE_TIMEOUT_MS: number;
}

const TZ = 'America/Mexico_City';
/** Topic of a list that was loaded: other roles of the process read the lists again. */
export const NEW_LISTS = 'lists';

/** Hours without a word from the source after which a list is fetched without waiting for its time of day. */
const MAX_HORAS = 48;
/** Lists that are loaded at the same time: one whose source says nothing for minutes holds up no other. */
const AT_ONCE = 3;
/** Turns between two looks at the schedule: a queue that was emptied has lost it. */
const SCHEDULE_TURNS = 12;

/** A list as this process loads it. */
interface Cargador {
  load(signal: AbortSignal): Promise<ResultadoCarga>;
  close(): Promise<void>;
}

/** Where a list is looked for; null: nowhere. */
function direccionOf(clave: ClaveListado, config: Settings): string | null {
  const { SAT_LISTA_69B_URL: efos, SAT_LISTAS_URLS: otras } = config;
  if (clave === '69-b' && efos !== undefined) return efos;
  const [, dicha = DIRECCIONES_LISTADOS[clave] ?? null] = otras.find(([otra]) => otra === clave) ?? [];
  return dicha;
}

/** The lists that have an address, each with its own connections and its own breaker. */
function openCargadores(
  config: Settings,
  database: Database,
  metrics: SatMetrics,
): ReadonlyMap<ClaveListado, Cargador> {
  const { SAT_BASE_URL: baseUrl, SAT_TLS_CA: tlsCa } = config;
  const http = { ...(baseUrl === undefined ? {} : { baseUrl }), ...(tlsCa === undefined ? {} : { tlsCa }) };
  const cargadores = new Map<ClaveListado, Cargador>();
  for (const clave of CLAVES_LISTADO) {
    const url = direccionOf(clave, config);
    if (url === null) continue;
    // A simulator's lists have as few rows as it likes.
    const least = baseUrl === undefined ? LISTADOS[clave].minFilas : 1;
    const minFilas = clave === '69-b' ? (config.EFOS_MIN_FILAS ?? least) : least;
    if (clave === '69-b') {
      const { abrir, close } = createLista69b({ url, http, metrics });
      const { loadList } = createCargaListas(database);
      cargadores.set(clave, { close, load: (signal) => loadList({ abrir, minFilas }, signal) });
    } else {
      const { abrir, close } = createListado(clave, { url, http, metrics });
      const { loadList } = createCargaListado(database, clave);
      cargadores.set(clave, { close, load: (signal) => loadList({ abrir, minFilas }, signal) });
    }
  }
  return cargadores;
}

/**
 * The role `listas`: keeps the lists current without relying on the queue. Loads them daily by the queue's schedule,
 * and a single list when the database says so (missing, too old, a failed attempt, an order of the operator). A failing
 * list does not stop the others.
 */
export const openListas: OpenRole<Settings> = (context) => {
  const { config, database, heartbeats, queueSettings, log, satMetrics: metrics, wakes, shutdown } = context;
  const { LISTAS_INTERVAL_MS: everyMs } = config;
  const cargadores = openCargadores(config, database, metrics);
  shutdown.phase('fuentes-listas', () => Promise.all([...cargadores.values()].map(({ close }) => close())));
  const listados = createListados(database);
  const room = createSemaphore({ perKey: 1, total: AT_ONCE });
  const latido = startHeartbeat('listas', { heartbeats, log, consumed: false });

  /** What keeps a list from being loaded is noted beside it: the next attempt follows from that note. */
  async function load(clave: ClaveListado, { load: loadList }: Cargador, signal: AbortSignal): Promise<void> {
    try {
      const carga = await loadList(signal);
      if (carga.resultado === 'OTRA_EN_CURSO') return;
      const { fechaCorte, filas, sha256 } = carga.version;
      wakes.wake(NEW_LISTS);
      log.info({ lista: clave, resultado: carga.resultado, fechaCorte, filas, sha256 }, 'list_current');
    } catch (error) {
      if (signal.aborted) return;
      const isKnown = error instanceof SatError || error instanceof ListaRechazada;
      log.error({ lista: clave, ...(isKnown ? { motivo: error.message } : { err: error }) }, 'list_not_loaded');
    }
    await latido.worked();
  }

  const loadAll = async (signal: AbortSignal) => {
    const loads = [...cargadores].map(([clave, cargador]) =>
      room.run(clave, signal, () => load(clave, cargador, signal)),
    );
    await Promise.all(loads);
  };
  const consumer = createScheduledConsumer(queueSettings, {
    nombre: 'listas',
    handle: loadAll,
    onError: (error) => log.warn({ queue: 'listas', err: error }, 'queue_failed'),
  });
  shutdown.phase('consume-listas', () => consumer.close(0));
  const scheduler = createScheduler(
    queueSettings,
    { nombre: 'listas', cron: config.EFOS_CRON, tz: TZ },
    { onError: (error) => log.debug({ err: error }, 'queue_away') },
  );
  shutdown.phase('programador-listas', () => scheduler.close());
  const schedule = startLoop({
    name: 'listas-horario',
    everyMs: everyMs * SCHEDULE_TURNS,
    log,
    turn: async (signal) => {
      await deadline(config.QUEUE_TIMEOUT_MS, (limit) => scheduler.ensure(limit), signal);
      return false;
    },
  });
  const running = new Set<Promise<void>>();
  const told = new Set<ClaveListado>();
  const pending = startLoop({
    name: 'listas',
    everyMs,
    log,
    turn: async (signal) => {
      for (const { clave, motivo } of await listados.pendientes({
        claves: [...cargadores.keys()],
        maxHoras: MAX_HORAS,
      })) {
        const cargador = cargadores.get(clave);
        const work = cargador && room.tryRun(clave, () => load(clave, cargador, signal));
        if (!work) continue;
        if (motivo !== 'SIN_LISTA' || !told.has(clave)) log.info({ lista: clave, motivo }, 'list_due');
        told.add(clave);
        const ended = work.catch((error: unknown) => log.error({ lista: clave, err: error }, 'list_not_loaded'));
        running.add(ended);
        void ended.finally(() => running.delete(ended));
      }
      return false;
    },
  });
  shutdown.phase('listas', async () => {
    await Promise.all([pending.close(), schedule.close(), latido.close()]);
    await Promise.all(running);
  });
};

/** Milliseconds for which scrapes share one read of the lists, which change once a day. */
const SCRAPE_CACHE_MS = 15_000;

/** Reports at a scrape the age of each list, and which lists were refused. */
export const observeListados: ObserveInstallation = ({ database, metrics }) => {
  const listados = createListados(database);
  metrics.collect<EstadoListado[]>({
    name: 'lists',
    sets: ['listAge', 'listOld', 'listRefused'],
    cacheMs: SCRAPE_CACHE_MS,
    read: () => listados.estados(),
    apply(estados) {
      for (const { clave: list, edadSegundos, isVieja, isRechazada } of estados) {
        if (edadSegundos !== null) metrics.listAge.with({ list }).set(edadSegundos);
        metrics.listOld.with({ list }).set(isVieja ? 1 : 0);
        metrics.listRefused.with({ list }).set(isRechazada ? 1 : 0);
      }
    },
  });
};
