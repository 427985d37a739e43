import type { ApiSettings } from '../../api-settings.ts';
import { storeCredencial } from '../../credenciales/store-credencial.ts';
import { soloRfc } from '../../data-fields.ts';
import { defineOperation } from '../../http/define-operation.ts';

/** Counts characters, not bytes, without making a string: a byte of UTF-8 that continues a character has the bits 10. */
function checkCiec(bytes: Buffer, { ciecLength: { min, max } }: ApiSettings): string | null {
  const characters = bytes.reduce((count, byte) => (byte >> 6 === 0b10 ? count : count + 1), 0);
  if (characters >= min && characters <= max) return null;
  return min === max ? `debe tener ${max} caracteres` : `debe tener de ${min} a ${max} caracteres`;
}

export default defineOperation({
  summary: 'Guardar la CIEC',
  description:
    'Guarda la contraseña del SAT cifrada con AES-256-GCM bajo una llave derivada de la API key. Reemplaza a la anterior. Al generar otra API key hay que guardarla de nuevo.',
  credential: 'api-key',
  cost: 0,
  rfc: 'propio',
  body: soloRfc,
  secretos: {
    ciec: {
      required: true,
      encoding: 'texto',
      maxBytes: 256,
      description: 'Contraseña del SAT (CIEC), 16 caracteres.',
      example: 'Ejemplo-CIEC-016',
      check: checkCiec,
    },
  },
  data: null,
  errors: [],

  async handle({ rfc }, contexto) {
    const { ciec } = contexto.secretos;
    await storeCredencial({ tipo: 'ciec', rfc, ciec }, 'ciec', {}, contexto);
    return undefined;
  },
});
