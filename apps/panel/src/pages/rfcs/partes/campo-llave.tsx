import type { RfcVista } from '@acuse/db';
import { Campo } from '../../../components/campo.tsx';

interface CampoLlaveProps {
  readonly id: string;
  readonly rfc: Pick<RfcVista, 'llave'>;
  readonly error: string | undefined;
}

/** Where the active API key of an RFC is typed in, since what is stored is encrypted under it. Never filled in again. */
export function CampoLlave({ id, rfc, error }: CampoLlaveProps) {
  return (
    <Campo
      nombre="api_key"
      id={id}
      etiqueta="API key del RFC"
      tipo="password"
      error={error}
      ayuda={`La que termina en …${rfc.llave?.ultimos4}.`}
      requerido
      literal
      autocompletar="off"
      maxLargo={100}
    />
  );
}
