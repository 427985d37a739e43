import { createHash } from 'node:crypto';
import { calendarDay } from '@acuse/core';
import { camino, instante, opinion, rfcData, soloRfc } from '@acuse/operation';
import { documentoKey } from '@acuse/storage/keys';
import { z } from 'zod';
import { consultar } from '../../consultas/consultar.ts';
import { conAlmacen } from '../../deps.ts';
import { defineOperation } from '../../operation.ts';

export default defineOperation({
  summary: 'Opinión de cumplimiento, con e.firma',
  description: 'Opinión de cumplimiento con su PDF firmado. La consulta se hace con la e.firma guardada.',
  credential: 'efirma',
  effect: 'asks',
  cost: 1,
  rfc: 'propio',
  body: soloRfc,
  data: z.object({
    rfc: rfcData,
    opinion,
    pdf_firmado_url: z.url().meta({
      description: 'URL temporal del PDF firmado.',
      example: 'https://descargas.example/opiniones/01936f5e.pdf?X-Amz-Signature=0a1b2c',
    }),
    expira_en: instante('Cuándo deja de servir la URL.'),
    motivo: z.string().nullable().meta({ description: 'Detalle cuando no es positiva.', example: null }),
    ...camino,
  }),
  asks: ['consultar-opinion'],
  errors: ['SAT_NO_DISPONIBLE', 'ALMACEN_NO_DISPONIBLE'],

  async handle({ rfc }, contexto) {
    const { deps, access, signal } = contexto;
    const { respuesta, camino: por } = await consultar(contexto, { consulta: 'consultar-opinion', rfc });
    const { sentido, fecha, motivo, pdf } = respuesta;
    const id = deps.newId();
    const objectKey = documentoKey(id);
    const sha256 = createHash('sha256').update(pdf).digest('hex');
    const { contribuyenteId } = access;
    await deps.documentos.note({ id, contribuyenteId, tipo: 'opinion', objectKey, bytes: pdf.length, sha256 });
    const { url, expiraEn } = await conAlmacen(async () => {
      await deps.paquetes.saveDocumento(objectKey, pdf, signal);
      return deps.paquetes.presign(objectKey, {
        filename: `${rfc}_opinion_${fecha ?? calendarDay(contexto.now)}.pdf`,
        ttlSeconds: deps.settings.urlTtlSeconds,
      });
    });
    return { rfc, opinion: sentido, pdf_firmado_url: url, expira_en: expiraEn.toISOString(), motivo, ...por };
  },
});
