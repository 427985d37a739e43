import { createAuditoria, type FiltroAuditoria, isUuid } from '@acuse/db';
import { Boton } from '../../components/boton.tsx';
import { Campo } from '../../components/campo.tsx';
import { Formulario } from '../../components/formulario.tsx';
import { Paginacion } from '../../components/paginacion.tsx';
import { Vacio } from '../../components/vacio.tsx';
import { addDias, startOfDia } from '../../fechas/dia-mexico.ts';
import { defineRuta } from '../../http/ruta.ts';
import { nombreAccion } from './frases-auditoria.ts';
import { RenglonesAuditoria } from './renglones-auditoria.tsx';
import { Seccion } from './seccion.tsx';

const POR_PAGINA = 50;

export const verAuditoria = defineRuta({
  metodo: 'GET',
  path: '/operador/auditoria',
  acceso: 'operador',
  async handle({ c, deps, csrf, pagina }) {
    const query = c.req.query();
    const auditoria = createAuditoria(deps.database);
    const [found, acciones] = await Promise.all([auditoria.list(filtroOf(query)), auditoria.acciones()]);
    const lineas = found.slice(0, POR_PAGINA);
    const kept = ['accion', 'actor', 'cuenta', 'desde', 'hasta'].flatMap((name) => {
      const value = query[name];
      return value ? [[name, value] satisfies [string, string]] : [];
    });
    const address = (extra: readonly [string, string][]) =>
      `/operador/auditoria?${new URLSearchParams([...kept, ...extra])}`;
    return pagina({
      titulo: 'Auditoría',
      contenido: (
        <Seccion titulo="Auditoría" ruta={c.req.path}>
          <Formulario accion="/operador/auditoria" metodo="get" csrf={csrf} enLinea descripcion="Filtrar">
            <Campo
              nombre="accion"
              etiqueta="Qué"
              requerido
              valor={query['accion'] ?? ''}
              opciones={[
                { valor: '', texto: 'Todo' },
                ...acciones.map((accion) => ({ valor: accion, texto: nombreAccion(accion) })),
              ]}
            />
            <Campo nombre="actor" etiqueta="Quién" valor={query['actor']} maxLargo={200} literal />
            <Campo
              nombre="cuenta"
              etiqueta="Identificador de la cuenta"
              valor={query['cuenta']}
              maxLargo={36}
              literal
            />
            <Campo nombre="desde" etiqueta="Desde" tipo="date" valor={query['desde']} />
            <Campo nombre="hasta" etiqueta="Hasta" tipo="date" valor={query['hasta']} />
            <Boton variante="secundario">Ver</Boton>
          </Formulario>
          <RenglonesAuditoria
            titulo="Cambios, los nuevos primero"
            lineas={lineas}
            vacia={<Vacio titulo="Nada coincide">Quite algún filtro, o amplíe las fechas.</Vacio>}
          />
          <Paginacion
            anterior={query['antes'] ? address([]) : null}
            siguiente={found.length > POR_PAGINA ? address([['antes', lineas.at(-1)?.id ?? '']]) : null}
          />
        </Seccion>
      ),
    });
  },
});

/** What cannot be read is no filter; an account that cannot be one finds nothing. */
function filtroOf(query: Readonly<Record<string, string>>): FiltroAuditoria {
  const { accion = '', actor = '', cuenta = '', antes = '' } = query;
  const desde = startOfDia(query['desde'] ?? '');
  const hasta = startOfDia(query['hasta'] ?? '') && startOfDia(addDias(query['hasta'] ?? '', 1));
  return {
    limite: POR_PAGINA + 1,
    ...(accion === '' ? {} : { accion }),
    ...(actor === '' ? {} : { actor }),
    ...(cuenta === '' ? {} : { cuentaId: isUuid(cuenta) ? cuenta : NADIE }),
    ...(desde === null ? {} : { desde }),
    ...(hasta === null ? {} : { hasta }),
    ...(/^\d{1,18}$/.test(antes) ? { antes } : {}),
  };
}

const NADIE = '00000000-0000-0000-0000-000000000000';
