import type { Modo } from '@acuse/core';
import { createRfcBatches } from '@acuse/db';
import { type ContextoCliente, type PageDeps, pagesWith } from '@acuse/page';
import { Aviso, numeric, Tabla, Tarjeta } from '@acuse/page/blocks';
import { csvResponse } from '@acuse/page/csv';
import { Boton, Botones, Campo, Formulario } from '@acuse/page/form';
import { count, formatNumero } from '@acuse/page/formato';
import type { Sealer } from '@acuse/vault';
import { FINALIDAD, finalidadField, MAX_FINALIDAD, MAX_SOLICITANTE, solicitanteField } from '../enlace.ts';
import { ArchivoIlegible, type Falta, type Fila, type Leido, MAX_BYTES, MAX_LINEAS, readArchivo } from './archivo.ts';
import { ENCABEZADO_LLAVES, type Entrega, findSender, importRfcs, linesOf } from './importar.ts';

export type ImportarDeps = PageDeps & {
  readonly sealer: Sealer;
  readonly settings: PageDeps['settings'] & { readonly hayPruebas: boolean };
};
type Contexto = ContextoCliente<ImportarDeps>;

const PATH = '/rfcs/importar';
const CONFIRMAR = `${PATH}/confirmar`;
/** The file, and the other fields of its form. */
const MAX_FORM = MAX_BYTES + 65_536;
/** Lines that the page shows. */
const SHOWN = 1_000;
/** Links that are mailed for one person in a day; the others are in the file of keys. */
const CORREOS_AL_DIA = 200;

const { routesFor } = pagesWith<ImportarDeps>();

export const importPage = routesFor('importacion');

importPage.get(PATH, (contexto) => renderForma(contexto));

/** Reads the file and shows what would be done. Changes nothing. */
importPage.post(
  PATH,
  async (contexto) => {
    const archivo = contexto.archivos['archivo'];
    if (archivo === undefined) return renderForma(contexto, { archivo: 'Elija el archivo CSV.' });
    const textos = readTextos(contexto);
    if ('faltas' in textos) return renderForma(contexto, textos.faltas);
    const bytes = Buffer.from(await archivo.arrayBuffer());
    const leido = readOr(bytes);
    if (typeof leido === 'string') return renderForma(contexto, { archivo: leido });
    return renderRevision(contexto, leido, bytes);
  },
  { maxBytes: MAX_FORM },
);

/** Imports the lines that were shown; the answer is the file of the new keys, which exists nowhere else. */
importPage.post(
  CONFIRMAR,
  async (contexto) => {
    const { campos, deps, usuario, autor, redirectTo } = contexto;
    const textos = readTextos(contexto);
    if ('faltas' in textos) return renderForma(contexto, textos.faltas);
    const leido = readOr(Buffer.from(campos['texto'] ?? '', 'base64'));
    if (typeof leido === 'string') return renderForma(contexto, { archivo: leido });
    const usuarioId = await senderOf(contexto);
    const entregas: Entrega[] = [];
    let isWhole = true;
    try {
      const importacion = {
        database: deps.database,
        cuentaId: usuario.cuentaId,
        hasher: deps.hasher,
        modo: modoOf(contexto),
        enlaces: {
          sealer: deps.sealer,
          publicUrl: deps.settings.apiPublicUrl,
          ...textos,
          sender: usuarioId === null ? null : { usuarioId, alDia: CORREOS_AL_DIA },
        },
        keep: async (nuevas: readonly Entrega[]) => void entregas.push(...nuevas),
        ...autor,
      };
      for await (const _ of importRfcs(leido.filas, importacion));
    } catch (error) {
      // The file is the only copy of the keys that are active already.
      if (entregas.length === 0) throw error;
      isWhole = false;
      deps.log.error({ err: error, hechas: entregas.length }, 'import_broken_off');
    }
    if (entregas.length === 0)
      return redirectTo('/rfcs', { tono: 'info', texto: 'Todos esos RFC ya tenían llave: no se cambió nada.' });
    const text = `${ENCABEZADO_LLAVES}${linesOf(entregas)}`;
    return csvResponse(new Blob([text]).stream(), isWhole ? 'llaves' : 'llaves-incompletas-repita');
  },
  { maxBytes: MAX_FORM * 2 },
);

