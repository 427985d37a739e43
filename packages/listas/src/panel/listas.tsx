import { avisoOf, type PageDeps, type PersonContext, routesFor } from '@acuse/page';
import { Aviso, ConNota, Datos, Estado, Fecha, numeric, Tabla, Tarjeta } from '@acuse/page/blocks';
import { Boton, Campo, Formulario } from '@acuse/page/form';
import { count, formatNumero } from '@acuse/page/formato';
import type { Child } from 'hono/jsx';
import { createCargaListas, createListados, createListaEdos, type EstadoListado } from '../db/index.ts';
import { ArchivoRechazado, readRfcs } from '../db/rfcs-csv.ts';
import { LISTADOS } from '../index.ts';

/** A hundred thousand RFCs with a column or two beside them. */
const MAX_BYTES = 4 * 1024 * 1024;
const RESULTADOS = {
  EN_CURSO: ['En curso', 'info'],
  CARGADA: ['Cargada', 'exito'],
  SIN_CAMBIO: ['Sin cambios', 'neutro'],
  FALLIDA: ['No se pudo', 'error'],
} as const;

/** What the first word of a failed attempt's reason means, and what follows from it. */
const RECHAZOS: ReadonlyMap<string, string> = new Map([
  ['LISTA_ANTERIOR', 'Es más vieja que la que responde'],
  ['LISTA_MENGUADA', 'Tiene menos renglones de los que debe'],
  ['RESPUESTA_ILEGIBLE', 'Lo que llegó no es la lista, o no está completa'],
  ['SERVICIO_CON_ERROR', 'El servidor del SAT contestó con un error; si es HTTP 404, la lista se movió'],
  ['PETICION_RECHAZADA', 'El servidor del SAT no aceptó la petición'],
  ['NO_RESPONDE', 'El servidor del SAT no contestó'],
  ['TIEMPO_AGOTADO', 'El servidor del SAT tardó demasiado'],
  ['CORTACIRCUITOS_ABIERTO', 'Su servidor falló varias veces seguidas, y se le deja descansar'],
  ['HOST_NO_PERMITIDO', 'Su dirección lleva a un servidor que no está permitido'],
  ['INTERRUMPIDA', 'El worker se cerró antes de terminar; nada dice de la lista'],
]);

export const listsPage = routesFor('operador');

listsPage.get('/operador/listas', renderListas);

listsPage.post('/operador/listas/69b', async (contexto) => {
  const forzar = contexto.campos['forzar'] === 'si';
  await createCargaListas(contexto.deps.database).askFor({ forzar, ...contexto.autor });
  return contexto.redirectTo('/operador/listas', {
    tono: 'exito',
    texto: 'Los workers buscarán la lista en unos segundos. Vuelva a cargar la página para ver el resultado.',
  });
});

listsPage.post(
  '/operador/listas/edos',
  async (contexto) => {
    const { archivos, campos, deps, redirectTo } = contexto;
    const fuente = (campos['fuente'] ?? '').trim();
    const { archivo } = archivos;
    if (fuente === '' || fuente.length > 200)
      return renderListas(contexto, { fuente: 'Escriba de dónde viene la lista, en 1 a 200 caracteres.' });
    if (archivo === undefined) return renderListas(contexto, { archivo: 'Elija el archivo CSV.' });
    let rfcs: string[];
    try {
      rfcs = await readRfcs(archivo.stream());
    } catch (error) {
      if (!(error instanceof ArchivoRechazado)) throw error;
      return renderListas(contexto, { rechazo: error.message });
    }
    const lista = { fuente, rfcs, ...contexto.autor };
    const estado = await createListaEdos(deps.database).importar(lista);
    return redirectTo('/operador/listas', {
      tono: 'exito',
      texto: `La lista EDOS es ahora «${estado.fuente}», con ${formatNumero(estado.rfcs)} RFC.`,
    });
  },
  { maxBytes: MAX_BYTES },
);

listsPage.post('/operador/listas/edos/borrar', async (contexto) => {
  if (contexto.campos['seguro'] !== 'si')
    return renderListas(contexto, { seguro: 'Marque aquí que la lista se quita: no se puede deshacer.' });
  const isGone = await createListaEdos(contexto.deps.database).remove(contexto.autor);
  const done = 'La lista EDOS se quitó: las respuestas dirán que no hay ninguna.';
  return contexto.redirectTo('/operador/listas', avisoOf(isGone, done, 'No había lista EDOS.'));
});

