import type { Declaracion } from '@acuse/core';
import { ilegible } from '../../texto.ts';
import type { Pagina } from '../page-client.ts';
import type { Etiqueta } from '../paginas/etiquetas.ts';
import { type Formulario, readCampos, readForms, readListas } from '../paginas/formulario.ts';
import { assertRfcNombrado } from '../paginas/pagina-portal.ts';
import { addOnce } from '../paginas/tablas.ts';
import type { ConsultaPortal, Portal } from '../portal.ts';
import { signIn } from '../sesion/log-in.ts';
import { assertSesionViva, submitEnSesion } from '../sesion/sesion-vencida.ts';
import { byFecha, readTablaResultado, realRows, rejectEjercicio } from './tabla-resultado.ts';

const HOST = 'ptscdecprov.clouda.sat.gob.mx';
const PAGINA = { host: HOST, path: '/Paginas/ConsultaDeclaracion.aspx' };
/** The first year of the portal that came after. */
const PRIMER_EJERCICIO_NUEVO = 2022;

const EJERCICIO = /wucDdlEjercicioFiscal_ddlCatalogo$/;
const DECLARACION = /wucDdlDeclaracion_ddlCatalogo$/;
const BUSCAR = /btnBuscar$/;
const RESULTADO = { id: /gvDeclaraciones$/, required: ['numeroOperacion', 'tipo', 'fecha', 'periodo'] } as const;

/**
 * The ASP.NET portal of the returns up to 2021. Its log-in is that of the newer one (SAT-CFDI/python-satcfdi,
 * satcfdi/portal).
 */
const PORTAL_DECLARACIONES_ANTERIORES: Portal = {
  nombre: 'declaraciones-anteriores',
  async enter(login) {
    const pagina = await signIn(login, { host: HOST, path: '/' }, 'loginda.siat.sat.gob.mx');
    assertRfcNombrado(pagina.etiquetas, login.credencial.rfc, false);
  },
  salida: { host: 'loginda.siat.sat.gob.mx', path: '/nidp/app/logout' },
};

/**
 * Lists the returns of a fiscal year up to 2021: the page `ConsultaDeclaracion.aspx`, searched by year once for each
 * kind of return that it offers; table `gvDeclaraciones` with operation number, kind, kind of complementary, capture
 * line, date filed and period (public scripts that walk the page with a browser). A list in several pages would take
 * postbacks that no source shows: RESPUESTA_ILEGIBLE.
 */
export const declaracionesAnteriores: NonNullable<ConsultaPortal<'listar-declaraciones'>['otro']> = {
  portal: PORTAL_DECLARACIONES_ANTERIORES,
  takes: ({ ejercicio }) => ejercicio < PRIMER_EJERCICIO_NUEVO,
  async ask(pageClient, { rfc, ejercicio }) {
    let pagina = await pageClient.open(PAGINA);
    assertSesionViva(pagina, HOST);
    assertRfcNombrado(pagina.etiquetas, rfc, false);
    const kinds = kindsOf(formularioDe(pagina));
    const declaraciones = new Map<string, Declaracion>();
    for (const kind of kinds) {
      const formulario = formularioDe(pagina);
      const campos = fillIn(formulario, ejercicio, kind);
      pagina = await submitEnSesion(pageClient, pagina, formulario, campos);
      assertRfcNombrado(pagina.etiquetas, rfc, false);
      if (pagina.etiquetas.some(leadsToAnotherPage)) throw ilegible('declaraciones: hay más páginas');
      for (const declaracion of readTablaResultado(pagina.etiquetas, ejercicio, RESULTADO))
        addOnce(declaraciones, declaracion.numeroOperacion, declaracion);
    }
    return { declaraciones: [...declaraciones.values()].toSorted(byFecha) };
  },
};

function formularioDe({ etiquetas }: Pagina): Formulario {
  const formulario = readForms(etiquetas).find((f) => f.etiquetas.some((e) => hasId(e, EJERCICIO)));
  if (formulario === undefined) throw ilegible('declaraciones: sin formulario de consulta');
  return formulario;
}

/** The kinds of return in the form, each for its own query; one null when the form has no choice. */
function kindsOf({ etiquetas }: Formulario): readonly (string | null)[] {
  const lista = readListas(etiquetas).find(({ id }) => DECLARACION.test(id));
  const kinds = lista === undefined ? [] : realRows(lista).map(({ valor }) => valor);
  return kinds.length === 0 ? [null] : kinds;
}

function fillIn({ etiquetas }: Formulario, ejercicio: number, kind: string | null): Map<string, string> {
  const listas = readListas(etiquetas);
  const years = listas.find(({ id }) => EJERCICIO.test(id));
  const year = years && realRows(years).find(({ valor, texto }) => [valor, texto].includes(String(ejercicio)));
  if (years === undefined || year === undefined) throw rejectEjercicio(ejercicio);
  const boton = etiquetas.find((e) => hasId(e, BUSCAR));
  if (boton === undefined) throw ilegible('declaraciones: sin botón de búsqueda');
  const campos = readCampos(etiquetas);
  campos.set(years.nombre, year.valor);
  const declaracion = listas.find(({ id }) => DECLARACION.test(id));
  if (declaracion !== undefined && kind !== null) campos.set(declaracion.nombre, kind);
  campos.set(boton.attrs.get('name') ?? '', boton.attrs.get('value') ?? '');
  return campos;
}

function hasId(etiqueta: Etiqueta, id: RegExp): boolean {
  return !etiqueta.closes && id.test(etiqueta.attrs.get('id') ?? '');
}

function leadsToAnotherPage(etiqueta: Etiqueta): boolean {
  return etiqueta.nombre === 'a' && /gvDeclaraciones.*Page\$/.test(etiqueta.attrs.get('href') ?? '');
}
