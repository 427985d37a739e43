import type { NombreConsulta } from '@acuse/core';

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

const BULK = ['phpcfdi/sat-ws-descarga-masiva', 'nodecfdi/sat-ws-descarga-masiva', 'SAT-CFDI/python-satcfdi'];
const CFDIAU = 'cfdiau.sat.gob.mx, portalcfdi.facturaelectronica.sat.gob.mx';

const portal = (consulta: NombreConsulta, servidor: string, fuentes: readonly string[]): Camino => ({
  canal: 'portal (e.firma, o CIEC con captcha)',
  servidor,
  apagar: `portal:${consulta}`,
  fuentes,
});

const masiva = (consulta: NombreConsulta): readonly Camino[] => [
  {
    canal: 'servicio web de descarga masiva 1.5 (e.firma)',
    servidor:
      'cfdidescargamasivasolicitud y cfdidescargamasiva.clouda.sat.gob.mx (retenciones: retendescargamasiva…)',
    apagar: `soap:${consulta}`,
    fuentes: [...BULK, 'luisiturrios1/python-cfdiclient'],
  },
  {
    canal: 'portal (CIEC con captcha)',
    servidor: CFDIAU,
    apagar: `portal:${consulta}`,
    fuentes: ['phpcfdi/cfdi-sat-scraper, pull request 97'],
  },
];

/** The ways of every consulta. None was proven against the live authority. */
export const CAMINOS: Readonly<Record<NombreConsulta, readonly Camino[]>> = {
  'solicitar-metadata': masiva('solicitar-metadata'),
  'verificar-metadata': masiva('verificar-metadata'),
  'descargar-paquete': masiva('descargar-paquete'),
  'consultar-cfdi': [
    {
      canal: 'servicio web público de estado',
      servidor: 'consultaqr.facturaelectronica.sat.gob.mx',
      apagar: 'publico:consultar-cfdi',
      fuentes: ['phpcfdi/sat-estado-cfdi', 'phpcfdi/cfdi-expresiones', 'SAT-CFDI/python-satcfdi'],
    },
  ],
  'consultar-constancia-qr': [
    {
      canal: 'página pública del QR (idCIF)',
      servidor: 'siat.sat.gob.mx',
      apagar: 'publico:consultar-constancia-qr',
      fuentes: ['phpcfdi/csf-scraper', 'SAT-CFDI/python-satcfdi'],
    },
  ],
  'listar-facturas': [
    portal('listar-facturas', CFDIAU, ['phpcfdi/cfdi-sat-scraper', 'SAT-CFDI/python-satcfdi']),
  ],
  'listar-retenciones': [
    {
      canal: 'portal (CIEC con captcha)',
      servidor: 'prodretencioncontribuyente.clouda.sat.gob.mx',
      apagar: 'portal:listar-retenciones',
      fuentes: ['un archivo público sin repositorio conocido'],
    },
  ],
  'listar-declaraciones': [
    portal('listar-declaraciones', 'loginda.siat.sat.gob.mx, pstcdypisr.clouda.sat.gob.mx', [
      'luffynando/sat-scrapers-auth',
    ]),
  ],
  'listar-comunicados': [
    portal('listar-comunicados', 'login.siat, wwwmat y aplicacionesc.mat.sat.gob.mx', [
      'TecnofyMX/buzon-tributario-sat-scraper',
    ]),
  ],
  'listar-notificaciones': [
    portal('listar-notificaciones', 'login.siat y agr.siat.sat.gob.mx', ['luffynando/sat-scrapers-auth']),
  ],
  'descargar-constancia': [
    portal('descargar-constancia', 'login.siat, wwwmat y rfcampc.siat.sat.gob.mx', [
      'phpcfdi/csf-sat-scraper',
      'SAT-CFDI/python-satcfdi',
    ]),
  ],
  'consultar-opinion': [
    portal('consultar-opinion', 'loginda.siat.sat.gob.mx, ptsc32d.clouda.sat.gob.mx', [
      'phpcfdi/opinion-cumplimiento-sat-scraper',
      'SAT-CFDI/python-satcfdi',
    ]),
  ],
};

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
