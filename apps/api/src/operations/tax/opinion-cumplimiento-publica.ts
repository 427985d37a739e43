import { CfdiError } from '@acuse/contract';
import { SatError, type SentidoOpinion } from '@acuse/core';
import { advertencias, advertenciasDe, cualquierRfc, instante, opinion, rfcData } from '@acuse/operation';
import { z } from 'zod';
import { sinRespuesta, toCfdiError } from '../../consultas/ask-sat.ts';
import { type ContextoBase, defineOperation } from '../../operation.ts';

export default defineOperation({
  summary: 'Opinión de cumplimiento pública',
  description: 'Opinión de cumplimiento de cualquier RFC que autorizó hacerla pública.',
  credential: 'api-key',
  effect: 'asks',
  cost: 0,
  rfc: 'cualquiera',
  body: cualquierRfc,
  data: z.object({
    rfc: rfcData.meta({ example: 'EKU9003173C9' }),
    opinion,
    fecha_publicacion: instante('Cuándo se publicó.'),
    advertencias,
  }),
  errors: ['SAT_NO_DISPONIBLE', 'OPINION_NO_PUBLICADA'],

  async handle({ rfc }, contexto) {
    const { sentido, fechaPublicacion } = await publicOpinion(contexto, rfc);
    return {
      rfc,
      opinion: sentido,
      fecha_publicacion: fechaPublicacion.toISOString(),
      advertencias: advertenciasDe(rfc),
    };
  },
});

const SIN_FUENTE =
  'El SAT no ofrece un servicio público de opiniones, y el operador no ha configurado otra fuente (OPINION_PUBLICA_URL). Use opinion-cumplimiento u opinion-cumplimiento-fiel.';

/** The published opinion of any taxpayer, from the source that the operator configured. Never a guess. */
async function publicOpinion(
  { deps, access, signal }: Pick<ContextoBase, 'deps' | 'access' | 'signal'>,
  rfc: string,
): Promise<{ readonly sentido: SentidoOpinion; readonly fechaPublicacion: Date }> {
  const { opinionesPublicas } = deps;
  if (opinionesPublicas === null) throw sinRespuesta(SIN_FUENTE);
  try {
    const respuesta = await deps.turnos.run(access.rfc, signal, () => opinionesPublicas.consultar(rfc, signal));
    if (respuesta.resultado === 'PUBLICADA') return respuesta;
  } catch (error) {
    throw error instanceof SatError ? toCfdiError(error) : error;
  }
  throw new CfdiError('OPINION_NO_PUBLICADA');
}
