import { instante, rfcData, soloRfc } from '@acuse/operation';
import { LlaveRechazada, openLlaveDe, storedCertificado, storeLlave } from '@acuse/vault';
import { z } from 'zod';
import { requireStored } from '../../http/credenciales.ts';
import { defineOperation } from '../../operation.ts';

const MAX_BYTES = 128 * 1_024;

export default defineOperation({
  summary: 'Guardar la llave privada de la e.firma',
  description:
    'Comprueba que la .key abre con su contraseña y es la pareja del .cer registrado, y la guarda cifrada con AES-256-GCM. La contraseña no se guarda. Se borra a la hora. Las solicitudes que esperaban la llave continúan.',
  credential: 'api-key',
  effect: 'changes',
  cost: 0,
  rfc: 'propio-sin-registrar',
  body: soloRfc,
  secretos: {
    key: {
      required: true,
      encoding: 'base64',
      maxBytes: MAX_BYTES,
      description: 'Contenido del archivo .key en base64.',
      example: 'MIIFDjBABgkqhkiG9w0BBQ0wMzAbBgkqhkiG9w0BBQwwDgQI',
    },
    password: {
      required: true,
      encoding: 'texto',
      maxBytes: 1_024,
      description: 'Contraseña de la .key.',
      example: 'contraseña-de-la-llave',
    },
  },
  data: z.object({ rfc: rfcData, expira_en: instante('Cuándo se borra la llave.') }),
  errors: ['EFIRMA_NO_DISPONIBLE', 'LLAVE_INVALIDA'],

  async handle({ rfc }, contexto) {
    const { deps, access, apiKey, secretos, error } = contexto;
    const ahora = await deps.boveda.now();
    try {
      const certificado = storedCertificado(access, apiKey, ahora, deps.keyring);
      const key = openLlaveDe(certificado, secretos.key, secretos.password);
      try {
        const expiraEn = requireStored(await storeLlave(certificado, key, ahora, contexto, deps));
        return { rfc, expira_en: expiraEn.toISOString() };
      } finally {
        key.fill(0);
      }
    } catch (cause) {
      if (!(cause instanceof LlaveRechazada)) throw cause;
      const { clase, campo, motivo } = cause;
      throw error(clase, campo === null ? { motivo } : { campo, motivo }, cause);
    }
  },
});
