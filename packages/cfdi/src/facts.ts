import { XmlIlegible } from './ilegible.ts';
import { type OpenElement, type ReadAttribute, Scanner } from './xml/scanner.ts';

const TIMBRE = 'http://www.sat.gob.mx/TimbreFiscalDigital';
const CFD_3 = 'http://www.sat.gob.mx/cfd/3';
const CFD_4 = 'http://www.sat.gob.mx/cfd/4';
const UUID = /^[\dA-F]{8}-[\dA-F]{4}-[\dA-F]{4}-[\dA-F]{4}-[\dA-F]{12}$/;

/** Facts of one CFDI. Of version 3.2, which ended in 2017, only the version is read. */
export type Facts =
  | { readonly version: '3.2' }
  | {
      readonly version: '3.3' | '4.0';
      /** Folio fiscal of the timbre, in upper case. */
      readonly uuid: string;
      /** As the CFDI has it: `AAAA-MM-DDThh:mm:ss`, the clock of the place of issue. */
      readonly fecha: string;
      /** I, E, T, N or P. */
      readonly tipo: string;
      readonly rfcEmisor: string;
      readonly rfcReceptor: string;
    };

/** Reads documents one after another. Each method throws XmlIlegible; the reader then expects the next document. */
export interface Reader<T> {
  /** Bytes of the document in any pieces; they may change after the call. */
  write(chunk: Uint8Array): void;
  /** Ends the document. */
  end(): T;
  /** Leaves a document before its end. */
  reset(): void;
}

/** What a reader does with the elements of a document. */
export interface Collector<T> {
  readonly open: OpenElement;
  readonly result: () => T;
}

/** A reader with a new collector for each document. */
export function createReader<T>(createCollector: () => Collector<T>): Reader<T> {
  let collector = createCollector();
  const scanner = new Scanner((uri, local, depth, read) => collector.open(uri, local, depth, read));
  const reset = () => {
    scanner.reset();
    collector = createCollector();
  };
  const attempt = <R>(step: () => R): R => {
    try {
      return step();
    } catch (error) {
      reset();
      throw error;
    }
  };
  return {
    write: (chunk) => attempt(() => scanner.write(chunk)),
    end: () => {
      const result = attempt(() => {
        scanner.end();
        return collector.result();
      });
      reset();
      return result;
    },
    reset,
  };
}

/** A reader of the facts of a CFDI alone. */
export const createFactsReader = (): Reader<Facts> => createReader(collectFacts);

/** Collects the facts. Takes the timbre by namespace and place: one in the Addenda is none. */
export function collectFacts(): Collector<Facts> {
  let version: Facts['version'] = '4.0';
  let root = '';
  let isComplement = false;
  let uuid: string | null = null;
  let fecha: string | null = null;
  let tipo: string | null = null;
  let rfcEmisor: string | null = null;
  let rfcReceptor: string | null = null;
  const open: OpenElement = (uri, local, depth, read) => {
    if (depth > 2) return;
    if (depth === 0) {
      version = versionOf(uri, local, read);
      root = uri;
      fecha = read('Fecha');
      tipo = read('TipoDeComprobante');
    } else if (depth === 1) {
      isComplement = local === 'Complemento' && uri === root;
      if (uri === root && local === 'Emisor') rfcEmisor ??= read('Rfc');
      if (uri === root && local === 'Receptor') rfcReceptor ??= read('Rfc');
    } else if (isComplement && local === 'TimbreFiscalDigital' && uri === TIMBRE && version !== '3.2') {
      if (uuid !== null) throw new XmlIlegible('VARIOS_TIMBRES');
      uuid = (read('UUID') ?? '').trim().toUpperCase();
      if (!UUID.test(uuid)) throw new XmlIlegible('UUID_INVALIDO');
    }
  };
  const result = (): Facts => {
    if (version === '3.2') return { version };
    if (uuid === null) throw new XmlIlegible('SIN_TIMBRE');
    if (!fecha || !tipo || !rfcEmisor || !rfcReceptor) throw new XmlIlegible('FALTAN_DATOS');
    return { version, uuid, fecha, tipo, rfcEmisor, rfcReceptor };
  };
  return { open, result };
}

/** The version, which 3.2 has in an attribute of another name. */
function versionOf(uri: string, local: string, read: ReadAttribute): Facts['version'] {
  if (local !== 'Comprobante' || (uri !== CFD_3 && uri !== CFD_4)) throw new XmlIlegible('NO_ES_CFDI');
  const version = read('Version');
  if (uri === CFD_4 && version === '4.0') return version;
  if (uri === CFD_3 && version === '3.3') return version;
  if (uri === CFD_3 && version === null && read('version') === '3.2') return '3.2';
  throw new XmlIlegible('VERSION_DESCONOCIDA');
}
