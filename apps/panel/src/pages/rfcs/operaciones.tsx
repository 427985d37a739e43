import { OPERACIONES } from '@acuse/contract';
import { createContribuyentes, type RfcVista } from '@acuse/db';
import { headOf, hrefRfc } from '@acuse/page';
import { ConNota, Estado, Tabla, Tarjeta } from '@acuse/page/blocks';
import { Boton, Formulario } from '@acuse/page/form';
import { formatCreditos } from '@acuse/page/formato';
import { type GrupoOperaciones, grupoDe, gruposDe } from '../../operaciones.ts';
import { rfcRoutes } from '../../paginas.ts';

type Operacion = (typeof OPERACIONES)[number];

const COLUMNAS = ['Operación', 'Credencial', 'Costo', 'Estado', { titulo: 'Cambiar', oculta: true }] as const;

const GRUPOS = gruposDe(OPERACIONES.map(({ path }) => path));
const inGroup = (grupo: string | undefined) => OPERACIONES.filter(({ path }) => grupoDe(path) === grupo);

export const operationsPage = rfcRoutes('accesos');

/** Every operation of the API by group, each with its switch and one for all of its group. */
operationsPage.get('/operaciones', ({ pagina }, rfc) => {
  return pagina(
    `Operaciones de ${rfc.rfc}`,
    <>
      <p>
        Una operación desactivada responde <code>403</code> con código <code>1003</code> desde la siguiente llamada, sin
        costo. Lo que ya está en curso sigue.
      </p>
      <div class="pila">
        {GRUPOS.map((grupo) => (
          <Grupo grupo={grupo} rfc={rfc} />
        ))}
      </div>
    </>,
    headOf(rfc, '/operaciones'),
  );
});

function Grupo({ grupo: { grupo, titulo }, rfc }: { readonly grupo: GrupoOperaciones; readonly rfc: RfcVista }) {
  const operaciones = inGroup(grupo);
  const on = operaciones.filter(({ path }) => isOn(path, rfc)).length;
  const all = on === operaciones.length;
  return (
    <Tarjeta
      titulo={titulo}
      accion={
        <Formulario accion={hrefRfc(rfc.rfc, '/operaciones')} enLinea>
          <input type="hidden" name="grupo" value={grupo} />
          <span class="suave chica">{all ? null : `${on} de ${operaciones.length} activas`}</span>
          <Toggle isOn={all} texto="todas" descripcion={`todas las operaciones de ${titulo}`} />
        </Formulario>
      }
    >
      <details>
        <summary>
          Una por una<span class="solo-lectores">: {titulo}</span>
        </summary>
        <Tabla
          titulo={`Operaciones de ${titulo}`}
          tituloOculto
          columnas={COLUMNAS}
          filas={operaciones.map((operacion) => fila(operacion, rfc))}
        />
      </details>
    </Tarjeta>
  );
}

const isOn = (path: string, rfc: RfcVista) => !rfc.deshabilitadas.includes(path);

function fila({ path, resumen, credencial, costo }: Operacion, rfc: RfcVista) {
  const isHabilitada = isOn(path, rfc);
  return [
    <ConNota nota={path} literal>
      {resumen}
    </ConNota>,
    credencial,
    costo === 0 ? 'Sin costo' : formatCreditos(costo),
    isHabilitada ? <Estado texto="Activa" tono="exito" /> : <Estado texto="Desactivada" tono="alerta" />,
    <Formulario accion={hrefRfc(rfc.rfc, '/operaciones')} enLinea>
      <input type="hidden" name="operacion" value={path} />
      <Toggle isOn={isHabilitada} descripcion={resumen} />
    </Formulario>,
  ];
}

interface ToggleProps {
  readonly isOn: boolean;
  readonly texto?: string;
  /** The switched operation, for screen readers. */
  readonly descripcion: string;
}

/** A button that says what it will do, and what the state is to be. */
function Toggle({ isOn, texto = '', descripcion }: ToggleProps) {
  const verbo = isOn ? 'Desactivar' : 'Activar';
  return (
    <Boton
      variante="secundario"
      nombre="estado"
      value={isOn ? 'desactivada' : 'activada'}
      descripcion={`${verbo} ${descripcion}`}
    >
      {`${verbo} ${texto}`.trim()}
    </Boton>
  );
}

/** Switches one operation, or all of a group, to what the form says: sent twice, it does nothing more. */
operationsPage.post('/operaciones', async (contexto, rfc) => {
  const { campos, deps, redirectTo, usuario } = contexto;
  const estado = campos['estado'];
  const named = OPERACIONES.filter(({ path }) => path === campos['operacion']);
  const operaciones = campos['grupo'] === undefined ? named : inGroup(campos['grupo']);
  const [first] = operaciones;
  if (!first || (estado !== 'activada' && estado !== 'desactivada'))
    return redirectTo(hrefRfc(rfc.rfc, '/operaciones'), {
      tono: 'error',
      texto: 'No se cambió nada: esa operación no existe. Use los botones de la tabla.',
    });
  await createContribuyentes(deps.database).setOperaciones({
    cuentaId: usuario.cuentaId,
    rfc: rfc.rfc,
    operaciones: operaciones.map(({ path }) => path),
    isHabilitada: estado === 'activada',
    ...contexto.autor,
  });
  const isOne = campos['grupo'] === undefined;
  const isBack = estado === 'activada';
  const titulo = GRUPOS.find(({ grupo }) => grupo === campos['grupo'])?.titulo;
  return redirectTo(hrefRfc(rfc.rfc, '/operaciones'), {
    tono: 'exito',
    texto: isOne
      ? `«${first.resumen}» quedó ${estado}: ${isBack ? 'vuelve a responder' : 'responde 1003 desde la siguiente llamada'}.`
      : `Las ${operaciones.length} operaciones de «${titulo}» quedaron ${estado}s: ${isBack ? 'vuelven a responder' : 'responden 1003 desde la siguiente llamada'}.`,
  });
});
