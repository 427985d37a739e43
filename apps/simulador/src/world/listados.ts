import type { Clock } from './clock.ts';
import { nameOf, withOddLetter } from './listado69b.ts';
import { MAGIAS } from './magia/catalogo.ts';
import type { Settings } from './settings.ts';
import { keyOf, mix, word } from './taxpayers/mix.ts';
import { generateRfc } from './taxpayers/persona.ts';
import { DAY, parseWallTime, type WallTime } from './wall-time.ts';

/** A row of a file of article 69, of the seals without effect, or of 69-B Bis. */
export type RenglonListado = { rfc: string; nombre: string; supuesto: string; publicada: WallTime };

/** A state of a file, and when it was put where it is read. */
export type EdicionListado = { registros: readonly RenglonListado[]; publicada: Date };

/** The files, by the names that they have at the addresses of 2026, and the reasons that their rows give. */
export const LISTADOS = {
  'Firmes.csv': ['FIRMES'],
  'Exigibles.csv': ['EXIGIBLES'],
  'No_localizados.csv': ['NO LOCALIZADOS'],
  'Cancelados.csv': ['CANCELADOS POR INCOSTEABILIDAD', 'CANCELADOS POR INSOLVENCIA'],
  'Sentencias.csv': ['SENTENCIAS'],
  'EntespublicosydeGobiernoomisos.csv': ['ENTES PUBLICOS Y DE GOBIERNO OMISOS'],
  'CSDsinefectos.csv': ['FRACCION X', 'FRACCION I', 'FRACCION XI'],
  'ReduccionArt74CFF.csv': ['REDUCCION DE MULTAS'],
  'Listado_69_B_Bis_Completo.csv': ['Definitivo', 'Sentencia Favorable'],
} as const satisfies Record<string, readonly string[]>;
export type NombreListado = keyof typeof LISTADOS;
export const NOMBRES_LISTADOS = Object.keys(LISTADOS) as readonly NombreListado[];

/** The real list of 69-B Bis named three taxpayers in 2026. */
const BIS: NombreListado = 'Listado_69_B_Bis_Completo.csv';
const FILAS_BIS = 3;
const FIRST_DAY = '2014-01-01';
const DAYS = 4_300;

/** Creates the published files beside the list of article 69-B; rows are made at their first use and after a change. */
export function createListados(deps: {
  clock: Clock;
  settings: Pick<Settings, 'semilla' | 'filas_listados' | 'fecha_listados'>;
  nombreDe(rfc: string): string;
}) {
  const { settings, clock, nombreDe } = deps;
  let replaced = new Map<NombreListado, Map<string, readonly RenglonListado[]>>();
  let replacedAt: Date | null = null;
  let version = 0;
  const current = new Map<NombreListado, { key: string; edicion: EdicionListado }>();

  const generate = (nombre: NombreListado): RenglonListado[] => {
    const key = keyOf(settings.semilla, nombre);
    const random = (slot: number, n: number) => mix(word(key, slot), n);
    const supuestos = LISTADOS[nombre];
    const start = parseWallTime(FIRST_DAY) ?? 0;
    const filas = nombre === BIS ? FILAS_BIS : settings.filas_listados;
    const rows = Array.from({ length: filas }, (_, n): RenglonListado => {
      // Now and then a second credit, or a second period, of the taxpayer before it.
      const person = n % 60 === 59 ? n - 1 : n;
      const isMoral = random(1, person) % 100 < 68;
      const rfc = withOddLetter(generateRfc(key, person, isMoral), person);
      return {
        rfc,
        nombre: nameOf(nombreDe(rfc), isMoral, person),
        supuesto: supuestos[random(2, n) % supuestos.length] ?? supuestos[0],
        publicada: start + (random(3, n) % DAYS) * DAY,
      };
    });
    const magic = MAGIAS.flatMap(({ moral, fisica, listados = {} }) =>
      [moral, fisica].flatMap((rfc) =>
        (listados[nombre] ?? []).map((supuesto) => ({
          rfc,
          nombre: nameOf(nombreDe(rfc), rfc.length === 12, 1),
          supuesto,
          publicada: parseWallTime('2025-02-01') ?? 0,
        })),
      ),
    );
    return [...magic, ...rows];
  };

  return {
    /** A file now: what the settings and the changes say. The same object until something changes. */
    vigente(nombre: NombreListado): EdicionListado {
      const { semilla, filas_listados, fecha_listados } = settings;
      const key = JSON.stringify([semilla, filas_listados, fecha_listados, version]);
      const known = current.get(nombre);
      if (known?.key === key) return known.edicion;
      const changes = replaced.get(nombre) ?? new Map<string, readonly RenglonListado[]>();
      const registros = [
        ...generate(nombre).filter(({ rfc }) => !changes.has(rfc)),
        ...[...changes.values()].flat(),
      ].sort((a, b) => (a.rfc < b.rfc ? -1 : a.rfc > b.rfc ? 1 : a.publicada - b.publicada));
      const published = new Date(`${fecha_listados}T12:00:00-06:00`);
      const edicion = { registros, publicada: changes.size > 0 && replacedAt ? replacedAt : published };
      current.set(nombre, { key, edicion });
      return edicion;
    },
    /** Rows that replace all of the same RFCs in a file from now on; an RFC without rows is taken out. */
    replace(nombre: NombreListado, rows: ReadonlyMap<string, readonly RenglonListado[]>) {
      const changes = replaced.get(nombre) ?? new Map<string, readonly RenglonListado[]>();
      for (const [rfc, registros] of rows) changes.set(rfc, registros);
      replaced.set(nombre, changes);
      replacedAt = clock.now();
      version += 1;
    },
    /** Forgets the replacements. */
    reset() {
      replaced = new Map();
      replacedAt = null;
      version += 1;
    },
  };
}
