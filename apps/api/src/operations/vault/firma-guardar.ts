import { randomBytes } from 'node:crypto';
import type { CredencialEfirma } from '@acuse/core';
import { LlaveInvalida, llaveCorresponde, openLlave, readCertificado } from '@acuse/vault';
import { z } from 'zod';
import {
  MOTIVO_CER_VENCIDO,
  MOTIVO_NO_ES_PAR,
  MOTIVO_SIN_CER,
  MOTIVOS_LLAVE,
} from '../../credenciales/motivos.ts';
import { resumeWaiting } from '../../credenciales/resume-waiting.ts';
import { storeCredencial } from '../../credenciales/store-credencial.ts';
import { openGuardada } from '../../credenciales/stored-credencial.ts';
import { instante, rfcData, soloRfc } from '../../data-fields.ts';
import { defineOperation } from '../../http/define-operation.ts';
import type { ContextoBase } from '../../http/operation.ts';

const MAX_BYTES = 128 * 1_024;
const SHRED_BYTES = 32;

export default defineOperation({
  summary: 'Guardar la llave privada de la e.firma',
  description:
    'Comprueba que la .key abre con su contraseña y es la pareja del .cer registrado, y la guarda cifrada con AES-256-GCM. La contraseña no se guarda. Se borra a la hora. Las solicitudes que esperaban la llave continúan.',
  credential: 'api-key',
  cost: 0,
  rfc: 'propio',
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
      example: '12345678a',
    },
  },
  data: z.object({ rfc: rfcData, expira_en: instante('Cuándo se borra la llave.') }),
  errors: ['EFIRMA_NO_DISPONIBLE', 'LLAVE_INVALIDA'],

  async handle({ rfc }, contexto) {
    const { deps, secretos, error } = contexto;
    const certificado = registeredCertificado(contexto);
    if (certificado === null) throw error('EFIRMA_NO_DISPONIBLE', { motivo: MOTIVO_SIN_CER });
    const ahora = await deps.boveda.now();
    if (certificado.vigenteHasta <= ahora)
      throw error('EFIRMA_NO_DISPONIBLE', { motivo: MOTIVO_CER_VENCIDO });

    let key: Buffer;
    try {
      key = openLlave(secretos.key, secretos.password);
    } catch (cause) {
      if (!(cause instanceof LlaveInvalida)) throw cause;
      const campo = cause.motivo === 'PASSWORD_INCORRECTA' ? 'password' : 'key';
      throw error('LLAVE_INVALIDA', { campo, motivo: MOTIVOS_LLAVE[cause.motivo] }, cause);
    }
    try {
      if (!llaveCorresponde(certificado, key)) {
        throw error('LLAVE_INVALIDA', { campo: 'key', motivo: MOTIVO_NO_ES_PAR });
      }
      const ends = Math.min(
        ahora.getTime() + deps.settings.efirmaTtlSeconds * 1_000,
        certificado.vigenteHasta.getTime(),
      );
      const expiraEn = new Date(ends);
      const credencial: CredencialEfirma = { tipo: 'efirma', rfc, cer: certificado.der, key };
      const shred = deps.settings.efirmaShred ? { shred: randomBytes(SHRED_BYTES) } : {};
      const { noSerie, vigenteHasta } = certificado;
      await storeCredencial(
        credencial,
        'efirma_key',
        { noSerie, vigenteHasta, expiraEn, ...shred },
        contexto,
      );
      await resumeWaiting(credencial, expiraEn, contexto);
      return { rfc, expira_en: expiraEn.toISOString() };
    } finally {
      key.fill(0);
    }
  },
});

/** The certificate stored under this key, or null when there is none. */
function registeredCertificado({
  pase,
  apiKey,
  deps,
}: ContextoBase): ReturnType<typeof readCertificado> | null {
  if (pase.efirmaCer === null) return null;
  const opened = openGuardada({ tipo: 'efirma', guardada: pase.efirmaCer }, pase, apiKey, deps.keyring);
  return opened.tipo === 'efirma' ? readCertificado(opened.cer) : null;
}
