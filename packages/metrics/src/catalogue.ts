import { CANALES_CON_ESTADO, CANALES_MEDIDOS, RESULTADOS_ACCESO, RESULTADOS_MEDIDOS, TIPOS_EVENTO } from '@acuse/core';

/** The processes that have metrics. */
export type MetricProcess = 'api' | 'panel' | 'worker';

/**
 * Allowed values of a label: a closed list, or `open` for any name from the code or the contract. An adapter keeps a
 * bounded number of open values. A label never holds an RFC, a key, an id, an address or a text from outside.
 */
type LabelValues = readonly string[] | 'open';

interface Spec {
  /** Name in Prometheus: `acuse_`, base units, `_total` for counters. */
  readonly name: string;
  /** What it tells an operator, in Spanish. */
  readonly help: string;
  readonly kind: 'counter' | 'histogram' | 'gauge';
  /** In the order in which a scrape shows them. */
  readonly labels: Readonly<Record<string, LabelValues>>;
  /** Upper bounds of a histogram, in the unit of its name. */
  readonly buckets?: readonly number[];
  /** Which processes have it. */
  readonly from: readonly MetricProcess[];
}

const QUEUES = ['descargas', 'ensambles'] as const;
const CREDENCIALES = ['ciec', 'efirma'] as const;
const OF_WORKER = { kind: 'gauge', labels: {}, from: ['worker'] } as const;
const OF_QUEUE = { kind: 'gauge', labels: { queue: QUEUES }, from: ['worker'] } as const;
const OF_LIST = { kind: 'gauge', labels: { list: 'open' }, from: ['worker'] } as const;

/** Seconds of an answer that waits for the database, or for the SAT behind it. */
const ANSWER_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 90];
/** Seconds of what the SAT is asked for. */
const SAT_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60, 120];
/** Seconds of what waits for a person, a step or an assembly. */
const LONG_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900];
/** Seconds of a wait for a connection of the pool. */
const WAIT_SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10];

const ALL = ['api', 'panel', 'worker'] as const;

/**
 * Every metric of the service. Metrics about the whole installation (`from` the worker, read from the database) are
 * exported with the same value by every process with the role `reconciler`: aggregate them with `max`, never with
 * `sum`.
 */