function readOr(bytes: Uint8Array): Leido | string {
  try {
    return readArchivo(bytes);
  } catch (error) {
    if (error instanceof ArchivoIlegible) return error.message;
    throw error;
  }
}

type Faltas = Readonly<Partial<Record<'archivo' | 'solicitante' | 'finalidad', string | undefined>>>;

/** Who asks for the CIEC and what for, or their faults. */
function readTextos({ campos, usuario }: Contexto) {
  const solicitante = solicitanteField.safeParse(campos['solicitante'] ?? solicitanteOf(usuario.cuenta));
  const finalidad = finalidadField.safeParse(campos['finalidad'] ?? FINALIDAD);
  if (solicitante.success && finalidad.success) return { solicitante: solicitante.data, finalidad: finalidad.data };
  const faultOf = ({ error }: { error?: { issues: readonly { message: string }[] } | undefined }) => {
    const message = error?.issues[0]?.message;
    return message === undefined ? undefined : `Este texto ${message}.`;
  };
  return { faltas: { solicitante: faultOf(solicitante), finalidad: faultOf(finalidad) } };
}

const solicitanteOf = (cuenta: string) => cuenta.slice(0, MAX_SOLICITANTE).trim();

const modoOf = ({ campos, deps: { settings } }: Contexto): Modo =>
  settings.hayPruebas ? (campos['modo'] === 'test' ? 'test' : 'live') : settings.modoLlave;

/** Under whose name links are mailed, or null where they are not. */
const senderOf = ({ deps, usuario }: Contexto): Promise<string | null> =>
  deps.settings.correo === null ? Promise.resolve(null) : findSender(deps.database, usuario.cuentaId, usuario.id);

async function renderForma(contexto: Contexto, faltas: Faltas = {}): Promise<Response> {
  const { campos, deps, pagina, usuario } = contexto;
  const isFaulty = Object.values(faltas).some((falta) => falta !== undefined);
  const isMailed = (await senderOf(contexto)) !== null;
  return pagina(
    'Importar RFC',
    <>
      <p>
        Un archivo CSV con el encabezado <code>rfc,nombre,correo</code>: nombre y correo son opcionales. Cada RFC nuevo
        recibe su API key. Lo que ya estaba no cambia: el mismo archivo se puede subir otra vez.
      </p>
      <p>
        A quien tiene correo se le hace un enlace para que entregue su CIEC sin que usted la vea.{' '}
        {isMailed
          ? `Le llega por correo, hasta ${CORREOS_AL_DIA} al día; los demás enlaces quedan en el archivo de llaves.`
          : 'Queda en el archivo de llaves, junto a la suya: envíelo usted.'}
      </p>
      <Tarjeta>
        <Formulario
          accion={PATH}
          archivos
          descripcion="Importar RFC"
          valores={{ solicitante: solicitanteOf(usuario.cuenta), finalidad: FINALIDAD, ...campos }}
          faltas={faltas}
        >
          <Campo
            nombre="archivo"
            label="Archivo CSV"
            tipo="file"
            acepta=".csv,.txt"
            requerido
            ayuda={`Hasta ${formatNumero(MAX_LINEAS)} líneas y ${MAX_BYTES / 1_048_576} MiB. Primero verá qué se hará con cada una.`}
          />
          <Campo
            nombre="solicitante"
            label="Quién pide la CIEC"
            requerido
            maxLargo={MAX_SOLICITANTE}
            ayuda="El nombre que sus clientes conocen."
          />
          <Campo nombre="finalidad" label="Para qué" requerido maxLargo={MAX_FINALIDAD} />
          {deps.settings.hayPruebas ? (
            <Campo
              nombre="modo"
              label="Para qué son las llaves"
              value={modoOf(contexto)}
              requerido
              opciones={[
                ['live', 'De producción: acuse_live_'],
                ['test', 'De pruebas: acuse_test_'],
              ]}
            />
          ) : null}
          <Botones cancelar="/rfcs">Revisar el archivo</Botones>
        </Formulario>
      </Tarjeta>
    </>,
    { camino: <Camino />, status: isFaulty ? 422 : 200 },
  );
}

