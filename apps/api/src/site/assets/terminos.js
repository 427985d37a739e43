// Words of the search, for the index (search.ts) and for a question (buscar.js): both run this file.

/** Words that mean the same to a reader, in both languages; only their beginnings, as `rootOf` leaves them. */
const CONCEPTS = [
  'rotate rotar rotacion renew renovar cambiar change replace reemplazar',
  'key llave clave apikey token',
  'webhook aviso notify notificar evento event callback',
  'pagination paginacion pagina page cursor siguiente',
  'price precio cost costo charge cobro cobrar credit credito bill factura',
  'limit limite throttle ratelimit tope',
  'retry reintento reintentar repeat repetir',
  'idempotency idempotencia idempotent duplicate duplicado twice',
  'error fallo falla failure problema',
  'down caido outage caida unavailable disponible responde respond',
  'version versioning changelog deprecation compatibilidad',
  'security seguridad audit auditor auditoria',
  'encryption encrypt cifrado cifrar',
  'delete borrar borrado remove eliminar',
  'download descargar descarga bajar',
  'cancel cancelar cancelacion cancelled',
  'team equipo member miembro role rol usuario user invite invitar',
  'password contrasena ciec',
  'start empezar begin inicio quickstart getting first primera primer',
  'test prueba sandbox simulator simulador',
  'supplier proveedor contraparte counterparty vendor',
  'list lista blacklist efos',
  'invoice factura cfdi',
  'wait esperar espera pending',
  'refund reembolso devolver devuelve refunded',
  'expire vencer caducar vence expired caducado',
  'balance saldo',
  'signature firma sign firmar verify verificar',
  'format formato excel csv parquet',
  'command orden terminal cli shell consola',
  'assistant asistente mcp claude',
  'filter filtro filtrar',
  'withholding retencion',
  'return declaracion',
  'opinion cumplimiento compliance',
  'mailbox buzon notificacion',
  'subscription sincronizacion suscripcion sync',
  'code codigo',
];
const PLURAL = /e?s$/;
/** Endings of a singular, longest first. A root keeps three letters; numbers and codes keep all. */
const ENDINGS =
  /(?:ificaciones|ificacion|ifications?|aciones|acion|ations?|iciones|icion|itions?|uciones|ucion|amientos?|imientos?|antes?|ant|iendo|ando|adas?|ados?|idas?|idos?|ied|ies|ing|ed|ers?|or|an|en|ar|er|ir|y|a|o|e)$/;
/** Words that a question has beside what it asks for. */
const STOP = new Set(
  'a al an and are can como con cual cuando de del do does donde el en es for from hay how i in is it la las lo los me mi my of on or para por puedo que se si sin su the to un una what when where why with y'.split(
    ' ',
  ),
);

/** Without accents and capitals. */
const folded = (term) => term.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

/** The root of a word in either language, so that its forms are one. */
function rootOf(term) {
  const word = folded(term);
  if (/\d/.test(word)) return word;
  const without = (text, ending) => {
    const rest = text.replace(ending, '');
    return rest.length < 3 ? text : rest;
  };
  return without(without(word, PLURAL), ENDINGS);
}

const conceptOf = new Map();
for (const [at, words] of CONCEPTS.entries())
  for (const word of words.split(' ')) {
    const root = rootOf(word);
    conceptOf.set(root, [...(conceptOf.get(root) ?? []), `=${at}`]);
  }

/** Options of the index. */
export const OPTIONS = {
  fields: ['title', 'page', 'lead', 'text'],
  storeFields: ['title', 'page', 'href', 'excerpt', 'rank'],
  processTerm: (term) => [rootOf(term), ...(conceptOf.get(rootOf(term)) ?? [])],
};

const SEARCH = {
  boost: { title: 6, lead: 2, page: 1.5 },
  boostDocument: (_id, _term, { rank }) => rank,
  processTerm: (term) => term,
  tokenize: (text) => [text],
};

/** A word of the same meaning counts less; a code counts where it is introduced. */
const SAME_MEANING = { title: 4, lead: 0.6, page: 0.5, text: 0.2 };
const CODE = { title: 12, lead: 12 };

/** Any form of the word, its beginning, a slip of it, or a word of the same meaning. */
function formsOf(word) {
  const root = rootOf(word);
  const isCode = /\d/.test(root);
  return {
    combineWith: 'OR',
    queries: [
      {
        queries: [root],
        prefix: root.length > 2,
        fuzzy: isCode || root.length < 6 ? false : 0.2,
        ...(isCode ? { boost: CODE } : {}),
      },
      ...(conceptOf.get(root) ?? []).map((concept) => ({ queries: [concept], boost: SAME_MEANING })),
    ],
  };
}

/** Sections of an index for a question, best first: all of its words or, where no section has all, any. */
export function find(index, question) {
  const words = question.match(/[\p{L}\p{N}]+/gu) ?? [];
  const asked = words.filter((word) => !STOP.has(folded(word)));
  const queries = (asked.length > 0 ? asked : words).map(formsOf);
  if (queries.length === 0) return [];
  const all = index.search({ combineWith: 'AND', queries }, SEARCH);
  return all.length > 0 ? all : index.search({ combineWith: 'OR', queries }, SEARCH);
}