export const CATALOGUE = {
  httpRequests: {
    kind: 'counter',
    name: 'acuse_http_requests_total',
    help: 'Peticiones contestadas, por ruta y código HTTP.',
    labels: { route: 'open', status: 'open' },
    from: ['api', 'panel'],
  },
  httpDuration: {
    kind: 'histogram',
    name: 'acuse_http_request_duration_seconds',
    help: 'Segundos desde que se recibe una petición hasta que está su respuesta, por ruta.',
    labels: { route: 'open' },
    buckets: ANSWER_SECONDS,
    from: ['api', 'panel'],
  },
  apiErrors: {
    kind: 'counter',
    name: 'acuse_api_errors_total',
    help: 'Respuestas de error de la API, por operación y nombre del error.',
    labels: { route: 'open', error: 'open' },
    from: ['api'],
  },
  charges: {
    kind: 'counter',
    name: 'acuse_credits_charged_total',
    help: 'Créditos cargados, por operación.',
    labels: { operacion: 'open' },
    from: ['api'],
  },
  refunds: {
    kind: 'counter',
    name: 'acuse_refunds_total',
    help: 'Cargos devueltos, por causa: llamada sin respuesta o sin confirmar, solicitud sin paquete o sin confirmar, cancelada, vencida (de estas dos, también las de llaves de prueba, que no cuestan), o llamada cuyo proceso murió.',
    labels: { causa: ['llamada', 'solicitud', 'cancelada', 'vencida', 'abandonada'] },
    from: ALL,
  },
  satRequests: {
    kind: 'counter',
    name: 'acuse_sat_requests_total',
    help: 'Peticiones al SAT, por canal, servidor y resultado. «desmentida» no es otra petición: un éxito que al leerse no lo fue. «evitada» no se envió: el cortacircuitos estaba abierto.',
    labels: { canal: CANALES_MEDIDOS, host: 'open', resultado: RESULTADOS_MEDIDOS },
    from: ['api', 'worker'],
  },
  satDuration: {
    kind: 'histogram',
    name: 'acuse_sat_request_duration_seconds',
    help: 'Segundos de las peticiones que el SAT contestó o no supo contestar, por canal.',
    labels: { canal: CANALES_MEDIDOS },
    buckets: SAT_SECONDS,
    from: ['api', 'worker'],
  },
  logins: {
    kind: 'counter',
    name: 'acuse_sat_logins_total',
    help: 'Accesos a portales del SAT, por portal, credencial y resultado.',
    labels: { portal: 'open', credencial: CREDENCIALES, resultado: RESULTADOS_ACCESO },
    from: ['api', 'worker'],
  },
  loginDuration: {
    kind: 'histogram',
    name: 'acuse_sat_login_duration_seconds',
    help: 'Segundos de un acceso a un portal del SAT, con su captcha, por credencial.',
    labels: { credencial: CREDENCIALES },
    buckets: LONG_SECONDS,
    from: ['api', 'worker'],
  },
  captchas: {
    kind: 'counter',
    name: 'acuse_captchas_total',
    help: 'Captchas que se dieron a leer, por resultado.',
    labels: { resultado: ['leido', 'sin_respuesta'] },
    from: ['api', 'worker'],
  },
  captchaDuration: {
    kind: 'histogram',
    name: 'acuse_captcha_duration_seconds',
    help: 'Segundos hasta que alguien leyó un captcha.',
    labels: {},
    buckets: LONG_SECONDS,
    from: ['api', 'worker'],
  },
  poolConnections: {
    kind: 'gauge',
    name: 'acuse_database_connections',
    help: 'Conexiones de este proceso a la base de datos, por estado.',
    labels: { state: ['in_use', 'idle'] },
    from: ALL,
  },
  poolSize: {
    kind: 'gauge',
    name: 'acuse_database_connections_max',
    help: 'Conexiones que este proceso puede abrir (DATABASE_POOL).',
    labels: {},
    from: ALL,
  },
  poolWaiting: {
    kind: 'gauge',
    name: 'acuse_database_waiting',
    help: 'Consultas de este proceso que esperan una conexión.',
    labels: {},
    from: ALL,
  },
  poolWait: {
    kind: 'histogram',
    name: 'acuse_database_wait_seconds',
    help: 'Segundos que esperó quien no encontró una conexión libre.',
    labels: {},
    buckets: WAIT_SECONDS,
    from: ALL,
  },
  steps: {
    kind: 'counter',
    name: 'acuse_steps_total',
    help: 'Timbres atendidos, por cola y desenlace: done, paso hecho; nothing, no había nada que tomar; failed, falló de nuestro lado y se repite; lost, otro tomó la solicitud; stopped, el proceso se cerraba.',
    labels: { queue: QUEUES, outcome: ['done', 'nothing', 'failed', 'lost', 'stopped'] },
    from: ['worker'],
  },
  stepDuration: {
    kind: 'histogram',
    name: 'acuse_step_duration_seconds',
    help: 'Segundos de un paso, por cola.',
    labels: { queue: QUEUES },
    buckets: LONG_SECONDS,
    from: ['worker'],
  },
  stepEvents: {
    kind: 'counter',
    name: 'acuse_step_events_total',
    help: 'Lo que los pasos anotaron en las solicitudes, por tipo de evento.',
    labels: { tipo: TIPOS_EVENTO },
    from: ['worker'],
  },
  stepsRunning: { ...OF_QUEUE, name: 'acuse_steps_running', help: 'Pasos en curso en este proceso, por cola.' },
  solicitudesEnded: {
    kind: 'counter',
    name: 'acuse_solicitudes_ended_total',
    help: 'Solicitudes que terminaron, por estado final.',
    labels: { estado: ['TERMINADA', 'ERROR', 'RECHAZADA', 'VENCIDA', 'CANCELADA'] },
    from: ALL,
  },
  packages: {
    kind: 'counter',
    name: 'acuse_packages_total',
    help: 'Paquetes guardados: sat, los que el SAT entregó; zip, los nuestros.',
    labels: { kind: ['sat', 'zip'] },
    from: ['worker'],
  },
  packageBytes: {
    kind: 'counter',
    name: 'acuse_package_bytes_total',
    help: 'Bytes de los paquetes guardados.',
    labels: { kind: ['sat', 'zip'] },
    from: ['worker'],
  },
  webhookAttempts: {
    kind: 'counter',
    name: 'acuse_webhook_attempts_total',
    help: 'Envíos de webhooks, por desenlace: 2xx a 5xx, lo que contestó el receptor; none, no contestó.',
    labels: { outcome: ['2xx', '3xx', '4xx', '5xx', 'none'] },
    from: ['worker'],
  },
  webhookDuration: {
    kind: 'histogram',
    name: 'acuse_webhook_attempt_duration_seconds',
    help: 'Segundos de un envío.',
    labels: {},
    buckets: ANSWER_SECONDS,
    from: ['worker'],
  },
  webhooksSwitchedOff: {
    kind: 'counter',
    name: 'acuse_webhooks_switched_off_total',
    help: 'Webhooks que se apagaron porque su receptor no aceptó nada.',
    labels: {},
    from: ['worker'],
  },
  mailAttempts: {
    kind: 'counter',
    name: 'acuse_mail_attempts_total',
    help: 'Entregas de correos al servidor, por desenlace: sent, lo tomó; deferred, lo aplazó; refused, lo rechazó para siempre; failed, no se llegó a entregar (conexión, TLS, acceso, remitente).',
    labels: { outcome: ['sent', 'deferred', 'refused', 'failed'] },
    from: ['worker'],
  },
  mailDuration: {
    kind: 'histogram',
    name: 'acuse_mail_attempt_duration_seconds',
    help: 'Segundos de una entrega de un correo al servidor.',
    labels: {},
    buckets: ANSWER_SECONDS,
    from: ['worker'],
  },
  mailsGivenUp: {
    kind: 'counter',
    name: 'acuse_mails_given_up_total',
    help: 'Correos que ya no se envían, por motivo: el servidor los rechazó, o pasó su plazo.',
    labels: { motivo: ['RECHAZADO', 'VENCIDO'] },
    from: ['worker'],
  },
  mailsDue: { ...OF_WORKER, name: 'acuse_mails_due', help: 'Correos vencidos por enviar; se cuenta hasta 10000.' },
  mailsOldestDue: {
    ...OF_WORKER,
    name: 'acuse_mails_oldest_due_seconds',
    help: 'Segundos desde que venció el correo que más espera; 0 sin ninguno.',
  },
  readingsOldestDue: {
    ...OF_WORKER,
    name: 'acuse_readings_oldest_due_seconds',
    help: 'Segundos desde que venció la lectura de una sincronización que más espera; 0 sin ninguna.',
  },
  backupAge: {
    ...OF_WORKER,
    name: 'acuse_backup_age_seconds',
    help: 'Segundos desde el momento que guarda el último respaldo de «acuse operador respaldar»; falta si no hay ninguno.',
  },
  queueDue: {
    ...OF_QUEUE,
    name: 'acuse_queue_due',
    help: 'Timbres vencidos que esperan lugar en la cola; se cuenta hasta 10000.',
  },
  queueUnderWay: { ...OF_QUEUE, name: 'acuse_queue_under_way', help: 'Timbres que la cola o un worker tiene.' },
  queueUnanswered: {
    ...OF_QUEUE,
    name: 'acuse_queue_unanswered',
    help: 'Timbres entregados a la cola que nadie ha tomado.',
  },
  queueSlots: { ...OF_QUEUE, name: 'acuse_queue_slots', help: 'Pasos que los workers vivos atienden a la vez.' },
  queueOldestDue: {
    ...OF_QUEUE,
    name: 'acuse_queue_oldest_due_seconds',
    help: 'Atraso: segundos desde que venció el timbre que más espera; 0 sin ninguno.',
  },
  pastDeadline: {
    ...OF_WORKER,
    name: 'acuse_solicitudes_past_deadline',
    help: 'Solicitudes abiertas un minuto después de su plazo, que nadie ha terminado; se cuenta hasta 1000.',
  },
  webhooksDue: {
    ...OF_WORKER,
    name: 'acuse_webhooks_due',
    help: 'Mensajes vencidos por enviar, hasta 10 de cada receptor.',
  },
  webhooksOldestDue: {
    ...OF_WORKER,
    name: 'acuse_webhooks_oldest_due_seconds',
    help: 'Segundos desde que venció el mensaje que más espera, de receptores que contestan; 0 sin ninguno.',
  },
  captchasPending: { ...OF_WORKER, name: 'acuse_captchas_pending', help: 'Captchas que esperan a una persona.' },
  breakerOpen: {
    kind: 'gauge',
    name: 'acuse_breaker_open',
    help: 'Si el cortacircuitos de un servidor del SAT está abierto (1) o no (0).',
    labels: { host: 'open' },
    from: ['worker'],
  },
  channelFailing: {
    kind: 'gauge',
    name: 'acuse_sat_channel_failing',
    help: 'Si un canal del SAT está CON_FALLAS (1) o no (0), con las reglas de /estado.',
    labels: { canal: CANALES_CON_ESTADO },
    from: ['worker'],
  },
  listAge: {
    ...OF_LIST,
    name: 'acuse_list_age_seconds',
    help: 'Segundos desde que el SAT confirmó la versión que responde de una lista, o desde que se importó a mano; falta si no hay ninguna.',
  },
  listOld: {
    ...OF_LIST,
    name: 'acuse_list_old',
    help: 'Si una lista está vieja (1) o no (0): tres días sin que el SAT la confirme; 45, la importada a mano.',
  },
  listRefused: {
    ...OF_LIST,
    name: 'acuse_list_refused',
    help: 'Si el último intento de actualizar una lista fracasó (1) o no (0).',
  },
  listedRfcs: {
    ...OF_WORKER,
    name: 'acuse_listed_rfcs',
    help: 'RFC de las listas del SAT con los que este proceso cruza los paquetes que arma; 0: con ninguno.',
  },
  packagesCrossed: {
    kind: 'counter',
    name: 'acuse_packages_crossed_total',
    help: 'Paquetes que terminaron, por si sus contrapartes se cruzaron con las listas del SAT o no; sin los de RFC que se mantienen al día.',
    labels: { outcome: ['crossed', 'not_crossed'] },
    from: ['worker'],
  },
  collectorUp: {
    kind: 'gauge',
    name: 'acuse_collector_up',
    help: 'Si lo que se mide al leer las métricas se pudo medir (1) o no (0): sin base de datos faltan las que salen de ella.',
    labels: { collector: 'open' },
    from: ALL,
  },
} as const satisfies Record<string, Spec>;

