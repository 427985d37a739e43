import { CATALOGO } from '@acuse/contract';
import { type CuentaXml, explain, MOTIVOS_FALTANTE, type MotivoFaltante } from '@acuse/core';
import { createSolicitudes, type DetalleSolicitud } from '@acuse/db';
import { Aviso, CopyButton, Datos, Fecha, Tarjeta } from '@acuse/page/blocks';
import { Boton, Formulario } from '@acuse/page/form';
import { formatBytes, formatNumero } from '@acuse/page/formato';
import type { ContextoCliente } from '../../paginas.ts';
import { solicitudRoutes } from './solicitud.tsx';

/** The ZIP of a finished solicitud, or that it is gone. */
export function Paquete({ solicitud }: { readonly solicitud: DetalleSolicitud }) {
  const { id, formato, registros, confianza, bytes, sha256, paqueteBorradoEn, contenido, tablas, xml } = solicitud;
  if (paqueteBorradoEn !== null)
    return (
      <Aviso tono="info" titulo="El ZIP ya se borró">
        <p>
          Cumplió su tiempo de conservación el <Fecha value={paqueteBorradoEn} formato="dia" />. Si todavía lo necesita,{' '}
          <a href={`/solicitudes/nueva?como=${id}`}>pida el periodo otra vez</a>.
        </p>
      </Aviso>
    );
  return (
    <Tarjeta titulo="ZIP">
      {registros === 0 ? (
        <p>
          {confianza === 'confirmado'
            ? 'El SAT no tiene CFDI de este periodo, y lo dijeron sus dos medios: el ZIP trae solo los encabezados.'
            : `${explain('VACIA_SIN_CONFIRMAR').causa} El ZIP trae solo los encabezados.`}
        </p>
      ) : null}
      <Datos
        filas={[
          ['Tamaño', bytes === null ? '—' : formatBytes(bytes), 'numero'],
          sha256 === null ? null : ['SHA-256', <CopyButton value={sha256} label="SHA-256 del ZIP" />],
          [
            'Contenido',
            <>
              {contenido === 'xml' ? (
                <>
                  <code>cfdi/</code> (los XML, por mes),{' '}
                </>
              ) : null}
              <code>metadata.{formato}</code> (una fila por CFDI),{' '}
              {tablas ? 'las tablas de conceptos, impuestos, pagos y relacionados (sin nómina), ' : null}
              <code>originales/</code> (los archivos del SAT tal cual) y <code>manifest.json</code> (qué se pidió, qué
              es cada columna y con qué comprobar lo demás).
            </>,
          ],
        ]}
      />
      {xml === null ? null : <Entregados xml={xml} />}
    </Tarjeta>
  );
}

/** Why the XML of a CFDI is missing, and what to do. */
const FALTAN: Readonly<Record<MotivoFaltante, string>> = {
  CANCELADO_RECIBIDO:
    'cancelados: el SAT no entrega el XML de un CFDI recibido y cancelado. Pídalos a quien los emitió.',
  NO_ENTREGADO_POR_EL_SAT: 'que el SAT no entregó. Pida el periodo otra vez otro día.',
  CUOTA_DEL_DIA:
    'que no alcanzaron a bajarse: el portal del SAT da unos 2,000 XML al día y el plazo terminó. Pida un periodo más corto.',
  XML_ILEGIBLE:
    'dañados: el SAT los entregó así, y el ZIP los trae en la carpeta apartados. Pida el periodo otra vez otro día.',
};

/** The button that downloads the ZIP, while there is one. */
export const DescargarZip = ({ solicitud: { id, paqueteBorradoEn } }: { readonly solicitud: DetalleSolicitud }) =>
  paqueteBorradoEn === null ? (
    <Formulario accion={`/solicitudes/${id}/descargar`} enLinea>
      <Boton>Descargar ZIP</Boton>
    </Formulario>
  ) : null;

