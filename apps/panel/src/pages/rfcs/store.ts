import { createBoveda, createSesionesPortal, notifyOutbox, type RfcVista } from '@acuse/db';
import {
  type Certificado,
  CertificadoInvalido,
  checkCertificado,
  type Dueno,
  LlaveRechazada,
  MOTIVOS_CERTIFICADO,
  openLlaveDe,
  reparoCiec,
  storeCertificado,
  storeCredencial,
  storedCertificado,
  storeLlave,
  wipeApiKey,
} from '@acuse/vault';
import { type LlaveTecleada, readLlaveTecleada } from '../../acceso/llave-tecleada.ts';
import { formatFecha } from '../../components/formato.ts';
import type { ContextoCliente } from '../../http/ruta.ts';
import { type Reparos, renderCredenciales } from './credenciales.tsx';
import { hrefRfc, rfcRoutes } from './rfc.tsx';

export const storePage = rfcRoutes();

/** Stores the CIEC, as `vault/rfc-guardar` does. */
storePage.post('/credenciales/ciec', async (contexto, rfc) => {
  const { campos, deps, redirectTo } = contexto;
  const ciec = Buffer.from(campos['ciec'] ?? '');
  const tecleada = await readLlaveTecleada(campos['api_key'], rfc, contexto);
  try {
    const reparo = reparoCiec(ciec, deps.settings.ciecLength);
    const reparos = {
      ...(reparo === null
        ? {}
        : { ciec: `La CIEC ${reparo}. Es la contraseña con la que se entra al portal del SAT.` }),
      ...(typeof tecleada === 'string' ? { api_key: tecleada } : {}),
    };
    if (reparo !== null || typeof tecleada === 'string') return renderCredenciales(contexto, rfc, { ciec: reparos });
    const boveda = openBoveda(contexto);
    const credencial = { tipo: 'ciec', rfc: rfc.rfc, ciec } as const;
    if (!(await storeCredencial(credencial, 'ciec', {}, duenoDe(tecleada, contexto), boveda)))
      return renderCredenciales(contexto, rfc, { ciec: { api_key: LLAVE_MUERTA } });
    const texto = `La CIEC quedó guardada.${await registrar(tecleada, contexto)}`;
    return redirectTo(hrefRfc(rfc.rfc, '/credenciales'), { tono: 'exito', texto });
  } finally {
    ciec.fill(0);
    if (typeof tecleada !== 'string') wipeApiKey(tecleada.apiKey);
  }
});

/** What is said when the key was replaced or revoked between its check and the write. */
const LLAVE_MUERTA = 'La API key se cambió o se revocó en este momento: no se guardó nada. Use la nueva.';

/** Associates the RFC with a typed key, as `vault/rfc-registrar` does. Returns what to add to the message. */
async function registrar({ apiKey, access }: LlaveTecleada, contexto: ContextoCliente): Promise<string> {
  if (access.apiKey.isRegistrada) return '';
  const { boveda } = openBoveda(contexto);
  const { contribuyenteId } = access;
  await boveda.register({ apiKeyId: apiKey.keyId, contribuyenteId, ...contexto.autor });
  return ' El RFC quedó asociado con la llave: ya puede llamar a la API.';
}

/** A form that is not carried out: nothing of it was stored. */
class Rehusada extends Error {
  readonly reparos: Reparos;

  constructor(reparos: Reparos) {
    super('refused');
    this.reparos = reparos;
  }
}

