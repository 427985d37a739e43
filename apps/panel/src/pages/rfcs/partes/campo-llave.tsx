import type { RfcVista } from '@acuse/db';
import { Campo } from '../../../components/campo.tsx';

interface CampoLlaveProps {
  readonly id: string;
  readonly rfc: Pick<RfcVista, 'llave'>;
  readonly error: string | undefined;
  /** Whether it was typed in lately, so that it need not be again. */
  readonly isRecordada: boolean;
}

/**
 * Where the active API key of an RFC is typed in, since what is stored is encrypted under it. Never filled in again.
 */
export function CampoLlave({ id, rfc, error, isRecordada }: CampoLlaveProps) {
  return (
    <Campo
      nombre="api_key"
      id={id}
      etiqueta="API key del RFC"
      tipo="password"
      error={error}
      ayuda={
        isRecordada
          ? `Se usa la que termina en …${rfc.llave?.ultimos4}, que escribió hace poco.`
          : `La que termina en …${rfc.llave?.ultimos4}. Se recuerda sellada unos minutos, solo en esta sesión.`
      }
      requerido
      sabido={isRecordada}
      literal
      autocompletar="off"
      maxLargo={100}
    />
  );
}
