import { setTimeout as sleep } from 'node:timers/promises';
import { CfdiError } from '@acuse/contract';
import {
  type AccessSnapshot,
  type CanalSat,
  type CatalogoConsultas,
  type Credencial,
  type CredencialDe,
  type NombreConsulta,
  type Respuesta,
  SatError,
} from '@acuse/core';
import { canalDeConsulta } from '@acuse/sat';
import type { ContextoBase } from '../http/operation.ts';
import { toCfdiError } from './fallo-sat.ts';

/** The failures after which the same question may be put once more at once, where no password travels with it. */
const PASAJEROS = new Set(['NO_RESPONDE', 'SERVICIO_CON_ERROR']);
const PAUSA_MS = 400;

/**
 * Puts one question to the authority within the budget and the turns of the call. Every failure becomes what the caller
 * is told; a credential that the SAT refused is marked first, so that nobody sends it again at that channel.
 */
export async function askSat<N extends NombreConsulta>(
  { deps, access, signal }: Pick<ContextoBase, 'deps' | 'access' | 'signal'>,
  consulta: CatalogoConsultas[N]['consulta'] & { readonly consulta: N },
  credencial: CredencialDe<N>,
): Promise<Respuesta<N>> {
  const send = () => deps.sat.send(consulta, credencial, { signal, cuentaId: access.cuentaId });
  try {
    return await deps.turnos.run(access.rfc, signal, async () => {
      try {
        return await send();
      } catch (error) {
        if (!mayRepeat(consulta.consulta, credencial, error)) throw error;
        await sleep(PAUSA_MS, undefined, { signal }).catch((cause: unknown) => {
          throw new SatError('CANCELADA', { cause });
        });
        return await send();
      }
    });
  } catch (error) {
    if (!(error instanceof SatError)) throw error;
    if (error.clase === 'credencial' && credencial !== null) {
      const canal = canalDeConsulta(consulta.consulta, credencial) === 'soap' ? 'soap' : 'portal';
      await markRefused(deps.boveda, access, credencial, canal).catch((err: unknown) =>
        deps.log.error({ err }, 'a refused credential was not marked'),
      );
    }
    throw toCfdiError(error);
  }
}

/** A CIEC is not sent again on our own account, and a request that spends one at the SAT is not made twice. */
function mayRepeat(consulta: NombreConsulta, credencial: Credencial | null, error: unknown): boolean {
  if (!(error instanceof SatError) || !PASAJEROS.has(error.motivo)) return false;
  return consulta !== 'solicitar-metadata' && credencial?.tipo !== 'ciec';
}

async function markRefused(
  boveda: ContextoBase['deps']['boveda'],
  access: AccessSnapshot,
  { tipo }: Credencial,
  canal: CanalSat,
): Promise<void> {
  const guardada = tipo === 'ciec' ? access.ciec : access.efirmaCer;
  if (guardada !== null) await boveda.refuse(access.contribuyenteId, guardada.id, canal);
}

/** The answer of a query that is not one to charge for. */
export function sinRespuesta(motivo: string, reintentarEn?: number): CfdiError {
  return new CfdiError('SAT_NO_DISPONIBLE', {
    motivo,
    ...(reintentarEn === undefined ? {} : { reintentar_en: reintentarEn }),
  });
}
