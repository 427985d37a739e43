import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTokenBucket, type WebDeps } from '@acuse/operation';
import { createAssets, createStaticFile, networkOf } from '@acuse/runtime';
import { contextoDe, wrapConectada } from '@acuse/vault';
import type { Conexion, Conexiones } from '../db.ts';
import { enlaceDe, huellaDe } from '../enlace.ts';
import { pageHtml } from './page.ts';
import { pdfOf, reciboOf } from './recibo.ts';

const ROOT = '/conectar';
const RETIRAR = `${ROOT}/retirar`;
const ASSETS = `${ROOT}/archivos/`;
export const PATHS = [ROOT, `${ROOT}/*`];

/** Beside the sources, also when the API runs from its build. */
const ASSETS_FOLDER = new URL('../../src/web/assets/', import.meta.url);
const SCRIPT = new URL('../../src/generated/conectar.js', import.meta.url);

/** The page asks the API alone, sends no form, and stands in no frame. Only the logo comes from data. */
const HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src data:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
  'X-Content-Type-Options': 'nosniff',
} as const;

const MAX_BODY_BYTES = 4_096;
/** kid (32 at most), HPKE and a padded CIEC. */
const MAX_SOBRE_BYTES = 512;
const VERSION = 2;

/** Milliseconds between two looks for what a worker verified, and how many of them. */
const LOOK_MS = 500;
const LOOKS = 600;

type Deps = WebDeps & { readonly conexiones: Conexiones; readonly publicUrl: string };
type Fields = Readonly<Record<string, unknown>>;

const answer = (body: object, status = 200) =>
  Response.json(body, { status, headers: { ...HEADERS, 'Cache-Control': 'no-store' } });
const refuse = (status: number, error: string) => answer({ error }, status);
const NOT_FOUND = () => refuse(404, 'NO_ENCONTRADO');

/** The fields of a small JSON object, else null. */
async function fieldsOf(request: Request): Promise<Fields | null> {
  if (request.headers.get('content-type') !== 'application/json') return null;
  // A body in chunks has no length.
  const length = request.headers.get('content-length') ?? '';
  if (!/^\d{1,9}$/.test(length) || Number(length) > MAX_BODY_BYTES) return null;
  try {
    const value: unknown = JSON.parse(await request.text());
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
  } catch {
    return null;
  }
}

const bytesOf = (value: unknown): Buffer => Buffer.from(typeof value === 'string' ? value : '', 'base64url');

/**
 * Puts the outer layer around what a worker verified and stores it. Every request about the connection does it too, so
 * that a process that dies meanwhile costs a look.
 */
export async function complete(
  { conexiones, keyring }: Pick<Deps, 'conexiones' | 'keyring'>,
  id: string,
): Promise<void> {
  const found = await conexiones.verificada(id);
  if (found === null) return;
  const fila = contextoDe(found, { id, apiKeyId: found.apiKeyId, expiraEn: found.hasta }, 'ciec');
  await conexiones.store(id, { kid: keyring.current, sobre: wrapConectada(found.sellada, fila, keyring) });
}

