import { OPERACIONES } from '@acuse/contract';
import { createPanelOperaciones, type RfcVista } from '@acuse/db';
import { Boton } from '../../components/boton.tsx';
import { Estado } from '../../components/estado.tsx';
import { Formulario } from '../../components/formulario.tsx';
import { type Columna, Tabla } from '../../components/tabla.tsx';
import { quien } from '../../http/quien.ts';
import { Encabezado } from './partes/encabezado.tsx';
import { defineRutaRfc, hrefRfc } from './reglas/ruta-rfc.ts';

const COLUMNAS: readonly Columna[] = [
  { titulo: 'Operación' },
  { titulo: 'Credencial' },
  { titulo: 'Créditos', numerica: true },
  { titulo: 'Estado' },
  { titulo: 'Cambiar', oculta: true },
];

/** Every operation of the API, with its switch. */
export const verOperaciones = defineRutaRfc({
  metodo: 'GET',
  sub: '/operaciones',
  handle({ csrf, pagina }, rfc) {
    return pagina({
      titulo: `Operaciones de ${rfc.rfc}`,
      contenido: (
        <>
          <Encabezado rfc={rfc} parte="/operaciones" titulo={`Operaciones de ${rfc.rfc}`} />
          <p>
            Una operación apagada responde <code>403</code> con código <code>1003</code> desde la siguiente
            llamada, sin costo. Lo que ya está en curso sigue.
          </p>
          <Tabla
            titulo="Operaciones de la API"
            tituloOculto
            columnas={COLUMNAS}
            filas={OPERACIONES.map((operacion) => fila(operacion, rfc, csrf))}
          />
        </>
      ),
    });
  },
});

function fila(
  { path, resumen, credencial, costo }: (typeof OPERACIONES)[number],
  rfc: RfcVista,
  csrf: string,
) {
  const isHabilitada = !rfc.deshabilitadas.includes(path);
  return [
    <span class="pila">
      <span>{resumen}</span>
      <code class="chica">{path}</code>
    </span>,
    credencial,
    costo,
    isHabilitada ? <Estado texto="Encendida" tono="exito" /> : <Estado texto="Apagada" tono="alerta" />,
    <Formulario accion={hrefRfc(rfc.rfc, '/operaciones')} csrf={csrf} enLinea>
      <input type="hidden" name="operacion" value={path} />
      <Boton
        variante="secundario"
        nombre="estado"
        valor={isHabilitada ? 'apagada' : 'encendida'}
        descripcion={`${isHabilitada ? 'Apagar' : 'Encender'} ${path}`}
      >
        {isHabilitada ? 'Apagar' : 'Encender'}
      </Boton>
    </Formulario>,
  ];
}

/** Switches one operation. The form says what it should be, so that sending it twice does nothing more. */
export const cambiarOperacion = defineRutaRfc({
  metodo: 'POST',
  sub: '/operaciones',
  async handle(contexto, rfc) {
    const { campos, deps, redirigir, usuario, noEncontrada } = contexto;
    const operacion = OPERACIONES.find(({ path }) => path === campos['operacion']);
    const estado = campos['estado'];
    if (!operacion || (estado !== 'encendida' && estado !== 'apagada'))
      return redirigir(hrefRfc(rfc.rfc, '/operaciones'), {
        tono: 'error',
        texto: 'No se cambió nada: esa operación no existe. Use los botones de la tabla.',
      });
    const isDone = await createPanelOperaciones(deps.database).setOperacion({
      cuentaId: usuario.cuentaId,
      rfc: rfc.rfc,
      operacion: operacion.path,
      isHabilitada: estado === 'encendida',
      ...quien(contexto),
    });
    if (!isDone) return noEncontrada();
    const efecto = estado === 'encendida' ? 'vuelve a responder' : 'responde 1003 desde la siguiente llamada';
    return redirigir(hrefRfc(rfc.rfc, '/operaciones'), {
      tono: 'exito',
      texto: `${operacion.path} quedó ${estado}: ${efecto}.`,
    });
  },
});
