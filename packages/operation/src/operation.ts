import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { CATALOGO, type CampoErroneo, CfdiError, type DatosError, type NombreError } from '@acuse/contract';
import type {
  AccessSnapshot,
  CanalSat,
  Credencial,
  CredencialEfirma,
  NombreConsulta,
  TipoCredencial,
} from '@acuse/core';
import type { ApiKey, CiecLength } from '@acuse/vault';
import type { z } from 'zod';
import type { OperationDeps } from './feature.ts';

/** The credential label of an operation (specification, Endpoints). */
export type CredencialPedida = 'api-key' | 'ciec' | 'efirma' | 'ciec-o-efirma';

/**
 * What a call does: `reads` answers from Acuse's own data without charge or change; `asks` asks the SAT and may charge;
 * `changes` changes stored state.
 */
export type Efecto = 'reads' | 'asks' | 'changes';

/** The credential that really suffices, where it differs from the label. */
export type CredencialAceptada = CredencialPedida | 'ciec-o-efirma-o-id-cif';

/** Whose RFC the body names: the key's own (registered, or not yet), any, or none. */
type RfcPedido = 'propio' | 'propio-sin-registrar' | 'cualquiera' | 'ninguno';

/** A body field that never becomes a string: it is taken out of the raw bytes and zeroed when the request ends. */
export interface Secreto {
  readonly required: boolean;
  /** `base64` fields are handed over decoded. */
  readonly encoding: 'texto' | 'base64';
  /** Of the decoded value. */
  readonly maxBytes: number;
  readonly description: string;
  readonly example: string;
  /** Returns the Spanish text for a wrong value, or null. */
  readonly check?: (bytes: Buffer, settings: { readonly ciecLength: CiecLength }) => string | null;
}

type Secretos<S extends Record<string, Secreto>> = {
  readonly [K in keyof S]: S[K]['required'] extends true ? Buffer : Buffer | undefined;
};

/** A stored credential that may serve. */
export interface CredencialElegible<C extends Credencial = Credencial> {
  readonly tipo: TipoCredencial;
  /** Where the SAT is asked with it. */
  readonly canal: CanalSat;
  /**
   * Opens it. Wiped by the pipeline when the request ends. Throws a `CfdiError` when it cannot be opened: it then
   * counts as not stored.
   */
  open(): C;
}

type Apertura<A extends CredencialAceptada> = A extends 'api-key'
  ? unknown
  : {
      /** The stored credentials that may serve this operation, in the order of its label. */
      readonly credenciales: readonly CredencialElegible<A extends 'efirma' ? CredencialEfirma : Credencial>[];
    };

/** Context of every call, beside its body. `D`: the dependencies of the handler. */
export interface ContextoBase<D = OperationDeps> {
  readonly deps: D;
  readonly access: AccessSnapshot;
  /** Path of the operation without the /api/v1/ prefix. */
  readonly operacion: string;
  /** The caller's key. Its secret is zeroed when the request ends. */
  readonly apiKey: ApiKey;
  readonly ip: string;
  readonly requestId: string;
  /** Credits that this call is charged. */
  readonly costo: number;
  /** Identity of the charge of this request. */
  readonly opId: string;
  /**
   * The same as `opId` when the caller sent an `Idempotency-Key`, so that a repetition finds what the first attempt
   * made.
   */
  readonly idemKey: string | null;
  /** Credits left after the charge. */
  readonly saldo: number;
  readonly now: Date;
  /** Aborts when the time that a query may take is over, or the process stops. */
  readonly signal: AbortSignal;
  /** Has the charge given back in the commit that settles the answer; `motivo` is the code for the ledger. */
  giveBack(motivo: string): void;
}

export type Contexto<
  D = OperationDeps,
  A extends CredencialAceptada = 'api-key',
  E extends NombreError = NombreError,
  S extends Record<string, Secreto> = Record<never, Secreto>,
> = ContextoBase<D> &
  Apertura<A> & {
    readonly secretos: Secretos<S>;
    /** Makes an error of the declared ones. Returns it: `throw` stays visible. */
    error(nombre: E, datos?: DatosError, cause?: unknown): CfdiError;
  };

/** What `handle` has to return: the input of the data schema, or nothing when the operation answers no data. */
type Resultado<D extends z.ZodType | null> = D extends z.ZodType ? z.input<D> : undefined;

