import { CATALOGO } from '@acuse/contract';
import type { NombreConsulta, NombreDescarga } from '@acuse/core';
import { CONSULTAS_PORTAL, type NombreConsultaPublica } from '@acuse/sat';
import { errorsOf, type Operation } from '../http/operation.ts';
import { CREDENCIALES, exampleAnswer, exampleBody } from '../openapi/document.ts';
import { GENERATED } from './errors.ts';

const INTRO = `# Operaciones

Todas son \`POST /api/v1/<operación>\` con cuerpo y respuesta JSON, \`Authorization: Bearer <API_KEY>\` y \`User-Agent\`. \`cfdi_codigo\` 1 es éxito. Los
créditos se cobran antes de consultar y se devuelven solos con cualquier error: nadie paga por uno.

**Una lista vacía.** El SAT dice a veces por error que no hay nada. Una lista vacía se busca otra vez dentro de la misma llamada: con la otra
credencial si está guardada, o con la misma. Si las dos credenciales dicen que no hay, \`confianza\` es \`confirmado\` y se cobra; si nadie más lo pudo
confirmar es \`sin_confirmar\`, el crédito se devuelve (\`reembolsada: true\`, con su movimiento en el libro) y conviene preguntar más tarde. \`canal\` y
\`credencial\` dicen por dónde contestó el SAT.

**Cómo leer «estado».** Cada consulta está probada de punta a punta contra el simulador del SAT de este repositorio, que habla los formatos del
propio SAT y no comparte código con los conectores. Sus formatos se tomaron de las fuentes públicas que se nombran. Ninguna se ha
comprobado contra el SAT en vivo. Una respuesta del SAT que no se entiende con certeza es 503/5041, nunca «sin resultados».

**Cómo apagar.** Para todos: \`SAT_CANALES_DESACTIVADOS\` en la API y en los workers, con un canal (\`portal\`) o una consulta
(\`portal:listar-facturas\`), separados por comas; la operación contesta entonces 503/5041 sin costo. Para un RFC: el interruptor de la operación
(\`operacion deshabilitar\` en la línea de comandos); contesta 403/1003.

En los ejemplos, \`$API\`, \`$API_KEY\` y \`$RFC\` son los que imprime \`npm start\`.
`;

/** The text of docs/operations.md. The same operations give the same bytes. */
export function operationsText(operations: readonly Operation[]): string {
  const sorted = [...operations].sort((a, b) => (a.path < b.path ? -1 : 1));
  return [INTRO, index(sorted), ...sorted.map(section), errorTable(sorted), `${GENERATED}\n`].join('\n');
}

function index(operations: readonly Operation[]): string {
  const rows = operations.map(
    ({ path, summary, cost, credential }) =>
      `| [${path}](#${anchor(path)}) | ${summary} | ${cost} | ${CREDENCIALES[credential]} |`,
  );
  return ['| operación | qué hace | créditos | credencial |', '| --- | --- | --- | --- |', ...rows, ''].join('\n');
}

const anchor = (path: string) => path.replaceAll('/', '');

function section(operation: Operation): string {
  const { path, summary, description } = operation;
  const own = errorsOf(operation).filter((nombre) => CATALOGO[nombre].codigo < 9_000);
  const errores = [...new Set(own.map((nombre) => `${CATALOGO[nombre].http}/${CATALOGO[nombre].codigo}`))];
  return [
    `## ${path}`,
    '',
    `${summary}. ${description ?? ''}`.trim(),
    '',
    ...ways(operation).map(wayText),
    '',
    '```sh',
    `curl -sS "$API/api/v1/${path}" -A mi-erp/1.0 -H "Authorization: Bearer $API_KEY" -H 'Content-Type: application/json' \\`,
    `  -d '${JSON.stringify(exampleBody(operation))}'`,
    '```',
    '',
    '```json',
    JSON.stringify(exampleAnswer(operation), null, 2),
    '```',
    '',
    `Errores: ${errores.join(', ')}.`,
    '',
  ].join('\n');
}

