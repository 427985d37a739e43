import type { Declaracion } from '@acuse/core';
import { ilegible } from '../../texto.ts';
import type { PageClient, Pagina } from '../page-client.ts';
import { type Etiqueta, readTags } from '../paginas/etiquetas.ts';
import { encodeForm, type Lista, type Opcion, readCampos, readForms, readListas } from '../paginas/formulario.ts';
import { assertRfcNombrado } from '../paginas/pagina-portal.ts';
import { addOnce } from '../paginas/tablas.ts';
import type { ConsultaPortal, Portal } from '../portal.ts';
import { signIn } from '../sesion/log-in.ts';
import { askFor, assertSesionViva } from '../sesion/sesion-vencida.ts';
import { declaracionesAnteriores } from './declaraciones-anteriores.ts';
import { byFecha, readTablaResultado, realRows, rejectEjercicio } from './tabla-resultado.ts';

const HOST_DECLARACIONES = 'pstcdypisr.clouda.sat.gob.mx';

/**
 * The portal of provisional and definitive returns from 2022 on (luffynando/sat-scrapers-auth,
 * src/Portals/SatPstcdAndPisrPortal.php). Its first page names the RFC of the session.
 */
const PORTAL_DECLARACIONES: Portal = {
  nombre: 'declaraciones',
  async enter(login) {
    const entry = { host: HOST_DECLARACIONES, path: '/' };
    const pagina = await signIn(login, entry, 'loginda.siat.sat.gob.mx');
    assertRfcNombrado(pagina.etiquetas, login.credencial.rfc, true);
  },
  salida: { host: HOST_DECLARACIONES, path: '/Home/LogOut' },
};

/** The return itself; 3 is its acknowledgement of receipt, of the same returns. */
const TIPO_DOCUMENTO = '1';
const PAGINA = { host: HOST_DECLARACIONES, path: `/Consulta/Consulta?tipoDocumento=${TIPO_DOCUMENTO}` };
const BUSCAR = { host: HOST_DECLARACIONES, path: '/Consulta/Buscar' };
/** The table of the portal since 2022. */
export const RESULTADO = {
  id: /^tableResult$/,
  required: ['numeroOperacion', 'tipo', 'fecha', 'periodicidad', 'periodo', 'estado'],
} as const;

/**
 * Lists the returns of a fiscal year by the queries of the search form, each return once. All of them or an error: a
 * year that the portal does not have is PETICION_RECHAZADA, never an empty list.
 */
export const listarDeclaraciones: ConsultaPortal<'listar-declaraciones'> = {
  portal: PORTAL_DECLARACIONES,
  credenciales: ['efirma', 'ciec'],
  origen: {
    servidor: 'loginda.siat.sat.gob.mx, pstcdypisr.clouda.sat.gob.mx',
    fuentes: ['luffynando/sat-scrapers-auth'],
  },
  async ask(pageClient, { rfc, ejercicio }) {
    const pagina = await openConsulta(pageClient, rfc);
    const formulario = readQueryForm(pagina.etiquetas);
    if (!formulario.ejercicios.includes(String(ejercicio))) throw rejectEjercicio(ejercicio);
    const declaraciones = new Map<string, Declaracion>();
    for (const campos of formulario.consultasDe(String(ejercicio))) {
      for (const declaracion of await search(pageClient, rfc, campos, ejercicio)) {
        addOnce(declaraciones, declaracion.numeroOperacion, declaracion);
      }
    }
    return { declaraciones: [...declaraciones.values()].toSorted(byFecha) };
  },
  otro: declaracionesAnteriores,
};

async function openConsulta(pageClient: PageClient, rfc: string): Promise<Pagina> {
  const pagina = await pageClient.open(PAGINA);
  assertSesionViva(pagina, PAGINA.host);
  // A session that was renewed on the way ends on the first page of the portal.
  const isSame = pagina.direccion.path.split('?')[0]?.toLowerCase() === '/consulta/consulta';
  const consulta = isSame ? pagina : await pageClient.open(PAGINA);
  assertRfcNombrado(consulta.etiquetas, rfc, false);
  return consulta;
}

async function search(
  pageClient: PageClient,
  rfc: string,
  campos: readonly Par[],
  ejercicio: number,
): Promise<readonly Declaracion[]> {
  const headers = {
    'content-type': 'application/x-www-form-urlencoded; charset=UTF-8',
    'x-requested-with': 'XMLHttpRequest',
    accept: 'text/html, */*; q=0.01',
    origin: `https://${PAGINA.host}`,
  };
  const body = encodeForm(campos);
  const etiquetas = readTags(await askFor(pageClient, { ...BUSCAR, method: 'POST', headers, body }));
  assertRfcNombrado(etiquetas, rfc, false);
  return readTablaResultado(etiquetas, ejercicio, RESULTADO);
}