/** Faults by field; `rechazo`: fault of the lines of the file. */
type Faltas = Readonly<Partial<Record<'fuente' | 'archivo' | 'rechazo' | 'seguro', string>>>;

async function renderListas(contexto: PersonContext, faltas: Faltas = {}): Promise<Response> {
  const { deps, pagina } = contexto;
  const [estados, efos, edos] = await Promise.all([
    createListados(deps.database).estados(),
    createCargaListas(deps.database).estado(),
    createListaEdos(deps.database).estado(),
  ]);
  return pagina(
    'Listas',
    <>
      <Todas estados={estados} />
      <Lista69b efos={efos} />
      <ListaEdos contexto={contexto} edos={edos} faltas={faltas} />
    </>,
    { status: Object.keys(faltas).length > 0 ? 422 : 200 },
  );
}

type Efos = Awaited<ReturnType<ReturnType<typeof createCargaListas>['estado']>>;
type Edos = Awaited<ReturnType<ReturnType<typeof createListaEdos>['estado']>>;

function Todas({ estados }: { readonly estados: readonly EstadoListado[] }) {
  return (
    <Tarjeta titulo="Listas del SAT">
      <Tabla
        titulo="Todas las que se conocen"
        tituloOculto
        columnas={['Lista', 'Corte', numeric('Renglones'), 'Confirmada', 'Último intento']}
        filas={estados.map((estado) => [
          <ConNota nota={estado.clave} literal>
            {LISTADOS[estado.clave].nombre}
          </ConNota>,
          estado.vigente === null ? '—' : <time>{estado.vigente.fechaCorte}</time>,
          estado.vigente === null ? '—' : formatNumero(estado.vigente.filas),
          <Confirmada {...estado} />,
          <Intento {...estado} />,
        ])}
      />
      <p class="suave">
        Una lista que falla no detiene a las demás: sigue respondiendo la de antes, y se intenta otra vez en menos de
        una hora. La que no se busca no tiene una dirección conocida hoy: diga dónde está en{' '}
        <code>SAT_LISTAS_URLS</code>
        de los workers, como <code>condonados-21=https://…</code>, o cárguela de un archivo con{' '}
        <code>acuse operador listas importar condonados-21 archivo.csv --fecha AAAA-MM-DD</code>.
      </p>
    </Tarjeta>
  );
}

function Confirmada({ vigente, isVieja }: EstadoListado) {
  if (vigente === null) return <Estado texto="No está" />;
  const isByHand = vigente.fuente.startsWith('archivo:');
  return (
    <ConNota nota={isByHand ? `a mano, de ${vigente.fuente}` : null}>
      <Fecha value={vigente.revisadaEn} /> {isVieja ? <Estado texto="Vieja" tono="alerta" /> : null}
    </ConNota>
  );
}

function Intento({ ultima, pedidaEn }: EstadoListado) {
  if (ultima === null)
    return pedidaEn === null ? <Estado texto="No se busca" /> : <Estado texto="Pedida" tono="info" />;
  const [texto, tono] = RESULTADOS[ultima.resultado];
  const { motivo } = ultima;
  const [codigo = ''] = motivo?.split(':') ?? [];
  const rechazo = RECHAZOS.get(codigo) ?? 'Falló de nuestro lado: busque list_not_loaded en la bitácora';
  return (
    <ConNota nota={motivo}>
      <Estado texto={texto} tono={tono} /> <Fecha value={ultima.terminadaEn ?? ultima.iniciadaEn} />
      {motivo === null ? null : <div>{rechazo}.</div>}
    </ConNota>
  );
}

