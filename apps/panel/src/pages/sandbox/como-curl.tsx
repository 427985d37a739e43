import { Copiar } from '../../components/copiar.tsx';

/** A call as a command for a shell, and what to put into it before it is run. */
export function ComoCurl({ curl }: { readonly curl: string }) {
  return (
    <>
      <Copiar valor={curl} etiqueta="Llamada con curl" bloque />
      <p class="suave chica">
        Antes, ponga su llave en la variable: <code>export ACUSE_API_KEY='acuse_…'</code>. Si hay asteriscos o un
        archivo, sustitúyalos por lo suyo.
      </p>
    </>
  );
}