function ways({ path, asks }: Operation): readonly Camino[] {
  const other = OTROS[path];
  const all = [...asks.flatMap(caminosDe), ...(other === undefined ? [] : [other])];
  const byCanal = new Map<string, Camino>();
  for (const camino of all) {
    const name = `${camino.canal} ${camino.servidor}`;
    const known = byCanal.get(name);
    byCanal.set(name, known === undefined ? camino : { ...known, apagar: `${known.apagar}, ${camino.apagar}` });
  }
  return [...byCanal.values()];
}

function wayText({ canal, servidor, apagar, fuentes }: Camino): string {
  const sources = fuentes.length === 0 ? 'sin fuente pública conocida' : `${countOf(fuentes)}: ${fuentes.join(', ')}`;
  return [
    `- **Canal**: ${canal}; ${servidor}.`,
    `  **Estado**: probado contra el simulador; no verificado en vivo; ${sources}. **Para apagarlo**: \`${apagar}\`.`,
  ].join('\n');
}

const countOf = ({ length }: readonly string[]) => (length === 1 ? '1 fuente' : `${length} fuentes`);

function errorTable(operations: readonly Operation[]): string {
  const nombres = [...new Set(operations.flatMap(errorsOf))].sort(
    (a, b) => CATALOGO[a].codigo - CATALOGO[b].codigo || CATALOGO[a].http - CATALOGO[b].http || (a < b ? -1 : 1),
  );
  const rows = nombres.map((nombre) => {
    const { http, codigo, texto } = CATALOGO[nombre];
    return `| ${codigo} | ${http} | \`${nombre}\` | ${texto} |`;
  });
  return [
    '## Códigos de error',
    '',
    'El campo `error` lleva el nombre, que no cambia; `cfdi_texto` es para personas y puede mejorar.',
    '',
    '| cfdi_codigo | HTTP | error | texto |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

/** How a consulta reaches the authority, and how well that way is known. */
interface Camino {
  /** Which channel, by which credential. */
  readonly canal: string;
  /** Where it goes. */
  readonly servidor: string;
  /** What `SAT_CANALES_DESACTIVADOS` takes to switch it off. */
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
  if (isPublica(consulta)) return [{ ...ABIERTAS[consulta], apagar: `publico:${consulta}` }];
  const { origen, credenciales } = CONSULTAS_PORTAL[consulta];
  const canal = `portal (${credenciales.includes('efirma') ? 'e.firma, o ' : ''}CIEC con captcha)`;
  const portal = { ...origen, canal, apagar: `portal:${consulta}` };
  return MASIVAS.has(consulta) ? [{ ...MASIVA, apagar: `soap:${consulta}` }, portal] : [portal];
}

const LISTAS: Camino = {
  canal:
    'listas 69-B, 69, 69-B Bis y CSD sin efectos cargadas cada día en la base de datos; lista EDOS importada por el operador',
  servidor: 'wu1agsprosta001.blob.core.windows.net',
  apagar: 'WORKER_ROLES sin el rol listas (siguen sirviendo las últimas cargadas); una sola, con SAT_LISTAS_URLS',
  fuentes: ['SAT-CFDI/python-satcfdi', 'antonio10024/Lista69B', 'la página de datos abiertos del SAT'],
};

/** Operations that learn something of the authority without asking it during the call. */
const OTROS: Readonly<Record<string, Camino>> = {
  'efos/consultar': LISTAS,
  'efos/consultar-lote': LISTAS,
  'tax/opinion-cumplimiento-publica': {
    canal: 'fuente HTTP que configura el operador; sin ella, 503/5041',
    servidor: 'OPINION_PUBLICA_URL',
    apagar: 'sin OPINION_PUBLICA_URL',
    fuentes: [],
  },
};
