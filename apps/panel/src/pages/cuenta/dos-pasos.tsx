import { demasiados, type Falta } from '@acuse/page';
import { Aviso, CopyButton, Tarjeta } from '@acuse/page/blocks';
import { Boton, Campo, CampoCodigo, Formulario } from '@acuse/page/form';
import { raw } from 'hono/html';
import { renderSVG } from 'uqr';
import { checkCodigo, confirmPassword, limiteCodigos } from '../../acceso/comprobar.ts';
import {
  confirmSecreto,
  type Propuesta,
  proposeSecreto,
  readProposal,
  renewCodigos,
} from '../../acceso/segundo-factor.ts';
import { type PersonContext, routesFor } from '../../paginas.ts';

const PASOS = '/cuenta/dos-pasos';

export const twoStepsPage = routesFor('persona');

twoStepsPage.get(PASOS, renderDosPasos);

/** Begins: makes the secret that the app is to be given. */
twoStepsPage.post(`${PASOS}/iniciar`, async (contexto) => {
  const refused = await refuseWithoutPassword(contexto);
  if (refused) return refused;
  await proposeSecreto(contexto.deps, contexto.usuario);
  return contexto.redirectTo(PASOS);
});

/** Ends: a code shows that the app has the secret. The recovery codes are on this answer only. */
twoStepsPage.post(`${PASOS}/confirmar`, async (contexto) => {
  const { campos, deps, browser, usuario } = contexto;
  const limite = limiteCodigos(usuario.id, deps.settings);
  const permiso = await deps.intentos.take([limite]);
  if (!permiso.permitido) return renderDosPasos(contexto, demasiados(permiso.esperar));
  const autor = { ...contexto.autor, salvo: browser.huella() };
  const codigos = await confirmSecreto(deps, usuario, campos['codigo'] ?? '', autor);
  if (codigos === null)
    return renderDosPasos(contexto, {
      status: 422,
      texto:
        'Ese código no corresponde. Escriba el que la aplicación muestra ahora; si sigue igual, revise la hora de su teléfono.',
    });
  await deps.intentos.forget(limite.clave);
  await browser.rotate();
  return renderCodigos(
    contexto,
    codigos,
    'La verificación en dos pasos está activa. Las sesiones en otros dispositivos terminaron.',
  );
});

twoStepsPage.post(`${PASOS}/codigos`, async (contexto) => {
  const { deps, usuario } = contexto;
  if (!(await deps.segundosFactores.find(usuario.id))?.confirmadoEn) return contexto.redirectTo(PASOS);
  const refused = await refuseWithoutBoth(contexto);
  if (refused) return refused;
  const codigos = await renewCodigos(deps, usuario, contexto.autor);
  return renderCodigos(contexto, codigos, 'Estos son sus códigos nuevos. Los anteriores ya no sirven.');
});

twoStepsPage.post(`${PASOS}/desactivar`, async (contexto) => {
  const { deps, browser, usuario } = contexto;
  if (!(await deps.segundosFactores.find(usuario.id))?.confirmadoEn) return contexto.redirectTo(PASOS);
  const refused = await refuseWithoutBoth(contexto);
  if (refused) return refused;
  await deps.segundosFactores.remove(usuario.id, contexto.autor);
  await browser.rotate();
  return contexto.redirectTo('/cuenta', { tono: 'info', texto: 'La verificación en dos pasos quedó inactiva.' });
});

async function refuseWithoutPassword(contexto: PersonContext): Promise<Response | null> {
  const falta = await confirmPassword(contexto, contexto.campos['password'] ?? '');
  return falta && renderDosPasos(contexto, falta);
}

/** The password alone would take the second step away from its owner; so would recovery codes made with it. */
async function refuseWithoutBoth(contexto: PersonContext): Promise<Response | null> {
  const refused = await refuseWithoutPassword(contexto);
  if (refused) return refused;
  const checked = await checkCodigo(contexto, contexto.usuario);
  return 'via' in checked ? null : renderDosPasos(contexto, checked);
}

function renderCodigos({ pagina }: PersonContext, codigos: readonly string[], mensaje: string): Response {
  return pagina(
    'Códigos de recuperación',
    <>
      <Aviso tono="exito">{mensaje}</Aviso>
      <p>
        Guárdelos donde los encuentre sin su teléfono. Cada uno sirve una sola vez en lugar del código de la aplicación,
        y <strong>no se vuelven a mostrar</strong>.
      </p>
      <CopyButton value={codigos.join('\n')} label="Códigos de recuperación" bloque />
      <Boton href="/cuenta">Ya los guardé</Boton>
    </>,
    { narrow: true },
  );
}

