import { cuelgan } from '@acuse/db';
import { Estado, numeric, Tabla, Vacio } from '@acuse/page/blocks';
import { formatNumero } from '@acuse/page/formato';
import { routesFor } from '../../paginas.ts';

export const secretsPage = routesFor('operador');

/** Data under each id of each secret: during a rotation it shows when the old id may go. */
secretsPage.get('/operador/secretos', async ({ deps, pagina }) => {
  const filas = await cuelgan(deps.database);
  const ids = new Map<string, Set<string>>();
  for (const { secreto, id } of filas) ids.set(secreto, (ids.get(secreto) ?? new Set<string>()).add(id));
  return pagina(
    'Secretos',
    <>
      <p class="suave">
        Lo que cuelga de cada identificador. Uno viejo se puede retirar cuando ya no aparece aquí:{' '}
        <code>acuse operador secretos rotar</code> lo cambia por pasos y <code>acuse operador secretos estado</code>{' '}
        dice de quién es lo que falta.
      </p>
      <Tabla
        titulo="Secretos en uso"
        columnas={['Secreto', 'Identificador', { titulo: 'Qué cuelga de él', phone: 'line' }, numeric('Cuántas')]}
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
    </>,
  );
});