/** The page at /conectar and what its script asks. A link's token comes in bodies alone, which nothing logs. */
export function openPages(deps: Deps): (request: Request, ip: string) => Promise<Response> {
  const { conexiones, sealer, settings, log, apagado, publicUrl } = deps;
  const limit = createTokenBucket({ perSecond: 4, burst: 60, nowMs: () => performance.now() });
  let files:
    | { readonly page: ReturnType<typeof createStaticFile>; readonly assets: ReturnType<typeof createAssets> }
    | undefined;
  const open = () => {
    if (files !== undefined) return files;
    const assets = createAssets(ASSETS_FOLDER, ASSETS, { 'conectar.js': readFileSync(SCRIPT) });
    files = { assets, page: createStaticFile(pageHtml(assets.href), 'html') };
    return files;
  };

  const dataOf = (conexion: Conexion) => {
    const { rfc, solicitante, finalidad, estado, motivo, marca, regreso } = conexion;
    return {
      conexion_id: conexion.id,
      rfc,
      solicitante,
      finalidad,
      estado,
      motivo,
      marca,
      regreso,
      hasta: conexion.hasta.toISOString(),
      ciec: settings.ciecLength,
      llave: { kid: sealer.kid, publica: sealer.publicKey.toString('base64url') },
    };
  };

  async function watch(id: string): Promise<void> {
    for (let looks = 0; looks < LOOKS && !apagado.aborted; looks += 1) {
      await sleep(LOOK_MS, undefined, { ref: false });
      await complete(deps, id);
      if (!(await conexiones.isUnderWay(id))) return;
    }
  }

  const ofLink = async ({ enlace }: Fields) => {
    const huella = huellaDe(enlace);
    return huella === null ? null : conexiones.findByHuella(huella);
  };
  const ofWithdrawal = async ({ retiro }: Fields) => {
    const huella = huellaDe(retiro);
    return huella === null ? null : conexiones.findByRetiro(huella);
  };
  const fresh = async (found: Conexion, again: () => Promise<Conexion | null>) => {
    if (found.estado !== 'VERIFICANDO') return found;
    await complete(deps, found.id);
    return (await again()) ?? found;
  };
  const show = async (find: (fields: Fields) => Promise<Conexion | null>, fields: Fields) => {
    const found = await find(fields);
    return found === null ? NOT_FOUND() : answer(dataOf(await fresh(found, () => find(fields))));
  };

  const actions: Readonly<Record<string, (fields: Fields, ip: string) => Promise<Response>>> = {
    leer: (fields) => show(ofLink, fields),
    permiso: (fields) => show(ofWithdrawal, fields),

    async enviar(fields) {
      const conexion = await ofLink(fields);
      if (conexion === null) return NOT_FOUND();
      const [sobre, retiro] = [bytesOf(fields['sobre']), bytesOf(fields['retiro'])];
      if (sobre[0] !== VERSION || sobre.length > MAX_SOBRE_BYTES || retiro.length !== 32)
        return refuse(400, 'CAMPO_INVALIDO');
      if (!(await conexiones.submit({ id: conexion.id, sobre, retiro }))) return refuse(409, 'ENLACE_CERRADO');
      watch(conexion.id).catch((err: unknown) => log.error({ err, conexion: conexion.id }, 'connection_not_completed'));
      return answer({ estado: 'VERIFICANDO' });
    },

    async retirar(fields, ip) {
      const conexion = await ofWithdrawal(fields);
      if (conexion === null) return NOT_FOUND();
      await conexiones.revoke(conexion.id, { actor: `conexion:${conexion.id}`, ip });
      return answer({ estado: 'REVOCADA' });
    },

    async recibo(fields) {
      const conexion = await ofWithdrawal(fields);
      if (conexion === null || conexion.conectadaEn === null) return NOT_FOUND();
      const recibo = reciboOf(conexion, enlaceDe(publicUrl, String(fields['retiro']), '/retirar'));
      if (fields['formato'] !== 'pdf') return answer(recibo);
      const headers = { ...HEADERS, 'Cache-Control': 'no-store', 'Content-Type': 'application/pdf' };
      return new Response(new Uint8Array(pdfOf(recibo)), { headers });
    },
  };

  return async (request, ip) => {
    const { pathname } = new URL(request.url);
    if (request.method === 'GET' && pathname.startsWith(ASSETS)) {
      const file = await open().assets.serve(pathname.slice(ASSETS.length), request.headers);
      return file ?? NOT_FOUND();
    }
    if (request.method === 'GET' && (pathname === ROOT || pathname === RETIRAR))
      return open().page.answer(request.headers, HEADERS);
    const action = actions[pathname.slice(ROOT.length + 1)];
    if (action === undefined) return NOT_FOUND();
    if (request.method !== 'POST') return refuse(405, 'METODO_NO_PERMITIDO');
    if (!limit.take(networkOf(ip)).allowed) return refuse(429, 'DEMASIADAS_PETICIONES');
    const fields = await fieldsOf(request);
    return fields === null ? refuse(400, 'PETICION_ILEGIBLE') : action(fields, ip);
  };
}
