import { createCuentas } from '@acuse/db';
import { Boton } from '../../components/boton.tsx';
import { Campo } from '../../components/campo.tsx';
import { Fecha } from '../../components/fecha.tsx';
import { formatNumero } from '../../components/formato.ts';
import { Formulario } from '../../components/formulario.tsx';
import { Paginacion } from '../../components/paginacion.tsx';
import { Tabla } from '../../components/tabla.tsx';
import { Vacio } from '../../components/vacio.tsx';
import { defineRuta } from '../../http/ruta.ts';
import { Seccion } from './seccion.tsx';

const POR_PAGINA = 25;
const MAX_PAGINA = 10_000;

export const verCuentas = defineRuta({
  metodo: 'GET',
  path: '/operador/cuentas',
  acceso: 'operador',
  async handle({ c, deps, csrf, pagina }) {
    const texto = (c.req.query('q') ?? '').slice(0, 100);
    const numero = Math.min(MAX_PAGINA, Math.max(1, Number.parseInt(c.req.query('pagina') ?? '1', 10) || 1));
    const found = await createCuentas(deps.database).search({
      texto,
      salta: (numero - 1) * POR_PAGINA,
      limite: POR_PAGINA + 1,
    });
    const cuentas = found.slice(0, POR_PAGINA);
    const address = (n: number) => `/operador/cuentas?${new URLSearchParams({ q: texto, pagina: String(n) })}`;
    return pagina({
      titulo: 'Cuentas',
      contenido: (
        <Seccion titulo="Cuentas" ruta={c.req.path}>
          <Formulario accion="/operador/cuentas" metodo="get" csrf={csrf} enLinea descripcion="Buscar cuentas">
            <Campo nombre="q" etiqueta="Correo, nombre o RFC" tipo="search" valor={texto} maxLargo={100} />
            <Boton variante="secundario">Buscar</Boton>
          </Formulario>
          <Tabla
            titulo="Cuentas, las nuevas primero"
            columnas={[
              { titulo: 'Cuenta' },
              { titulo: 'Nombre' },
              { titulo: 'Saldo', numerica: true },
              { titulo: 'RFC', numerica: true },
              { titulo: 'Solicitudes abiertas', numerica: true },
              { titulo: 'Desde' },
            ]}
            filas={cuentas.map((cuenta) => [
              <a href={`/operador/cuentas/${cuenta.id}`}>{cuenta.email}</a>,
              cuenta.nombre,
              formatNumero(cuenta.saldo),
              formatNumero(cuenta.rfcs),
              formatNumero(cuenta.abiertas),
              <Fecha valor={cuenta.creadaEn} formato="dia" />,
            ])}
            vacia={
              <Vacio titulo="Ninguna cuenta coincide">Busque por una parte del correo, del nombre o de un RFC.</Vacio>
            }
          />
          <Paginacion
            anterior={numero > 1 ? address(numero - 1) : null}
            siguiente={found.length > POR_PAGINA ? address(numero + 1) : null}
            resumen={`Página ${formatNumero(numero)}`}
          />
        </Seccion>
      ),
    });
  },
});
