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
    'Los CFDI del SAT, completos',
    <>
      <div class="portada">
        <div class="pila">
          <h1>Los CFDI del SAT, completos y sin esperar frente al portal</h1>
          <p>
            Para despachos y contadores, que los bajan desde este panel con un RFC y su CIEC; y para empresas cuyo ERP
            los pide con una llamada HTTP. Acuse insiste ante el SAT hasta tener el ZIP.
          </p>
          <div class="fila">
            {registro === 'abierto' ? <Boton href="/registro">Crear cuenta</Boton> : null}
            <Boton variante={registro === 'abierto' ? 'secundario' : 'primario'} href="/entrar">
              Entrar
            </Boton>
            <a href={`${apiPublicUrl}/docs`}>Documentación</a>
          </div>
        </div>
        <div class="pila">
          <Tarjeta titulo="Desde el panel, en cuatro pasos">
            <ol class="pasos">
              <li>El RFC del contribuyente.</li>
              <li>Su CIEC o su e.firma, cifrada.</li>
              <li>El periodo.</li>
              <li>El ZIP: sus CFDI, cuánto suman, sus proveedores y los que están en listas del SAT.</li>
            </ol>
          </Tarjeta>
          <Tarjeta titulo="Desde su sistema, una llamada">
            <CopyButton
              label="Llamada de ejemplo"
              bloque
              value={curlOf(apiPublicUrl, 'tax/descarga-metadata', EJEMPLO)}
            />
            <h3>Su acuse, al instante</h3>
            <pre>{ACUSE}</pre>
          </Tarjeta>
        </div>
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
