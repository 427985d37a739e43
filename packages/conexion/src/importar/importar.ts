import type { Autor, Modo } from '@acuse/core';
import { type Connection, createRfcBatches, type Database, rowOf, rowsOf, type SinLlave } from '@acuse/db';
import { uuidV7 } from '@acuse/runtime';
import { type ApiKeyHasher, generateApiKey, registroOf, type Sealer, wipeApiKey } from '@acuse/vault';
import { insertConexiones, type NuevaConexion } from '../db.ts';
import { DIAS, enlaceDe, MINUTOS, prepareConexion } from '../enlace.ts';
import type { Fila } from './archivo.ts';

/** RFCs of one transaction. */
const LOTE = 100;

/** Whose name mails go out under, and how many of them in a day; null for any number. */
export interface Sender {
  readonly usuarioId: string;
  readonly alDia: number | null;
}

/** What connect links need. */
export interface Enlaces {
  readonly sealer: Sealer;
  /** Origin of the API as taxpayers reach it. */
  readonly publicUrl: string;
  /** Who asks for the CIEC and what for, as the taxpayer reads it. */
  readonly solicitante: string;
  readonly finalidad: string;
  /** Null where links are kept with the keys and not mailed. */
  readonly sender: Sender | null;
}

export interface Importacion extends Autor {
  readonly database: Pick<Database, 'pool'>;
  readonly cuentaId: string;
  readonly hasher: ApiKeyHasher;
  /** Of the new keys. */
  readonly modo: Modo;
  /** Null where no line has an address. */
  readonly enlaces: Enlaces | null;
  /** Keeps keys before they are active; a rejection leaves them inactive. */
  keep(entregas: readonly Entrega[]): Promise<void>;
}

/** A new key, and its link unless that is mailed. Both are secret. */
export interface Entrega {
  readonly rfc: string;
  readonly apiKey: string;
  readonly enlace: string | null;
}

/** What became of a line. */
export interface Resultado {
  readonly linea: number;
  readonly rfc: string;
  /** `AGREGADO`: new, with a key. `CON_LLAVE`: the account had it without a key. `YA_ESTABA`: nothing was changed. */
  readonly estado: 'AGREGADO' | 'CON_LLAVE' | 'YA_ESTABA';
  /** Id of the new key, which is public. */
  readonly apiKeyId: string | null;
  /** Where its link is. */
  readonly enlace: 'CORREO' | 'ARCHIVO' | null;
}

/**
 * Adds the RFCs to the account, gives each that never had a key its first one, and makes a link for each of those with
 * an address. Yields the results of one transaction after the other; an order that ends early has done those. An RFC
 * that has or had a key stays as it is, so that the same lines again change nothing.
 */
export async function* importRfcs(
  filas: readonly Fila[],
  importacion: Importacion,
): AsyncGenerator<readonly Resultado[], void, undefined> {
  for (let at = 0; at < filas.length; at += LOTE) yield await importLote(filas.slice(at, at + LOTE), importacion);
}

async function importLote(lote: readonly Fila[], importacion: Importacion): Promise<readonly Resultado[]> {
  const { database, cuentaId, actor, ip } = importacion;
  const batches = createRfcBatches(database);
  const rfcs = lote.map(({ rfc }) => rfc);
  const known = await batches.withKey(cuentaId, rfcs);
  const pending = lote.filter(({ rfc }) => !known.has(rfc));
  const hechas = new Map<string, Hecha>();
  if (pending.length > 0)
    await batches.add(
      { cuentaId, rfcs: pending, actor, ip },
      async (sinLlave, connection) => {
        const correos = new Map(pending.map(({ rfc, correo }) => [rfc, correo]));
        const made = sinLlave.map((suyo) => makeOne(suyo, correos.get(suyo.rfc) ?? null, importacion));
        const mailed = await mailThem(connection, made, importacion);
        for (const hecha of made)
          hechas.set(hecha.rfc, mailed.has(hecha.rfc) ? { ...hecha, destino: 'CORREO' } : hecha);
        // In the order of the lines: the database gives them in another.
        const inOrder = pending.flatMap(({ rfc }) => hechas.get(rfc) ?? []);
        const given = (each: Hecha) => (each.destino === 'ARCHIVO' ? each.enlace : null);
        await importacion.keep(inOrder.map((each) => ({ rfc: each.rfc, apiKey: each.apiKey, enlace: given(each) })));
        return made.map(({ llave }) => llave);
      },
      async (connection) => {
        const nuevas = [...hechas.values()].flatMap(({ conexion }) => conexion ?? []);
        if (nuevas.length > 0) await insertConexiones(connection, nuevas, { actor, ip });
      },
    );
  return lote.map(({ linea, rfc }) => {
    const { estado, llave, destino } = hechas.get(rfc) ?? { estado: 'YA_ESTABA' as const, llave: null, destino: null };
    return { linea, rfc, estado, apiKeyId: llave?.id ?? null, enlace: destino };
  });
}