/** How many XML were expected, delivered and missing, and why. */
function Entregados({ xml }: { readonly xml: CuentaXml }) {
  const { esperados, entregados, faltantes, porMotivo, sinMetadata } = xml;
  return (
    <div class="pila" id="xml">
      <h3>XML</h3>
      <Datos
        filas={[
          ['Esperados', formatNumero(esperados), 'numero'],
          ['Entregados', formatNumero(entregados), 'numero'],
          ['Faltantes', formatNumero(faltantes), 'numero'],
          sinMetadata === 0 ? null : ['Además, sin metadata', formatNumero(sinMetadata), 'numero'],
        ]}
      />
      {faltantes === 0 ? (
        <p>No falta ninguno.</p>
      ) : (
        <>
          <ul>
            {MOTIVOS_FALTANTE.map((motivo) => {
              const cuantos = porMotivo[motivo] ?? 0;
              return cuantos === 0 ? null : (
                <li>
                  {formatNumero(cuantos)} {FALTAN[motivo]}
                </li>
              );
            })}
          </ul>
          <p class="suave">
            En el ZIP, <code>faltantes.csv</code> dice el UUID y el motivo de cada uno.
          </p>
        </>
      )}
    </div>
  );
}

export const packagePage = solicitudRoutes('paquetes');

/** Signs the address of a package at the moment of the click. */
packagePage.post('/descargar', async (contexto, solicitud) => {
  const { deps, usuario } = contexto;
  const { id, objectKey, rfc, tipo, desde, hasta } = solicitud;
  if (objectKey === null || solicitud.paqueteBorradoEn !== null) return refuse(contexto, solicitud);
  const { url, expiraEn } = await deps.paquetes.presign(objectKey, {
    filename: `${rfc}_${tipo}_${desde}_${hasta}.zip`,
    ttlSeconds: deps.settings.urlTtlSeconds,
  });
  await createSolicitudes(deps.database).note({
    cuentaId: usuario.cuentaId,
    solicitudId: id,
    accion: 'descargar-paquete',
    ...contexto.autor,
  });
  const answer = contexto.pagina(
    'Su descarga comienza',
    <>
      <p>
        Si no empieza sola, use el botón. La dirección sirve hasta <Fecha value={expiraEn} />; después, pida otra desde
        la solicitud.
      </p>
      <div class="fila">
        <Boton href={url}>Descargar ZIP</Boton>
        <Boton variante="secundario" href={`/solicitudes/${id}`}>
          Volver a la solicitud
        </Boton>
      </div>
    </>,
  );
  // Not a redirect: `form-action` of the policy keeps the answer to a form from leading to another origin.
  answer.headers.set('Refresh', `0; url=${url}`);
  return answer;
});

/** The same three answers as `descarga/paquete` of the API: unfinished, without a package, past its retention. */
function refuse(contexto: ContextoCliente, solicitud: DetalleSolicitud): Response {
  const { status, titulo, texto } = refusalOf(solicitud);
  return contexto.pagina(
    titulo,
    <>
      <Aviso tono="alerta">
        <p>{texto}</p>
      </Aviso>
      <p>
        <Boton variante="secundario" href={`/solicitudes/${solicitud.id}`}>
          Volver a la solicitud
        </Boton>
      </p>
    </>,
    { status },
  );
}

function refusalOf({ estado, motivo, terminadaEn }: DetalleSolicitud) {
  const of = (name: 'SOLICITUD_SIN_TERMINAR' | 'SOLICITUD_SIN_PAQUETE' | 'PAQUETE_CADUCADO') => CATALOGO[name].codigo;
  if (terminadaEn === null)
    return {
      status: 409,
      titulo: 'Todavía no hay ZIP',
      texto: `La solicitud aún no termina; el SAT puede tardar de minutos a días. Su avance está en su página. La API contesta lo mismo con el código ${of('SOLICITUD_SIN_TERMINAR')}.`,
    } as const;
  if (estado !== 'TERMINADA') {
    const cause = motivo === null ? '' : `${explain(motivo).causa} `;
    return {
      status: 409,
      titulo: 'Esta solicitud no tiene ZIP',
      texto: `${cause}El crédito fue devuelto. La API contesta lo mismo con el código ${of('SOLICITUD_SIN_PAQUETE')}.`,
    } as const;
  }
  return {
    status: 410,
    titulo: 'El ZIP ya se borró',
    texto: `Cumplió su tiempo de conservación. Pida el periodo otra vez. La API contesta lo mismo con el código ${of('PAQUETE_CADUCADO')}.`,
  } as const;
}
