import type { RfcVista } from '@acuse/db';
import { wipeApiKey } from '@acuse/vault';
import { Aviso } from '../../components/aviso.tsx';
import { Boton } from '../../components/boton.tsx';
import { Copiar } from '../../components/copiar.tsx';
import { Tarjeta } from '../../components/tarjeta.tsx';
import type { ContextoCliente } from '../../http/ruta.ts';
import { renderLlave } from './llave.tsx';
import { curlRegistrar } from './reglas/curl-registrar.ts';
import { guardadas } from './reglas/estado-credenciales.ts';
import { generarLlave, type LlaveGenerada } from './reglas/generar-llave.ts';
import { isRecordada, readLlaveTecleada } from './reglas/llave-tecleada.ts';
import { defineRutaRfc, hrefRfc } from './reglas/ruta-rfc.ts';

/**
 * Makes the key and shows it in the answer itself: it is in no address, no session and no store. Sending the same form
 * again, as a reload does, makes no other key, since the form names the key that it was made for.
 */
export const generar = defineRutaRfc({
  metodo: 'POST',
  sub: '/llave',
  async handle(contexto, rfc) {
    const { campos, redirigir } = contexto;
    const vigente = campos['vigente'] || null;
    if (vigente !== (rfc.llave?.id ?? null)) return redirigir(hrefRfc(rfc.rfc, '/llave'), YA_NO);

    const texto = rfc.llave ? (campos['anterior'] ?? '').trim() : '';
    // Whoever wants what is stored deleted is not saved from it by a key that was typed in before.
    const isKnown = rfc.llave !== null && campos['perder'] !== 'si' && (await isRecordada(contexto, rfc));
    const anterior = texto === '' && !isKnown ? null : await readLlaveTecleada(texto, rfc, contexto);
    if (typeof anterior === 'string') return renderLlave(contexto, rfc, { errorAnterior: anterior }, 422);
    if (anterior === null && guardadas(rfc).length > 0 && campos['perder'] !== 'si') {
      const errorPerder = 'Escriba la llave actual, o marque aquí que lo guardado se borre.';
      return renderLlave(contexto, rfc, { errorPerder }, 422);
    }
    try {
      const generada = await generarLlave(rfc, { vigente, anterior }, contexto);
      if (generada === null) return redirigir(hrefRfc(rfc.rfc, '/llave'), YA_NO);
      return show(contexto, rfc, generada, anterior !== null);
    } finally {
      if (anterior) wipeApiKey(anterior.apiKey);
    }
  },
});

const YA_NO = {
  tono: 'info',
  texto:
    'No se generó otra llave: esta página se envió antes, o la llave cambió mientras tanto. Una llave nunca se vuelve a mostrar; si no la guardó, genere otra.',
} as const;

const NOMBRES = {
  ciec: 'la CIEC',
  efirma_cer: 'el certificado',
  efirma_key: 'la llave privada de la e.firma',
};

function show(
  { deps, pagina }: ContextoCliente,
  rfc: RfcVista,
  { texto, perdidas }: LlaveGenerada,
  isRelevo: boolean,
): Response {
  const isAsociada = isRelevo && rfc.llave?.registradaEn != null;
  const hasCredenciales = isRelevo && guardadas(rfc).length > perdidas.length;
  return pagina({
    titulo: `API key nueva de ${rfc.rfc}`,
    contenido: (
      <>
        <h1>API key nueva de {rfc.rfc}</h1>
        <Aviso tono="alerta" titulo="Cópiela ahora: no se vuelve a mostrar">
          Guardamos solo una huella de ella. Si la pierde, genere otra y esta dejará de servir.
        </Aviso>
        <Tarjeta titulo="API key">
          <Copiar valor={texto} etiqueta="API key" />
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
                  <Copiar
                    etiqueta="Comando para asociar el RFC"
                    bloque
                    valor={curlRegistrar(deps.settings.apiPublicUrl, rfc.rfc)}
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
      </>
    ),
  });
}

function outcome(rfc: RfcVista, perdidas: LlaveGenerada['perdidas'], isRelevo: boolean): string {
  const cosas = guardadas(rfc);
  const muerta = `La que termina en …${rfc.llave?.ultimos4} ya no sirve.`;
  if (cosas.length === 0) return muerta;
  if (!isRelevo) return `${muerta} Se borró lo guardado con ella: ${cosas.join(', ')}.`;
  if (perdidas.length === 0) return `${muerta} Lo guardado (${cosas.join(', ')}) quedó cifrado con la nueva.`;
  return `${muerta} Ya no se pudo abrir, y hay que guardar de nuevo: ${perdidas.map((tipo) => NOMBRES[tipo]).join(', ')}. Lo demás quedó cifrado con la nueva.`;
}