/** The first key of an RFC, and its link where it has an address. */
interface Hecha {
  readonly rfc: string;
  readonly estado: Resultado['estado'];
  readonly llave: ReturnType<typeof registroOf> & { readonly contribuyenteId: string };
  readonly apiKey: string;
  readonly conexion: NuevaConexion | null;
  readonly correo: string | null;
  readonly enlace: string | null;
  readonly destino: Resultado['enlace'];
}

function makeOne(
  { contribuyenteId, rfc, isNuevo }: SinLlave,
  correo: string | null,
  { cuentaId, hasher, modo, enlaces }: Importacion,
): Hecha {
  const key = generateApiKey(modo);
  try {
    const llave = { ...registroOf(hasher, key), contribuyenteId };
    const hecha = { rfc, estado: isNuevo ? 'AGREGADO' : 'CON_LLAVE', llave, apiKey: key.text, correo } as const;
    if (correo === null || enlaces === null) return { ...hecha, conexion: null, enlace: null, destino: null };
    const { sealer, publicUrl, solicitante, finalidad } = enlaces;
    const { nueva, enlace } = prepareConexion(
      {
        id: uuidV7(),
        cuentaId,
        contribuyenteId,
        rfc,
        solicitante,
        finalidad,
        regreso: null,
        modo,
        marca: {},
        minutos: MINUTOS.max,
        dias: DIAS.normal,
      },
      { apiKey: key, sealer, publicUrl, now: new Date() },
    );
    return { ...hecha, conexion: nueva, enlace, destino: 'ARCHIVO' };
  } finally {
    wipeApiKey(key);
  }
}

const MAIL = `
SELECT m.rfc FROM unnest($3::text[], $4::text[], $5::jsonb[]) AS m (rfc, para, dato)
WHERE correo_conecta($1, $2, m.para, m.dato, $6) IS NOT NULL`;

/** Writes mails of links; the sender of mails makes their tokens. Returns the RFCs with a mail. */
async function mailThem(
  connection: Connection,
  made: readonly Hecha[],
  { cuentaId, enlaces }: Importacion,
): Promise<ReadonlySet<string>> {
  const due = made.filter(({ conexion }) => conexion !== null);
  if (due.length === 0 || !enlaces?.sender) return new Set();
  const { publicUrl, solicitante, finalidad, sender } = enlaces;
  const pagina = enlaceDe(publicUrl, '');
  const datos = due.map(({ rfc, conexion }) =>
    JSON.stringify({ conexion_id: conexion?.id, rfc, solicitante, finalidad, pagina }),
  );
  const values = [sender.usuarioId, cuentaId, due.map(({ rfc }) => rfc), due.map(({ correo }) => correo), datos];
  const rows = await rowsOf<{ rfc: string }>(connection, MAIL, [...values, sender.alDia]);
  return new Set(rows.map(({ rfc }) => rfc));
}

const SENDER = `
SELECT u.id FROM miembro m JOIN usuario u ON u.id = m.usuario_id
WHERE m.cuenta_id = $1 AND m.papel = 'PROPIETARIO' AND u.correo_verificado_en IS NOT NULL AND ($2::uuid IS NULL OR u.id = $2)
ORDER BY m.abierta_en DESC, u.id LIMIT 1`;

/** An owner of the account, or this one, whose own address is confirmed: mails go out under such a name alone. */
export async function findSender(
  { pool }: Pick<Database, 'pool'>,
  cuentaId: string,
  usuarioId: string | null = null,
): Promise<string | null> {
  return (await rowOf<{ id: string }>(pool, SENDER, [cuentaId, usuarioId]))?.id ?? null;
}

/** First line of a file of keys. */
export const ENCABEZADO_LLAVES = 'rfc,api_key,enlace\r\n';

/** Lines of a file of keys (RFC 4180); no cell needs quotes. */
export const linesOf = (entregas: readonly Entrega[]): string =>
  entregas.map(({ rfc, apiKey, enlace }) => `${rfc},${apiKey},${enlace ?? ''}\r\n`).join('');
