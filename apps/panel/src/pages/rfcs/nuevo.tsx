import { explainRfc, MAX_NOMBRE, parseRfc, readNombre } from '@acuse/contract';
import { createContribuyentes, Rechazo } from '@acuse/db';
import { hrefRfc } from '@acuse/page';
import { Aviso, Tarjeta } from '@acuse/page/blocks';
import { Botones, Campo, Formulario } from '@acuse/page/form';
import { type ContextoCliente, routesFor } from '../../paginas.ts';
import { digitoVerificador, readIdCif } from './reglas/read-rfc.ts';

export const newRfcPage = routesFor('rfcs');

/** The form for a new RFC. */
newRfcPage.get('/rfcs/nuevo', (contexto) => page(contexto), { cambia: true });

/** Adds an RFC. One with another check character than the rule's is asked about once: the SAT has issued such. */
newRfcPage.post('/rfcs/nuevo', async (contexto) => {
  const { campos, deps, usuario, redirectTo } = contexto;
  const nombre = readNombre(campos['nombre']);
  const rfc = parseRfc(campos['rfc']);
  const idCif = readIdCif(campos['id_cif'] ?? '');
  if (rfc === null || !idCif.valido)
    return page(contexto, {
      rfc: rfc === null ? explainRfc(campos['rfc'] ?? '') : undefined,
      id_cif: idCif.valido ? undefined : idCif.error,
    });
  const deberia = digitoVerificador(rfc);
  if (!rfc.endsWith(deberia) && campos['confirmado'] !== rfc) return page(contexto, {}, { rfc, deberia });
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
  return redirectTo(hrefRfc(rfc, '/credenciales'), { tono: 'exito', texto: `${rfc} quedó agregado.` });
});

type Faltas = Readonly<Partial<Record<'rfc' | 'id_cif', string | undefined>>>;

/** The form. `revisar`: an RFC and the check character that it should have; the person may confirm it as it is. */
function page(
  { campos, pagina }: ContextoCliente,
  faltas: Faltas = {},
  revisar?: { readonly rfc: string; readonly deberia: string },
): Response {
  return pagina(
    'Agregar RFC',
    <>
      {revisar ? (
        <Aviso tono="alerta" titulo={`Revise el último carácter de ${revisar.rfc}`}>
          Según la regla del SAT terminaría en «{revisar.deberia}». Hay RFC válidos que no la cumplen: si así está en la
          constancia de situación fiscal, agréguelo tal cual.
        </Aviso>
      ) : null}
      <Tarjeta>
        <Formulario
          accion="/rfcs/nuevo"
          descripcion="Agregar RFC"
          valores={{ ...campos, ...(revisar && { rfc: revisar.rfc }) }}
          faltas={faltas}
        >
          {revisar ? <input type="hidden" name="confirmado" value={revisar.rfc} /> : null}
          <Campo
            nombre="rfc"
            label="RFC"
            ayuda="12 caracteres (persona moral) o 13 (persona física), como aparece en la constancia de situación fiscal."
            requerido
            literal
            enfocado={!faltas.id_cif}
            maxLargo={20}
            autocompletar="off"
          />
          <details open={Boolean(campos['nombre'] || campos['id_cif'])}>
            <summary>Nombre e idCIF</summary>
            <div class="pila">
              <Campo
                nombre="nombre"
                label="Nombre"
                ayuda="Para reconocerlo y buscarlo en el panel. Sin él, se toma de la constancia cuando se consulte."
                maxLargo={MAX_NOMBRE}
                autocompletar="off"
              />
              <Campo
                nombre="id_cif"
                label="idCIF"
                ayuda="Los 11 dígitos junto al código QR de la constancia. Con él, los datos fiscales se consultan sin CIEC ni e.firma. Puede agregarlo después."
                teclado="numeric"
                literal
                maxLargo={20}
                autocompletar="off"
              />
            </div>
          </details>
          <Botones cancelar="/rfcs">{revisar ? `Sí, agregar ${revisar.rfc}` : 'Agregar RFC'}</Botones>
        </Formulario>
      </Tarjeta>
    </>,
    {
      camino: (
        <p class="suave">
          <a href="/rfcs">RFC</a> / Agregar
        </p>
      ),
      status: faltas.rfc || faltas.id_cif || revisar ? 422 : 200,
    },
  );
}
