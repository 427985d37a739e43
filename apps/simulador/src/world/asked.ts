import { magiaDe } from './magia.ts';
import type { Settings } from './settings.ts';
import { DAY, type WallTime } from './wall-time.ts';

/** How often each thing was asked for that changes with being asked again. */
type Asked = ReturnType<typeof createAsked>;

/** Creates a count in which nothing was asked for yet. */
export function createAsked() {
  const counts = new Map<string, number>();
  return {
    /** How often a key was asked for before; asking counts. */
    before: (key: string) => {
      const count = counts.get(key) ?? 0;
      counts.set(key, count + 1);
      return count;
    },
  };
}

/** What a search or a request asks for; of its interval the day counts on which it begins. */
type Pregunta = { inicio: WallTime; fin: WallTime; corte?: WallTime } & Readonly<Record<string, unknown>>;

/**
 * Whether a search of the portal or a request of the web service finds nothing though there may be rows, as users
 * report of both (sources: PROTOCOLS.md, "Magic RFCs"). Each call counts as one time that this was asked for: the same
 * criteria from the same day on, by the same channel, wherever they end.
 */
export function isVacioFalso(
  counts: Counts,
  rfc: string,
  canal: 'portal' | 'servicio web',
  { inicio, fin: _, corte: _corte, ...criterios }: Pregunta,
): boolean {
  const vacio = magiaDe(rfc)?.vacioFalso;
  if (vacio !== 'primera vez') return vacio === canal;
  return isFirst(counts, rfc, [canal, Math.floor(inicio / DAY), criterios]);
}

/** Whether a search of the returns of a year finds nothing though there may be some. */
export function isBusquedaVaciaFalsa(
  counts: Counts,
  rfc: string,
  service: string,
  criterios: readonly (string | number)[],
): boolean {
  return magiaDe(rfc)?.vacioFalso === 'primera vez' && isFirst(counts, rfc, [service, ...criterios]);
}

/** Whether a mailbox shows nothing, in all of a session, though there may be something. */
export function isBuzonVacioFalso(
  counts: Counts,
  { rfc, notes }: { rfc: string; notes: Map<string, string> },
  service: string,
): boolean {
  if (magiaDe(rfc)?.vacioFalso !== 'primera vez') return false;
  const noted = notes.get('vacio falso') ?? String(isFirst(counts, rfc, [service]));
  notes.set('vacio falso', noted);
  return noted === 'true';
}

type Counts = { asked: Asked; settings: Pick<Settings, 'vacios_falsos'> };

const isFirst = ({ asked, settings }: Counts, rfc: string, what: readonly unknown[]) =>
  asked.before(JSON.stringify(['vacio falso', rfc, ...what])) < settings.vacios_falsos;

/** Whether the web service refuses a valid e.firma with 305, by the number of its certificate. */
export function isRechazada(asked: Asked, service: string, { rfc, numero }: { rfc: string; numero: string }): boolean {
  const rechazo = magiaDe(rfc)?.rechazo305;
  if (rechazo !== 'primera vez') return rechazo === 'siempre';
  return asked.before(JSON.stringify(['305', service, numero])) === 0;
}

/**
 * Refuses the next `captchas_rechazados` right answers of any taxpayer, and before each accepted answer of a magic RFC
 * as many as its magic says.
 */
export function createCaptchaRefusals(settings: Pick<Settings, 'captchas_rechazados'>) {
  const refused = new Map<string, number>();
  return {
    /** Whether this right answer is to be taken for a wrong one; asking counts as an attempt. */
    refuses: (rfc: string) => {
      if (settings.captchas_rechazados > 0) {
        settings.captchas_rechazados -= 1;
        return true;
      }
      const count = refused.get(rfc) ?? 0;
      const isRefused = count < (magiaDe(rfc)?.captchasRechazados ?? 0);
      if (isRefused) refused.set(rfc, count + 1);
      else refused.delete(rfc);
      return isRefused;
    },
  };
}
