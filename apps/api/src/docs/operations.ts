import type { NombreConsulta, NombreDescarga } from '@acuse/core';
import type { Operation } from '@acuse/operation';
import { CONSULTAS_PORTAL, type NombreConsultaPublica } from '@acuse/sat';
import { CREDENCIALES } from '../openapi/document.ts';
import { GENERATED } from './errors.ts';

const INTRO = `# Operaciones

Cada operación con su costo y su credencial. El nombre lleva a la [referencia](../../openapi.json): campos, respuestas, errores y ejemplos.

Todas son \`POST /api/v1/<operación>\` con cuerpo y respuesta JSON, \`Authorization: Bearer <API_KEY>\` y \`User-Agent\`. \`cfdi_codigo\` 1 es éxito. Los
créditos se cobran antes de consultar. Con cualquier [error](errores.md) se devuelven solos.

**Una lista vacía.** A veces el SAT contesta por error que no hay nada. Acuse la busca otra vez en la misma llamada, con la otra credencial si está
guardada. Si las dos dicen que no hay, \`confianza\` es \`confirmado\` y se cobra. Si no se pudo confirmar, es \`sin_confirmar\` y el crédito se devuelve
(\`reembolsada: true\`): pregunte más tarde. \`canal\` y \`credencial\` dicen por dónde contestó el SAT.
`;

const CANALES = `## Cómo se llega al SAT

Estas operaciones preguntan al SAT, o a una lista suya. Cada camino está probado contra el simulador, que habla los formatos del SAT y no comparte código
con los conectores. Los formatos vienen de las fuentes públicas de la tabla; ninguno se ha comprobado contra el SAT en vivo. Una respuesta que no se
entiende con certeza es 503/5041, nunca «sin resultados».

**Para apagar un camino**, el operador pone en \`SAT_CANALES_DESACTIVADOS\` de la API y de los workers un canal (\`portal\`) o una consulta
(\`portal:listar-facturas\`), separados por comas. La operación contesta entonces 503/5041 sin costo. Para un solo RFC: \`acuse operador operacion
deshabilitar\`; contesta 403/1003.
`;

/** The text of docs/integrators/es/operaciones.md. The same operations give the same bytes. */
export function operationsText(operations: readonly Operation[]): string {
  const sorted = [...operations].sort((a, b) => (a.path < b.path ? -1 : 1));
  return [INTRO, table(sorted), CANALES, channels(sorted), `${GENERATED}\n`].join('\n');
}

function table(operations: readonly Operation[]): string {
  const rows = operations.map(
    ({ path, summary, cost, credential }) =>
      `| [${path}](../../openapi.json#${anchor(path)}) | ${summary} | ${cost} | ${CREDENCIALES[credential]} |`,
  );
  return ['| operación | qué hace | créditos | credencial |', '| --- | --- | --- | --- |', ...rows, ''].join('\n');
}

/** The fragment by which the reference shows an operation. */
export const anchor = (path: string) => `tag/${path.split('/')[0]}/POST/api/v1/${path}`;

/** A row for each way to the SAT, with the operations that take it. */
function channels(operations: readonly Operation[]): string {
  const byWay = new Map<string, readonly string[]>();
  for (const operation of operations)
    for (const { canal, servidor, apagar, fuentes } of ways(operation)) {
      const way = `${canal} | ${servidor} | ${apagar} | ${fuentes.join(', ') || 'ninguna conocida'}`;
      byWay.set(way, [...(byWay.get(way) ?? []), operation.path]);
    }
  const rows = [...byWay].map(([way, paths]) => `| ${paths.join(', ')} | ${way} |`);
  const head = ['| operaciones | canal | servidores | para apagarlo | fuentes |', '| --- | --- | --- | --- | --- |'];
  return [...head, ...rows, ''].join('\n');
}

function ways({ path, asks }: Operation): readonly Camino[] {
  const other = OTROS[path];
  const all = [...asks.flatMap(caminosDe), ...(other === undefined ? [] : [other])];
  const byCanal = new Map<string, Camino>();
  for (const camino of all) {
    const name = `${camino.canal} ${camino.servidor}`;
    const known = byCanal.get(name);
    const named = [...new Set([...(known?.fuentes ?? []), ...camino.fuentes])];
    // A repository and a pull request of it are one source.
    const fuentes = named.filter((fuente) => !named.some((other) => other.startsWith(`${fuente}, `)));
    const apagar = known === undefined ? camino.apagar : `${known.apagar}, ${camino.apagar}`;
    byCanal.set(name, { ...camino, apagar, fuentes });
  }
  return [...byCanal.values()];
}

/** How a consulta reaches the authority, and how well that way is known. */
interface Camino {
  /** Which channel, by which credential. */
  readonly canal: string;
  /** Where it goes. */
  readonly servidor: string;
  /** How to switch it off, in Markdown: a value of `SAT_CANALES_DESACTIVADOS`, or another setting. */
  readonly apagar: string;
  /** Public sources that its wire format was taken from. */
  readonly fuentes: readonly string[];
}

/** Public queries. */
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
function caminosDe(consulta: NombreConsulta): readonly Camino[] {
  if (isPublica(consulta)) return [{ ...ABIERTAS[consulta], apagar: `\`publico:${consulta}\`` }];
  const { origen, credenciales } = CONSULTAS_PORTAL[consulta];
  const canal = `portal (${credenciales.includes('efirma') ? 'e.firma, o ' : ''}CIEC con captcha)`;
  const portal = { ...origen, canal, apagar: `\`portal:${consulta}\`` };
  return MASIVAS.has(consulta) ? [{ ...MASIVA, apagar: `\`soap:${consulta}\`` }, portal] : [portal];
}

const LISTAS: Camino = {
  canal:
    'listas 69-B, 69, 69-B Bis y CSD sin efectos cargadas cada día en la base de datos; lista EDOS importada por el operador',
  servidor: 'wu1agsprosta001.blob.core.windows.net',
  apagar: '`WORKER_ROLES` sin el rol `listas` (siguen sirviendo las últimas cargadas); una sola, con `SAT_LISTAS_URLS`',
  fuentes: ['SAT-CFDI/python-satcfdi', 'antonio10024/Lista69B', 'la página de datos abiertos del SAT'],
};

/** Operations that learn something of the authority without asking it during the call. */
const OTROS: Readonly<Record<string, Camino>> = {
  'efos/consultar': LISTAS,
  'efos/consultar-lote': LISTAS,
  'tax/opinion-cumplimiento-publica': {
    canal: 'fuente HTTP que configura el operador; sin ella, 503/5041',
    servidor: '`OPINION_PUBLICA_URL`',
    apagar: 'sin `OPINION_PUBLICA_URL`',
    fuentes: [],
  },
};
