import { Boton } from '../../components/boton.tsx';
import { Tarjeta } from '../../components/tarjeta.tsx';
import type { Paso } from './pasos.ts';

/** The way to the first download, with what is done and the one thing to do now. */
export function PrimerosPasos({ pasos }: { readonly pasos: readonly Paso[] }) {
  const hechos = pasos.filter(({ estado }) => estado === 'hecho').length;
  return (
    <Tarjeta
      titulo="De cero a su primera descarga"
      accion={
        <span class="suave numero">
          {hechos} de {pasos.length}
        </span>
      }
    >
      <progress max={pasos.length} value={hechos} aria-label="Pasos hechos" />
      <ol class="pasos">
        {pasos.map(({ titulo, texto, estado, href, boton }) => (
          <li class={estado} aria-current={estado === 'ahora' ? 'step' : undefined}>
            <h3>
              {titulo}
              {estado === 'hecho' ? <span class="solo-lectores"> (hecho)</span> : null}
            </h3>
            {estado === 'hecho' ? null : <p>{texto}</p>}
            {estado === 'ahora' ? <Boton href={href}>{boton}</Boton> : null}
          </li>
        ))}
      </ol>
    </Tarjeta>
  );
}
