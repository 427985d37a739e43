import { CfdiError, type DatosError } from '@acuse/contract';
import type { MotivoSatError, SatError } from '@acuse/core';

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

/** What a caller is told of a query that the authority did not answer. */
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