/** The parts of a declaration that need no type parameter. */
export interface DeclaracionBase {
  readonly summary: string;
  readonly description?: string;
  readonly credential: CredencialPedida;
  readonly accepts?: CredencialAceptada;
  /** Which stored credential goes first; unless said, the CIEC where the label is the CIEC, else the e.firma. */
  readonly prefers?: TipoCredencial;
  /** Why it asks for a stored credential, where its label does not: what a caller without one reads. Spanish. */
  readonly needs?: string;
  readonly effect: Efecto;
  /** Days (yyyy-mm-dd) from which it should not be called, and from which it may be gone; absent for one that stays. */
  readonly deprecated?: { readonly since: string; readonly sunset?: string };
  /** Credits. */
  readonly cost: 0 | 1;
  readonly rfc: RfcPedido;
  /** What it asks of the tax authority while the caller waits, or has the workers ask. */
  readonly asks?: readonly NombreConsulta[];
  /**
   * Its `items` are given page by page to who asks for that: its body has `camposDePagina`, its data `siguiente`. What
   * answers a `cursor` is no call of `handle`.
   */
  readonly isPaginada?: boolean;
  /** `in-handler`: the handler debits in the statement that does the work. */
  readonly charge?: 'before' | 'in-handler';
  readonly body: z.ZodObject;
  readonly data: z.ZodType | null;
  readonly errors: readonly NombreError[];
  readonly secretos?: Record<string, Secreto>;
  /** Adds `cfdi_descripcion` and the balance beside `data` (specification, Response envelope). */
  readonly envelope?: { readonly descripcion: string };
}

/** A declaration as the pipeline sees it, whatever its types were. */
export interface Declaracion extends DeclaracionBase {
  readonly accepts: CredencialAceptada;
  readonly charge: 'before' | 'in-handler';
  readonly asks: readonly NombreConsulta[];
  readonly secretos: Record<string, Secreto>;
  readonly check: (body: unknown, now: Date) => CampoErroneo | null;
  readonly handle: (body: unknown, contexto: unknown) => Promise<unknown>;
}

/** A declaration and where it stands. */
export interface Operation extends Declaracion {
  /** Path without the /api/v1/ prefix: `tax/facturas`. */
  readonly path: string;
}

const MARK = Symbol('operation');

/**
 * Declares one operation of an owner whose handlers get `D`. The file's place below `operations/` is the path; the
 * declaration holds everything else. An error outside `errors`, and a result that the data schema would refuse, do not
 * compile.
 */
export type DefineOperation<Deps> = <
  const C extends CredencialPedida,
  B extends z.ZodObject,
  D extends z.ZodType | null,
  const E extends readonly NombreError[],
  const R extends Resultado<D>,
  const A extends CredencialAceptada = C,
  const S extends Record<string, Secreto> = Record<never, Secreto>,
>(
  spec: Omit<DeclaracionBase, 'credential' | 'accepts' | 'body' | 'data' | 'errors' | 'secretos'> & {
    readonly credential: C;
    readonly accepts?: A;
    readonly body: B;
    readonly data: D;
    readonly errors: E;
    readonly secretos?: S;
    /** Rules between fields; run in the body step, before anything is charged. */
    check?(body: z.output<B>, now: Date): CampoErroneo | null;
    handle(body: z.output<B>, contexto: Contexto<Deps, A, E[number], S>): Promise<R>;
  },
) => Declaracion;

/** The definer of operations whose handlers get the dependencies `D`. */
export function operationsWith<Deps extends OperationDeps>(): DefineOperation<Deps> {
  return ({ check, handle, ...rest }) => {
    const declaracion: Declaracion = {
      ...rest,
      accepts: rest.accepts ?? rest.credential,
      charge: rest.charge ?? 'before',
      asks: rest.asks ?? [],
      secretos: rest.secretos ?? {},
      check: (body, now) => check?.(asParsed(body), now) ?? null,
      handle: (body, contexto) => handle(asParsed(body), asParsed(contexto)),
    };
    return Object.assign(declaracion, { [MARK]: true });
  };
}

/**
 * The pipeline hands over only what it parsed with this very declaration's schema, and a context built from its own
 * fields.
 */
function asParsed<T>(value: unknown): T {
  return value as T;
}

/** Whether a module's default export came from a definer of {@link operationsWith}. */
function isDeclaracion(value: unknown): value is Declaracion {
  return typeof value === 'object' && value !== null && MARK in value;
}

const SOURCE = /^(?!.*\.(?:test|d)\.[tj]s$).*\.[tj]s$/;

/**
 * Imports every operation below the folders; the file tree of each is the URL tree below /api/v1. Works on sources and
 * on compiled files. Throws, naming the file, for one without an operation as its default export, for two on a path, and
 * for an unknown error name; and naming the folder, for one without operations.
 */