async function renderRevision(contexto: Contexto, { filas, faltas }: Leido, bytes: Buffer): Promise<Response> {
  const { campos, deps, pagina, usuario } = contexto;
  const known = await createRfcBatches(deps.database).withKey(
    usuario.cuentaId,
    filas.map(({ rfc }) => rfc),
  );
  const nuevas = filas.length - known.size;
  return pagina(
    'Revise la importación',
    <>
      {faltas.length > 0 ? (
        <Aviso tono="alerta" titulo={`${count(faltas.length, 'línea no se importará', 'líneas no se importarán')}`}>
          Corríjalas en el archivo y súbalo de nuevo, antes o después de importar las demás.
        </Aviso>
      ) : null}
      <Tarjeta titulo={`${count(nuevas, 'RFC recibirá su API key', 'RFC recibirán su API key')}`}>
        {known.size > 0 ? (
          <p>{count(known.size, 'ya tenía llave y no cambia', 'ya tenían llave y no cambian')}.</p>
        ) : null}
        {nuevas > 0 ? (
          <div class="pila" data-una-vez>
            <p>
              Las llaves se bajan en un archivo <strong>una sola vez</strong>: guárdelo donde solo usted lo lea.
            </p>
            <Formulario accion={CONFIRMAR} archivos descripcion="Importar y bajar las llaves">
              {/* In base64: a form changes line breaks. */}
              <input type="hidden" name="texto" value={bytes.toString('base64')} />
              {['solicitante', 'finalidad', 'modo'].map((nombre) =>
                campos[nombre] === undefined ? null : <input type="hidden" name={nombre} value={campos[nombre]} />,
              )}
              <div class="fila">
                <Boton>Importar y bajar las llaves</Boton>
                <Boton variante="discreto" href={PATH}>
                  Elegir otro archivo
                </Boton>
              </div>
            </Formulario>
            <p role="status" data-una-vez-aviso hidden>
              Se están importando: el archivo llaves.csv baja en un momento. Después, vea <a href="/rfcs">sus RFC</a>.
            </p>
          </div>
        ) : (
          <div>
            <Boton variante="secundario" href="/rfcs">
              Ver los RFC
            </Boton>
          </div>
        )}
      </Tarjeta>
      <Lineas filas={filas} faltas={faltas} known={known} />
    </>,
    { camino: <Camino />, scripts: ['una-vez.js'] },
  );
}

interface LineasProps extends Leido {
  /** RFCs that have a key. */
  readonly known: ReadonlySet<string>;
}

/** Faulty lines first. */
function Lineas({ filas, faltas, known }: LineasProps) {
  const wrong = faltas.map(({ linea, valor, motivo }: Falta) => [
    <code>{valor || '(vacío)'}</code>,
    linea,
    <span class="larga">{motivo}</span>,
  ]);
  const good = filas.map(({ linea, rfc, correo }: Fila) => [
    <code>{rfc}</code>,
    linea,
    known.has(rfc) ? 'Ya estaba' : correo === null ? 'Se importa' : `Se importa, con enlace para ${correo}`,
  ]);
  const all = [...wrong, ...good];
  return (
    <>
      <Tabla
        titulo="Líneas del archivo, primero las que tienen algo mal"
        columnas={['Valor', numeric('Línea', { phone: 'value' }), { titulo: 'Qué pasa', phone: 'line' }]}
        filas={all.slice(0, SHOWN)}
      />
      {all.length > SHOWN ? <p class="suave">Y {formatNumero(all.length - SHOWN)} líneas más.</p> : null}
    </>
  );
}

const Camino = () => (
  <p class="suave">
    <a href="/rfcs">RFC</a> / Importar
  </p>
);
