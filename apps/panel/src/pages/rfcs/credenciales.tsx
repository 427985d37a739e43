import { createContribuyentes, type RfcVista } from '@acuse/db';
import type { CiecLength } from '@acuse/vault';
import { isRecordada } from '../../acceso/llave-tecleada.ts';
import { Aviso, Datos, Estado, Fecha, Tarjeta, Vacio } from '../../components/blocks.tsx';
import { Boton, Campo, Formulario, Secret } from '../../components/form.tsx';
import { formatNumero } from '../../components/formato.ts';
import type { ContextoCliente } from '../../http/ruta.ts';
import { estadoCer, estadoCiec, estadoEfirma, estadoLlaveEfirma, isLlaveUtil } from './reglas/estado-credenciales.ts';
import { headOf, hrefRfc, rfcRoutes } from './rfc.tsx';

/** What is wrong with each field of a refused form. Nothing typed is sent back: all of it is secret. */
export type Reparos = Readonly<Record<string, string>>;

export const credentialsPage = rfcRoutes();

/** What is stored for an RFC, and the forms to store it. */
credentialsPage.get('/credenciales', (contexto, rfc) => renderCredenciales(contexto, rfc, {}));

/** The page; with what was wrong when a form of it was refused. */
export async function renderCredenciales(
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
  const { min, max } = deps.settings.ciecLength;
  return pagina(
    `Credenciales de ${rfc.rfc}`,
    llave === null ? (
      <Vacio
        titulo="Primero hace falta la API key"
        accion={{ href: hrefRfc(rfc.rfc, '/llave'), texto: 'Generar la API key' }}
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
            {formatNumero(esperan)} {esperan === 1 ? 'solicitud continúa' : 'solicitudes continúan'} por sí{' '}
            {esperan === 1 ? 'sola' : 'solas'} al guardar la llave privada.
          </Aviso>
        ) : null}
        <div class="dos">
          <SeccionCiec rfc={rfc} reparos={reparos.ciec ?? {}} {...recordada} largo={{ min, max }} />
          <SeccionEfirma rfc={rfc} now={now} reparos={reparos.efirma ?? {}} {...recordada} />
        </div>
      </>
    ),
    { ...headOf(rfc, '/credenciales'), status: reparos.ciec || reparos.efirma ? 422 : 200, scripts: ['soltar.js'] },
  );
}

interface SeccionCiecProps {
  readonly rfc: RfcVista;
  readonly reparos: Reparos;
  readonly isRecordada: boolean;
  readonly largo: CiecLength;
}

/** The state of the CIEC and the form that stores it. */
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

interface SeccionEfirmaProps {
  readonly rfc: RfcVista;
  readonly now: Date;
  readonly reparos: Reparos;
  readonly isRecordada: boolean;
}

/** The state of the e.firma, what its certificate says, and the form that stores it. */
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

interface CampoLlaveProps {
  readonly id: string;
  readonly rfc: Pick<RfcVista, 'llave'>;
  /** Whether it was typed in lately, so that it need not be again. */
  readonly isRecordada: boolean;
}

/** Where the active API key of an RFC is typed in: what is stored is encrypted under it. Never filled in again. */
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
