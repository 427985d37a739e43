import { CfdiError } from '@acuse/contract';
import { SatError, type SentidoOpinion } from '@acuse/core';
import type { ContextoBase } from '../http/operation.ts';
import { sinRespuesta } from './ask-sat.ts';
import { toCfdiError } from './fallo-sat.ts';

const SIN_FUENTE =
  'El SAT no ofrece un servicio público de opiniones, y el operador no ha configurado otra fuente (OPINION_PUBLICA_URL). Use opinion-cumplimiento u opinion-cumplimiento-fiel.';

/** The published opinion of any taxpayer, from the source that the operator configured. Never a guess. */
export async function publicOpinion(
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
