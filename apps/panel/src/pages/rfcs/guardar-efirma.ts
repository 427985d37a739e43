import type { RfcVista } from '@acuse/db';
import {
  type Certificado,
  CertificadoInvalido,
  checkCertificado,
  LlaveRechazada,
  MOTIVOS_CERTIFICADO,
  openLlaveDe,
  storeCertificado,
  storedCertificado,
  storeLlave,
  wipeApiKey,
} from '@acuse/vault';
import { formatFecha } from '../../components/formato.ts';
import type { ContextoCliente } from '../../http/ruta.ts';
import { type Reparos, renderCredenciales } from './credenciales.tsx';
import { LLAVE_MUERTA, registrar } from './guardar-ciec.ts';
import { duenoDe, openBoveda } from './reglas/boveda.ts';
import { type LlaveTecleada, readLlaveTecleada } from './reglas/llave-tecleada.ts';
import { defineRutaRfc, hrefRfc } from './reglas/ruta-rfc.ts';

/** A form that is not carried out: nothing of it was stored. */
class Rehusada extends Error {
  readonly reparos: Reparos;

  constructor(reparos: Reparos) {
    super('refused');
    this.reparos = reparos;
  }
}

/**
 * Stores the certificate, its private key, or both, as `vault/firma-registrar` and `vault/firma-guardar` do. Everything
 * is checked before anything is stored.
 */
export const guardarEfirma = defineRutaRfc({
  metodo: 'POST',
  sub: '/credenciales/efirma',
  async handle(contexto, rfc) {
    const { campos, archivos, redirigir } = contexto;
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
      return redirigir(hrefRfc(rfc.rfc, '/credenciales'), { tono: 'exito', texto });
    } catch (error) {
      if (!(error instanceof Rehusada)) throw error;
      return renderCredenciales(contexto, rfc, { efirma: error.reparos });
    } finally {
      key?.fill(0);
      password.fill(0);
      if (typeof tecleada !== 'string') wipeApiKey(tecleada.apiKey);
    }
  },
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