async function renderDosPasos(contexto: PersonContext, falta?: Falta): Promise<Response> {
  const { deps, usuario } = contexto;
  const isActive = Boolean((await deps.segundosFactores.find(usuario.id))?.confirmadoEn);
  const propuesta = await readProposal(deps, usuario);
  const refused = falta && contexto.c.req.path;
  const quedan = isActive ? await deps.segundosFactores.countCodigos(usuario.id) : 0;
  return contexto.pagina(
    'Verificación en dos pasos',
    isActive ? (
      <Activa quedan={quedan} refused={refused} />
    ) : propuesta ? (
      <Link propuesta={propuesta} refused={refused} />
    ) : (
      <Begin refused={refused} />
    ),
    { ...falta, error: falta?.texto },
  );
}

/** Of a fixed size, since a drawing without one takes the whole width. */
function qrSvg(uri: string): string {
  return renderSVG(uri, { ecc: 'M', border: 4 }).replace('<svg ', '<svg width="240" height="240" ');
}

interface ParteProps {
  /** Where the form was sent that was refused. */
  readonly refused: string | undefined;
}

function Begin(parte: ParteProps) {
  return (
    <Tarjeta titulo="Activarla">
      <p>
        Necesita una aplicación que genere códigos (cualquiera que lea un QR de este tipo). Cada vez que entre se le
        pedirá el código que muestre.
      </p>
      <ConPassword {...parte} accion={`${PASOS}/iniciar`} boton="Empezar" />
    </Tarjeta>
  );
}

function Link({ propuesta, refused }: ParteProps & { readonly propuesta: Propuesta }) {
  const accion = `${PASOS}/confirmar`;
  return (
    <Tarjeta titulo="Vincular su teléfono">
      <ol>
        <li>Abra la aplicación y lea este código.</li>
        <li>Si no puede leerlo, escriba la clave en la aplicación.</li>
        <li>Escriba abajo los 6 dígitos que muestre.</li>
      </ol>
      <div role="img" aria-label="Código QR para la aplicación; la clave de abajo dice lo mismo">
        {raw(qrSvg(propuesta.uri))}
      </div>
      <p>Clave para escribirla a mano:</p>
      <CopyButton value={propuesta.clave} label="Clave de la verificación en dos pasos" />
      <Formulario accion={accion}>
        <Campo
          nombre="codigo"
          label="Código de 6 dígitos"
          requerido
          literal
          teclado="numeric"
          autocompletar="one-time-code"
          enfocado={refused === accion}
          maxLargo={10}
        />
        <Boton>Activar</Boton>
      </Formulario>
    </Tarjeta>
  );
}

function Activa({ quedan, ...parte }: ParteProps & { readonly quedan: number }) {
  return (
    <>
      <Tarjeta titulo="Códigos de recuperación">
        <p>
          Le {quedan === 1 ? 'queda 1 código' : `quedan ${quedan} códigos`} sin usar. Si hace otros, los anteriores
          dejan de servir.
        </p>
        <ConPassword {...parte} id="codigos" conCodigo accion={`${PASOS}/codigos`} boton="Hacer códigos nuevos" />
      </Tarjeta>
      <Tarjeta titulo="Desactivarla">
        <p>Después bastará la contraseña para entrar.</p>
        <ConPassword {...parte} id="desactivar" conCodigo accion={`${PASOS}/desactivar`} boton="Desactivar" peligro />
      </Tarjeta>
    </>
  );
}

function ConPassword(
  props: ParteProps & {
    readonly accion: string;
    readonly boton: string;
    readonly id?: string;
    readonly peligro?: boolean;
    readonly conCodigo?: boolean;
  },
) {
  return (
    <Formulario accion={props.accion}>
      <Campo
        nombre="password"
        id={`password-${props.id ?? 'empezar'}`}
        label="Su contraseña"
        tipo="password"
        requerido
        autocompletar="current-password"
        enfocado={props.refused === props.accion}
      />
      {props.conCodigo ? <CampoCodigo id={`codigo-${props.id}`} /> : null}
      <Boton variante={props.peligro ? 'peligro' : 'primario'}>{props.boton}</Boton>
    </Formulario>
  );
}
