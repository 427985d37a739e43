import type { Clock } from '../clock.ts';
import { magiaDe } from '../magia.ts';
import { formatWallTime, type WallTime, wallTimeOf } from '../wall-time.ts';
import { keyOf } from './mix.ts';
import { type CambioPerfil, changeProfile, generateProfile, type Perfil } from './perfil.ts';
import { generateName, isRfc } from './persona.ts';
import { createRow, type Documento, generateContrapartes, type Persona, type Row, type Tipo } from './row.ts';
import { createDailySchedule, createFixedSchedule, type Filas, type Schedule } from './schedule.ts';

type Taxpayer = {
  rfc: string;
  nombre: string;
  tipoPersona: 'fisica' | 'moral';
  ciec: string;
  /** Rows asked for by name, which then are the only ones; null: the generated handful a day. */
  filas: readonly Filas[] | null;
  /** Whether its packages carry junk entries; null: every third package does. */
  basura: boolean | null;
};

type TaxpayerChange = Partial<Pick<Taxpayer, 'nombre' | 'ciec' | 'filas' | 'basura'>> & {
  /** Parts of the profile that replace the generated ones; each change replaces the one before. */
  perfil?: CambioPerfil;
};

type RowOptions = {
  documento?: Documento | undefined;
  /** Generated rows later than this do not exist yet; default: the clock's now. Rows asked for by name always exist. */
  corte?: WallTime | undefined;
  /** How many rows to leave out at the beginning. */
  skip?: number | undefined;
};

/** Every well-formed RFC is a taxpayer; the same seed and RFC always give the same one. */
export type Taxpayers = ReturnType<typeof createTaxpayers>;

type Family = { schedule: Schedule; titular: Persona; contrapartes: Persona[]; isFixed: boolean };

/** Creates the taxpayers of `settings.semilla`. */
export function createTaxpayers(deps: { clock: Clock; settings: { semilla: string } }) {
  const changes = new Map<string, TaxpayerChange>();
  /** When a row was cancelled by order, by its UUID. */
  const cancelled = new Map<string, string>();
  const asKnown = (row: Row): Row => {
    const fechaCancelacion = cancelled.size === 0 ? undefined : cancelled.get(row.uuid);
    return fechaCancelacion === undefined ? row : { ...row, estatus: 'Cancelado', fechaCancelacion };
  };

  /** Throws RangeError when the text has not the form of an RFC. */
  const taxpayer = (rfc: string): Taxpayer => {
    if (!isRfc(rfc)) throw new RangeError(`"${rfc}" no tiene la forma de un RFC`);
    const isMoral = rfc.length === 12;
    const { perfil: _, ...change } = changes.get(rfc) ?? {};
    return {
      rfc,
      nombre: generateName(keyOf(deps.settings.semilla, rfc, 'nombre'), 0, isMoral),
      tipoPersona: isMoral ? 'moral' : 'fisica',
      ciec: `Ciec${rfc}`.padEnd(16, '0').slice(0, 16),
      filas: magiaDe(rfc)?.filas ?? null,
      basura: null,
      ...change,
    };
  };

  const familyOf = (rfc: string, tipo: Tipo, documento: Documento): Family => {
    const { nombre, filas } = taxpayer(rfc);
    const key = keyOf(deps.settings.semilla, rfc, documento, tipo);
    const own = filas?.filter((some) => some.tipo === tipo && some.documento === documento);
    return {
      schedule: own ? createFixedSchedule(deps.settings.semilla, rfc, own) : createDailySchedule(key, documento),
      titular: { rfc, nombre },
      contrapartes: generateContrapartes(key),
      isFixed: own !== undefined,
    };
  };

  const lastOf = (family: Family, fin: WallTime, corte: WallTime | undefined) =>
    family.isFixed ? fin : Math.min(fin, corte ?? wallTimeOf(deps.clock.now()));

  return {
    taxpayer,
    change: (rfc: string, change: TaxpayerChange) => {
      taxpayer(rfc);
      changes.set(rfc, { ...changes.get(rfc), ...change });
      return taxpayer(rfc);
    },
    /** Cancels a row, now by the clock; one that is cancelled stays as it is. */
    cancel: ({ uuid, estatus }: Row) => {
      if (estatus === 'Vigente') cancelled.set(uuid, formatWallTime(wallTimeOf(deps.clock.now())));
    },
    /** What the SAT's registry says of it. Throws RangeError as `taxpayer` does. */
    profile: (rfc: string): Perfil => {
      const { nombre } = taxpayer(rfc);
      const cambio = changes.get(rfc)?.perfil ?? {};
      const perfil = generateProfile(deps.settings.semilla, rfc, nombre, cambio.opinion?.sentido);
      return changeProfile(perfil, cambio);
    },
    /**
     * Whether it is the taxpayer's CIEC; false for a text that is no RFC, and always for the magic RFC whose CIEC is
     * wrong whatever it is.
     */
    isCiec: (rfc: string, ciec: string) => isRfc(rfc) && !magiaDe(rfc)?.isCiecWrong && taxpayer(rfc).ciec === ciec,
    /** Rows issued from `inicio` to `fin`, both inside, by FechaEmision, made one by one. */
    *rows(rfc: string, tipo: Tipo, inicio: WallTime, fin: WallTime, options: RowOptions = {}): Iterable<Row> {
      const { documento = 'cfdi', corte, skip } = options;
      const family = familyOf(rfc, tipo, documento);
      for (const { key, n, emision } of family.schedule.positions(inicio, lastOf(family, fin, corte), skip)) {
        yield asKnown(createRow({ key, titular: family.titular, tipo, contrapartes: family.contrapartes }, n, emision));
      }
    },
    count: (rfc: string, tipo: Tipo, inicio: WallTime, fin: WallTime, options: RowOptions = {}) => {
      const { documento = 'cfdi', corte, skip = 0 } = options;
      const family = familyOf(rfc, tipo, documento);
      return Math.max(0, family.schedule.count(inicio, lastOf(family, fin, corte)) - skip);
    },
    /** The row of a UUID (any letter case) among those of a taxpayer, or null. */
    find: (rfc: string, tipo: Tipo, uuid: string, options: Omit<RowOptions, 'skip'> = {}): Row | null => {
      const { documento = 'cfdi', corte } = options;
      const family = familyOf(rfc, tipo, documento);
      const wanted = uuid.toUpperCase();
      const last = lastOf(family, Number.POSITIVE_INFINITY, corte);
      for (const { key, n, emision } of family.schedule.candidates(Number.parseInt(wanted.slice(0, 8), 16))) {
        // An unknown UUID leads to any day, even one beyond the calendar.
        if (emision > last) continue;
        const row = createRow({ key, titular: family.titular, tipo, contrapartes: family.contrapartes }, n, emision);
        if (row.uuid === wanted) return asKnown(row);
      }
      return null;
    },
  };
}
