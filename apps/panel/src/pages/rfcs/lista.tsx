import { DIAS_ROTACION } from '@acuse/core';
import { createContribuyentes, type RfcVista } from '@acuse/db';
import { type Badges, hrefRfc, Permitido, puede } from '@acuse/page';
import { ConNota, Estado, Fecha, Paginacion, pageOf, sortOf, Tabla, type TablaProps, Vacio } from '@acuse/page/blocks';
import { Boton, Campo, Formulario } from '@acuse/page/form';
import { FEATURES } from '../../features.ts';
import { routesFor } from '../../paginas.ts';
import { edadEnDias, estadoCiec, estadoEfirma } from './reglas/estado-credenciales.ts';

const POR_PAGINA = 25;

/** Columns of a table of RFCs; those of credentials for those who may see them. */
export const columnasOf = (
  hasCredenciales: boolean,
  sorting?: Pick<ReturnType<typeof sortOf>, 'orden'>,
): TablaProps['columnas'] => [
  { titulo: 'RFC', orden: sorting?.orden },
  { titulo: 'API key', isNamed: !hasCredenciales, phone: hasCredenciales ? 'value' : 'end' },
  { titulo: 'Último uso', phone: hasCredenciales ? 'none' : 'value' },
  ...(hasCredenciales
    ? [
        { titulo: 'CIEC', isNamed: true },
        { titulo: 'e.firma', isNamed: true, phone: 'line' as const },
      ]
    : []),
];

export const rfcsPage = routesFor('rfcs');

/** The account's RFCs, in alphabetical order, with what each still lacks. */
rfcsPage.get('/rfcs', async ({ c, deps, usuario, now, badges: readBadges, pagina }) => {
  const contiene = (c.req.query('q') ?? '').trim().normalize('NFC').toUpperCase().slice(0, 60);
  const despues = (c.req.query('despues') ?? '').slice(0, 13);
  const query = { q: contiene, orden: c.req.query('orden') };
  const { isReversed, orden } = sortOf('/rfcs', query, 'ascending');
  const filter = { contiene, despues, limit: POR_PAGINA + 1, isReversed };
  const found = await createContribuyentes(deps.database).list(usuario.cuentaId, filter);
  const paging = { path: '/rfcs', query: { ...query, despues }, after: 'despues', placeOf: ({ rfc }: RfcVista) => rfc };
  const { filas: rfcs, ...links } = pageOf(found, POR_PAGINA, paging);
  const badges = await readBadges(rfcs.map(({ rfc }) => rfc));
  const hasCredenciales = puede(usuario.papel, 'ver', 'credenciales');
  const isEmpty = rfcs.length === 0 && contiene === '' && despues === '';
  return pagina(
    'RFC',
    isEmpty ? (
      <Vacio
        titulo="Todavía no hay ningún RFC"
        accion={{ href: '/rfcs/nuevo', texto: 'Agregar el primer RFC', cambiar: 'rfcs' }}
      >
        Cada RFC tiene su propia API key. Agregue uno, genere su llave y ya puede llamar a la API.
      </Vacio>
    ) : (
      <>
        <Formulario accion="/rfcs" metodo="get" enLinea descripcion="Buscar un RFC" valores={query}>
          <Campo nombre="q" label="RFC o nombre" tipo="search" maxLargo={60} />
          <Boton variante="secundario">Buscar</Boton>
        </Formulario>
        <Tabla
          titulo="RFC de la cuenta"
          tituloOculto
          columnas={columnasOf(hasCredenciales, { orden })}
          filas={rfcs.map((rfc) => fila(rfc, now, hasCredenciales, badges))}
          vacia={
            <Vacio titulo="Ningún RFC coincide" accion={{ href: '/rfcs', texto: 'Ver todos los RFC' }}>
              La cuenta no tiene un RFC ni un nombre con «{contiene}».
            </Vacio>
          }
        />
        <Paginacion {...links} />
      </>
    ),
    {
      accion: (
        <div class="fila">
          {FEATURES.map(({ rfcs: link }) => link?.())}
          {isEmpty ? null : (
            <Permitido cambiar="rfcs">
              <Boton href="/rfcs/nuevo">Agregar RFC</Boton>
            </Permitido>
          )}
        </div>
      ),
    },
  );
});

function fila(rfc: RfcVista, now: Date, hasCredenciales: boolean, badges: Badges) {
  const { llave } = rfc;
  return [
    <ConNota nota={rfc.nombre}>
      <a class="fija" href={hrefRfc(rfc.rfc)}>
        {rfc.rfc}
      </a>{' '}
      {badges.get(rfc.rfc)}
    </ConNota>,
    llave ? <LlaveCorta llave={llave} now={now} /> : <Estado texto="Sin llave" tono="alerta" />,
    llave?.ultimoUsoEn ? <Fecha value={llave.ultimoUsoEn} relativaA={now} /> : <span class="suave">Nunca</span>,
    ...(hasCredenciales ? [<Estado {...estadoCiec(rfc)} />, <Estado {...estadoEfirma(rfc, now)} />] : []),
  ];
}

function LlaveCorta({ llave, now }: { readonly llave: NonNullable<RfcVista['llave']>; readonly now: Date }) {
  const dias = edadEnDias(llave.creadaEn, now);
  return (
    <span class="fila">
      <code>…{llave.ultimos4}</code>
      {dias >= DIAS_ROTACION ? <Estado texto={`${dias} días: conviene cambiarla`} tono="alerta" /> : null}
    </span>
  );
}
