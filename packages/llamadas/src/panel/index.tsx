import { OPERACIONES } from '@acuse/contract';
import { isUuid } from '@acuse/db';
import { headOf, hrefRfc, type PageFeature, Permitido, rfcRoutes } from '@acuse/page';
import { ConNota, Estado, Fecha, numeric, Paginacion, pageOf, sortOf, Tabla, Tarjeta, Vacio } from '@acuse/page/blocks';
import { startOfDia } from '@acuse/page/dia-mexico';
import { Boton, Campo, Formulario, hrefWith } from '@acuse/page/form';
import { formatNumero } from '@acuse/page/formato';
import type { Child } from 'hono/jsx';
import { createLlamadas, formatLugar, type LlamadaVista, parseLugar, RESULTADOS, type Resultado } from '../db.ts';

const SUB = '/llamadas';
const FILAS = 25;
const NOMBRES: Readonly<Record<Resultado, string>> = { EXITO: 'Éxito', RECHAZO: 'Rechazo', FALLA: 'Falla nuestra' };

const nombreDe = (path: string) => OPERACIONES.find((operacion) => operacion.path === path)?.resumen ?? path;
const tonoDe = ({ http }: LlamadaVista) => (http < 400 ? 'exito' : http < 500 ? 'alerta' : 'error');

const callsPage = rfcRoutes('llaves');

/** The calls of the keys of an RFC. `op`: the identity of a charge, from the ledger. */
callsPage.get(SUB, async ({ c, deps, pagina }, rfc) => {
  const path = hrefRfc(rfc.rfc, SUB);
  const texto = (name: string) => (c.req.query(name) ?? '').trim();
  const dia = (name: string) => (startOfDia(texto(name)) === null ? undefined : texto(name));
  const filtro = {
    desde: dia('desde'),
    hasta: dia('hasta'),
    operacion: texto('operacion') || undefined,
    resultado: RESULTADOS.find((one) => one === texto('resultado')),
  };
  const op = isUuid(texto('op')) ? texto('op') : undefined;
  const chosen = { ...filtro, op, orden: texto('orden') };
  const { isReversed, orden } = sortOf(path, chosen, 'descending');
  const place = { antes: parseLugar(texto('antes')), isReversed, limite: FILAS + 1 };
  const read = await createLlamadas(deps.database).page(rfc.id, { ...filtro, opId: op }, place);
  const { filas, anterior, siguiente } = pageOf(read, FILAS, {
    path,
    query: { ...chosen, antes: texto('antes') },
    after: 'antes',
    placeOf: formatLugar,
  });
  const isFiltered = hrefWith('', { ...filtro, op }) !== '';
  return pagina(
    `Llamadas de ${rfc.rfc}`,
    <>
      <p class="suave">
        Lo que se llamó con sus API keys en 30 días, sin su contenido. Una llamada aparece a los pocos segundos; si la
        base de datos falta por mucho tiempo, algunas no quedan aquí.
      </p>
      <Tarjeta titulo="Filtro" isFolded={!isFiltered}>
        <Formulario accion={path} metodo="get" enLinea descripcion="Filtro de llamadas" valores={chosen}>
          <Campo nombre="desde" label="Desde" tipo="date" />
          <Campo nombre="hasta" label="Hasta" tipo="date" />
          <Campo
            nombre="operacion"
            label="Operación"
            opciones={[['', 'Todas'], ...OPERACIONES.map(({ path: value }) => [value, nombreDe(value)] as const)]}
          />
          <Campo
            nombre="resultado"
            label="Resultado"
            opciones={[['', 'Todos'], ...RESULTADOS.map((value) => [value, NOMBRES[value]] as const)]}
          />
          <Boton variante="secundario">Filtrar</Boton>
        </Formulario>
      </Tarjeta>
      <Tabla
        titulo={`Llamadas, de la más ${isReversed ? 'antigua a la más nueva' : 'nueva a la más antigua'}`}
        tituloOculto
        columnas={[
          { titulo: 'Cuándo', orden },
          'Operación',
          { titulo: 'Resultado', phone: 'value' },
          { titulo: 'X-Request-Id', phone: 'none' },
          numeric('ms', { phone: 'none' }),
          numeric('Créditos', { phone: 'end' }),
        ]}
        filas={filas.map((llamada) => [
          <Fecha value={llamada.en} />,
          <span title={llamada.operacion}>{nombreDe(llamada.operacion)}</span>,
          <ConNota nota={`cfdi_codigo ${llamada.codigo}`}>
            <Estado texto={`HTTP\u00a0${llamada.http}`} tono={tonoDe(llamada)} />
          </ConNota>,
          <ConNota nota={llamada.idempotencyKey === null ? null : `Idempotency-Key: ${llamada.idempotencyKey}`}>
            <code>{llamada.requestId}</code>
          </ConNota>,
          formatNumero(llamada.ms),
          formatNumero(llamada.creditos),
        ])}
        vacia={
          isFiltered ? (
            <Vacio titulo="Ninguna llamada coincide" accion={{ href: path, texto: 'Ver todas' }}>
              Las de hace más de 30 días ya no se guardan.
            </Vacio>
          ) : (
            <Vacio titulo="Ninguna llamada en 30 días">Aquí verá cada llamada a la API, y cómo terminó.</Vacio>
          )
        }
      />
      <Paginacion anterior={anterior} siguiente={siguiente} />
    </>,
    headOf(rfc, SUB),
  );
});

export const llamadasPanel: PageFeature = {
  rutas: callsPage.rutas,
  rfc: [[SUB, 'Llamadas', 'llaves']],
  llamada: (rfc: string, op: string, texto: Child) => (
    <Permitido ver="llaves" otherwise={texto}>
      <a href={hrefWith(hrefRfc(rfc, SUB), { op })}>{texto}</a>
    </Permitido>
  ),
};
