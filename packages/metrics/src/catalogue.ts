import {
  CANALES_CON_ESTADO,
  CANALES_MEDIDOS,
  MOTIVOS_FALTANTE,
  RESULTADOS_ACCESO,
  RESULTADOS_MEDIDOS,
  TIPOS_EVENTO,
} from '@acuse/core';

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
    help: 'Requests answered, by route and HTTP status.',
    labels: { route: 'open', status: 'open' },
    from: ['api', 'panel'],
  },
  httpDuration: {
    kind: 'histogram',
    name: 'acuse_http_request_duration_seconds',
    help: 'Seconds from a request to its answer, by route.',
    labels: { route: 'open' },
    buckets: ANSWER_SECONDS,
    from: ['api', 'panel'],
  },
  apiErrors: {
    kind: 'counter',
    name: 'acuse_api_errors_total',
    help: 'Error answers of the API, by operation and name of the error.',
    labels: { route: 'open', error: 'open' },
    from: ['api'],
  },
  charges: {
    kind: 'counter',
    name: 'acuse_credits_charged_total',
    help: 'Credits charged, by operation.',
    labels: { operacion: 'open' },
    from: ['api'],
  },
  refunds: {
    kind: 'counter',
    name: 'acuse_refunds_total',
    help: 'Charges refunded, by cause: call unanswered or unconfirmed, solicitud without package or unconfirmed, cancelled, expired (the last two also of free test keys), or call of a dead process.',
    labels: { causa: ['llamada', 'solicitud', 'cancelada', 'vencida', 'abandonada'] },
    from: ALL,
  },
  satRequests: {
    kind: 'counter',
    name: 'acuse_sat_requests_total',
    help: 'Requests to the SAT, by channel, server and result. «desmentida» is no other request: a success that proved none when read. «evitada» was not sent: the circuit breaker was open.',
    labels: { canal: CANALES_MEDIDOS, host: 'open', resultado: RESULTADOS_MEDIDOS },
    from: ['api', 'worker'],
  },
  satDuration: {
    kind: 'histogram',
    name: 'acuse_sat_request_duration_seconds',
    help: 'Seconds of the requests that the SAT answered or failed to answer, by channel.',
    labels: { canal: CANALES_MEDIDOS },
    buckets: SAT_SECONDS,
    from: ['api', 'worker'],
  },
  logins: {
    kind: 'counter',
    name: 'acuse_sat_logins_total',
    help: 'Log-ins to portals of the SAT, by portal, credential and result.',
    labels: { portal: 'open', credencial: CREDENCIALES, resultado: RESULTADOS_ACCESO },
    from: ['api', 'worker'],
  },
  loginDuration: {
    kind: 'histogram',
    name: 'acuse_sat_login_duration_seconds',
    help: 'Seconds of a log-in to a portal of the SAT, its captcha included, by credential.',
    labels: { credencial: CREDENCIALES },
    buckets: LONG_SECONDS,
    from: ['api', 'worker'],
  },
  captchas: {
    kind: 'counter',
    name: 'acuse_captchas_total',
    help: 'Captchas submitted to a reader, by result.',
    labels: { resultado: ['leido', 'sin_respuesta'] },
    from: ['api', 'worker'],
  },
  captchaDuration: {
    kind: 'histogram',
    name: 'acuse_captcha_duration_seconds',
    help: 'Seconds until a captcha was read.',
    labels: {},
    buckets: LONG_SECONDS,
    from: ['api', 'worker'],
  },
  poolConnections: {
    kind: 'gauge',
    name: 'acuse_database_connections',
    help: 'Connections of this process to the database, by state.',
    labels: { state: ['in_use', 'idle'] },
    from: ALL,
  },
  poolSize: {
    kind: 'gauge',
    name: 'acuse_database_connections_max',
    help: 'Connections that this process may open (DATABASE_POOL).',
    labels: {},
    from: ALL,
  },
  poolWaiting: {
    kind: 'gauge',
    name: 'acuse_database_waiting',
    help: 'Queries of this process that wait for a connection.',
    labels: {},
    from: ALL,
  },
  poolWait: {
    kind: 'histogram',
    name: 'acuse_database_wait_seconds',
    help: 'Seconds of waiting for a free connection.',
    labels: {},
    buckets: WAIT_SECONDS,
    from: ALL,
  },
  steps: {
    kind: 'counter',
    name: 'acuse_steps_total',
    help: 'Wake-ups processed, by queue and outcome: done; nothing, none to take; failed on our side, repeats; lost to another worker; stopped, the process was closing.',
    labels: { queue: QUEUES, outcome: ['done', 'nothing', 'failed', 'lost', 'stopped'] },
    from: ['worker'],
  },
  stepDuration: {
    kind: 'histogram',
    name: 'acuse_step_duration_seconds',
    help: 'Seconds of a step, by queue.',
    labels: { queue: QUEUES },
    buckets: LONG_SECONDS,
    from: ['worker'],
  },
  stepEvents: {
    kind: 'counter',
    name: 'acuse_step_events_total',
    help: 'Events that steps noted in solicitudes, by type.',
    labels: { tipo: TIPOS_EVENTO },
    from: ['worker'],
  },
  stepsRunning: { ...OF_QUEUE, name: 'acuse_steps_running', help: 'Steps running in this process, by queue.' },
  solicitudesEnded: {
    kind: 'counter',
    name: 'acuse_solicitudes_ended_total',
    help: 'Solicitudes ended, by final state.',
    labels: { estado: ['TERMINADA', 'ERROR', 'RECHAZADA', 'VENCIDA', 'CANCELADA'] },
    from: ALL,
  },
  packages: {
    kind: 'counter',
    name: 'acuse_packages_total',
    help: 'Packages stored: sat, delivered by the SAT; zip, ours.',
    labels: { kind: ['sat', 'zip'] },
    from: ['worker'],
  },
  packageBytes: {
    kind: 'counter',
    name: 'acuse_package_bytes_total',
    help: 'Bytes of the stored packages.',
    labels: { kind: ['sat', 'zip'] },
    from: ['worker'],
  },
  xml: {
    kind: 'counter',
    name: 'acuse_xml_total',
    help: 'CFDI of the metadata of ended packages: ENTREGADO, with their XML; else the reason why it is missing.',
    labels: { resultado: ['ENTREGADO', ...MOTIVOS_FALTANTE] },
    from: ['worker'],
  },
  webhookAttempts: {
    kind: 'counter',
    name: 'acuse_webhook_attempts_total',
    help: 'Attempts to deliver webhooks, by outcome: 2xx to 5xx, the status of the receiver; none, no answer.',
    labels: { outcome: ['2xx', '3xx', '4xx', '5xx', 'none'] },
    from: ['worker'],
  },
  webhookDuration: {
    kind: 'histogram',
    name: 'acuse_webhook_attempt_duration_seconds',
    help: 'Seconds of an attempt.',
    labels: {},
    buckets: ANSWER_SECONDS,
    from: ['worker'],
  },
  webhooksSwitchedOff: {
    kind: 'counter',
    name: 'acuse_webhooks_switched_off_total',
    help: 'Webhooks switched off because their receiver accepted nothing.',
    labels: {},
    from: ['worker'],
  },
  mailAttempts: {
    kind: 'counter',
    name: 'acuse_mail_attempts_total',
    help: 'Deliveries of mails to the server, by outcome: sent; deferred; refused for good; failed before delivery (connection, TLS, log-in, sender).',
    labels: { outcome: ['sent', 'deferred', 'refused', 'failed'] },
    from: ['worker'],
  },
  mailDuration: {
    kind: 'histogram',
    name: 'acuse_mail_attempt_duration_seconds',
    help: 'Seconds of a delivery to the server.',
    labels: {},
    buckets: ANSWER_SECONDS,
    from: ['worker'],
  },
  mailsGivenUp: {
    kind: 'counter',
    name: 'acuse_mails_given_up_total',
    help: 'Mails given up, by reason: refused by the server, or past the deadline.',
    labels: { motivo: ['RECHAZADO', 'VENCIDO'] },
    from: ['worker'],
  },
  mailsDue: { ...OF_WORKER, name: 'acuse_mails_due', help: 'Due mails; counts to 10000.' },
  mailsOldestDue: {
    ...OF_WORKER,
    name: 'acuse_mails_oldest_due_seconds',
    help: 'Seconds since the oldest due mail fell due; 0 without any.',
  },
  readingsOldestDue: {
    ...OF_WORKER,
    name: 'acuse_readings_oldest_due_seconds',
    help: 'Seconds since the oldest due reading of a subscription fell due; 0 without any.',
  },
  backupAge: {
    ...OF_WORKER,
    name: 'acuse_backup_age_seconds',
    help: 'Seconds since the moment held by the last backup of «acuse operador respaldar»; missing without any.',
  },
  queueDue: {
    ...OF_QUEUE,
    name: 'acuse_queue_due',
    help: 'Due wake-ups that wait for a place in the queue; counts to 10000.',
  },
  queueUnderWay: { ...OF_QUEUE, name: 'acuse_queue_under_way', help: 'Wake-ups in the queue or with a worker.' },
  queueUnanswered: {
    ...OF_QUEUE,
    name: 'acuse_queue_unanswered',
    help: 'Wake-ups in the queue that no worker has taken.',
  },
  queueSlots: { ...OF_QUEUE, name: 'acuse_queue_slots', help: 'Steps that the live workers run at once.' },
  queueOldestDue: {
    ...OF_QUEUE,
    name: 'acuse_queue_oldest_due_seconds',
    help: 'Delay: seconds since the oldest due wake-up fell due; 0 without any.',
  },
  pastDeadline: {
    ...OF_WORKER,
    name: 'acuse_solicitudes_past_deadline',
    help: 'Solicitudes still open a minute after their deadline; counts to 1000.',
  },
  webhooksDue: { ...OF_WORKER, name: 'acuse_webhooks_due', help: 'Due messages, up to 10 of each receiver.' },
  webhooksOldestDue: {
    ...OF_WORKER,
    name: 'acuse_webhooks_oldest_due_seconds',
    help: 'Seconds since the oldest due message of a receiver that answers fell due; 0 without any.',
  },
  captchasPending: { ...OF_WORKER, name: 'acuse_captchas_pending', help: 'Captchas that wait for a person.' },
  breakerOpen: {
    kind: 'gauge',
    name: 'acuse_breaker_open',
    help: 'Whether the circuit breaker of a server of the SAT is open (1) or not (0).',
    labels: { host: 'open' },
    from: ['worker'],
  },
  channelFailing: {
    kind: 'gauge',
    name: 'acuse_sat_channel_failing',
    help: 'Whether a channel of the SAT is CON_FALLAS (1) or not (0), by the rules of /estado.',
    labels: { canal: CANALES_CON_ESTADO },
    from: ['worker'],
  },
  listAge: {
    ...OF_LIST,
    name: 'acuse_list_age_seconds',
    help: 'Seconds since the SAT confirmed the current version of a list, or since its import by hand; missing without any.',
  },
  listOld: {
    ...OF_LIST,
    name: 'acuse_list_old',
    help: 'Whether a list is old (1) or not (0): three days without confirmation by the SAT; 45 if imported by hand.',
  },
  listRefused: {
    ...OF_LIST,
    name: 'acuse_list_refused',
    help: 'Whether the last attempt to update a list failed (1) or not (0).',
  },
  listedRfcs: {
    ...OF_WORKER,
    name: 'acuse_listed_rfcs',
    help: 'RFCs of the lists of the SAT with which this process crosses its packages; 0: none.',
  },
  packagesCrossed: {
    kind: 'counter',
    name: 'acuse_packages_crossed_total',
    help: 'Packages ended, by whether their counterparties were crossed with the lists of the SAT; without those of RFCs kept up to date.',
    labels: { outcome: ['crossed', 'not_crossed'] },
    from: ['worker'],
  },
  collectorUp: {
    kind: 'gauge',
    name: 'acuse_collector_up',
    help: 'Whether a reading of the metrics could measure (1) or not (0); without a database its metrics are missing.',
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
