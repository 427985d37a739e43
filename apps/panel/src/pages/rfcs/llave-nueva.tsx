import type { RfcVista } from '@acuse/db';
import { hrefRfc } from '@acuse/page';
import { Aviso, CopyButton, Tarjeta } from '@acuse/page/blocks';
import { Boton } from '@acuse/page/form';
import { isRecordada, readTypedKey } from '@acuse/page/llave-tecleada';
import { wipeApiKey } from '@acuse/vault';
import { type ContextoCliente, rfcRoutes } from '../../paginas.ts';
import { curlOf } from '../sandbox/cuerpo.ts';
import { generateLlave, type LlaveGenerada, modoPedido } from './generar-llave.ts';
import { renderLlave } from './llave.tsx';
import { guardadas } from './reglas/estado-credenciales.ts';

export const newKeyPage = rfcRoutes('llaves');

/**
 * Makes the key and shows it in the answer itself: it is in no address, and the session has it sealed. Sending the same
 * form again, as a reload does, makes no other key, since the form names the key that it was made for.
 */
newKeyPage.post('/llave', async (contexto, rfc) => {
  const { campos, redirectTo } = contexto;
  const vigente = campos['vigente'] || null;
  if (vigente !== (rfc.llave?.id ?? null)) return redirectTo(hrefRfc(rfc.rfc, '/llave'), YA_NO);

  const modo = modoPedido(contexto, rfc);
  // Stored credentials belong to the SAT or to a simulator, and stay there.
  const isOtro = rfc.llave !== null && rfc.llave.modo !== modo;
  if (isOtro && guardadas(rfc).length > 0 && campos['perder'] !== 'si') return renderLlave(contexto, rfc, OTRO_MODO);
  const texto = rfc.llave && !isOtro ? (campos['anterior'] ?? '').trim() : '';
  // An order to delete stored credentials ignores a remembered key.
  const isKnown = rfc.llave !== null && !isOtro && campos['perder'] !== 'si' && (await isRecordada(contexto, rfc));
  const anterior = texto === '' && !isKnown ? null : await readTypedKey(texto, rfc, contexto);
  if (typeof anterior === 'string') return renderLlave(contexto, rfc, { anterior });
  if (anterior === null && guardadas(rfc).length > 0 && campos['perder'] !== 'si')
    return renderLlave(contexto, rfc, { perder: 'Escriba la llave actual, o marque aquí que lo guardado se borre.' });
  try {
    const generada = await generateLlave(rfc, { modo, vigente, anterior }, contexto);
    if (generada === null) return redirectTo(hrefRfc(rfc.rfc, '/llave'), YA_NO);
    return show(contexto, rfc, generada, anterior !== null);
  } finally {
    if (anterior) wipeApiKey(anterior.apiKey);
  }
});

const OTRO_MODO = {
  perder:
    'Lo guardado no pasa de producción a pruebas ni al revés. Marque aquí que se borre y guárdelo después con la llave nueva, o deje la llave para lo mismo que la actual.',
} as const;

const YA_NO = {
  tono: 'info',
  texto:
    'No se generó otra llave: esta página se envió antes, o la llave cambió mientras tanto. Una llave nunca se vuelve a mostrar; si no la guardó, genere otra.',
} as const;

const NOMBRES = { ciec: 'la CIEC', efirma_cer: 'el certificado', efirma_key: 'la llave privada de la e.firma' };

function show(
  { deps, pagina }: ContextoCliente,
  rfc: RfcVista,
  { texto, perdidas }: LlaveGenerada,
  isRelevo: boolean,
): Response {
  const isAsociada = isRelevo && rfc.llave?.registradaEn != null;
  const hasCredenciales = isRelevo && guardadas(rfc).length > perdidas.length;
  return pagina(
    `API key nueva de ${rfc.rfc}`,
    <>
      <Aviso tono="alerta" titulo="Cópiela ahora: no se vuelve a mostrar">
        Guardamos solo una huella de ella. Si la pierde, genere otra y esta dejará de servir.
      </Aviso>
      <Tarjeta titulo="API key">
        <CopyButton value={texto} label="API key" />
      </Tarjeta>
      {rfc.llave ? (
        <Aviso tono={perdidas.length > 0 ? 'alerta' : 'info'} titulo="Qué pasó con la anterior">
          {outcome(rfc, perdidas, isRelevo)}
        </Aviso>
      ) : null}
      <Tarjeta titulo="Lo que sigue">
        <ol class="pasos">
          <li class="ahora">
            <div>Guarde la llave donde la lee su sistema, por ejemplo en la variable ACUSE_API_KEY.</div>
          </li>
          {isAsociada ? null : (
            <li>
              <div>
                Asocie el RFC con la llave, una sola vez:
                <CopyButton
                  label="Comando para asociar el RFC"
                  bloque
                  value={curlOf(deps.settings.apiPublicUrl, 'vault/rfc-registrar', { rfc: rfc.rfc })}
                />
              </div>
            </li>
          )}
          {hasCredenciales ? null : (
            <li>
              <div>
                Guarde la CIEC o la e.firma: <a href={hrefRfc(rfc.rfc, '/credenciales')}>desde el panel</a> o con la
                API. Desde el panel también queda asociado el RFC.
              </div>
            </li>
          )}
          <li>
            <div>
              <a href="/pruebas">Pruebe una operación</a>.
            </div>
          </li>
        </ol>
        <div>
          <Boton variante="secundario" href={hrefRfc(rfc.rfc)}>
            Ya la guardé
          </Boton>
        </div>
      </Tarjeta>
    </>,
  );
}

function outcome(rfc: RfcVista, perdidas: LlaveGenerada['perdidas'], isRelevo: boolean): string {
  const cosas = guardadas(rfc);
  const muerta = `La que termina en …${rfc.llave?.ultimos4} ya no sirve.`;
  if (cosas.length === 0) return muerta;
  if (!isRelevo) return `${muerta} Se borró lo guardado con ella: ${cosas.join(', ')}.`;
  if (perdidas.length === 0) return `${muerta} Lo guardado (${cosas.join(', ')}) quedó cifrado con la nueva.`;
  return `${muerta} Ya no se pudo abrir, y hay que guardar de nuevo: ${perdidas.map((tipo) => NOMBRES[tipo]).join(', ')}. Lo demás quedó cifrado con la nueva.`;
}
