import { z } from 'zod';
import { askSat } from '../../consultas/ask-sat.ts';
import { consultar } from '../../consultas/consultar.ts';
import { aviso, listOf, soloRfc, texto } from '../../data-fields.ts';
import { defineOperation } from '../../http/define-operation.ts';

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
  cost: 1,
  rfc: 'propio',
  body: soloRfc,
  data: listOf('ListaNotificaciones', notificacion),
  asks: ['listar-notificaciones'],
  errors: ['SAT_NO_DISPONIBLE'],

  async handle({ rfc }, contexto) {
    const consulta = { consulta: 'listar-notificaciones', rfc } as const;
    const { notificaciones } = await consultar(contexto, (credencial, propio) =>
      askSat(propio, consulta, credencial),
    );
    const items = notificaciones.map(({ folio: id, autoridad, asunto, fecha }) => ({
      id,
      autoridad,
      asunto,
      fecha,
    }));
    return { total: items.length, items };
  },
});
