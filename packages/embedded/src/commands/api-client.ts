/** An answer of the API that is not a success. */
export class Refused extends Error {
  readonly status: number;
  readonly codigo: number;

  constructor(path: string, status: number, codigo: number, texto: string) {
    super(`${path}: HTTP ${status}, cfdi_codigo ${codigo}: ${texto}`);
    this.name = 'Refused';
    this.status = status;
    this.codigo = codigo;
  }
}

export type Call = <T>(path: string, body: Record<string, unknown>) => Promise<T>;

/** Calls operations as an integrator does; gives `data`. @throws Refused for any answer but a success. */
export function createCaller(apiUrl: string, apiKey: string): Call {
  return async <T>(path: string, body: Record<string, unknown>) => {
    const response = await fetch(`${apiUrl}/api/v1/${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        'user-agent': 'acuse-demo/1.0',
      },
      body: JSON.stringify(body),
    });
    const answer = (await response.json()) as { cfdi_codigo: number; cfdi_texto: string; data: T };
    if (answer.cfdi_codigo !== 1) throw new Refused(path, response.status, answer.cfdi_codigo, answer.cfdi_texto);
    return answer.data;
  };
}
