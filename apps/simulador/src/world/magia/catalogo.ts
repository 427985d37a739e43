import type { Fault } from '../faults.ts';
import type { Documento, Tipo } from '../taxpayers/row.ts';
import type { Filas } from '../taxpayers/schedule.ts';
import { parseWallTime } from '../wall-time.ts';

/** The senses of an opinión del cumplimiento. */
export const SENTIDOS = ['POSITIVO', 'NEGATIVO', 'EN_SUSPENSION', 'INSCRITO_SIN_OBLIGACIONES', 'NO_INSCRITO'] as const;
export type SentidoOpinion = (typeof SENTIDOS)[number];

/** The situations of the list of article 69-B, as the list words them. */
export const SITUACIONES_69B = ['Presunto', 'Desvirtuado', 'Definitivo', 'Sentencia Favorable'] as const;
export type Situacion69B = (typeof SITUACIONES_69B)[number];

/** How a magic RFC appears in the list of article 69-B. */
export type Aparicion69B = {
  situacion: Situacion69B;
  /** Situations it went through before, oldest first; the list keeps their notices in the same record. */
  antes: readonly Situacion69B[];
  /** The list shows X in place of the RFC. */
  isMasked: boolean;
};

/** A documented RFC that forces an outcome, wherever it is used. An absent field changes nothing. */
export type Magia = {
  clave: string;
  /** One of a legal person and one of a natural person; both have a right check digit. */
  moral: string;
  fisica: string;
  /** What the simulator does. */
  efecto: string;
  /** What Acuse answers. */
  respuesta: string;
  /** Fault of every call that names this RFC, at any service unless some are named. */
  falla?: Pick<Fault, 'kind' | 'status'> & { espera?: 'ms_lento' | 'ms_colgado'; servicios?: readonly string[] };
  /**
   * Searches and requests that find nothing though there are rows: the first ones, or all that the web service takes.
   */
  vacioFalso?: 'primera vez' | 'servicio web';
  /** A request of the web service that finds nothing is answered with 5004 itself and gets no id. */
  isVacioAlPedir?: true;
  /** CodigoEstadoSolicitud of its finished requests, in place of 5000. */
  codigoTerminada?: 5010;
  /** The web service refuses its valid e.firmas with 305: always, or at the first signed call of each. */
  rechazo305?: 'siempre' | 'primera vez';
  /** Hours of the clock after which its requests, by either channel, are finished; not before. */
  horasHastaTerminar?: number;
  /** Every password is wrong. */
  isCiecWrong?: true;
  /** So many captchas are refused before each that is taken. */
  captchasRechazados?: number;
  filas?: readonly Filas[];
  opinion?: SentidoOpinion;
  /** Its proceedings, oldest first. */
  listado69b?: readonly Aparicion69B[];
  /** The other lists that name it, by file, each with its reasons. */
  listados?: Readonly<Partial<Record<string, readonly string[]>>>;
  /** Fault of every e.firma that the simulator issues to it. */
  efirma?: 'vencida' | 'revocada';
};

/** The hosts whose pages are seen after a log-in. */
const PORTALES = [
  'portalcfdi',
  'prodretencioncontribuyente',
  'ptsc32d',
  'pstcdypisr',
  'ptscdecprov',
  'wwwmat',
  'rfcampc',
  'aplicacionesc',
  'agr',
];

