import type { Cobro } from '@acuse/db';
import { type ApiAnswer, readJson } from '@acuse/page';
import { Aviso, CopyButton, Datos, Estado, Tarjeta } from '@acuse/page/blocks';
import { Boton } from '@acuse/page/form';
import { formatCreditos, formatNumero } from '@acuse/page/formato';
import { field, Legible } from './legible.tsx';

interface ResultadoProps {
  /** The answer, without any secret in it. */
  readonly resultado: ApiAnswer;
  /** The request as a command, without any secret in it. */
  readonly curl: string;
  /** What the account paid for the call; null when the key is not of this account. */
  readonly cobro: Cobro | null;
  readonly id: string;
}

/** What a call to the API gave: status, time, cost, the request to repeat it elsewhere, and the answer. */
export function Resultado({ resultado, curl, cobro, id }: ResultadoProps) {
  return (
    <Tarjeta titulo="Resultado" id={id} accion={<EstadoHttp resultado={resultado} />}>
      {resultado.tipo === 'sin-respuesta' ? <SinRespuesta motivo={resultado.motivo} /> : null}
      <Datos
        filas={[
          ['Tiempo', <>{formatNumero(resultado.ms)} ms</>],
          ['Cobrado', cobro ? formatCreditos(cobro.cobrado) : 'La llave no es de esta cuenta'],
          cobro ? ['Saldo después', <a href="/saldo">{formatCreditos(cobro.saldo)}</a>] : null,
          resultado.tipo === 'respuesta' && resultado.requestId
            ? ['X-Request-Id', <code>{resultado.requestId}</code>]
            : null,
        ]}
      />
      {resultado.tipo === 'respuesta' ? <Respuesta {...resultado} /> : null}
      <h3>La misma llamada con curl</h3>
      <ComoCurl curl={curl} />
    </Tarjeta>
  );
}

function EstadoHttp({ resultado }: { readonly resultado: ApiAnswer }) {
  if (resultado.tipo === 'sin-respuesta') return <Estado texto="Sin respuesta" tono="error" />;
  return <Estado texto={`HTTP ${resultado.status}`} tono={resultado.status < 300 ? 'exito' : 'alerta'} />;
}

function SinRespuesta({ motivo }: { readonly motivo: 'tiempo' | 'conexion' }) {
  return motivo === 'tiempo' ? (
    <Aviso tono="alerta" titulo="La API no terminó a tiempo">
      Puede que el SAT esté lento. Si la llamada se cobró y no llegó a nada, el crédito vuelve solo en unos minutos;
      revíselo en su saldo antes de repetirla.
    </Aviso>
  ) : (
    <Aviso tono="alerta" titulo="La API no contesta">
      No se hizo la llamada o se cortó antes de la respuesta. Espere un minuto y repítala; si sigue igual, avise al
      operador.
    </Aviso>
  );
}

function Respuesta({ texto, cortado }: { readonly texto: string; readonly cortado: boolean }) {
  const json = readJson(texto);
  return (
    <>
      <Pasos json={json} />
      <h3>Respuesta</h3>
      <details class="en-telefono">
        <summary>Ver la respuesta como tabla</summary>
        <Legible json={json} />
      </details>
      {cortado ? (
        <Aviso tono="info">
          La respuesta es muy larga: aquí va su principio. Completa llega a quien llame a la API.
        </Aviso>
      ) : null}
      <details open={json === undefined}>
        <summary>Ver el texto completo</summary>
        <div class="respuesta">
          <pre>{json === undefined ? texto : JSON.stringify(json, null, 2)}</pre>
        </div>
      </details>
    </>
  );
}

/** What one does next with what the answer holds: look at the solicitud, download a document. */
function Pasos({ json }: { readonly json: unknown }) {
  const data = field(json, 'data');
  const solicitud = field(data, 'solicitud_id');
  const url = field(data, 'paquete_url') ?? field(data, 'pdf_firmado_url');
  if (typeof solicitud !== 'string' && typeof url !== 'string') return null;
  const query = typeof solicitud === 'string' ? `?solicitud_id=${encodeURIComponent(solicitud)}` : '';
  return (
    <div class="fila">
      {typeof url === 'string' ? <Boton href={url}>Descargar</Boton> : null}
      {typeof solicitud === 'string' ? (
        <>
          <Boton variante="secundario" href={`/solicitudes/${encodeURIComponent(solicitud)}`}>
            Ver cómo avanza
          </Boton>
          <Boton variante="discreto" href={`/pruebas/descarga/verificar${query}`}>
            Probar verificar
          </Boton>
          <Boton variante="discreto" href={`/pruebas/descarga/paquete${query}`}>
            Probar paquete
          </Boton>
        </>
      ) : null}
    </div>
  );
}

/** A call as a command for a shell, and what to put into it before it is run. */
export function ComoCurl({ curl }: { readonly curl: string }) {
  return (
    <>
      <CopyButton value={curl} label="Llamada con curl" bloque />
      <p class="suave chica">
        Antes, ponga su llave en la variable: <code>export ACUSE_API_KEY='acuse_…'</code>. Si hay asteriscos o un
        archivo, sustitúyalos por lo suyo.
      </p>
    </>
  );
}
