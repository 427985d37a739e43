import { datosDeXml } from '@acuse/core';
import {
  confianza,
  conteoDeSolicitud,
  contrapartesDeSolicitud,
  instante,
  needPaquete,
  solicitudIdData,
  soloSolicitud,
} from '@acuse/operation';
import { z } from 'zod';
import { conAlmacen } from '../../deps.ts';
import { defineOperation } from '../../operation.ts';

export default defineOperation({
  summary: 'URL del paquete ZIP de una solicitud terminada',
  description: 'La URL se firma al momento de llamar y vale hasta expira_en; pídala de nuevo cuando la necesite.',
  credential: 'api-key',
  effect: 'reads',
  cost: 0,
  rfc: 'ninguno',
  body: soloSolicitud,
  data: z.object({
    solicitud_id: solicitudIdData,
    paquete_url: z.url().meta({
      description: 'URL temporal del ZIP.',
      example: 'https://descargas.example/paquetes/01936f5e.zip?X-Amz-Signature=0a1b2c',
    }),
    expira_en: instante('Cuándo deja de servir la URL.'),
    bytes: z.int().min(0).meta({ description: 'Tamaño del ZIP en bytes.', example: 48213 }),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .meta({
        description: 'SHA-256 del ZIP, en hexadecimal: con él se comprueba que llegó entero.',
        example: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      }),
    confianza,
    contrapartes_listadas: contrapartesDeSolicitud,
    xml: conteoDeSolicitud,
  }),
  errors: [
    'SOLICITUD_NO_ENCONTRADA',
    'SOLICITUD_SIN_TERMINAR',
    'SOLICITUD_SIN_PAQUETE',
    'PAQUETE_CADUCADO',
    'ALMACEN_NO_DISPONIBLE',
  ],

  async handle({ solicitud_id }, { deps, access, now, error }) {
    const solicitud = await deps.solicitudes.find(access.contribuyenteId, solicitud_id, access.apiKey.modo);
    if (solicitud === null) throw error('SOLICITUD_NO_ENCONTRADA');
    const { objectKey, bytes, sha256 } = needPaquete(solicitud, now, error);
    const { paqueteBorradoEn, tipo, desde, hasta, rfc } = solicitud;
    if (paqueteBorradoEn !== null) throw error('PAQUETE_CADUCADO');

    const { url, expiraEn } = await conAlmacen(() =>
      deps.paquetes.presign(objectKey, {
        filename: `${rfc}_${tipo}_${desde}_${hasta}.zip`,
        ttlSeconds: deps.settings.urlTtlSeconds,
      }),
    );
    return {
      solicitud_id: solicitud.id,
      paquete_url: url,
      expira_en: expiraEn.toISOString(),
      bytes,
      sha256,
      confianza: solicitud.confianza ?? 'sin_confirmar',
      contrapartes_listadas: solicitud.contrapartesListadas,
      xml: datosDeXml(solicitud.xml),
    };
  },
});
