import { rfcField } from '@acuse/contract';
import { aviso, camposDePagina, listOf, texto } from '@acuse/operation';
import { z } from 'zod';
import { askSat } from '../../consultas/ask-sat.ts';
import { consultarLista } from '../../consultas/consultar.ts';
import { defineOperation } from '../../operation.ts';

const notificacion = z
  .object({
    id: texto('Folio.', '500-2026-000456'),
    autoridad: texto('Autoridad que notifica.', 'Administración Desconcentrada de Recaudación'),
    ...aviso,
  })
  .meta({ id: 'Notificacion' });

export default defineOperation({
  summary: 'Notificaciones pendientes del buzón tributario',
  description:
    'Lista las notificaciones electrónicas pendientes. Se usa la e.firma guardada o, si no hay o el SAT no contesta con ella, la CIEC.',
  credential: 'ciec-o-efirma',
  effect: 'asks',
  cost: 1,
  isPaginada: true,
  rfc: 'propio',
  body: z.object({ rfc: rfcField, ...camposDePagina }),
  data: listOf('ListaNotificaciones', notificacion),
  asks: ['listar-notificaciones'],
  errors: ['SAT_NO_DISPONIBLE'],

  handle({ rfc }, contexto) {
    const consulta = { consulta: 'listar-notificaciones', rfc } as const;
    return consultarLista(
      contexto,
      async (credencial, propio) => (await askSat(propio, consulta, credencial)).notificaciones,
      ({ folio: id, autoridad, asunto, fecha }) => ({ id, autoridad, asunto, fecha }),
    );
  },
});
