import type { Declaracion } from '@acuse/core';
import type { ConsultaPortal } from '../consulta-portal.ts';
import type { PageClient, Pagina } from '../page-client.ts';
import { encodeFormulario } from '../paginas/cuerpo-formulario.ts';
import { readEtiquetas } from '../paginas/etiquetas.ts';
import { ilegible } from '../paginas/ilegible.ts';
import { assertRfcNombrado } from '../paginas/rfc-nombrado.ts';
import { addOnce } from '../paginas/tablas/filas-unicas.ts';
import { pedir } from '../sesion/pedir.ts';
import { assertSesionViva } from '../sesion/sesion-vencida.ts';
import { declaracionesAnteriores } from './declaraciones-anteriores.ts';
import { readFormularioConsulta, rejectEjercicio, TIPO_DOCUMENTO } from './formulario-consulta.ts';
import { HOST_DECLARACIONES, PORTAL_DECLARACIONES } from './portal-declaraciones.ts';
import { byFecha, readTablaResultado } from './tabla-resultado.ts';

const PAGINA = { host: HOST_DECLARACIONES, path: `/Consulta/Consulta?tipoDocumento=${TIPO_DOCUMENTO}` };
const BUSCAR = { host: HOST_DECLARACIONES, path: '/Consulta/Buscar' };
/** The table of the portal since 2022. */
export const RESULTADO = {
  id: /^tableResult$/,
  necesarias: ['numeroOperacion', 'tipo', 'fecha', 'periodicidad', 'periodo', 'estado'],
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
  async ask(pageClient, { rfc, ejercicio }, { signal }) {
    const pagina = await openConsulta(pageClient, rfc, signal);
    const formulario = readFormularioConsulta(pagina.etiquetas);
    if (!formulario.ejercicios.includes(String(ejercicio))) throw rejectEjercicio(ejercicio);
    const declaraciones = new Map<string, Declaracion>();
    for (const campos of formulario.consultasDe(String(ejercicio))) {
      for (const declaracion of await buscar(pageClient, rfc, campos, ejercicio, signal)) {
        addOnce(declaraciones, declaracion.numeroOperacion, declaracion);
      }
    }
    return { declaraciones: [...declaraciones.values()].toSorted(byFecha) };
  },
  otro: declaracionesAnteriores,
};

async function openConsulta(pageClient: PageClient, rfc: string, signal: AbortSignal): Promise<Pagina> {
  const pagina = await pageClient.open(PAGINA, signal);
  assertSesionViva(pagina);
  if (pagina.direccion.host !== PAGINA.host) throw ilegible('el portal de declaraciones lleva a otro servidor');
  // A session that was renewed on the way ends on the first page of the portal.
  const misma = pagina.direccion.path.split('?')[0]?.toLowerCase() === '/consulta/consulta';
  const consulta = misma ? pagina : await pageClient.open(PAGINA, signal);
  assertRfcNombrado(consulta.etiquetas, rfc, false);
  return consulta;
}

async function buscar(
  pageClient: PageClient,
  rfc: string,
  campos: readonly (readonly [string, string])[],
  ejercicio: number,
  signal: AbortSignal,
): Promise<readonly Declaracion[]> {
  const headers = {
    'content-type': 'application/x-www-form-urlencoded; charset=UTF-8',
    'x-requested-with': 'XMLHttpRequest',
    accept: 'text/html, */*; q=0.01',
    origin: `https://${PAGINA.host}`,
    referer: `https://${PAGINA.host}${PAGINA.path}`,
  };
  const body = encodeFormulario(campos);
  const etiquetas = readEtiquetas(await pedir(pageClient, { ...BUSCAR, method: 'POST', headers, body }, signal));
  assertRfcNombrado(etiquetas, rfc, false);
  return readTablaResultado(etiquetas, ejercicio, RESULTADO);
}
