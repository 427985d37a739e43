import type { NombreConsulta, NombreDescarga } from '@acuse/core';
import { CONSULTAS_PORTAL, type NombreConsultaPublica } from '@acuse/sat';

/** How a consulta reaches the authority, and how well that way is known. */
export interface Camino {
  /** Which channel, by which credential. */
  readonly canal: string;
  /** Where it goes. */
  readonly servidor: string;
  /** What `SAT_CANALES_DESACTIVADOS` takes to switch it off. */
  readonly apagar: string;
  /** Public sources that its wire format was taken from. */
  readonly fuentes: readonly string[];
}

/** What anybody may ask. */
const ABIERTAS: Readonly<Record<NombreConsultaPublica, Omit<Camino, 'apagar'>>> = {
  'consultar-cfdi': {
    canal: 'servicio web público de estado',
    servidor: 'consultaqr.facturaelectronica.sat.gob.mx',
    fuentes: ['phpcfdi/sat-estado-cfdi', 'phpcfdi/cfdi-expresiones', 'SAT-CFDI/python-satcfdi'],
  },
  'consultar-constancia-qr': {
    canal: 'página pública del QR (idCIF)',
    servidor: 'siat.sat.gob.mx',
    fuentes: ['phpcfdi/csf-scraper', 'SAT-CFDI/python-satcfdi'],
  },
};

/** The web service of bulk download. */
const MASIVA: Omit<Camino, 'apagar'> = {
  canal: 'servicio web de descarga masiva 1.5 (e.firma)',
  servidor: 'cfdidescargamasivasolicitud y cfdidescargamasiva.clouda.sat.gob.mx (retenciones: retendescargamasiva…)',
  fuentes: [
    'phpcfdi/sat-ws-descarga-masiva',
    'nodecfdi/sat-ws-descarga-masiva',
    'SAT-CFDI/python-satcfdi',
    'luisiturrios1/python-cfdiclient',
  ],
};
const MASIVAS = new Set<NombreConsulta>([
  'solicitar-metadata',
  'verificar-metadata',
  'descargar-paquete',
] satisfies NombreDescarga[]);

const isPublica = (consulta: NombreConsulta): consulta is NombreConsultaPublica => Object.hasOwn(ABIERTAS, consulta);

/** The ways of a consulta. None was proven against the live authority. */
export function caminosDe(consulta: NombreConsulta): readonly Camino[] {
  if (isPublica(consulta)) return [{ ...ABIERTAS[consulta], apagar: `publico:${consulta}` }];
  const { origen, credenciales } = CONSULTAS_PORTAL[consulta];
  const canal = `portal (${credenciales.includes('efirma') ? 'e.firma, o ' : ''}CIEC con captcha)`;
  const portal = { ...origen, canal, apagar: `portal:${consulta}` };
  return MASIVAS.has(consulta) ? [{ ...MASIVA, apagar: `soap:${consulta}` }, portal] : [portal];
}

/** Operations that learn something of the authority without asking it during the call. */
export const OTROS: Readonly<Record<string, Camino>> = {
  'efos/consultar': {
    canal: 'lista 69-B cargada cada día en la base de datos; lista EDOS importada por el operador',
    servidor: 'wu1agsprosta001.blob.core.windows.net',
    apagar: 'WORKER_ROLES sin el rol listas (sigue sirviendo la última cargada)',
    fuentes: ['SAT-CFDI/python-satcfdi', 'antonio10024/Lista69B', 'la página de datos abiertos del SAT'],
  },
  'tax/opinion-cumplimiento-publica': {
    canal: 'fuente HTTP que configura el operador; sin ella, 503/5041',
    servidor: 'OPINION_PUBLICA_URL',
    apagar: 'sin OPINION_PUBLICA_URL',
    fuentes: [],
  },
};