const MAX_CONSULTAS = 60;
/**
 * The periods of a kind, which a script fills in once the kind is chosen: the months (soycontadorAI/sat-dm,
 * declaraciones.py) and the quarters (public scripts for the form of `ConfigDeclaracion.aspx`). Those of the other
 * kinds are in no public source.
 */
const PERIODOS: ReadonlyMap<string, readonly string[]> = new Map([
  ['M', claves(1, 12)],
  ['T', claves(13, 16)],
]);
/**
 * Reads `#IdDeclaracion`, `#Ejercicio`, `#Periodicidad` and `#Periodo` of the page `/Consulta/Consulta`. A query is a
 * form type with a kind and one of its periods, as a person fills them in. Kinds with unknown periods are queried for
 * the whole year, with neither chosen (public clients search both ways). Throws RESPUESTA_ILEGIBLE for a page without
 * these lists, or with more queries than any taxpayer needs.
 */
function readQueryForm(etiquetas: readonly Etiqueta[]) {
  const ejercicio = findLista(etiquetas, /ejercicio$/i);
  const periodicidad = findLista(etiquetas, /periodicidad$/i);
  const declaracion = findLista(etiquetas, /declaracion$/i);
  const periodo = findLista(etiquetas, /periodo$/i);
  if (ejercicio === undefined || periodicidad === undefined) throw ilegible('declaraciones: sin listas de consulta');
  const formulario = readForms(etiquetas).find((f) => f.etiquetas.some(isEjercicio));
  const fijos = readCampos((formulario?.etiquetas ?? etiquetas).filter(isOculto));
  const tipos = realRows(periodicidad);
  if (tipos.length === 0) throw ilegible('declaraciones: sin periodicidades');

  return {
    ejercicios: realRows(ejercicio).map(({ valor }) => valor),
    /** What the form sends for a fiscal year, one list of fields for each query. */
    consultasDe(anio: string): readonly (readonly Par[])[] {
      const campos: (readonly Par[])[] = [...fijos].map((par) => [par]);
      if (!fijos.has('tipoDocumento')) campos.push([['tipoDocumento', TIPO_DOCUMENTO]]);
      if (declaracion !== undefined) campos.push(toPares(declaracion, realRows(declaracion)));
      campos.push([[ejercicio.nombre, anio]]);
      const nombrePeriodo = periodo?.nombre ?? 'Periodo';
      const offered = new Set((periodo === undefined ? [] : realRows(periodo)).map(({ valor }) => valor));
      const kinds = tipos.flatMap((tipo): Par[][] => {
        const periodos = PERIODOS.get(tipo.valor)?.filter((clave) => offered.size === 0 || offered.has(clave));
        return (periodos ?? []).map((clave) => [
          [periodicidad.nombre, tipo.valor],
          [nombrePeriodo, clave],
        ]);
      });
      const wholeYear: Par[] = [
        [periodicidad.nombre, ''],
        [nombrePeriodo, ''],
      ];
      const all = tipos.every(({ valor }) => PERIODOS.has(valor)) ? kinds : [wholeYear, ...kinds];
      const consultas = cross(campos).flatMap((fields) => all.map((kind) => [...fields, ...kind]));
      if (consultas.length > MAX_CONSULTAS) throw ilegible('declaraciones: demasiados periodos');
      return consultas;
    },
  };
}

type Par = readonly [string, string];

/** Every combination of the alternatives of each field. */
function cross(campos: readonly (readonly Par[])[]): Par[][] {
  return campos.reduce<Par[][]>(
    (consultas, alternatives) =>
      consultas.flatMap((hecha) => alternatives.slice(0, MAX_CONSULTAS).map((par) => [...hecha, par])),
    [[]],
  );
}

/** The keys of consecutive periods: three digits each. */
function claves(desde: number, hasta: number): readonly string[] {
  return Array.from({ length: hasta - desde + 1 }, (_, i) => String(desde + i).padStart(3, '0'));
}

/** A list without anything to choose sends what a browser would. */
function toPares({ nombre, opciones }: Lista, elegidas: readonly Opcion[]): readonly Par[] {
  const valores = elegidas.length > 0 ? elegidas : opciones.slice(0, 1);
  return valores.length === 0 ? [[nombre, '']] : valores.map(({ valor }): Par => [nombre, valor]);
}

/** A list of the page by its id, else its name: a browser's script enables `#Periodo` once a period kind is chosen. */
function findLista(etiquetas: readonly Etiqueta[], clave: RegExp): Lista | undefined {
  const lista = readListas(etiquetas).find(({ id, nombre }) => clave.test(id || nombre));
  return lista && { ...lista, nombre: lista.nombre || lista.id };
}

function isEjercicio(etiqueta: Etiqueta): boolean {
  return (
    etiqueta.nombre === 'select' && /ejercicio$/i.test(etiqueta.attrs.get('id') ?? etiqueta.attrs.get('name') ?? '')
  );
}

function isOculto(etiqueta: Etiqueta): boolean {
  return etiqueta.nombre === 'input' && etiqueta.attrs.get('type')?.trim().toLowerCase() === 'hidden';
}
