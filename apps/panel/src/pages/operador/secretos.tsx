import { cuelgan } from '@acuse/db';
import { Estado } from '../../components/estado.tsx';
import { formatNumero } from '../../components/formato.ts';
import { Tabla } from '../../components/tabla.tsx';
import { Vacio } from '../../components/vacio.tsx';
import { defineRuta } from '../../http/ruta.ts';
import { Seccion } from './seccion.tsx';

/** What still hangs on each id of each secret: whoever rotates one sees here when the old id may go. */
export const verSecretos = defineRuta({
  metodo: 'GET',
  path: '/operador/secretos',
  acceso: 'operador',
  async handle({ c, deps, pagina }) {
    const filas = await cuelgan(deps.database);
    const ids = new Map<string, Set<string>>();
    for (const { secreto, id } of filas) ids.set(secreto, (ids.get(secreto) ?? new Set<string>()).add(id));
    return pagina({
      titulo: 'Secretos',
      contenido: (
        <Seccion titulo="Secretos" ruta={c.req.path}>
          <p class="suave">
            Lo que cuelga de cada identificador. Uno viejo se puede retirar cuando ya no aparece aquí:{' '}
            <code>acuse secretos rotar</code> lo cambia por pasos y <code>acuse secretos estado</code> dice de quién es
            lo que falta.
          </p>
          <Tabla
            titulo="Secretos en uso"
            columnas={[
              { titulo: 'Secreto' },
              { titulo: 'Identificador' },
              { titulo: 'Qué cuelga de él' },
              { titulo: 'Cuántas', numerica: true },
            ]}
            filas={filas.map(({ secreto, id, que, filas: cuantas }) => [
              <>
                {secreto} {(ids.get(secreto)?.size ?? 0) > 1 ? <Estado texto="En rotación" tono="alerta" /> : null}
              </>,
              id,
              que,
              formatNumero(cuantas),
            ])}
            vacia={<Vacio titulo="Nada cuelga de ningún secreto">Todavía no hay llaves ni credenciales.</Vacio>}
          />
        </Seccion>
      ),
    });
  },
});
