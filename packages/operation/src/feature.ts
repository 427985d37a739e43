import type { AccessSnapshot, Modo } from '@acuse/core';
import type { Database, Secreto, Solicitudes } from '@acuse/db';
import type { CiecLength, Keyring, Sealer } from '@acuse/vault';
import type { Eventos } from './eventos.ts';
import type { NamedSchemas } from './schema.ts';

/** Dependencies of every operation. */
export interface OperationDeps {
  readonly solicitudes: Pick<Solicitudes, 'find'>;
  /** Seals a credential for the workers. */
  readonly sealer: Sealer;
  /** UUIDv7. */
  readonly newId: () => string;
  readonly settings: { readonly modo: Modo };
  /** Events of the core and of every feature. */
  readonly eventos: Eventos;
}

/** Opens a port that reaches the database. */
export type OpenPort = (database: Database) => object;

/** Ports by the names under which operations find them in their dependencies. */
export type PortsOf<P extends Readonly<Record<string, OpenPort>>> = { readonly [K in keyof P]: ReturnType<P[K]> };

/** Parts of the OpenAPI document. */
export interface DocumentParts {
  /** Section `webhooks`. */
  readonly webhooks: Readonly<Record<string, unknown>>;
  /** Schemas, and the place that each list of them comes from. */
  readonly schemas: readonly (readonly [string, NamedSchemas])[];
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** An answered call of a known key: no body, no secret. */
export interface FinishedCall {
  readonly contribuyenteId: string;
  /** Time of arrival. */
  readonly at: Date;
  /** Identity of its charge. */
  readonly opId: string;
  readonly operacion: string;
  /** HTTP status and `cfdi_codigo` of the answer. */
  readonly status: number;
  readonly codigo: number;
  readonly ms: number;
  readonly requestId: string;
  readonly idempotencyKey: string | null;
}

export interface CallObserver {
  /** Returns at once and never throws: the caller of the API waits. */
  note(call: FinishedCall): void;
  /** Ends after the last call. */
  close(): Promise<void>;
}

/** Log of an observer. */
export interface CallLog {
  warn(fields: Readonly<Record<string, unknown>>, event: string): void;
}

/** Dependencies of pages, beside the ports and parts of their feature. */
export interface WebDeps extends OperationDeps {
  readonly keyring: Keyring;
  readonly log: { error(fields: object, event: string): void };
  readonly apagado: AbortSignal;
  readonly settings: OperationDeps['settings'] & { readonly ciecLength: CiecLength };
}

/** Pages of a feature for people without an API key, each request with its own proof. */
export interface FeatureWeb {
  /** Paths of the API, as its router takes them. */
  readonly paths: readonly string[];
  /** Returns what answers a request from an address. */
  open(deps: WebDeps): (request: Request, ip: string) => Promise<Response>;
}

/** What a feature adds to the API. `Config`: the settings that it reads. */
export interface FeatureApi<Config = unknown> {
  /** Folder of its operations; the file tree below is the URL tree below /api/v1. */
  readonly operations: URL;
  /** Tags of its operations in the OpenAPI document: what readers call each, and its description, in Spanish. */
  readonly tags: Readonly<Record<string, readonly [title: string, description: string]>>;
  /** Ports of its operations; the API limits the time of each call of them. */
  readonly ports: Readonly<Record<string, OpenPort>>;
  /** Secrets of its rows, which the process must know. */
  readonly secretos?: readonly Secreto[];
  /** Opens the other dependencies of its operations. */
  open?(config: Config): object;
  /** Opens an observer of finished calls; null where the settings want none. */
  observe?(config: Config, database: Database, log: CallLog): CallObserver | null;
  readonly eventos?: Eventos;
  readonly web?: FeatureWeb;
  document?(eventos: Eventos): DocumentParts;
}

/** Who does it, for the audit log. */
export const autorOf = ({ apiKey }: Pick<AccessSnapshot, 'apiKey'>, ip: string) => ({
  actor: `api_key:${apiKey.id}`,
  ip,
});