export async function loadOperations(folders: readonly URL[]): Promise<readonly Operation[]> {
  const operations = new Map<string, Operation>();
  for (const url of folders) {
    const folder = fileURLToPath(url);
    const files = (await readdir(folder, { recursive: true })).filter((file) => SOURCE.test(file)).sort();
    if (files.length === 0) throw new Error(`${folder}: no operations`);
    for (const file of files) {
      const route = file
        .replace(/\.[tj]s$/, '')
        .split(path.sep)
        .join('/');
      const declaracion = await readDeclaracion(path.join(folder, file), file);
      if (operations.has(route)) throw new Error(`${file}: there is another operation on ${route}`);
      operations.set(route, { ...declaracion, path: route });
    }
  }
  return [...operations.values()];
}

async function readDeclaracion(location: string, file: string): Promise<Declaracion> {
  const { default: declaracion }: { default?: unknown } = await import(pathToFileURL(location).href);
  if (!isDeclaracion(declaracion)) throw new Error(`${file}: its default export is no operation`);
  const unknown = declaracion.errors.filter((nombre) => !Object.hasOwn(CATALOGO, nombre));
  if (unknown.length > 0) throw new Error(`${file}: unknown error ${unknown.join(', ')}`);
  return declaracion;
}

const ALWAYS: readonly NombreError[] = [
  'USER_AGENT_NO_PERMITIDO',
  'API_KEY_INVALIDA',
  'API_KEY_REVOCADA',
  'CUENTA_SUSPENDIDA',
  'PRUEBAS_NO_DISPONIBLES',
  'IP_NO_PERMITIDA',
  'DEMASIADAS_PETICIONES',
  'OPERACION_NO_HABILITADA',
  'TIPO_DE_CONTENIDO',
  'CUERPO_DEMASIADO_GRANDE',
  'JSON_INVALIDO',
  'CUERPO_VACIO',
  'CAMPO_FALTANTE',
  'CAMPO_INVALIDO',
  'CAMPO_DESCONOCIDO',
  'IDEMPOTENCIA_EN_CONFLICTO',
  'METODO_NO_PERMITIDO',
  'PARAMETROS_EN_LA_DIRECCION',
  'ERROR_INTERNO',
];

const BY_CREDENCIAL: Record<CredencialAceptada, readonly NombreError[]> = {
  'api-key': [],
  ciec: ['CIEC_NO_GUARDADA', 'CIEC_RECHAZADA', 'EFIRMA_NO_DISPONIBLE'],
  efirma: ['EFIRMA_NO_DISPONIBLE'],
  'ciec-o-efirma': ['CIEC_NO_GUARDADA', 'CIEC_RECHAZADA', 'EFIRMA_NO_DISPONIBLE'],
  'ciec-o-efirma-o-id-cif': ['CIEC_NO_GUARDADA', 'CIEC_RECHAZADA', 'EFIRMA_NO_DISPONIBLE'],
};

/** Every error that an operation can answer: those of the pipeline that its declaration calls for, and its own. */
export function errorsOf(operation: Operation): readonly NombreError[] {
  const { rfc, cost, accepts, asks, errors } = operation;
  const usesEfirma = accepts !== 'api-key' && asks.length > 0;
  return [
    ...new Set<NombreError>([
      ...ALWAYS,
      ...(rfc === 'ninguno' ? [] : (['RFC_INVALIDO'] as const)),
      ...(rfc === 'propio' || rfc === 'propio-sin-registrar' ? (['RFC_AJENO'] as const) : []),
      ...(rfc === 'propio' ? (['RFC_NO_REGISTRADO'] as const) : []),
      ...BY_CREDENCIAL[accepts],
      ...(usesEfirma ? (['EFIRMA_RECHAZADA'] as const) : []),
      'BASE_NO_DISPONIBLE',
      ...(cost > 0 ? (['SALDO_NO_DISPONIBLE', 'SALDO_INSUFICIENTE', 'RESULTADO_INCIERTO'] as const) : []),
      ...errors,
    ]),
  ];
}

/**
 * The working statement found another version of the access snapshot than the one that let the call in. The pipeline
 * reads the snapshot again; when it keeps changing, the error asks the caller to try again.
 */
export class StaleAccess extends CfdiError {
  constructor() {
    super('ACCESO_CAMBIADO', { reintentar_en: 1 });
    this.name = 'StaleAccess';
  }
}
