/**
 * The lists of the Código Fiscal de la Federación on which the SAT names taxpayers, beside that of article 69-B; `CSD` is
 * that of article 17-H.
 */
export const OTRAS_LISTAS = ['69', '69-B Bis', 'CSD'] as const;
export type OtraLista = (typeof OTRAS_LISTAS)[number];

/** A file that the SAT publishes: a list, or one of those that make up the list of article 69. */
interface DatosListado {
  readonly lista: '69-B' | OtraLista;
  /** What people call it. Spanish. */
  readonly nombre: string;
  /** What a row without a word of its own says. */
  readonly supuesto: string;
  /** Fewer rows than that are not all of the SAT's, whatever was there before. */
  readonly minFilas: number;
  /** Part of the current version's rows that a new one has to have. */
  readonly resto: number;
}

/** Of a file that tells no least size none is known. */
const del69 = (nombre: string, supuesto: string, minFilas = 1) =>
  ({ lista: '69', nombre: `Artículo 69: ${nombre}`, supuesto, minFilas, resto: 0.5 }) as const;

/**
 * Every published file. Lists of article 69 lose taxpayers that pay or are found again, so that half of their rows may
 * go; 69-B and the seals without effect only grow. Least sizes: half of those of August 2026, or fewer.
 */
export const LISTADOS = {
  '69-b': { lista: '69-B', nombre: 'Artículo 69-B (EFOS)', supuesto: '', minFilas: 10_000, resto: 0.9 },
  '69-b-bis': { lista: '69-B Bis', nombre: 'Artículo 69-B Bis', supuesto: '', minFilas: 1, resto: 0.5 },
  csd: {
    lista: 'CSD',
    nombre: 'CSD sin efectos (artículo 17-H)',
    supuesto: 'CSD SIN EFECTOS',
    minFilas: 20_000,
    resto: 0.9,
  },
  firmes: del69('créditos firmes', 'FIRMES', 100_000),
  exigibles: del69('créditos exigibles', 'EXIGIBLES', 1_000),
  'no-localizados': del69('no localizados', 'NO LOCALIZADOS', 20_000),
  cancelados: del69('créditos cancelados', 'CANCELADOS', 80_000),
  sentencias: del69('sentencias condenatorias', 'SENTENCIAS', 200),
  'entes-publicos': del69('entes públicos omisos', 'ENTES PÚBLICOS OMISOS', 1_000),
  'reduccion-74': del69('reducción de multas (artículo 74)', 'REDUCCIÓN ART. 74'),
  'condonados-146b': del69('condonados (artículo 146-B)', 'CONDONADOS ART. 146-B'),
  'condonados-21': del69('condonados (artículo 21)', 'CONDONADOS ART. 21'),
  'condonados-decreto': del69('condonados por decreto', 'CONDONADOS POR DECRETO'),
  'condonados-2007-2015': del69('condonados de 2007 a 2015', 'CONDONADOS 2007-2015'),
  'cancelados-2007-2015': del69('cancelados de 2007 a 2015', 'CANCELADOS 2007-2015'),
  'retorno-inversiones': del69('retorno de inversiones', 'RETORNO DE INVERSIONES'),
} as const satisfies Record<string, DatosListado>;

/** How a published file is called in orders, settings, rows and metrics. */
export type ClaveListado = keyof typeof LISTADOS;
export const CLAVES_LISTADO = Object.keys(LISTADOS) as readonly ClaveListado[];

export const isClaveListado = (text: string): text is ClaveListado => Object.hasOwn(LISTADOS, text);
