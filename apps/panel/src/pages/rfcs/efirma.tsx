import type { Modo } from '@acuse/core';
import type { RfcVista } from '@acuse/db';
import { hrefRfc } from '@acuse/page';
import { Datos, Estado, Fecha, Tarjeta } from '@acuse/page/blocks';
import { Boton, Campo, Formulario, Secret } from '@acuse/page/form';
import { formatFecha } from '@acuse/page/formato';
import {
  ADVERTENCIAS,
  CertificadoInvalido,
  type CertificadoRevisado,
  checkCertificado,
  LlaveRechazada,
  MOTIVOS_CERTIFICADO,
  openLlaveDe,
  storeCertificado,
  storedCertificado,
  storeLlave,
  wipeApiKey,
} from '@acuse/vault';
import type { ContextoCliente } from '../../paginas.ts';
import { modoPedido } from './generar-llave.ts';
import {
  answerStored,
  duenoDe,
  isDePruebas,
  keyFor,
  LLAVE_MUERTA,
  type LlaveParaGuardar,
  openVault,
  type Reparos,
} from './guardar.ts';
import { estadoCer, estadoEfirma, estadoLlaveEfirma, isLlaveUtil } from './reglas/estado-credenciales.ts';

export interface SeccionProps {
  readonly rfc: RfcVista;
  readonly reparos: Reparos;
  /** Whether the session has the API key, so that the form does not ask for it. */
  readonly isRecordada: boolean;
}

interface SeccionEfirmaProps extends SeccionProps {
  readonly now: Date;
}

/** The stored e.firma, and the form for its two files and their password. */
export function SeccionEfirma({ rfc, now, reparos, isRecordada }: SeccionEfirmaProps) {
  const { cer, efirmaKey } = rfc;
  const estado = estadoCer(rfc, now);
  const hasCer = cer !== null;
  const archivoCer = (
    <Archivo nombre="cer" label="Certificado" isKnown={hasCer}>
      {hasCer
        ? 'Otro certificado borra la llave privada guardada.'
        : 'El de la e.firma del RFC, vigente; no el de un sello digital (CSD).'}
    </Archivo>
  );
  return (
    <Tarjeta titulo="e.firma" accion={<Estado {...estadoEfirma(rfc, now)} />}>
      {cer ? (
        <Datos
          filas={[
            ['Certificado', <Estado {...estado} />],
            ['Número de serie', <code>{cer.noSerie}</code>],
            ['Titular', cer.titular],
            ['Vence', <Fecha value={cer.vigenteHasta} />],
            [
              'Llave privada',
              <>
                <Estado {...estadoLlaveEfirma(rfc)} />
                {efirmaKey && isLlaveUtil(rfc) ? (
                  <>
                    {' '}
                    Se borra <Fecha value={efirmaKey.expiraEn} relativaA={now} />
                  </>
                ) : null}
              </>,
            ],
          ]}
        />
      ) : null}
      <Formulario
        accion={hrefRfc(rfc.rfc, '/credenciales/efirma')}
        archivos
        descripcion="Guardar la e.firma"
        faltas={reparos}
      >
        <div class="pila" data-soltar>
          {hasCer ? null : archivoCer}
          <Archivo nombre="key" label="Llave privada" isKnown={hasCer}>
            Se guarda cifrada y se borra sola a la hora.
          </Archivo>
          {hasCer ? (
            <details open={estado.tono !== 'exito' || reparos['cer'] !== undefined}>
              <summary>Cambiar el certificado</summary>
              {archivoCer}
            </details>
          ) : null}
          <p class="suave chica" role="status" data-soltar-aviso>
            {reparos['elegidos'] ?? 'También puede arrastrar cada archivo a su campo.'}
          </p>
        </div>
        <Secret
          nombre="password"
          id="efirma-password"
          label="Contraseña de la llave privada"
          ayuda="No se guarda."
          requerido={!hasCer}
          sabido={hasCer}
          maxLargo={256}
        />
        <CampoLlave id="efirma-llave" rfc={rfc} isRecordada={isRecordada} />
        <div>
          <Boton>Guardar la e.firma</Boton>
        </div>
      </Formulario>
    </Tarjeta>
  );
}

interface ArchivoProps {
  /** Name of the field, which is the ending of its file. */
  readonly nombre: 'cer' | 'key';
  readonly label: string;
  /** May stay empty: a certificate is stored. */
  readonly isKnown: boolean;
  readonly children: string;
}

/** The field of one of the two files. */
function Archivo({ nombre, label, isKnown, children }: ArchivoProps) {
  return (
    <Campo
      nombre={nombre}
      id={`efirma-${nombre}`}
      label={`${label} (.${nombre})`}
      tipo="file"
      acepta={`.${nombre}`}
      requerido={!isKnown}
      sabido={isKnown}
      ayuda={children}
    />
  );
}

interface CampoLlaveProps extends Pick<SeccionProps, 'rfc' | 'isRecordada'> {
  readonly id: string;
}

/**
 * Field for the active API key of an RFC, since credentials are encrypted under it. A session that has the key is not
 * asked, nor is an RFC whose key is made now.
 */
