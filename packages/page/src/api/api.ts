/** Body of a call: the values of its fields. */
export type Cuerpo = Readonly<Record<string, string | number | boolean | readonly string[]>>;

export interface ApiCall {
  /** Path without /api/v1/, of an operation that the API has described itself. */
  readonly nombre: string;
  readonly cuerpo: Cuerpo;
  readonly apiKey: string;
  /** Of the person in front of the panel; the API believes it when it trusts the panel as a proxy. */
  readonly ip: string;
  readonly idempotencyKey: string | null;
}

export type ApiAnswer =
  | {
      readonly tipo: 'respuesta';
      readonly status: number;
      readonly texto: string;
      /** The answer went on after `texto`. */
      readonly cortado: boolean;
      readonly requestId: string | null;
      readonly ms: number;
    }
  | { readonly tipo: 'sin-respuesta'; readonly motivo: 'tiempo' | 'conexion'; readonly ms: number };

/** The way from the panel to the API of the same installation. */
export interface ApiClient {
  /** Calls one operation. Never rejects. */
  call(call: ApiCall): Promise<ApiAnswer>;
  /** The API's description of itself. Rejects when it does not answer. */
  describe(): Promise<unknown>;
}

/** The value of a JSON text; undefined for any other text. */
export function readJson(texto: string): unknown {
  try {
    return JSON.parse(texto);
  } catch {
    return undefined;
  }
}
