import type { CampoErroneo, CfdiError, DatosError, NombreError } from '@acuse/contract';
import type {
  AccessSnapshot,
  CanalSat,
  Credencial,
  CredencialEfirma,
  NombreConsulta,
  TipoCredencial,
} from '@acuse/core';
import type { ApiKey } from '@acuse/vault';
import type { z } from 'zod';
import type { ApiDeps } from '../api-deps.ts';
import type { ApiSettings } from '../api-settings.ts';

/** The credential label of an operation (specification, Endpoints). */
export type CredencialPedida = 'api-key' | 'ciec' | 'efirma' | 'ciec-o-efirma';

/** What is really enough to run it, where that differs from the label. */
export type CredencialAceptada = CredencialPedida | 'ciec-o-efirma-o-id-cif';

/** Whose RFC stands in the body: the key's own (registered, or not yet), anybody's, or none. */
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
  /** Says what is wrong with it, in Spanish, or null. */
  readonly check?: (bytes: Buffer, settings: ApiSettings) => string | null;
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

/** What every handler is given beside its body. */
export interface ContextoBase {
  readonly deps: ApiDeps;
  readonly access: AccessSnapshot;
  /** Path of the operation without the /api/v1/ prefix. */
  readonly operacion: string;
  /** The caller's key. Its secret is zeroed when the request ends. */
  readonly apiKey: ApiKey;
  readonly ip: string;
  readonly requestId: string;
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
  devolver(motivo: string): void;
}

export type Contexto<
  A extends CredencialAceptada = 'api-key',
  E extends NombreError = NombreError,
  S extends Record<string, Secreto> = Record<never, Secreto>,
> = ContextoBase &
  Apertura<A> & {
    readonly secretos: Secretos<S>;
    /** Makes an error of the declared ones. Returns it: `throw` stays visible. */
    error(nombre: E, datos?: DatosError, cause?: unknown): CfdiError;
  };

/** What `handle` has to return: the input of the data schema, or nothing when the operation answers no data. */
export type Resultado<D extends z.ZodType | null> = D extends z.ZodType ? z.input<D> : undefined;

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
  /** Credits. */
  readonly cost: 0 | 1;
  readonly rfc: RfcPedido;
  /** What it asks of the tax authority while the caller waits, or has the workers ask. */
  readonly asks?: readonly NombreConsulta[];
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