function Lista69b({ efos }: { readonly efos: Efos }) {
  const fallida = efos.cargas.find(({ resultado }) => resultado === 'FALLIDA');
  return (
    <Tarjeta titulo="Lista del artículo 69-B (EFOS)">
      {efos.vigente === null ? (
        <Aviso tono="alerta">Todavía no se ha cargado ninguna: la consulta de EFOS no puede contestar.</Aviso>
      ) : (
        <Datos
          filas={[
            ['Corte', efos.vigente.fechaCorte],
            ['Renglones', formatNumero(efos.vigente.filas)],
            ['Cargada', <Fecha value={efos.vigente.cargadaEn} />],
            ['Revisada por última vez', <Fecha value={efos.vigente.revisadaEn} />],
            [
              'Última vez que no se pudo',
              fallida ? (
                <>
                  <Fecha value={fallida.terminadaEn ?? fallida.iniciadaEn} />: {fallida.motivo ?? 'sin motivo'}
                </>
              ) : (
                'Ninguna de las últimas'
              ),
            ],
          ]}
        />
      )}
      <Tabla
        titulo="Últimos intentos"
        columnas={['Inicio', 'Fin', 'Resultado', 'Motivo']}
        filas={efos.cargas.map(({ iniciadaEn, terminadaEn, resultado, motivo }) => {
          const [texto, tono] = RESULTADOS[resultado];
          return [
            <Fecha value={iniciadaEn} />,
            <Fecha value={terminadaEn} />,
            <Estado texto={texto} tono={tono} />,
            motivo ?? '—',
          ];
        })}
        vacia={<p class="suave">Todavía no se ha intentado.</p>}
      />
      {efos.pedidaEn === null ? null : (
        <p class="suave">
          Pedida <Fecha value={efos.pedidaEn} />; espera a un worker con el rol listas.
        </p>
      )}
      <Formulario accion="/operador/listas/69b">
        <Campo
          nombre="forzar"
          label="Aceptarla aunque tenga muchos menos renglones o sea de un corte anterior"
          tipo="checkbox"
        />
        <Boton variante="secundario">Buscarla ahora</Boton>
      </Formulario>
    </Tarjeta>
  );
}

function ListaEdos({ contexto, edos, faltas }: { contexto: PersonContext; edos: Edos; faltas: Faltas }) {
  const { campos } = contexto;
  return (
    <Tarjeta titulo="Lista EDOS">
      <p>Nadie publica una oficial: responde la que usted importe, con su nombre.</p>
      {edos === null ? (
        <p class="suave">No hay ninguna.</p>
      ) : (
        <Datos
          filas={[
            ['Fuente', edos.fuente],
            ['RFC', formatNumero(edos.rfcs)],
            ['Importada', <Fecha value={edos.importadaEn} />],
          ]}
        />
      )}
      {faltas.rechazo === undefined ? null : (
        <Aviso tono="error" titulo="El archivo no se importó">
          {faltas.rechazo.split('\n').map((line) => (
            <p>{line}</p>
          ))}
        </Aviso>
      )}
      <Formulario accion="/operador/listas/edos" archivos valores={campos} faltas={faltas}>
        <Campo nombre="fuente" label="Fuente" requerido maxLargo={200} ayuda="Se muestra en cada respuesta." />
        <Campo
          nombre="archivo"
          label="Archivo CSV"
          tipo="file"
          acepta=".csv,text/csv"
          requerido
          ayuda="En UTF-8, con una columna, o con una que se llame rfc; de hasta 4 MB. Sustituye a la anterior."
        />
        <Boton>Importar</Boton>
      </Formulario>
      {edos === null ? null : (
        <Formulario accion="/operador/listas/edos/borrar" faltas={faltas}>
          <Campo
            nombre="seguro"
            label={`Sí, quitar «${edos.fuente}», de ${formatNumero(edos.rfcs)} RFC`}
            tipo="checkbox"
            requerido
          />
          <Boton variante="peligro">Quitar la lista EDOS</Boton>
        </Formulario>
      )}
    </Tarjeta>
  );
}

/** Lists that were refused, and lists that are old, for the first page of the operator. */
export async function readPendientes({ database }: PageDeps): Promise<readonly Child[]> {
  const listas = await createListados(database).estados();
  const nombresDe = (some: typeof listas) => some.map(({ clave }) => LISTADOS[clave].nombre);
  const rechazadas = nombresDe(listas.filter(({ isRechazada }) => isRechazada));
  const viejas = nombresDe(listas.filter(({ isVieja }) => isVieja));
  return [
    rechazadas.length > 0 && (
      <>
        <a href="/operador/listas">
          {count(rechazadas.length, 'lista', 'listas')} del SAT sin actualizar la última vez
        </a>
        : {rechazadas.join(', ')}.
      </>
    ),
    viejas.length > 0 && (
      <>
        <a href="/operador/listas">{count(viejas.length, 'lista', 'listas')} del SAT sin confirmar desde hace días</a>:{' '}
        {viejas.join(', ')}.
      </>
    ),
  ];
}