type Catalogue = typeof CATALOGUE;
type LabelsOf<S extends Spec> = {
  readonly [L in keyof S['labels']]: S['labels'][L] extends readonly string[] ? S['labels'][L][number] : string;
};

export interface Counter {
  add(value?: number): void;
}
export interface Histogram {
  observe(value: number): void;
}
export interface Gauge {
  set(value: number): void;
}

/** A metric of the catalogue. `with` gives the series of some labels, the same one every time. */
interface Family<S extends Spec> {
  with(labels: LabelsOf<S>): { counter: Counter; histogram: Histogram; gauge: Gauge }[S['kind']];
}

/** Reads values at scrape time that are not counted as events happen. */
export interface Collector<T> {
  /** Its name in `acuse_collector_up`. */
  readonly name: string;
  /**
   * Metrics that the collector sets. A scrape omits them when the read fails, so that an old value is not taken for a
   * new one.
   */
  readonly sets: readonly (keyof Catalogue)[];
  /** Milliseconds for which a result, or a failure, of `read` is cached. */
  readonly cacheMs: number;
  readonly read: () => T | Promise<T>;
  readonly apply: (read: T) => void;
}

/** Metrics of the catalogue that belong to one process, passed to the code that counts. */
export type Metrics<P extends MetricProcess = MetricProcess> = {
  readonly [K in keyof Catalogue as P extends Catalogue[K]['from'][number] ? K : never]: Family<Catalogue[K]>;
} & {
  /** From now on every scrape reads this too. */
  collect<T>(collector: Collector<T>): void;
};

export type { Spec };