/** Stores certificate, private key, or both, as `vault/firma-registrar` and `-guardar` do: all is checked before. */
storePage.post('/credenciales/efirma', async (contexto, rfc) => {
  const { campos, archivos, redirectTo } = contexto;
  const tecleada = await readLlaveTecleada(campos['api_key'], rfc, contexto);
  const cer = await bytesOf(archivos['cer']);
  const key = await bytesOf(archivos['key']);
  const password = Buffer.from(campos['password'] ?? '');
  try {
    if (typeof tecleada === 'string') throw new Rehusada({ api_key: tecleada });
    if (cer === null && key === null) throw new Rehusada({ cer: 'Elija el archivo .cer, el .key o los dos.' });
    if (key !== null && password.length === 0) throw new Rehusada({ password: 'Escriba la contraseña del .key.' });
    const dicho = await store({ cer, key, password }, rfc, tecleada, contexto);
    const texto = `${dicho}${await registrar(tecleada, contexto)}`;
    return redirectTo(hrefRfc(rfc.rfc, '/credenciales'), { tono: 'exito', texto });
  } catch (error) {
    if (!(error instanceof Rehusada)) throw error;
    return renderCredenciales(contexto, rfc, { efirma: error.reparos });
  } finally {
    key?.fill(0);
    password.fill(0);
    if (typeof tecleada !== 'string') wipeApiKey(tecleada.apiKey);
  }
});

async function bytesOf(archivo: File | undefined): Promise<Buffer | null> {
  return archivo === undefined ? null : Buffer.from(await archivo.arrayBuffer());
}

interface Archivos {
  readonly cer: Buffer | null;
  readonly key: Buffer | null;
  readonly password: Buffer;
}

async function store(
  { cer, key, password }: Archivos,
  rfc: RfcVista,
  tecleada: LlaveTecleada,
  contexto: ContextoCliente,
): Promise<string> {
  const boveda = openBoveda(contexto);
  const dueno = duenoDe(tecleada, contexto);
  const ahora = await boveda.boveda.now();
  const certificado = cer
    ? checked(cer, rfc.rfc, ahora, contexto)
    : refusing(() => storedCertificado(tecleada.access, tecleada.apiKey, ahora, boveda.keyring));
  const opened = key && refusing(() => openLlaveDe(certificado, key, password));
  try {
    if (cer && !(await storeCertificado(certificado, dueno, boveda))) throw new Rehusada({ api_key: LLAVE_MUERTA });
    const partes = cer ? [`El certificado ${certificado.noSerie} quedó registrado.`] : [];
    if (opened === null) return partes.join(' ');
    const expiraEn = await storeLlave(certificado, opened, ahora, dueno, boveda);
    if (expiraEn === null) throw new Rehusada({ api_key: LLAVE_MUERTA });
    const fin = formatFecha(expiraEn, 'hora');
    return [...partes, `La llave privada quedó guardada y se borra sola a las ${fin}.`].join(' ');
  } finally {
    opened?.fill(0);
  }
}

function checked(cer: Buffer, rfc: string, now: Date, { deps }: ContextoCliente): Certificado {
  try {
    return checkCertificado(cer, { rfc, now, trust: deps.trust });
  } catch (error) {
    if (!(error instanceof CertificadoInvalido)) throw error;
    throw new Rehusada({ cer: MOTIVOS_CERTIFICADO[error.motivo] });
  }
}

/** Runs a step of the vault; what it refuses belongs to a field of the form. */
function refusing<T>(step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (!(error instanceof LlaveRechazada)) throw error;
    throw new Rehusada({ [error.campo ?? 'cer']: error.motivo });
  }
}

/** What the vault's functions write through, as the API has it. */
function openBoveda({ deps }: Pick<ContextoCliente, 'deps'>) {
  const { database, keyring, sealer, newId, settings, log } = deps;
  return {
    boveda: createBoveda(database),
    sesiones: createSesionesPortal(database),
    keyring,
    sealer,
    newId,
    // Nobody has to wait for it: the relay also looks by itself.
    wake: () => {
      notifyOutbox(database).catch((err: unknown) => log.warn({ err }, 'relay_not_woken'));
    },
    settings,
  };
}

/** Whose credential a page stores, and who does it. */
function duenoDe({ apiKey, access }: LlaveTecleada, contexto: ContextoCliente): Dueno {
  return { access, apiKey, ...contexto.autor };
}
