import { createContribuyentes, type RfcVista } from '@acuse/db';
import { headOf, hrefRfc, Permitido, puede } from '@acuse/page';
import { Aviso, Datos, Estado, Fecha, Tarjeta, Vacio } from '@acuse/page/blocks';
import { Boton, Formulario, Secret } from '@acuse/page/form';
import { count } from '@acuse/page/formato';
import { isRecordada } from '@acuse/page/llave-tecleada';
import { type CiecLength, reparoCiec, storeCredencial, wipeApiKey } from '@acuse/vault';
import { type ContextoCliente, rfcRoutes } from '../../paginas.ts';
import { CampoLlave, SeccionEfirma, type SeccionProps, storeEfirma } from './efirma.tsx';
import { answerStored, duenoDe, keyFor, LLAVE_MUERTA, openVault, type Reparos } from './guardar.ts';
import { estadoCiec, isLlaveUtil } from './reglas/estado-credenciales.ts';

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
    llave === null && !puede(usuario.papel, 'cambiar', 'llaves') ? (
      <Vacio
        titulo="Primero hace falta la API key"
        accion={{ href: hrefRfc(rfc.rfc, '/llave'), texto: 'Generar la API key', cambiar: 'llaves' }}
      >
        Lo que se guarda se cifra con una clave que sale de la API key. La genera un propietario o un desarrollador de
        la cuenta.
      </Vacio>
    ) : (
      <>
        <p>
          Guarde la CIEC o la e.firma: con una basta. Se cifran bajo una clave que sale de la API key
          {llave === null ? ', que se genera al guardar' : ''}; sin ella nadie puede abrirlas, tampoco nosotros.
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
    {
      ...headOf(rfc, '/credenciales'),
      accion: rfc.ciec !== null || isLlaveUtil(rfc) ? <AskForCfdi rfc={rfc.rfc} /> : undefined,
      error: llave === null ? (reparos.ciec ?? reparos.efirma)?.['api_key'] : undefined,
      status: reparos.ciec || reparos.efirma ? 422 : 200,
      scripts: ['soltar.js', 'periodos.js'],
    },
  );
}

function AskForCfdi({ rfc }: { readonly rfc: string }) {
  return (
    <Permitido cambiar="solicitudes">
      <Boton href={`/solicitudes/nueva?rfc=${encodeURIComponent(rfc)}`}>Pedir sus CFDI</Boton>
    </Permitido>
  );
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
          ayuda={`La del portal del SAT: ${caracteres} caracteres.${ciec ? ' Reemplaza a la anterior.' : ''}`}
          enfocado={ciec === null && rfc.cer === null}
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

/** Stores the CIEC, as `vault/rfc-guardar` does. */
credentialsPage.post('/credenciales/ciec', async (contexto, rfc) => {
  const { campos, deps } = contexto;
  const ciec = Buffer.from(campos['ciec'] ?? '');
  let llave: Awaited<ReturnType<typeof keyFor>> | null = null;
  try {
    const refuse = (reparos: Reparos) => renderCredenciales(contexto, rfc, { ciec: reparos });
    const reparo = reparoCiec(ciec, deps.settings.ciecLength);
    if (reparo !== null)
      return await refuse({ ciec: `La CIEC ${reparo}. Es la contraseña con la que se entra al portal del SAT.` });
    llave = await keyFor(contexto, rfc);
    if (typeof llave === 'string') return await refuse({ api_key: llave });
    const boveda = openVault(contexto, llave.access.apiKey.modo);
    const credencial = { tipo: 'ciec', rfc: rfc.rfc, ciec } as const;
    if (!(await storeCredencial(credencial, 'ciec', {}, duenoDe(llave, contexto), boveda)))
      return await refuse({ api_key: LLAVE_MUERTA });
    return await answerStored(llave, rfc, 'La CIEC quedó guardada.', contexto);
  } finally {
    ciec.fill(0);
    if (llave !== null && typeof llave !== 'string') wipeApiKey(llave.apiKey);
  }
});

/** Stores certificate, private key, or both; a refused form names its fault. */
credentialsPage.post('/credenciales/efirma', async (contexto, rfc) => {
  const stored = await storeEfirma(contexto, rfc);
  return stored instanceof Response ? stored : renderCredenciales(contexto, rfc, { efirma: stored });
});
