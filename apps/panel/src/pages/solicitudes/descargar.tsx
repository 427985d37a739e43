import { CATALOGO } from '@acuse/contract';
import { createSolicitudes, type DetalleSolicitud } from '@acuse/db';
import { Aviso } from '../../components/aviso.tsx';
import { Boton } from '../../components/boton.tsx';
import { Fecha } from '../../components/fecha.tsx';
import { quien } from '../../http/quien.ts';
import type { ContextoCliente } from '../../http/ruta.ts';
import { defineRutaSolicitud } from './ruta-solicitud.ts';
import { explain } from './textos/motivos.ts';

/** Signs the address of a package at the moment of the click. */
export const descargarPaquete = defineRutaSolicitud({
  metodo: 'POST',
  sub: '/descargar',
  async handle(contexto, solicitud) {
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
      ...quien(contexto),
    });
    const answer = contexto.pagina({
      titulo: 'Su descarga comienza',
      contenido: (
        <>
          <h1>Su descarga comienza</h1>
          <p>
            Si no empieza sola, use el botón. La dirección sirve hasta <Fecha valor={expiraEn} />; después, pida otra
            desde la solicitud.
          </p>
          <div class="fila">
            <Boton href={url}>Descargar ZIP</Boton>
            <Boton variante="secundario" href={`/solicitudes/${id}`}>
              Volver a la solicitud
            </Boton>
          </div>
        </>
      ),
    });
    // Not a redirect: `form-action` of the policy keeps the answer to a form from leading to another origin.
    answer.headers.set('Refresh', `0; url=${url}`);
    return answer;
  },
});

/** The same three answers as `descarga/paquete` of the API: unfinished, without a package, past its retention. */
function refuse(contexto: ContextoCliente, solicitud: DetalleSolicitud): Response {
  const { status, titulo, texto } = refusalOf(solicitud);
  return contexto.pagina({
    titulo,
    status,
    contenido: (
      <>
        <h1>{titulo}</h1>
        <Aviso tono="alerta">
          <p>{texto}</p>
        </Aviso>
        <p>
          <Boton variante="secundario" href={`/solicitudes/${solicitud.id}`}>
            Volver a la solicitud
          </Boton>
        </p>
      </>
    ),
  });
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
