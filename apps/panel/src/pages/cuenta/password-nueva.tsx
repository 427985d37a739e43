import { MIN_PASSWORD } from '../../acceso/reglas.ts';
import { Campo } from '../../components/campo.tsx';

interface PasswordNuevaProps {
  readonly nombre: string;
  readonly etiqueta: string;
  readonly error: string | undefined;
}

/** The field where somebody chooses a password. */
export function PasswordNueva({ nombre, etiqueta, error }: PasswordNuevaProps) {
  return (
    <Campo
      nombre={nombre}
      etiqueta={etiqueta}
      tipo="password"
      requerido
      minLargo={MIN_PASSWORD}
      autocompletar="new-password"
      ayuda={`Al menos ${MIN_PASSWORD} caracteres. Varias palabras juntas son fáciles de recordar y difíciles de adivinar.`}
      error={error}
    />
  );
}
