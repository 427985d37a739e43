import { url } from '@acuse/runtime';

/** For the API. */
export const conexionFields = {
  API_PUBLIC_URL: url('Dirección de la API para quien la llama.').default('http://127.0.0.1:8080'),
};

export interface ConexionConfig {
  readonly API_PUBLIC_URL: string;
}
