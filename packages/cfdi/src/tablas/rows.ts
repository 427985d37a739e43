import { type Collector, collectFacts, createReader, type Facts, type Reader } from '../facts.ts';
import { XmlIlegible } from '../ilegible.ts';
import type { OpenElement, ReadAttribute } from '../xml/scanner.ts';
import { CONCEPTO, type Column, DOCUMENTO, IMPUESTO, PAGO, TABLES, type Table } from './columns.ts';

/** Values in the order of the columns of its table. */
export type Row = readonly (string | null)[];
export type Rows = Readonly<Record<Table, readonly Row[]>>;
export interface FactsAndRows {
  readonly facts: Facts;
  /** Without rows for payrolls (TipoDeComprobante N), which are personal data, and for version 3.2. */
  readonly rows: Rows;
}

/** Rows of one document, which wait for its UUID in memory. A row takes at least 150 bytes of a CFDI. */
const MAX_ROWS = 250_000;

/** Rows without their first column, and where the reader is. */
interface State {
  readonly rows: Record<Table, (string | null)[][]>;
  conceptos: number;
  pagos: number;
  documentos: number;
  pago: (string | null)[];
  relation: string | null;
}

type Step = (state: State, read: ReadAttribute) => void;

/** A place in a CFDI, with the step for its elements. */
interface Place {
  readonly uri: string;
  readonly children: Map<string, Place>;
  step: Step | null;
}

const valuesOf = (columns: readonly Column[], read: ReadAttribute, suffix = '') =>
  columns.map(({ attribute }) => read(`${attribute}${suffix}`));
const inUpperCase = (value: string | null | undefined) => value?.toUpperCase() ?? null;

const concepto: Step = (state, read) => {
  state.conceptos += 1;
  state.rows.conceptos.push([`${state.conceptos}`, ...valuesOf(CONCEPTO, read)]);
};

const pago: Step = (state, read) => {
  state.pagos += 1;
  state.documentos = 0;
  state.pago = [`${state.pagos}`, ...valuesOf(PAGO, read)];
  state.rows.pagos.push([...state.pago, null, ...DOCUMENTO.map(() => null)]);
};

/** The first document of a payment takes the row that the payment has without documents. */
const documento: Step = (state, read) => {
  if (state.documentos === 0) state.rows.pagos.pop();
  state.documentos += 1;
  const values = valuesOf(DOCUMENTO, (name) => {
    if (name === 'IdDocumento') return inUpperCase(read(name));
    return read(name) ?? (name === 'EquivalenciaDR' ? read('TipoCambioDR') : null);
  });
  state.rows.pagos.push([...state.pago, `${state.documentos}`, ...values]);
};

const relation: Step = (state, read) => {
  state.relation = read('TipoRelacion');
};
const related: Step = (state, read) => {
  state.rows['relacionados'].push([state.relation, inUpperCase(read('UUID'))]);
};

/** Numbers of the element that a tax belongs to: that of the concept or payment, and that of the document. */
const NUMBERS: Readonly<Record<string, (state: State) => (string | null)[]>> = {
  comprobante: () => [null, null],
  concepto: ({ conceptos }) => [`${conceptos}`, null],
  pago: ({ pagos }) => [`${pagos}`, null],
  documento: ({ pagos, documentos }) => [`${pagos}`, `${documentos}`],
};

type Path = readonly [path: string, step: Step];

/** The paths of both kinds of taxes below `path`. Their names, and those of their attributes, end in `suffix`. */
function taxes(path: string, scope: string, suffix = ''): readonly Path[] {
  return ['Traslado', 'Retencion'].map((name) => {
    const group = name === 'Traslado' ? 'Traslados' : 'Retenciones';
    const step: Step = (state, read) => {
      const numbers = NUMBERS[scope]?.(state) ?? [];
      state.rows.impuestos.push([scope, ...numbers, name.toLowerCase(), ...valuesOf(IMPUESTO, read, suffix)]);
    };
    return [`${path}Impuestos${suffix}/${group}${suffix}/${name}${suffix}`, step];
  });
}

const PAGOS_10 = 'Complemento/{http://www.sat.gob.mx/Pagos}Pagos/Pago';
const PAGOS_20 = 'Complemento/{http://www.sat.gob.mx/Pagos20}Pagos/Pago';

const PATHS: readonly Path[] = [
  ['CfdiRelacionados', relation],
  ['CfdiRelacionados/CfdiRelacionado', related],
  ['Conceptos/Concepto', concepto],
  ...taxes('Conceptos/Concepto/', 'concepto'),
  ...taxes('', 'comprobante'),
  ...[PAGOS_10, PAGOS_20].flatMap((path): Path[] => [
    [path, pago],
    [`${path}/DoctoRelacionado`, documento],
  ]),
  ...taxes(`${PAGOS_10}/`, 'pago'),
  ...taxes(`${PAGOS_20}/`, 'pago', 'P'),
  ...taxes(`${PAGOS_20}/DoctoRelacionado/`, 'documento', 'DR'),
];

/** The places of all paths below a Comprobante. A name without namespace has that of the one before it. */
function createPlaces(root: string): Place {
  const top: Place = { uri: root, children: new Map(), step: null };
  for (const [path, step] of PATHS) {
    let place = top;
    for (const [, uri = place.uri, local = ''] of path.matchAll(/(?:\{([^}]+)\})?([^/{}]+)(?:\/|$)/g)) {
      const child: Place = place.children.get(uri + local) ?? { uri, children: new Map(), step: null };
      place.children.set(uri + local, child);
      place = child;
    }
    place.step = step;
  }
  return top;
}

const PLACES = new Map(
  ['http://www.sat.gob.mx/cfd/3', 'http://www.sat.gob.mx/cfd/4'].map((uri) => [uri, createPlaces(uri)]),
);

/** A reader of the facts of a CFDI and the rows of its tables. */
export const createRowsReader = (): Reader<FactsAndRows> => createReader(collectRows);

function collectRows(): Collector<FactsAndRows> {
  const facts = collectFacts();
  const rows = Object.fromEntries([...TABLES.keys()].map((table) => [table, []])) as unknown as State['rows'];
  const state: State = { rows, conceptos: 0, pagos: 0, documentos: 0, pago: [], relation: null };
  const places: (Place | null)[] = [];
  let count = 0;
  const open: OpenElement = (uri, local, depth, read) => {
    facts.open(uri, local, depth, read);
    const parent = places[depth - 1] ?? null;
    const place = depth === 0 ? topOf(uri, read) : parent === null ? null : (parent.children.get(uri + local) ?? null);
    places[depth] = place;
    if (!place?.step) return;
    if (count === MAX_ROWS) throw new XmlIlegible('DEMASIADO_GRANDE');
    count += 1;
    place.step(state, read);
  };
  const result = () => {
    const found = facts.result();
    if (found.version !== '3.2') for (const row of Object.values(rows).flat()) row.unshift(found.uuid);
    return { facts: found, rows };
  };
  return { open, result };
}

/** The places of a Comprobante; null for a payroll and for version 3.2, which have no rows. */
function topOf(uri: string, read: ReadAttribute): Place | null {
  return read('TipoDeComprobante') === 'N' || read('Version') === null ? null : (PLACES.get(uri) ?? null);
}
