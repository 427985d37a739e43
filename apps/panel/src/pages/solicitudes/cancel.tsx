import { createSolicitudes } from '@acuse/db';
import { Aviso } from '../../components/blocks.tsx';
import { Boton, Formulario } from '../../components/form.tsx';
import { formatCreditos } from '../../components/formato.ts';
import { Periodo, solicitudRoutes } from './solicitud.tsx';

export const cancelPage = solicitudRoutes();

/** Asks whether an open solicitud shall end now. */
cancelPage.get('/cancelar', async ({ pagina, redirectTo }, solicitud) => {
  const { id, tipo, cargo, terminadaEn } = solicitud;
  if (terminadaEn !== null) return redirectTo(`/solicitudes/${id}`);
  return pagina(
    'Cancelar la solicitud',
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
        <Formulario accion={`/solicitudes/${id}/cancelar`} enLinea>
          <Boton variante="peligro">Cancelar la solicitud</Boton>
        </Formulario>
        <Boton variante="secundario" href={`/solicitudes/${id}`}>
          Dejarla seguir
        </Boton>
      </div>
    </>,
  );
});

/** Ends an open solicitud with its refund. One that has ended meanwhile stays as it is, and its page says so. */
cancelPage.post('/cancelar', async (contexto, { id, contribuyenteId, terminadaEn }) => {
  if (terminadaEn === null) await createSolicitudes(contexto.deps.database).cancel(contribuyenteId, id, contexto.autor);
  return contexto.redirectTo(`/solicitudes/${id}`);
});
