import { createBoveda, createContribuyentes, createSesionesPortal, notifyOutbox, type RfcVista } from '@acuse/db';
import { headOf, hrefRfc } from '@acuse/page';
import { Aviso, Datos, Estado, Fecha, Tarjeta, Vacio } from '@acuse/page/blocks';
import { Boton, Campo, Formulario, Secret } from '@acuse/page/form';
import { count, formatFecha } from '@acuse/page/formato';
import { isRecordada, type LlaveTecleada, readTypedKey } from '@acuse/page/llave-tecleada';
import {
  ADVERTENCIAS,
  CertificadoInvalido,
  type CertificadoRevisado,
  type CiecLength,
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
import { type ContextoCliente, rfcRoutes } from '../../paginas.ts';
import { estadoCer, estadoCiec, estadoEfirma, estadoLlaveEfirma, isLlaveUtil } from './reglas/estado-credenciales.ts';

/** Faults by field of a refused form. No typed value is sent back: all are secret. */
type Reparos = Readonly<Record<string, string>>;

export const credentialsPage = rfcRoutes('credenciales');

/** Stored credentials of an RFC, and the forms to store them. */
credentialsPage.get('/credenciales', (contexto, rfc) => renderCredenciales(contexto, rfc, {}));

/** The page, with the faults of a refused form. */
async function renderCredenciales(
  contexto: ContextoCliente,
  rfc: RfcVista,
  reparos: { readonly ciec?: Reparos; readonly efirma?: Reparos },
): Promise<Response> {
  const { deps, now, pagina, usuario } = contexto;
  const { llave } = rfc;
  const recordada = { isRecordada: await isRecordada(contexto, rfc) };
  const { esperan } = llave
    ? await createContribuyentes(deps.database).abiertas(usuario.cuentaId, llave.id)
    : { esperan: 0 };
  return pagina(
    `Credenciales de ${rfc.rfc}`,
    llave === null ? (
      <Vacio
        titulo="Primero hace falta la API key"
        accion={{ href: hrefRfc(rfc.rfc, '/llave'), texto: 'Generar la API key', cambiar: 'llaves' }}
      >
        Lo que se guarda se cifra con una clave que sale de la API key: sin ella no se puede guardar nada.
      </Vacio>
    ) : (
      <>
        <p>
          Se cifran con AES-256-GCM bajo una clave derivada de la API key, que por eso hay que escribir. Sin ella nadie
          puede abrir lo guardado, tampoco nosotros.
        </p>
        {esperan > 0 ? (
          <Aviso tono="alerta" titulo="Hay solicitudes que esperan la e.firma">
            {count(esperan, 'solicitud continúa por sí sola', 'solicitudes continúan por sí solas')} al guardar la llave
            privada.
          </Aviso>
        ) : null}
        <div class="dos">
          <SeccionCiec rfc={rfc} reparos={reparos.ciec ?? {}} {...recordada} largo={deps.settings.ciecLength} />
          <SeccionEfirma rfc={rfc} now={now} reparos={reparos.efirma ?? {}} {...recordada} />
        </div>
      </>
    ),
    { ...headOf(rfc, '/credenciales'), status: reparos.ciec || reparos.efirma ? 422 : 200, scripts: ['soltar.js'] },
  );
}

interface SeccionProps {
  readonly rfc: RfcVista;
  readonly reparos: Reparos;
  /** Whether the API key was typed in lately, so that it need not be again. */
  readonly isRecordada: boolean;
}

interface SeccionCiecProps extends SeccionProps {
  readonly largo: CiecLength;
}

function SeccionCiec({ rfc, reparos, isRecordada, largo }: SeccionCiecProps) {
  const { ciec } = rfc;
  const caracteres = largo.min === largo.max ? `${largo.max}` : `de ${largo.min} a ${largo.max}`;
  return (
    <Tarjeta titulo="CIEC" accion={<Estado {...estadoCiec(rfc)} />}>
      {ciec ? (
        <Datos
          filas={[
            ['Guardada', <Fecha value={ciec.creadaEn} />],
            [
              'SAT',
              ciec.rechazadaEn ? (
                <>
                  La rechazó el <Fecha value={ciec.rechazadaEn} />
                </>
              ) : (
                'Sin rechazos'
              ),
            ],
          ]}
        />
      ) : null}
      {ciec?.rechazadaEn ? (
        <Aviso tono="error" titulo="No se volverá a intentar con esta">
          Cada intento fallido acerca al contribuyente a que el SAT bloquee su acceso. Verifique la contraseña en el
          portal del SAT y guárdela de nuevo.
        </Aviso>
      ) : null}
      <Formulario accion={hrefRfc(rfc.rfc, '/credenciales/ciec')} descripcion="Guardar la CIEC" faltas={reparos}>
        <Secret
          nombre="ciec"
          id="ciec-ciec"
          label="Contraseña del SAT (CIEC)"
          ayuda={`${caracteres} caracteres. Reemplaza a la anterior.`}
          requerido
          maxLargo={64}
        />
        <CampoLlave id="ciec-llave" rfc={rfc} isRecordada={isRecordada} />
        <div>
          <Boton>Guardar la CIEC</Boton>
        </div>
      </Formulario>
    </Tarjeta>
  );
}

interface SeccionEfirmaProps extends SeccionProps {
  readonly now: Date;
}

function SeccionEfirma({ rfc, now, reparos, isRecordada }: SeccionEfirmaProps) {
  const { cer, efirmaKey } = rfc;
  return (
    <Tarjeta titulo="e.firma" accion={<Estado {...estadoEfirma(rfc, now)} />}>
      {cer ? (
        <Datos
          filas={[
            ['Certificado', <Estado {...estadoCer(rfc, now)} />],
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
          <Campo
            nombre="cer"
            id="efirma-cer"
            label="Certificado (.cer)"
            tipo="file"
            acepta=".cer"
            ayuda={
              cer
                ? 'Solo si cambió. Otro certificado borra la llave privada guardada.'
                : 'Debe ser de la e.firma del RFC, vigente; no el de un sello digital (CSD).'
            }
          />
          <Campo
            nombre="key"
            id="efirma-key"
            label="Llave privada (.key)"
            tipo="file"
            acepta=".key"
            ayuda="Se guarda cifrada y se borra sola a la hora."
          />
          <p class="suave chica" role="status" data-soltar-aviso>
            También puede arrastrar cada archivo a su campo.
          </p>
        </div>
        <Secret
          nombre="password"
          id="efirma-password"
          label="Contraseña de la llave privada"
          ayuda="Solo con el .key. No se guarda."
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

interface CampoLlaveProps extends Pick<SeccionProps, 'rfc' | 'isRecordada'> {
  readonly id: string;
}

/** Field for the active API key of an RFC: credentials are encrypted under it. Never filled in again. */
function CampoLlave({ id, rfc, isRecordada }: CampoLlaveProps) {
  return (
    <Secret
      nombre="api_key"
      id={id}
      label="API key del RFC"
      ayuda={
        isRecordada
          ? `Se usa la que termina en …${rfc.llave?.ultimos4}, que escribió hace poco.`
          : `La que termina en …${rfc.llave?.ultimos4}. Se recuerda sellada unos minutos, solo en esta sesión.`
      }
      requerido
      sabido={isRecordada}
      maxLargo={100}
    />
  );
}

/** Stores the CIEC, as `vault/rfc-guardar` does. */
credentialsPage.post('/credenciales/ciec', async (contexto, rfc) => {
  const { campos, deps, redirectTo } = contexto;
  const ciec = Buffer.from(campos['ciec'] ?? '');
  const tecleada = await readTypedKey(campos['api_key'], rfc, contexto);
  try {
    const reparo = reparoCiec(ciec, deps.settings.ciecLength);
    const reparos = {
      ...(reparo === null
        ? {}
        : { ciec: `La CIEC ${reparo}. Es la contraseña con la que se entra al portal del SAT.` }),
      ...(typeof tecleada === 'string' ? { api_key: tecleada } : {}),
    };
    if (reparo !== null || typeof tecleada === 'string') return renderCredenciales(contexto, rfc, { ciec: reparos });
    const boveda = openVault(contexto, tecleada);
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

/** Text for a key that was replaced or revoked between its check and the write. */
const LLAVE_MUERTA = 'La API key se cambió o se revocó en este momento: no se guardó nada. Use la nueva.';

/** Associates the RFC with a typed key, as `vault/rfc-registrar` does. Returns what to add to the message. */
async function registrar({ apiKey, access }: LlaveTecleada, contexto: ContextoCliente): Promise<string> {
  if (access.apiKey.isRegistrada) return '';
  const boveda = createBoveda(contexto.deps.database);
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
credentialsPage.post('/credenciales/efirma', async (contexto, rfc) => {
  const { campos, archivos, redirectTo } = contexto;
  const tecleada = await readTypedKey(campos['api_key'], rfc, contexto);
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
  const boveda = openVault(contexto, tecleada);
  const dueno = duenoDe(tecleada, contexto);
  const ahora = await boveda.boveda.now();
  const nuevo = cer && checked(cer, { rfc: rfc.rfc, now: ahora, trust: trustOf(tecleada, contexto) });
  const certificado =
    nuevo ?? refusing(() => storedCertificado(tecleada.access, tecleada.apiKey, ahora, boveda.keyring));
  const opened = key && refusing(() => openLlaveDe(certificado, key, password));
  try {
    if (nuevo && !(await storeCertificado(nuevo, dueno, boveda))) throw new Rehusada({ api_key: LLAVE_MUERTA });
    const partes = nuevo
      ? [
          `El certificado ${nuevo.noSerie} quedó registrado.`,
          ...nuevo.advertencias.map((codigo) => ADVERTENCIAS[codigo]),
        ]
      : [];
    if (opened === null) return partes.join(' ');
    const expiraEn = await storeLlave(certificado, opened, ahora, dueno, boveda);
    if (expiraEn === null) throw new Rehusada({ api_key: LLAVE_MUERTA });
    const fin = formatFecha(expiraEn, 'hora');
    return [...partes, `La llave privada quedó guardada y se borra sola a las ${fin}.`].join(' ');
  } finally {
    opened?.fill(0);
  }
}

/** Whether a key's credentials are those of a simulator, in an installation that asks the SAT with the others. */
const isDePruebas = ({ access }: LlaveTecleada, { deps }: Pick<ContextoCliente, 'deps'>): boolean =>
  deps.settings.modoLlave === 'live' && access.apiKey.modo === 'test';

const trustOf = (tecleada: LlaveTecleada, contexto: Pick<ContextoCliente, 'deps'>) =>
  isDePruebas(tecleada, contexto) ? contexto.deps.trustPruebas : contexto.deps.trust;

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

/** What the vault's functions write through, as the API has it. */
function openVault(contexto: Pick<ContextoCliente, 'deps'>, tecleada: LlaveTecleada) {
  const { deps } = contexto;
  const { database, keyring, sealer, newId, settings, log } = deps;
  return {
    boveda: createBoveda(database),
    sesiones: createSesionesPortal(database, { isPruebas: isDePruebas(tecleada, contexto) }),
    keyring,
    sealer,
    newId,
    // Not awaited: the relay also polls.
    wake: () => {
      notifyOutbox(database).catch((err: unknown) => log.warn({ err }, 'relay_not_woken'));
    },
    settings,
  };
}

function duenoDe({ apiKey, access }: LlaveTecleada, contexto: ContextoCliente): Dueno {
  return { access, apiKey, ...contexto.autor };
}
