import { EVENTOS_CORREO, type EventoCorreo } from '@acuse/contract';
import {
  avisoOf,
  CasillaEvento,
  demasiados,
  elegidosOf,
  type Falta,
  limiteEnlaces,
  type PersonContext,
  routesFor,
} from '@acuse/page';
import { Aviso, Estado, Tarjeta } from '@acuse/page/blocks';
import { Boton, Formulario } from '@acuse/page/form';
import type { Buzon } from '../db/index.ts';
import { createBuzones } from '../db/index.ts';

const PATH = '/cuenta/correo';

export const mailPage = routesFor('persona');

mailPage.get(PATH, (contexto) => renderAvisos(contexto));

/** Saves the events with mail. */
mailPage.post(PATH, async (contexto) => {
  const { campos, deps, usuario, autor } = contexto;
  const { correo } = deps.settings;
  const buzon = await createBuzones(deps.database).find(usuario.id);
  if (correo === null || buzon === null) return renderAvisos(contexto);
  const wanted = elegidosOf(campos);
  const offered = await createBuzones(deps.database).toldOf(usuario.id);
  if (EVENTOS_CORREO.some((evento) => wanted.includes(evento) && !offered.includes(evento)))
    return renderAvisos(contexto, AJENO);
  // Choices about events that the page does not show stay.
  const apagados = EVENTOS_CORREO.filter((evento) =>
    offered.includes(evento) ? !wanted.includes(evento) : buzon.apagados.includes(evento),
  );
  await createBuzones(deps.database).setApagados(usuario.id, apagados, autor);
  return contexto.redirectTo(PATH, { tono: 'exito', texto: 'Sus avisos por correo quedaron guardados.' });
});

const AJENO: Falta = {
  status: 422,
  texto:
    'Ese aviso solo le llega a quien puede ver en el panel de qué trata, en alguna de sus cuentas. No se guardó nada: elija de los que se muestran.',
};

/** Mails the link that shows that the address is theirs, again. */
mailPage.post(`${PATH}/enlace`, async (contexto) => {
  const { deps, usuario } = contexto;
  if (deps.settings.correo === null) return renderAvisos(contexto);
  const permiso = await deps.intentos.take([limiteEnlaces(usuario.email, deps.settings)]);
  if (!permiso.permitido) return renderAvisos(contexto, demasiados(permiso.esperar));
  const isAsked = await createBuzones(deps.database).askVerification(usuario.id);
  const done = `En unos minutos le llega un enlace a ${usuario.email}. Revise también el correo no deseado.`;
  return contexto.redirectTo(PATH, avisoOf(isAsked, done, 'Su correo ya estaba confirmado.'));
});

async function renderAvisos(contexto: PersonContext, falta?: Falta): Promise<Response> {
  const { deps, usuario } = contexto;
  const { correo } = deps.settings;
  const buzon = await createBuzones(deps.database).find(usuario.id);
  return contexto.pagina(
    'Avisos por correo',
    correo === null || buzon === null ? (
      <p>
        Esta instalación no envía correo. Lo que pasa está en las páginas del panel, y los{' '}
        <a href="/webhooks">webhooks</a> lo avisan a su sistema.
      </p>
    ) : (
      <>
        <Direccion email={usuario.email} buzon={buzon} isPorConfirmar={usuario.porVerificar} de={correo} />
        <Eventos avisos={await createBuzones(deps.database).toldOf(usuario.id)} buzon={buzon} />
      </>
    ),
    { ...falta, error: falta?.texto, camino: <Camino /> },
  );
}

const Camino = () => (
  <p class="suave">
    <a href="/cuenta">Cuenta</a> / Avisos por correo
  </p>
);

function Direccion(props: {
  readonly email: string;
  readonly buzon: Buzon;
  readonly isPorConfirmar: boolean;
  readonly de: string;
}) {
  const { email, buzon, isPorConfirmar, de } = props;
  const isSuya = buzon.verificadoEn !== null;
  return (
    <Tarjeta
      titulo="Su correo"
      accion={<Estado texto={isSuya ? 'Confirmado' : 'Sin confirmar'} tono={isSuya ? 'exito' : 'alerta'} />}
    >
      {isPorConfirmar ? (
        <Aviso tono="alerta" titulo="Confirme su correo para empezar">
          Le enviamos un enlace a {email}. Ábralo y confirme; después podrá usar el panel.
        </Aviso>
      ) : null}
      <p>
        {isSuya
          ? `Los avisos llegan a ${email}, de ${de}.`
          : `Hasta que confirme que ${email} es suyo, ahí no llega ningún aviso. El enlace viene de ${de}.`}
      </p>
      {isSuya ? null : (
        <Formulario accion={`${PATH}/enlace`}>
          <Boton variante={isPorConfirmar ? 'primario' : 'secundario'}>Enviar el enlace</Boton>
        </Formulario>
      )}
    </Tarjeta>
  );
}

function Eventos({ avisos, buzon }: { readonly avisos: readonly EventoCorreo[]; readonly buzon: Buzon }) {
  if (avisos.length === 0)
    return (
      <Tarjeta titulo="De qué avisar">
        <p>
          No hay avisos que elegir: llegan de las cuentas en las que está y de lo que puede ver en ellas. Los que cuidan
          su acceso (enlaces, cambio de contraseña) llegan siempre.
        </p>
      </Tarjeta>
    );
  return (
    <Tarjeta titulo="De qué avisar">
      <p>
        De las cuentas en las que está, y en cada una de lo que su rol le deja ver en el panel. Los de una misma clase
        se juntan: a lo más uno por hora. Los que cuidan su acceso (enlaces, cambio de contraseña) llegan siempre. De
        todo lo demás avisan los <a href="/webhooks">webhooks</a>.
      </p>
      <Formulario accion={PATH} descripcion="Avisos por correo">
        <fieldset>
          <legend>Avisos</legend>
          {avisos.map((evento) => (
            <CasillaEvento evento={evento} isElegido={!buzon.apagados.includes(evento)} />
          ))}
        </fieldset>
        <Boton>Guardar avisos</Boton>
      </Formulario>
    </Tarjeta>
  );
}
