import { createCuentas } from '@acuse/db';
import { Fecha, numeric, Paginacion, Tabla, Vacio } from '@acuse/page/blocks';
import { Boton, Campo, Formulario, hrefWith } from '@acuse/page/form';
import { formatNumero } from '@acuse/page/formato';
import { routesFor } from '../../paginas.ts';

const POR_PAGINA = 25;
const MAX_PAGINA = 10_000;

export const accountsPage = routesFor('operador');

accountsPage.get('/operador/cuentas', async ({ c, deps, pagina }) => {
  const texto = (c.req.query('q') ?? '').slice(0, 100);
  const numero = Math.min(MAX_PAGINA, Math.max(1, Number.parseInt(c.req.query('pagina') ?? '1', 10) || 1));
  const found = await createCuentas(deps.database).search({
    texto,
    salta: (numero - 1) * POR_PAGINA,
    limite: POR_PAGINA + 1,
  });
  const cuentas = found.slice(0, POR_PAGINA);
  const address = (n: number) => hrefWith('/operador/cuentas', { q: texto, pagina: String(n) });
  return pagina(
    'Cuentas',
    <>
      <Formulario accion="/operador/cuentas" metodo="get" enLinea descripcion="Buscar cuentas">
        <Campo nombre="q" label="Correo, nombre o RFC" tipo="search" value={texto} maxLargo={100} />
        <Boton variante="secundario">Buscar</Boton>
      </Formulario>
      <Tabla
        titulo="Cuentas, las nuevas primero"
        columnas={[
          'Cuenta',
          'Nombre',
          numeric('Saldo', { phone: 'value' }),
          numeric('RFC'),
          numeric('Solicitudes abiertas', { phone: 'none' }),
          { titulo: 'Desde', phone: 'none' },
        ]}
        filas={cuentas.map((cuenta) => [
          <a href={`/operador/cuentas/${cuenta.id}`}>{cuenta.email}</a>,
          cuenta.nombre,
          formatNumero(cuenta.saldo),
          formatNumero(cuenta.rfcs),
          formatNumero(cuenta.abiertas),
          <Fecha value={cuenta.creadaEn} formato="dia" />,
        ])}
        vacia={<Vacio titulo="Ninguna cuenta coincide">Busque por una parte del correo, del nombre o de un RFC.</Vacio>}
      />
      <Paginacion
        anterior={numero > 1 ? address(numero - 1) : null}
        siguiente={found.length > POR_PAGINA ? address(numero + 1) : null}
        resumen={`Página ${formatNumero(numero)}`}
      />
    </>,
  );
});
