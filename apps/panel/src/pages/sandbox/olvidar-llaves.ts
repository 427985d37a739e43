import { OPERACIONES } from '@acuse/contract';
import { createLlaveRecordada } from '../../acceso/llave-recordada.ts';
import { defineRuta } from '../../http/ruta.ts';

/**
 * Forgets the API keys that were typed in lately, before their minutes are over. Leads back to the operation that the
 * form names.
 */
export const olvidarLlaves = defineRuta({
  metodo: 'POST',
  path: '/llaves/olvidar',
  acceso: 'cliente',
  async handle(contexto) {
    await createLlaveRecordada(contexto).forget();
    const operacion = OPERACIONES.find(({ path }) => path === contexto.campos['operacion']);
    return contexto.redirigir(operacion ? `/pruebas/${operacion.path}` : '/pruebas', {
      tono: 'exito',
      texto: 'Las API keys que escribió en esta sesión quedaron olvidadas.',
    });
  },
});