/** Every magic RFC, in the order of the tables in `docs/integrators`. */
export const MAGIAS: readonly Magia[] = [
  {
    clave: 'lento',
    moral: 'LEN900215SI6',
    fisica: 'LENT900215SI8',
    efecto: 'every answer comes late, after `ms_lento` (1000 ms)',
    respuesta: 'the right answer, late; 503/5041 with refund where a query needs too many calls for its time budget',
    falla: { kind: 'slow', espera: 'ms_lento' },
  },
  {
    clave: 'colgado',
    moral: 'COL900215SI2',
    fisica: 'COLG900215SI1',
    efecto: 'every answer comes after `ms_colgado` (180000 ms), beyond any patience',
    respuesta: '503/5041 with refund, within its time budget',
    falla: { kind: 'slow', espera: 'ms_colgado' },
  },
  {
    clave: 'atorado',
    moral: 'ATO900215SI8',
    fisica: 'ATOR900215SI1',
    efecto:
      'bulk requests (CFDI and retenciones) stay in EstadoSolicitud 1; folios of the portal never leave their process',
    respuesta: 'the request stays in process; retenciones by e.firma 503/5041 with refund',
    falla: { kind: 'stuck' },
  },
  {
    clave: 'ciec incorrecta',
    moral: 'CIE900215SI6',
    fisica: 'CIEC900215SI4',
    efecto: 'every CIEC is wrong',
    respuesta: '4004, and no further log-in until it is stored again',
    isCiecWrong: true,
  },
  {
    clave: 'captcha',
    moral: 'CAP900215SI7',
    fisica: 'CAPT900215SI8',
    efecto: 'of every three right captchas the first two are refused',
    respuesta: 'the right answer, after two more captchas',
    captchasRechazados: 2,
  },
  {
    clave: 'caído',
    moral: 'CAI900215SIA',
    fisica: 'CAID900215SI2',
    efecto: 'HTTP 503 at every service',
    respuesta: '503/5041 with refund',
    falla: { kind: 'status', status: 503 },
  },
  {
    clave: 'html',
    moral: 'HTM900215SI9',
    fisica: 'HTML900215SI2',
    efecto: 'an HTML page with HTTP 200 at every service',
    respuesta: '503/5041 with refund, never an empty list',
    falla: { kind: 'html200' },
  },
  {
    clave: 'vacío',
    moral: 'VAC900215SI6',
    fisica: 'VACI900215SI0',
    efecto: 'no CFDI, retenciones, returns, messages or notifications at all',
    respuesta: 'an empty list with total 0: charged when both credentials are stored and say so, else given back',
    filas: [],
  },
  {
    clave: 'vacío falso',
    moral: 'FAL900215SIA',
    fisica: 'FALS900215SI1',
    efecto:
      'the first `vacios_falsos` (1) times that the same is asked for, the bulk service ends with 5004 and the portals list zero rows (CFDI, retenciones, returns), each for itself, though there are rows; the mailboxes (messages, notifications) show none in the first `vacios_falsos` sessions',
    respuesta:
      'the rows, after the empty answer was asked again; of the mailboxes where the other credential is stored too',
    vacioFalso: 'primera vez',
  },
  {
    clave: 'servicio vacío',
    moral: 'WEB900215SI4',
    fisica: 'WEBV900215SI8',
    efecto: 'the bulk service (CFDI and retenciones) always ends with 5004, the portal lists the rows',
    respuesta: 'the rows where the portal can be asked; else an empty answer that says it is not confirmed',
    vacioFalso: 'servicio web',
  },
  {
    clave: 'vacío al pedir',
    moral: 'PET900215SI8',
    fisica: 'PETI900215SI8',
    efecto:
      '60 CFDI in March 2026, issued and received each, none else; the bulk service answers 5004 to the request itself, without IdSolicitud, where there are none',
    respuesta: 'March has its rows; any other month is an empty answer, and no refusal',
    filas: (['emitidos', 'recibidos'] as const).map((tipo) => days(tipo, '2026-03-01', '2026-03-31', 60)),
    isVacioAlPedir: true,
  },
  {
    clave: 'cinco mil diez',
    moral: 'DIE900215SI5',
    fisica: 'DIEZ900215SI4',
    efecto: 'finished requests of the bulk service carry CodigoEstadoSolicitud 5010 in place of 5000',
    respuesta: 'the rows, as with 5000',
    codigoTerminada: 5010,
  },
  {
    clave: 'rechazo 305',
    moral: 'TRE900215SIA',
    fisica: 'TREC900215SI2',
    efecto: 'the bulk service always refuses its valid e.firmas with 305; the portals take them',
    respuesta: 'what the portal gives by e.firma, and 4002 for what only the bulk service gives',
    rechazo305: 'siempre',
  },
  {
    clave: 'rechazo 305 pasajero',
    moral: 'UNA900215SI5',
    fisica: 'UNAV900215SI3',
    efecto:
      'the bulk service (CFDI and retenciones, each for itself) refuses the first signed call of each of its valid e.firmas with 305; the portals take them',
    respuesta: 'the right answer, after asking twice',
    rechazo305: 'primera vez',
  },
  {
    clave: 'retenciones sin servicio',
    moral: 'RSW900215SI9',
    fisica: 'RETW900215SI8',
    efecto: 'HTTP 500 at the bulk service of retenciones; the portal of retenciones works',
    respuesta: 'retenciones by CIEC; by e.firma alone 503/5041 with refund',
    falla: { kind: 'status', status: 500, servicios: ['retendescargamasivasolicitud', 'retendescargamasiva'] },
  },
  {
    clave: 'retenciones sin portal',
    moral: 'RSP900215SI2',
    fisica: 'RETP900215SI1',
    efecto: 'HTTP 500 at the portal of retenciones; the bulk service of retenciones works',
    respuesta: 'retenciones by e.firma; by CIEC alone 503/5041 with refund',
    falla: { kind: 'status', status: 500, servicios: ['prodretencioncontribuyente'] },
  },
  {
    clave: 'ochenta horas',
    moral: 'OCH900215SI7',
    fisica: 'OCHE900215SI8',
    efecto: 'bulk requests and folios of the portal are finished 80 hours of the clock after they were made',
    respuesta: 'the request stays in process, from 72 h on as delayed, and ends with its rows',
    horasHastaTerminar: 80,
  },
  {
    clave: 'nueve días',
    moral: 'NUE900215SI6',
    fisica: 'NUEV900215SI0',
    efecto: 'bulk requests and folios of the portal are finished nine days of the clock after they were made',
    respuesta: 'the request stays in process until its deadline, and ends with its rows where that is later',
    horasHastaTerminar: 9 * 24,
  },
  {
    clave: 'cuenta averiada',
    moral: 'AVE900215SI8',
    fisica: 'AVER900215SIA',
    efecto:
      'log-in and bulk service work; every page of a portal behind the log-in is HTTP 500 for it, and for nobody else',
    respuesta: '503/5041 with refund for what the portals show, and nobody else is kept waiting for it',
    falla: { kind: 'status', status: 500, servicios: PORTALES },
  },
  {
    clave: 'quinientos uno',
    moral: 'QUI900215SI6',
    fisica: 'QUIN900215SI5',
    efecto: '501 received CFDI on 2026-03-02 from 10:15:00 to 10:15:59, none else; the portal shows 500',
    respuesta: '501 rows',
    filas: [burst('2026-03-02T10:15:00', 60, 501)],
  },
  {
    clave: 'segundo',
    moral: 'SEG900215SI2',
    fisica: 'SEGU900215SI4',
    efecto:
      '601 received CFDI on 2026-03-02 at 10:15:00, all in that second, more than 500 of them valid; the portal can never show them all',
    respuesta: '503/5041 with refund from the portal, 601 rows from the bulk service',
    filas: [burst('2026-03-02T10:15:00', 1, 601)],
  },
  {
    clave: 'millón',
    moral: 'MIL900215SI3',
    fisica: 'MILL900215SI4',
    efecto: 'exactly 1,000,000 CFDI in May 2026 and 1,000,001 in June 2026, issued and received each',
    respuesta: 'May: 1,000,000 rows; June: divided, because one request is refused with 5003',
    filas: (['emitidos', 'recibidos'] as const).flatMap((tipo) => [
      days(tipo, '2026-05-01', '2026-05-31', 1_000_000),
      days(tipo, '2026-06-01', '2026-06-30', 1_000_001),
    ]),
  },
  {
    clave: 'negativa',
    moral: 'NEG900215SI8',
    fisica: 'NEGA900215SI6',
    efecto: 'negative opinion with omitted obligations and debts',
    respuesta: 'opinion NEGATIVO with its `motivo`',
    opinion: 'NEGATIVO',
  },
  {
    clave: 'suspensión',
    moral: 'SUS900215SI4',
    fisica: 'SUSP900215SI4',
    efecto: 'opinion of a taxpayer in suspension of activities',
    respuesta: 'opinion EN_SUSPENSION',
    opinion: 'EN_SUSPENSION',
  },
  {
    clave: 'sin obligaciones',
    moral: 'SIN900215SI9',
    fisica: 'SINO900215SI5',
    efecto: 'opinion of a taxpayer that is registered without obligations',
    respuesta: 'opinion INSCRITO_SIN_OBLIGACIONES',
    opinion: 'INSCRITO_SIN_OBLIGACIONES',
  },
  {
    clave: 'no inscrito',
    moral: 'NOI900215SIA',
    fisica: 'NOIN900215SI8',
    efecto: 'opinion of somebody who is not registered',
    respuesta: 'opinion NO_INSCRITO',
    opinion: 'NO_INSCRITO',
  },
  {
    clave: 'presunto',
    moral: 'PRE900215SI3',
    fisica: 'PRES900215SI5',
    efecto: 'listed under 69-B as Presunto; issuer listed (ValidacionEFOS 100)',
    respuesta: 'en_efos true',
    listado69b: [{ situacion: 'Presunto', antes: [], isMasked: false }],
  },
  {
    clave: 'desvirtuado',
    moral: 'DES900215SI9',
    fisica: 'DESV900215SI4',
    efecto: 'listed under 69-B as Desvirtuado (ValidacionEFOS 200)',
    respuesta: 'en_efos false',
    listado69b: [{ situacion: 'Desvirtuado', antes: ['Presunto'], isMasked: false }],
  },
  {
    clave: 'definitivo',
    moral: 'DEF900215SI6',
    fisica: 'DEFI900215SI1',
    efecto: 'listed under 69-B as Definitivo; issuer listed (ValidacionEFOS 100)',
    respuesta: 'en_efos true',
    listado69b: [{ situacion: 'Definitivo', antes: ['Presunto'], isMasked: false }],
  },
  {
    clave: 'sentencia favorable',
    moral: 'SEN900215SI9',
    fisica: 'SENT900215SI3',
    efecto: 'listed under 69-B as Sentencia Favorable (ValidacionEFOS 200)',
    respuesta: 'en_efos false',
    listado69b: [{ situacion: 'Sentencia Favorable', antes: ['Presunto'], isMasked: false }],
  },
  {
    clave: 'historial',
    moral: 'HIS900215SI5',
    fisica: 'HIST900215SI1',
    efecto: 'listed under 69-B as Sentencia Favorable after having been Presunto and Definitivo (ValidacionEFOS 200)',
    respuesta: 'en_efos false, with its whole history',
    listado69b: [{ situacion: 'Sentencia Favorable', antes: ['Presunto', 'Definitivo'], isMasked: false }],
  },
  {
    clave: 'reincidente',
    moral: 'REI900215SI5',
    fisica: 'REIN900215SI9',
    efecto: 'listed under 69-B twice: Desvirtuado, and six years later Definitivo (ValidacionEFOS 100)',
    respuesta: 'en_efos true, with both proceedings',
    listado69b: [
      { situacion: 'Desvirtuado', antes: ['Presunto'], isMasked: false },
      { situacion: 'Definitivo', antes: ['Presunto'], isMasked: false },
    ],
  },
  {
    clave: 'enmascarado',
    moral: 'ENM900215SI1',
    fisica: 'ENMA900215SI4',
    efecto: 'listed under 69-B as Definitivo with X in place of its RFC (ValidacionEFOS 100)',
    respuesta: 'en_efos false: the list does not tell whose record it is',
    listado69b: [{ situacion: 'Definitivo', antes: ['Presunto'], isMasked: true }],
  },
  {
    clave: 'incumplido',
    moral: 'INC900215SI9',
    fisica: 'INCU900215SI6',
    efecto: 'listed under 69 as firme and no localizado, and among the seals without effect; not under 69-B',
    respuesta: 'en_efos false, with the three lists in `listas`',
    listados: {
      'Firmes.csv': ['FIRMES'],
      'No_localizados.csv': ['NO LOCALIZADOS'],
      'CSDsinefectos.csv': ['FRACCION X'],
    },
  },
  {
    clave: 'e.firma vencida',
    moral: 'VEN900215SI6',
    fisica: 'VENC900215SI1',
    efecto: '`POST /control/efirma` issues it e.firmas that ended a day ago',
    respuesta: '4001 when it is registered, and 4002 for what needs it',
    efirma: 'vencida',
  },
  {
    clave: 'e.firma revocada',
    moral: 'REV900215SI8',
    fisica: 'REVO900215SI0',
    efecto: '`POST /control/efirma` issues it e.firmas that are revoked at once',
    respuesta: 'registered (the files do not tell), then 4002 when the SAT refuses it',
    efirma: 'revocada',
  },
];

function wallTime(text: string): number {
  const time = parseWallTime(text);
  if (time === null) throw new RangeError(`"${text}" is no date`);
  return time;
}

function burst(from: string, segundos: number, cantidad: number): Filas {
  const desde = wallTime(from);
  return { documento: 'cfdi', tipo: 'recibidos', desde, hasta: desde, segundos, cantidad };
}

function days(tipo: Tipo, desde: string, hasta: string, cantidad: number): Filas {
  const documento: Documento = 'cfdi';
  return { documento, tipo, desde: wallTime(desde), hasta: wallTime(hasta), cantidad };
}
