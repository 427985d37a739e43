import { parseRfc } from '@acuse/contract';
import { createContribuyentes, Rechazo } from '@acuse/db';
import { Aviso, Tarjeta } from '../../components/blocks.tsx';
import { Boton, Campo, Formulario } from '../../components/form.tsx';
import { type ContextoCliente, routesFor } from '../../http/ruta.ts';
import { digitoVerificador, explainRfc, MAX_NOMBRE, readIdCif, readNombre } from './reglas/read-rfc.ts';
import { hrefRfc } from './rfc.tsx';

interface Estado {
  readonly rfc?: string;
  readonly nombre?: string;
  readonly idCif?: string;
  readonly errorRfc?: string | undefined;
  readonly errorIdCif?: string | undefined;
  /** The check character that the RFC should have, when it has another: the person may confirm it. */
  readonly deberia?: string;
}

export const newRfcPage = routesFor('cliente');

/** The form for a new RFC. */
newRfcPage.get('/rfcs/nuevo', (contexto) => page(contexto, {}));

/** Adds an RFC. One with another check character than the rule's is asked about once: the SAT has issued such. */
newRfcPage.post('/rfcs/nuevo', async (contexto) => {
  const { campos, deps, usuario, redirectTo } = contexto;
  const tecleado = { rfc: campos['rfc'] ?? '', nombre: campos['nombre'] ?? '', idCif: campos['id_cif'] ?? '' };
  const nombre = readNombre(campos['nombre']);
  const rfc = parseRfc(tecleado.rfc);
  const idCif = readIdCif(tecleado.idCif);
  if (rfc === null || !idCif.valido)
    return page(contexto, {
      ...tecleado,
      errorRfc: rfc === null ? explainRfc(tecleado.rfc) : undefined,
      errorIdCif: idCif.valido ? undefined : idCif.error,
    });
  const deberia = digitoVerificador(rfc);
  if (!rfc.endsWith(deberia) && campos['confirmado'] !== rfc) return page(contexto, { ...tecleado, rfc, deberia });
  try {
    await createContribuyentes(deps.database).add({
      cuentaId: usuario.cuentaId,
      rfc,
      ...(nombre === null ? {} : { nombre }),
      ...(idCif.valor ? { idCif: idCif.valor } : {}),
      ...contexto.autor,
    });
  } catch (error) {
    if (!(error instanceof Rechazo) || error.motivo !== 'RFC_REPETIDO') throw error;
    return redirectTo(hrefRfc(rfc), { tono: 'info', texto: `${rfc} ya estaba en la cuenta; esta es su página.` });
  }
  return redirectTo(hrefRfc(rfc, '/llave'), {
    tono: 'exito',
    texto: `${rfc} quedó agregado. Lo que sigue: generar su API key.`,
  });
});

function page({ pagina }: ContextoCliente, estado: Estado): Response {
  const { rfc, deberia } = estado;
  const isFaulty = Boolean(estado.errorRfc || estado.errorIdCif || deberia);
  return pagina(
    'Agregar RFC',
    <>
      {deberia ? (
        <Aviso tono="alerta" titulo={`Revise el último carácter de ${rfc}`}>
          Según la regla del SAT terminaría en «{deberia}». Hay RFC válidos que no la cumplen: si así está en la
          constancia de situación fiscal, agréguelo tal cual.
        </Aviso>
      ) : null}
      <Tarjeta>
        <Formulario accion="/rfcs/nuevo" descripcion="Agregar RFC">
          {deberia ? <input type="hidden" name="confirmado" value={rfc} /> : null}
          <Campo
            nombre="rfc"
            label="RFC"
            value={rfc}
            error={estado.errorRfc}
            ayuda="12 caracteres (persona moral) o 13 (persona física), como aparece en la constancia de situación fiscal."
            requerido
            literal
            enfocado={!estado.errorIdCif}
            maxLargo={20}
            autocompletar="off"
          />
          <Campo
            nombre="nombre"
            label="Nombre"
            value={estado.nombre}
            ayuda="Para reconocerlo y buscarlo en el panel. Sin él, se toma de la constancia cuando se consulte."
            maxLargo={MAX_NOMBRE}
            autocompletar="off"
          />
          <Campo
            nombre="id_cif"
            label="idCIF"
            value={estado.idCif}
            error={estado.errorIdCif}
            ayuda="Los 11 dígitos junto al código QR de la constancia. Con él, los datos fiscales se consultan sin CIEC ni e.firma. Puede agregarlo después."
            teclado="numeric"
            literal
            maxLargo={20}
            autocompletar="off"
          />
          <div class="fila">
            <Boton>{deberia ? `Sí, agregar ${rfc}` : 'Agregar RFC'}</Boton>
            <Boton variante="discreto" href="/rfcs">
              Cancelar
            </Boton>
          </div>
        </Formulario>
      </Tarjeta>
    </>,
    {
      camino: (
        <p class="suave">
          <a href="/rfcs">RFC</a> / Agregar
        </p>
      ),
      status: isFaulty ? 422 : 200,
    },
  );
}