export function CampoLlave({ id, rfc: { llave }, isRecordada }: CampoLlaveProps) {
  if (llave === null) return null;
  if (isRecordada) return <p class="ayuda">Con la API key …{llave.ultimos4}, que esta sesión ya tiene.</p>;
  return (
    <Secret
      nombre="api_key"
      id={id}
      label="API key del RFC"
      ayuda={`La que termina en …${llave.ultimos4}. Se pide una vez por sesión.`}
      requerido
      maxLargo={100}
    />
  );
}

/** A form that is not carried out: nothing of it was stored. */
class Rehusada extends Error {
  readonly reparos: Reparos;

  constructor(reparos: Reparos) {
    super('refused');
    this.reparos = reparos;
  }
}

/**
 * Stores certificate, private key, or both, as `vault/firma-registrar` and `-guardar` do: all is checked before. Returns
 * the answer, or the faults of a refused form with the files to choose again under `elegidos`.
 */
export async function storeEfirma(contexto: ContextoCliente, rfc: RfcVista): Promise<Response | Reparos> {
  const { campos, archivos } = contexto;
  const cer = await bytesOf(archivos['cer']);
  const key = await bytesOf(archivos['key']);
  const password = Buffer.from(campos['password'] ?? '');
  let llave = rfc.llave === null ? null : await keyFor(contexto, rfc);
  let revisada: Revisada | null = null;
  try {
    if (typeof llave === 'string') throw new Rehusada({ api_key: llave });
    if (cer === null && key === null) throw new Rehusada({ cer: 'Elija el archivo .cer, el .key o los dos.' });
    if (key !== null && password.length === 0) throw new Rehusada({ password: 'Escriba la contraseña del .key.' });
    revisada = await check({ cer, key, password }, rfc, llave, contexto);
    llave ??= await keyFor(contexto, rfc);
    if (typeof llave === 'string') throw new Rehusada({ api_key: llave });
    return await answerStored(llave, rfc, await store(revisada, llave, contexto), contexto);
  } catch (error) {
    if (!(error instanceof Rehusada)) throw error;
    const nombres = [archivos['cer']?.name, archivos['key']?.name].filter(Boolean).join(' y ');
    const elegidos = nombres === '' ? {} : { elegidos: `Elija otra vez ${nombres}: el navegador no los conserva.` };
    return { ...error.reparos, ...elegidos };
  } finally {
    revisada?.opened?.fill(0);
    key?.fill(0);
    password.fill(0);
    if (llave !== null && typeof llave !== 'string') wipeApiKey(llave.apiKey);
  }
}

async function bytesOf(archivo: File | undefined): Promise<Buffer | null> {
  return archivo === undefined ? null : Buffer.from(await archivo.arrayBuffer());
}

interface Archivos {
  readonly cer: Buffer | null;
  readonly key: Buffer | null;
  readonly password: Buffer;
}

/** An e.firma that may be stored. The caller zeroes `opened`, the private key. */
interface Revisada {
  readonly nuevo: CertificadoRevisado | null;
  readonly certificado: ReturnType<typeof storedCertificado>;
  readonly opened: Buffer | null;
  readonly ahora: Date;
}

/** Checks all files before a key is made or anything is stored. Throws {@link Rehusada}. */
async function check(
  { cer, key, password }: Archivos,
  rfc: RfcVista,
  llave: LlaveParaGuardar | null,
  contexto: ContextoCliente,
): Promise<Revisada> {
  const { deps } = contexto;
  const modo: Modo = llave?.access.apiKey.modo ?? modoPedido(contexto, rfc);
  const { boveda, keyring } = openVault(contexto, modo);
  const ahora = await boveda.now();
  const trust = isDePruebas(modo, contexto) ? deps.trustPruebas : deps.trust;
  const nuevo = cer && checked(cer, { rfc: rfc.rfc, now: ahora, trust });
  const stored = () => {
    if (llave === null) throw new Rehusada({ cer: 'Elija también el archivo .cer.' });
    return refusing(() => storedCertificado(llave.access, llave.apiKey, ahora, keyring));
  };
  const certificado = nuevo ?? stored();
  return { nuevo, certificado, opened: key && refusing(() => openLlaveDe(certificado, key, password)), ahora };
}

async function store(
  { nuevo, certificado, opened, ahora }: Revisada,
  llave: LlaveParaGuardar,
  contexto: ContextoCliente,
): Promise<string> {
  const boveda = openVault(contexto, llave.access.apiKey.modo);
  const dueno = duenoDe(llave, contexto);
  if (nuevo && !(await storeCertificado(nuevo, dueno, boveda))) throw new Rehusada({ api_key: LLAVE_MUERTA });
  const partes = nuevo
    ? [`El certificado ${nuevo.noSerie} quedó registrado.`, ...nuevo.advertencias.map((codigo) => ADVERTENCIAS[codigo])]
    : [];
  if (opened === null) return partes.join(' ');
  const expiraEn = await storeLlave(certificado, opened, ahora, dueno, boveda);
  if (expiraEn === null) throw new Rehusada({ api_key: LLAVE_MUERTA });
  const fin = formatFecha(expiraEn, 'hora');
  return [...partes, `La llave privada quedó guardada y se borra sola a las ${fin}.`].join(' ');
}

function checked(cer: Buffer, expected: Parameters<typeof checkCertificado>[1]): CertificadoRevisado {
  try {
    return checkCertificado(cer, expected);
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
