import type { CaptchaPendiente } from '@acuse/core';
import { createCaptchas, isUuid } from '@acuse/db';
import { avisoOf } from '@acuse/page';
import { Fecha, Tarjeta, Vacio } from '@acuse/page/blocks';
import { Boton, Campo, Formulario } from '@acuse/page/form';
import { type PersonContext, routesFor } from '../../paginas.ts';

const PATH = '/operador/captchas';
const MAX_TEXTO = 50;
/** Captchas on the page; answering one shows the next. */
const MAX_MOSTRADOS = 6;
const FALTA = `Escriba los caracteres de la imagen: de 1 a ${MAX_TEXTO}.`;

export const captchasPage = routesFor('operador');

captchasPage.get(PATH, async (contexto) =>
  renderCaptchas(contexto, await createCaptchas(contexto.deps.database).pendientes()),
);

/** The page; `faulty` is the captcha whose answer cannot be one. */
function renderCaptchas(
  { campos, now, pagina }: PersonContext,
  captchas: readonly CaptchaPendiente[],
  faulty?: string,
): Response {
  return pagina(
    'Captchas',
    <>
      <p class="suave">
        Los portales del SAT piden leer una imagen para entrar. Cada una espera poco tiempo: vuelva a cargar la página
        para ver las nuevas.
      </p>
      {captchas.length === 0 ? (
        <Vacio titulo="Ningún captcha espera" accion={{ href: PATH, texto: 'Volver a mirar' }}>
          Aparecen aquí cuando el servicio está ajustado para que los lean personas (CAPTCHA_RESOLVER=personas).
        </Vacio>
      ) : (
        captchas.slice(0, MAX_MOSTRADOS).map(({ id, imagen, creadoEn, venceEn }, lugar) => (
          <Tarjeta titulo={`Captcha ${lugar + 1}`}>
            <p>
              <img src={dataOf(imagen)} alt={`Imagen del captcha ${lugar + 1}: caracteres por leer`} />
            </p>
            <p class="suave chica">
              Llegó <Fecha value={creadoEn} relativaA={now} /> y caduca a las <Fecha value={venceEn} formato="hora" />.
            </p>
            <Formulario
              accion={`${PATH}/${id}`}
              enLinea
              {...(faulty === id ? { valores: campos, faltas: { texto: FALTA } } : {})}
            >
              <Campo
                nombre="texto"
                label="Caracteres de la imagen"
                id={`captcha-${id}`}
                requerido
                literal
                maxLargo={MAX_TEXTO}
                autocompletar="off"
                enfocado={faulty === undefined && lugar === 0}
              />
              <Boton descripcion={`Contestar el captcha ${lugar + 1}`}>Contestar</Boton>
            </Formulario>
          </Tarjeta>
        ))
      )}
    </>,
    { status: faulty === undefined ? 200 : 422 },
  );
}

captchasPage.post(`${PATH}/:id`, async (contexto) => {
  const { c, campos, deps, redirectTo } = contexto;
  const id = c.req.param('id');
  if (!isUuid(id)) return contexto.noEncontrada();
  const texto = (campos['texto'] ?? '').trim();
  const isFaulty = texto === '' || texto.length > MAX_TEXTO;
  const captchas = createCaptchas(deps.database);
  const pendientes = isFaulty ? await captchas.pendientes() : [];
  if (pendientes.some((each) => each.id === id)) return renderCaptchas(contexto, pendientes, id);
  const isTaken = !isFaulty && (await captchas.answer(id, texto, contexto.autor));
  const already = 'Ese captcha ya no esperaba respuesta: caducó, o la dio otra persona.';
  return redirectTo(PATH, avisoOf(isTaken, 'La respuesta va en camino al portal.', already));
});

/** The image inside the page. Whatever it is, it is only ever shown as a picture. */
function dataOf(imagen: Buffer): string {
  const type = imagen.subarray(0, 2).equals(Buffer.from([0xff, 0xd8])) ? 'image/jpeg' : 'image/png';
  return `data:${type};base64,${imagen.toString('base64')}`;
}
