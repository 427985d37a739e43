import type { NombreError } from '@acuse/contract';
import type { CredencialAceptada, Operation } from './operation.ts';

const ALWAYS: readonly NombreError[] = [
  'USER_AGENT_NO_PERMITIDO',
  'API_KEY_INVALIDA',
  'API_KEY_REVOCADA',
  'CUENTA_SUSPENDIDA',
  'IP_NO_PERMITIDA',
  'DEMASIADAS_PETICIONES',
  'OPERACION_NO_HABILITADA',
  'TIPO_DE_CONTENIDO',
  'CUERPO_DEMASIADO_GRANDE',
  'JSON_INVALIDO',
  'CUERPO_VACIO',
  'CAMPO_FALTANTE',
  'CAMPO_INVALIDO',
  'CAMPO_DESCONOCIDO',
  'IDEMPOTENCIA_EN_CONFLICTO',
  'METODO_NO_PERMITIDO',
  'ERROR_INTERNO',
];

const BY_CREDENCIAL: Record<CredencialAceptada, readonly NombreError[]> = {
  'api-key': [],
  ciec: ['CIEC_NO_GUARDADA', 'CIEC_RECHAZADA', 'EFIRMA_NO_DISPONIBLE'],
  efirma: ['EFIRMA_NO_DISPONIBLE'],
  'ciec-o-efirma': ['CIEC_NO_GUARDADA', 'CIEC_RECHAZADA', 'EFIRMA_NO_DISPONIBLE'],
  'ciec-o-efirma-o-id-cif': ['CIEC_NO_GUARDADA', 'CIEC_RECHAZADA', 'EFIRMA_NO_DISPONIBLE'],
};

/** Every error that an operation can answer: those of the pipeline that its declaration calls for, and its own. */
export function errorsOf(operation: Operation): readonly NombreError[] {
  const { rfc, cost, accepts, asks, errors } = operation;
  const usesEfirma = accepts !== 'api-key' && asks.length > 0;
  return [
    ...new Set<NombreError>([
      ...ALWAYS,
      ...(rfc === 'ninguno' ? [] : (['RFC_INVALIDO'] as const)),
      ...(rfc === 'propio' || rfc === 'propio-sin-registrar' ? (['RFC_AJENO'] as const) : []),
      ...(rfc === 'propio' ? (['RFC_NO_REGISTRADO'] as const) : []),
      ...BY_CREDENCIAL[accepts],
      ...(usesEfirma ? (['EFIRMA_RECHAZADA'] as const) : []),
      ...(cost > 0
        ? (['SALDO_NO_DISPONIBLE', 'SALDO_INSUFICIENTE', 'RESULTADO_INCIERTO'] as const)
        : (['BASE_NO_DISPONIBLE'] as const)),
      ...errors,
    ]),
  ];
}
