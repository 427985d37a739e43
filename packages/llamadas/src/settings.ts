import { bool } from '@acuse/runtime';

/** Settings of the API. */
export const llamadasFields = {
  LLAMADAS_REGISTRO: bool(
    'Guarda 30 días, sin contenido, cuándo y con qué resultado se llamó: lo muestran llamadas/listar y el panel.',
  ).default(true),
};

export interface LlamadasConfig {
  readonly LLAMADAS_REGISTRO: boolean;
}
