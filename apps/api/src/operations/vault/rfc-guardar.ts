import { soloRfc } from '@acuse/operation';
import { type CiecLength, reparoCiec, storeCredencial } from '@acuse/vault';
import { requireStored } from '../../http/credenciales.ts';
import { defineOperation } from '../../operation.ts';

export default defineOperation({
  summary: 'Guardar la CIEC',
  description:
    'Guarda la contraseña del SAT cifrada con AES-256-GCM bajo una llave derivada de la API key. Reemplaza a la anterior. Al generar otra API key hay que guardarla de nuevo.',
  credential: 'api-key',
  effect: 'changes',
  cost: 0,
  rfc: 'propio-sin-registrar',
  body: soloRfc,
  secretos: {
    ciec: {
      required: true,
      encoding: 'texto',
      maxBytes: 256,
      description:
        'Contraseña del SAT (CIEC): 16 caracteres en un sistema de pruebas; ante el SAT, de 8 a 16, salvo que el operador fije otra cosa (CIEC_LENGTH).',
      example: 'Ejemplo-CIEC-016',
      check: (bytes: Buffer, { ciecLength }: { readonly ciecLength: CiecLength }) => reparoCiec(bytes, ciecLength),
    },
  },
  data: null,
  errors: [],

  async handle({ rfc }, contexto) {
    const { ciec } = contexto.secretos;
    requireStored(await storeCredencial({ tipo: 'ciec', rfc, ciec }, 'ciec', {}, contexto, contexto.deps));
    return undefined;
  },
});
