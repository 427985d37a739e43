import type { NombreConsulta, NombreDescarga } from '@acuse/core';
import type { Operation } from '@acuse/operation';
import type { NombreConsultaPublica } from '@acuse/sat';
import { CONSULTAS_PORTAL } from '@acuse/sat/portal';
import { inEnglish } from '../openapi/english.ts';
import type { ReferenceDocument } from '../site/operation-pages.ts';
import type { Language } from '../site/pages.ts';
import { GENERATED } from './errors.ts';

const WORDS = {
  es: {
    intro: `# Operaciones

Cada operación con su costo. El nombre lleva a su página: credencial, campos, respuesta, errores y ejemplos.

Todas son \`POST /api/v1/<operación>\` con cuerpo y respuesta JSON, \`Authorization: Bearer <API_KEY>\` y \`User-Agent\`. \`cfdi_codigo\` 1 es éxito. Los
créditos se cobran antes de consultar. Con cualquier [error](errores.md) se devuelven solos.

## Páginas

Toda lista acepta \`limite\`. Mande \`siguiente\` como \`cursor\`, con los mismos campos, hasta que sea \`null\`; todas las páginas cuestan un crédito.

## Una lista vacía

A veces el SAT contesta por error que no hay nada. Acuse la busca otra vez en la misma llamada, con la otra credencial si está
guardada. Si las dos dicen que no hay, \`confianza\` es \`confirmado\` y se cobra. Si no se pudo confirmar, es \`sin_confirmar\` y el crédito se devuelve
(\`reembolsada: true\`): pregunte más tarde. \`canal\` y \`credencial\` dicen por dónde contestó el SAT.`,
    head: '| operación | qué hace | créditos |\n| --- | --- | ---: |',
  },
  en: {
    intro: `# Operations

Each operation with its price. The name leads to its page: credential, fields, answer, errors and examples.

Every operation is \`POST /api/v1/<operation>\` with JSON body and answer, \`Authorization: Bearer <API_KEY>\` and \`User-Agent\`. \`cfdi_codigo\` 1 is success. The
charge comes before the query. Any [error](errors.md) refunds it.

## Pages

Every list takes \`limite\`. Send \`siguiente\` as \`cursor\`, with the same fields, until it is \`null\`; all pages together cost one credit.

## An empty list

The SAT sometimes answers by mistake that there is nothing. Acuse asks again in the same call, with the other credential if it is
stored. If both say so, \`confianza\` is \`confirmado\` and the call is charged. Otherwise it is \`sin_confirmar\` and the credit is refunded
(\`reembolsada: true\`): ask later. \`canal\` and \`credencial\` name the way of the answer.`,
    head: '| operation | purpose | credits |\n| --- | --- | ---: |',
  },
} as const satisfies Record<Language, unknown>;

/** The list of operations in a language, by tag. The same document gives the same bytes. */
export function operationsText(openapi: ReferenceDocument, language: Language): string {
  const { tags, paths } = language === 'en' ? inEnglish(openapi) : openapi;
  const calls = Object.entries(paths).map(([path, { post }]) => ({ ...post, path: path.replace('/api/v1/', '') }));
  const sections = tags.map(({ name, 'x-displayName': title }) => {
    const rows = calls
      .filter((call) => call.tags.includes(name))
      .map((call) => `| [${call.path}](../../openapi.json#${call.path}) | ${call.summary} | ${call['x-costo']} |`);
    return [`## ${title}\n`, WORDS[language].head, ...rows].join('\n');
  });
  return [WORDS[language].intro, ...sections, `${GENERATED}\n`].join('\n\n');
}

const CHANNELS = `# Ways to the SAT

For operators: the channel of each operation, and the setting that switches it off. The simulator speaks the formats of the SAT and shares no code with the
connectors; no format was checked against the live SAT. An answer that Acuse does not understand is 503/5041, never an empty list.

**To switch a way off**, put a channel (\`portal\`) or a query (\`portal:listar-facturas\`), separated by commas, into \`SAT_CANALES_DESACTIVADOS\` of the API and
the workers. The operation then answers 503/5041 without charge. For one RFC: \`acuse operador operacion deshabilitar\`; the answer is 403/1003.
`;

/** The text of docs/operators/channels.md. */
export const channelsText = (operations: readonly Operation[]): string =>
  [CHANNELS, channels([...operations].sort((a, b) => (a.path < b.path ? -1 : 1))), `${GENERATED}\n`].join('\n');

/** A row for each way to the SAT, with the operations that take it. */
function channels(operations: readonly Operation[]): string {
  const byWay = new Map<string, readonly string[]>();
  for (const operation of operations)
    for (const { canal, servidor, apagar, fuentes } of ways(operation)) {
      const way = `${canal} | ${servidor} | ${apagar} | ${fuentes.join(', ') || 'none known'}`;
      byWay.set(way, [...(byWay.get(way) ?? []), operation.path]);
    }
  const rows = [...byWay].map(([way, paths]) => `| ${paths.join(', ')} | ${way} |`);
  const head = ['| operations | channel | servers | to switch it off | sources |', '| --- | --- | --- | --- | --- |'];
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
    canal: 'public web service of states',
    servidor: 'consultaqr.facturaelectronica.sat.gob.mx',
    fuentes: ['phpcfdi/sat-estado-cfdi', 'phpcfdi/cfdi-expresiones', 'SAT-CFDI/python-satcfdi'],
  },
  'consultar-constancia-qr': {
    canal: 'public page of the QR (idCIF)',
    servidor: 'siat.sat.gob.mx',
    fuentes: ['phpcfdi/csf-scraper', 'SAT-CFDI/python-satcfdi'],
  },
};

/** The web service of bulk download. */
const MASIVA: Omit<Camino, 'apagar'> = {
  canal: 'bulk download web service 1.5 (e.firma)',
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
  const canal = `portal (${credenciales.includes('efirma') ? 'e.firma, or ' : ''}CIEC with captcha)`;
  const portal = { ...origen, canal, apagar: `\`portal:${consulta}\`` };
  return MASIVAS.has(consulta) ? [{ ...MASIVA, apagar: `\`soap:${consulta}\`` }, portal] : [portal];
}

const LISTAS: Camino = {
  canal: 'lists 69-B, 69, 69-B Bis and CSD, loaded into the database every day; EDOS list imported by the operator',
  servidor: 'wu1agsprosta001.blob.core.windows.net',
  apagar:
    '`WORKER_ROLES` without the role `listas` (the last loaded ones remain); a single one, with `SAT_LISTAS_URLS`',
  fuentes: ['SAT-CFDI/python-satcfdi', 'antonio10024/Lista69B', 'open data page of the SAT'],
};

/** Operations that learn something of the authority without asking it during the call. */
const OTROS: Readonly<Record<string, Camino>> = {
  'efos/consultar': LISTAS,
  'efos/consultar-lote': LISTAS,
  'tax/opinion-cumplimiento-publica': {
    canal: 'HTTP source set by the operator; without it, 503/5041',
    servidor: '`OPINION_PUBLICA_URL`',
    apagar: 'no `OPINION_PUBLICA_URL`',
    fuentes: [],
  },
};
