import { setTimeout as sleep } from 'node:timers/promises';
import { CfdiError, type DatosError } from '@acuse/contract';
import {
  type AccessSnapshot,
  type CanalSat,
  type CatalogoConsultas,
  type CredencialDe,
  type MotivoSatError,
  type NombreConsulta,
  type Respuesta,
  SatError,
} from '@acuse/core';
import { canalDeConsulta } from '@acuse/sat/canales';
import type { ContextoBase } from '../operation.ts';

/** The failures after which the same question may be put once more at once, where no password travels with it. */
const PASAJEROS = new Set(['NO_RESPONDE', 'SERVICIO_CON_ERROR']);
const PAUSA_MS = 400;

/**
 * Puts one question to the authority within the budget and the turns of the call. Every failure becomes the caller's
 * error. A credential that the SAT refused is marked first, so that no later call sends it again on that channel.
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
        deps.log.error({ err }, 'credential_refusal_not_stored'),
      );
    }
    throw toCfdiError(error);
  }
}

/** A CIEC is not sent again on our own account, and a request that spends one at the SAT is not made twice. */
function mayRepeat(consulta: NombreConsulta, credencial: CredencialDe<NombreConsulta>, error: unknown): boolean {
  if (!(error instanceof SatError) || !PASAJEROS.has(error.motivo)) return false;
  return consulta !== 'solicitar-metadata' && credencial?.tipo !== 'ciec';
}

async function markRefused(
  boveda: ContextoBase['deps']['boveda'],
  access: AccessSnapshot,
  { tipo }: NonNullable<CredencialDe<NombreConsulta>>,
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

/** Seconds after which asking again makes sense: the authority's bad moments are short, its bad hours are not known. */
const REINTENTAR: Partial<Record<MotivoSatError, number>> = {
  NO_RESPONDE: 30,
  TIEMPO_AGOTADO: 60,
  RESPUESTA_ILEGIBLE: 300,
  SERVICIO_CON_ERROR: 60,
  CORTACIRCUITOS_ABIERTO: 30,
  CAPTCHA_RECHAZADO: 10,
  CANCELADA: 10,
};

const MOTIVOS: Record<Exclude<MotivoSatError, 'CIEC_RECHAZADA' | 'EFIRMA_RECHAZADA'>, string> = {
  NO_RESPONDE: 'El servicio del SAT no contesta la conexión.',
  TIEMPO_AGOTADO: 'El SAT no terminó de contestar en el tiempo previsto.',
  RESPUESTA_ILEGIBLE:
    'El SAT contestó algo que no se puede leer con certeza (una página de mantenimiento, o un formato que cambió). No se supone nada de una respuesta así.',
  SERVICIO_CON_ERROR: 'El SAT contestó con un error propio.',
  CORTACIRCUITOS_ABIERTO:
    'El servicio del SAT falló varias veces seguidas; se espera un momento antes de preguntarle otra vez.',
  OCUPADO: 'Hay demasiadas consultas al SAT en este momento.',
  CAPTCHA_RECHAZADO: 'El SAT no aceptó la lectura de su captcha.',
  SIN_RESOLVEDOR_DE_CAPTCHA:
    'Entrar al portal del SAT con CIEC exige leer un captcha, y este servicio no tiene configurado quién lo lea (CAPTCHA_RESOLVER). Guarde la e.firma, que no lo necesita, o pida al operador que lo configure.',
  CANAL_DESACTIVADO:
    'El operador de este servicio tiene apagada esta consulta, o no existe un canal para hacerla con la credencial guardada. Guarde la otra (CIEC o e.firma) o pregunte al operador.',
  PETICION_RECHAZADA:
    'El SAT no acepta la consulta tal como está. Revise sus datos; si son correctos, avise al operador de este servicio con el X-Request-Id.',
  HOST_NO_PERMITIDO:
    'El SAT envió a una dirección que no es suya, y no se siguió. Avise al operador de este servicio con el X-Request-Id.',
  CANCELADA: 'El SAT no contestó dentro del tiempo que puede durar una consulta.',
};

/** The caller's error for a query that the authority did not answer. */
export function toCfdiError(error: SatError): CfdiError {
  const { motivo, codigo } = error;
  const datos = (texto: string): DatosError => {
    const reintentar_en = REINTENTAR[motivo];
    const detalle = codigo === null ? texto : `${texto} (${codigo})`;
    return { motivo: detalle, ...(reintentar_en === undefined ? {} : { reintentar_en }) };
  };
  switch (motivo) {
    case 'CIEC_RECHAZADA':
      return new CfdiError('CIEC_RECHAZADA', MOTIVO_CIEC[codigo ?? ''] ?? {}, { cause: error });
    case 'EFIRMA_RECHAZADA':
      return new CfdiError('EFIRMA_RECHAZADA', codigo === null ? {} : { motivo: `Código del SAT: ${codigo}.` }, {
        cause: error,
      });
    case 'PETICION_RECHAZADA':
      if (codigo === 'EJERCICIO') {
        return new CfdiError('CAMPO_INVALIDO', { campo: 'ejercicio', motivo: SIN_EJERCICIO }, { cause: error });
      }
      if (codigo === 'LIMITE') {
        return new CfdiError('SAT_NO_DISPONIBLE', { motivo: LIMITE_DEL_PORTAL }, { cause: error });
      }
      return new CfdiError('SAT_NO_DISPONIBLE', datos(MOTIVOS[motivo]), { cause: error });
    default:
      return new CfdiError('SAT_NO_DISPONIBLE', datos(MOTIVOS[motivo]), { cause: error });
  }
}

const SIN_EJERCICIO = 'el portal del SAT no ofrece ese ejercicio; no se cobró nada';
const LIMITE_DEL_PORTAL =
  'El portal del SAT no puede mostrar completos los CFDI de un mismo segundo: son más de los que enseña. Use /api/v1/tax/descarga-metadata, que no tiene ese límite.';

const MOTIVO_CIEC: Record<string, DatosError> = {
  CUENTA_BLOQUEADA: {
    motivo: 'El SAT dice que la cuenta está bloqueada por intentos fallidos. Desbloquéela en el portal del SAT.',
  },
  SIN_MOTIVO: { motivo: 'El SAT no dejó entrar y no dijo por qué.' },
};
