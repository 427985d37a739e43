import type { Fault } from './faults.ts';
import { MAGIAS } from './magia/catalogo.ts';
import type { Settings } from './settings.ts';
import type { Filas } from './taxpayers/schedule.ts';

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
  falla?: Pick<Fault, 'kind' | 'status'> & {
    espera?: 'ms_lento' | 'ms_colgado';
    servicios?: readonly string[];
  };
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
  /** What is wrong with every e.firma that the simulator issues to it. */
  efirma?: 'vencida' | 'revocada';
};

const byRfc = new Map(MAGIAS.flatMap((magia) => [magia.moral, magia.fisica].map((rfc) => [rfc, magia])));

/** The magic of an RFC (any letter case), or null. */
export function magiaDe(rfc: string): Magia | null {
  return byRfc.get(rfc.toUpperCase()) ?? null;
}

/** The fault that an RFC brings with it to every call of a service, or null. */
export function implicitFault(
  service: string,
  rfc: string,
  settings: Pick<Settings, 'ms_lento' | 'ms_colgado'>,
): Fault | null {
  const falla = magiaDe(rfc)?.falla;
  if (!falla) return null;
  const { espera, servicios, ...fault } = falla;
  if (servicios && !servicios.includes(service)) return null;
  return { service, rfc, ...fault, ...(espera && { ms: settings[espera] }) };
}
