import { CopyButton, Tarjeta } from '@acuse/page/blocks';
import { Boton } from '@acuse/page/form';
import { routesFor } from '../../paginas.ts';
import { curlOf } from '../sandbox/cuerpo.ts';

const EJEMPLO = { rfc: 'ACU200101DB1', tipo: 'recibidos', desde: '2026-01-01', hasta: '2026-01-31' };
const ACUSE = `{
  "cfdi_codigo": 1,
  "cfdi_texto": "OK",
  "data": { "solicitud_id": "01936f5e-7c3a-…", "estado": "EN_PROCESO" }
}`;

export const landingPage = routesFor('publica');

/** First page without a log-in. */
landingPage.get('/', ({ browser, redirectTo, pagina, deps }) => {
  if (browser.sesion?.fase === 'COMPLETA') return redirectTo('/inicio');
  const { apiPublicUrl, registro } = deps.settings;
  return pagina(
    'El SAT por API, con acuse',
    <>
      <div class="portada">
        <div class="pila">
          <h1>El SAT por API, con acuse de cada solicitud</h1>
          <p>
            Descarga masiva de CFDI, facturas, declaraciones, opiniones de cumplimiento y listas 69-B con una llamada
            HTTP. Usted recibe un acuse al instante; nosotros insistimos ante el SAT hasta tener el paquete.
          </p>
          <div class="fila">
            {registro === 'abierto' ? <Boton href="/registro">Crear cuenta</Boton> : null}
            <Boton variante={registro === 'abierto' ? 'secundario' : 'primario'} href="/entrar">
              Entrar
            </Boton>
            <a href={`${apiPublicUrl}/openapi.json`}>Descripción OpenAPI</a>
          </div>
        </div>
        <Tarjeta titulo="Una llamada">
          <CopyButton
            label="Llamada de ejemplo"
            bloque
            value={curlOf(apiPublicUrl, 'tax/descarga-metadata', EJEMPLO)}
          />
          <h3>Su acuse, al instante</h3>
          <pre>{ACUSE}</pre>
        </Tarjeta>
      </div>
      <div class="rejilla">
        <Tarjeta titulo="No se pierde nada">
          <p>
            Cada solicitud aceptada termina: con su ZIP, o con una razón clara y su crédito de vuelta. Sin importar
            cuánto tarde el SAT.
          </p>
        </Tarjeta>
        <Tarjeta titulo="Sus credenciales, cifradas con su llave">
          <p>
            La CIEC y la e.firma se cifran con una llave que sale de su API key, que no guardamos. La llave privada de
            la e.firma se borra en una hora.
          </p>
        </Tarjeta>
        <Tarjeta titulo="Solo se cobra lo que llega">
          <p>
            Un crédito por consulta. Si el SAT no contesta o algo falla de nuestro lado, el crédito vuelve solo y queda
            escrito en su saldo.
          </p>
        </Tarjeta>
      </div>
    </>,
    { h1: null },
  );
});
