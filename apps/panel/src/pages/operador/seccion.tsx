import type { PropsWithChildren } from 'hono/jsx';

const PARTES = [
  ['/operador', 'Resumen'],
  ['/operador/cuentas', 'Cuentas'],
  ['/operador/pagos', 'Pagos'],
  ['/operador/salud', 'Salud del SAT'],
  ['/operador/secretos', 'Secretos'],
  ['/operador/captchas', 'Captchas'],
  ['/operador/listas', 'Listas'],
  ['/operador/auditoria', 'Auditoría'],
  ['/operador/colas', 'Colas'],
] as const;

type SeccionProps = PropsWithChildren<{ readonly titulo: string; readonly ruta: string }>;

/** A page of the operator's, under the way to the others. */
export function Seccion({ titulo, ruta, children }: SeccionProps) {
  return (
    <>
      <h1>{titulo}</h1>
      <nav class="fila" aria-label="Operación">
        {PARTES.map(([path, texto]) => (
          <a href={path} aria-current={path === ruta ? 'page' : undefined}>
            {texto}
          </a>
        ))}
      </nav>
      {children}
    </>
  );
}
