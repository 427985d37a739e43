import { createSolicitudes } from '@acuse/db';
import { Aviso } from '../../components/aviso.tsx';
import { Boton } from '../../components/boton.tsx';
import { formatCreditos } from '../../components/formato.ts';
import { Formulario } from '../../components/formulario.tsx';
import { quien } from '../../http/quien.ts';
import { Periodo } from './periodo.tsx';
import { defineRutaSolicitud } from './ruta-solicitud.ts';

/** Asks whether an open solicitud shall end now. */
export const confirmarCancelacion = defineRutaSolicitud({
  metodo: 'GET',
  sub: '/cancelar',
  async handle({ csrf, pagina, redirigir }, solicitud) {
    const { id, tipo, cargo, terminadaEn } = solicitud;
    if (terminadaEn !== null) return redirigir(`/solicitudes/${id}`);
    return pagina({
      titulo: 'Cancelar la solicitud',
      contenido: (
        <>
          <h1>
            Cancelar los CFDI {tipo} <Periodo {...solicitud} />
          </h1>
          <Aviso tono="alerta" titulo="Lo que ya se copió del SAT se pierde">
            <p>
              La solicitud termina ahora, sin ZIP.
              {cargo === null ? '' : ` Se devuelve ${formatCreditos(cargo.creditos)} a su saldo.`}
            </p>
          </Aviso>
          <div class="fila">
            <Formulario accion={`/solicitudes/${id}/cancelar`} csrf={csrf} enLinea>
              <Boton variante="peligro">Cancelar la solicitud</Boton>
            </Formulario>
            <Boton variante="secundario" href={`/solicitudes/${id}`}>
              Dejarla seguir
            </Boton>
          </div>
        </>
      ),
    });
  },
});

/** Ends an open solicitud with its refund. One that has ended meanwhile stays as it is, and its page says so. */
export const cancelarSolicitud = defineRutaSolicitud({
  metodo: 'POST',
  sub: '/cancelar',
  async handle(contexto, { id, contribuyenteId, terminadaEn }) {
    if (terminadaEn === null)
      await createSolicitudes(contexto.deps.database).cancel(contribuyenteId, id, quien(contexto));
    return contexto.redirigir(`/solicitudes/${id}`);
  },
});
