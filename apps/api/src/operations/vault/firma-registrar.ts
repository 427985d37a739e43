import { advertenciasData, explain, rfcData, soloRfc, texto } from '@acuse/operation';
import {
  CertificadoInvalido,
  type CertificadoRevisado,
  checkCertificado,
  MOTIVOS_CERTIFICADO,
  storeCertificado,
} from '@acuse/vault';
import { z } from 'zod';
import { requireStored } from '../../http/credenciales.ts';
import { defineOperation } from '../../operation.ts';

const MAX_BYTES = 128 * 1_024;

export default defineOperation({
  summary: 'Registrar el certificado de la e.firma',
  description:
    'Valida el .cer (vigente, e.firma y no CSD, del RFC, emitido por el SAT) y lo guarda. Registrar un certificado distinto borra la llave guardada. advertencias dice lo que puede fallar con uno aceptado.',
  credential: 'api-key',
  effect: 'changes',
  cost: 0,
  rfc: 'propio-sin-registrar',
  body: soloRfc,
  secretos: {
    cer: {
      required: true,
      encoding: 'base64',
      maxBytes: MAX_BYTES,
      description: 'Contenido del archivo .cer en base64.',
      example: 'MIIGLzCCBBegAwIBAgIUMDAwMDEwMDAwMDA1MDAwMDMyODI=',
    },
    password: {
      required: false,
      encoding: 'texto',
      maxBytes: 1_024,
      description: 'Contraseña del .cer, si aplica. Un .cer del SAT no la tiene: se acepta y no se usa.',
      example: 'contraseña-de-la-llave',
    },
  },
  data: z.object({
    rfc: rfcData,
    no_serie: texto('Número de serie del certificado.', '00001000000500003282'),
    advertencias: advertenciasData,
  }),
  errors: ['CERTIFICADO_INVALIDO'],

  async handle({ rfc }, contexto) {
    const { deps, secretos, now, error } = contexto;
    let certificado: CertificadoRevisado;
    try {
      certificado = checkCertificado(secretos.cer, { rfc, now, trust: deps.trust });
    } catch (cause) {
      if (!(cause instanceof CertificadoInvalido)) throw cause;
      throw error('CERTIFICADO_INVALIDO', { campo: 'cer', motivo: MOTIVOS_CERTIFICADO[cause.motivo] }, cause);
    }
    requireStored(await storeCertificado(certificado, contexto, deps));
    const { noSerie, advertencias } = certificado;
    return { rfc, no_serie: noSerie, advertencias: explain(advertencias) };
  },
});
