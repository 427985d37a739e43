import { createContribuyentes, type RfcVista } from '@acuse/db';
import { Aviso } from '../../components/aviso.tsx';
import { formatNumero } from '../../components/formato.ts';
import { Vacio } from '../../components/vacio.tsx';
import type { ContextoCliente } from '../../http/ruta.ts';
import { Encabezado } from './partes/encabezado.tsx';
import { SeccionCiec } from './partes/seccion-ciec.tsx';
import { SeccionEfirma } from './partes/seccion-efirma.tsx';
import { isRecordada } from './reglas/llave-tecleada.ts';
import { defineRutaRfc, hrefRfc } from './reglas/ruta-rfc.ts';

/**
 * What is wrong with each field of a refused form, by the field's name. Nothing that was typed is sent back: all of it
 * is secret.
 */
export type Reparos = Readonly<Record<string, string>>;

/** What is stored for an RFC, and the forms to store it. */
export const verCredenciales = defineRutaRfc({
  metodo: 'GET',
  sub: '/credenciales',
  handle: (contexto, rfc) => renderCredenciales(contexto, rfc, {}),
});

/** The page; with what was wrong when a form of it was refused. */
export async function renderCredenciales(
  contexto: ContextoCliente,
  rfc: RfcVista,
  reparos: { readonly ciec?: Reparos; readonly efirma?: Reparos },
): Promise<Response> {
  const { csrf, deps, now, pagina, usuario } = contexto;
  const { llave } = rfc;
  const recordada = { isRecordada: await isRecordada(contexto, rfc) };
  const { esperan } = llave
    ? await createContribuyentes(deps.database).abiertas(usuario.cuentaId, llave.id)
    : { esperan: 0 };
  const { min, max } = deps.settings.ciecLength;
  return pagina({
    titulo: `Credenciales de ${rfc.rfc}`,
    status: reparos.ciec || reparos.efirma ? 422 : 200,
    scripts: ['soltar.js'],
    contenido: (
      <>
        <Encabezado rfc={rfc} parte="/credenciales" titulo={`Credenciales de ${rfc.rfc}`} />
        {llave === null ? (
          <Vacio
            titulo="Primero hace falta la API key"
            accion={{ href: hrefRfc(rfc.rfc, '/llave'), texto: 'Generar la API key' }}
          >
            Lo que se guarda se cifra con una clave que sale de la API key: sin ella no se puede guardar nada.
          </Vacio>
        ) : (
          <>
            <p>
              Se cifran con AES-256-GCM bajo una clave derivada de la API key, que por eso hay que escribir. Sin ella
              nadie puede abrir lo guardado, tampoco nosotros.
            </p>
            {esperan > 0 ? (
              <Aviso tono="alerta" titulo="Hay solicitudes que esperan la e.firma">
                {formatNumero(esperan)} {esperan === 1 ? 'solicitud continúa' : 'solicitudes continúan'} por sí{' '}
                {esperan === 1 ? 'sola' : 'solas'} al guardar la llave privada.
              </Aviso>
            ) : null}
            <div class="dos">
              <SeccionCiec rfc={rfc} csrf={csrf} reparos={reparos.ciec ?? {}} {...recordada} largo={{ min, max }} />
              <SeccionEfirma rfc={rfc} csrf={csrf} now={now} reparos={reparos.efirma ?? {}} {...recordada} />
            </div>
          </>
        )}
      </>
    ),
  });
}
