import { type InvitacionRecibida, Rechazo } from '@acuse/db';
import { demasiados, type Falta, limiteIp, NOMBRES_PAPEL, REVISE } from '@acuse/page';
import { Aviso, Fecha, Tarjeta } from '@acuse/page/blocks';
import { Boton, Campo, Formulario } from '@acuse/page/form';
import { limiteRegistro } from '../../acceso/comprobar.ts';
import { faultOfPassword, NOMBRE_INVALIDO, parseNombre } from '../../acceso/reglas.ts';
import { type ContextoBase, routesFor } from '../../paginas.ts';
import { PasswordNueva } from '../cuenta/password.tsx';

const PATH = '/invitacion';
/** Longer than any code. */
const MAX_CODIGO = 100;

type Faltas = Partial<Record<'nombre' | 'password', string>>;

export const invitationPage = routesFor('publica');

/** Page of an invitation's link. It depends on the logged-in user, never on whether the address is registered. */
invitationPage.get(PATH, (contexto) => renderInvitacion(contexto, contexto.c.req.query('codigo') ?? ''));

/** A new user chooses a password and joins. */
invitationPage.post(`${PATH}/nueva`, async (contexto) => {
  const { campos, deps, ip, browser } = contexto;
  const codigo = campos['codigo'] ?? '';
  const invitacion = await deps.invitaciones.find(codigo);
  if (invitacion === null) return renderGone(contexto);
  const nombre = parseNombre(campos['nombre'] ?? '');
  const fault = faultOfPassword(campos['password'] ?? '', invitacion.email);
  if (nombre === null || fault !== null)
    return renderInvitacion(
      contexto,
      codigo,
      {
        ...(nombre === null ? { nombre: `Escriba su nombre, ${NOMBRE_INVALIDO}` } : {}),
        ...(fault === null ? {} : { password: fault }),
      },
      REVISE,
    );
  const permiso = await deps.intentos.take([limiteRegistro(ip, deps.settings)]);
  if (!permiso.permitido) return renderInvitacion(contexto, codigo, {}, demasiados(permiso.esperar));
  const password = await deps.passwords.hash(campos['password'] ?? '');
  try {
    const usuarioId = await deps.invitaciones.register(codigo, { nombre, password, ip });
    if (usuarioId === null) return renderGone(contexto);
    await browser.open(usuarioId, 'COMPLETA');
    return contexto.redirectTo('/inicio', {
      tono: 'exito',
      texto: `Ya está en la cuenta «${invitacion.cuenta}». Active la verificación en dos pasos en Cuenta y seguridad.`,
    });
  } catch (error) {
    if (!(error instanceof Rechazo)) throw error;
    return renderInvitacion(
      contexto,
      codigo,
      {},
      { status: 422, texto: 'Ese correo ya entra al panel. Entre con su contraseña y acepte la invitación.' },
    );
  }
});

function renderGone({ pagina }: ContextoBase): Response {
  return pagina(
    'Esta invitación no sirve',
    <p>
      Ya se usó, venció, la revocaron o el enlace está incompleto. Pida otra a quien lo invitó; si ya la aceptó,{' '}
      <a href="/entrar">entre</a>.
    </p>,
    { status: 404, narrow: true },
  );
}

async function renderInvitacion(
  contexto: ContextoBase,
  codigo: string,
  faltas: Faltas = {},
  falta?: Falta,
): Promise<Response> {
  const { campos, deps, ip, browser, pagina } = contexto;
  const limites = [limiteIp(ip, deps.settings)];
  const permiso = await deps.intentos.take(limites);
  if (!permiso.permitido)
    return pagina('Invitación', <p>{demasiados(permiso.esperar).texto}</p>, demasiados(permiso.esperar));
  const invitacion = codigo.length <= MAX_CODIGO ? await deps.invitaciones.find(codigo) : null;
  if (invitacion === null) return renderGone(contexto);
  await deps.intentos.giveBack(limites);
  const sesion = browser.sesion?.fase === 'COMPLETA' ? browser.sesion : null;
  return pagina(
    `Invitación a ${invitacion.cuenta}`,
    <>
      <p>
        {invitacion.persona} lo invita a la cuenta «{invitacion.cuenta}» como {NOMBRES_PAPEL[invitacion.papel]}, con el
        correo <strong>{invitacion.email}</strong>. La invitación vence el <Fecha value={invitacion.venceEn} />.
      </p>
      {sesion?.usuario == null ? (
        <Enter codigo={codigo} campos={campos} faltas={faltas} />
      ) : sesion.usuario.email === invitacion.email ? (
        <Formulario accion={`${PATH}/aceptar`} descripcion="Aceptar la invitación">
          <input type="hidden" name="codigo" value={codigo} />
          <Boton>Aceptar</Boton>
        </Formulario>
      ) : (
        <OtherAddress invitacion={invitacion} propio={sesion.usuario.email} />
      )}
    </>,
    { ...falta, error: falta?.texto, narrow: true },
  );
}

function Enter({
  codigo,
  campos,
  faltas,
}: { readonly codigo: string; readonly faltas: Faltas } & Pick<ContextoBase, 'campos'>) {
  const back = `${PATH}?codigo=${encodeURIComponent(codigo)}`;
  return (
    <>
      <Tarjeta titulo="Si ya entra al panel con ese correo">
        <div>
          <Boton href={`/entrar?a=${encodeURIComponent(back)}`}>Entrar y aceptar</Boton>
        </div>
      </Tarjeta>
      <Tarjeta titulo="Si es la primera vez">
        <Formulario accion={`${PATH}/nueva`} descripcion="Elegir contraseña y aceptar" valores={campos} faltas={faltas}>
          <input type="hidden" name="codigo" value={codigo} />
          <Campo nombre="nombre" label="Su nombre" requerido maxLargo={120} autocompletar="name" />
          <PasswordNueva nombre="password" label="Contraseña" />
          <Boton variante="secundario">Elegir contraseña y aceptar</Boton>
        </Formulario>
      </Tarjeta>
    </>
  );
}

function OtherAddress({ invitacion, propio }: { readonly invitacion: InvitacionRecibida; readonly propio: string }) {
  return (
    <>
      <Aviso tono="alerta" titulo="Es para otro correo">
        Usted entró con {propio}. Salga, abra el enlace de nuevo y entre con {invitacion.email}; o pida una invitación
        para {propio}.
      </Aviso>
      <Formulario accion="/salir">
        <Boton variante="secundario">Salir</Boton>
      </Formulario>
    </>
  );
}

export const acceptPage = routesFor('persona');

/** A logged-in user with the invited address joins the account. */
acceptPage.post(`${PATH}/aceptar`, async (contexto) => {
  const { campos, deps, usuario, ip, browser, redirectTo } = contexto;
  const codigo = campos['codigo'] ?? '';
  const invitacion = await deps.invitaciones.find(codigo);
  if (invitacion === null) return renderGone(contexto);
  const cuentaId = await deps.invitaciones.accept(codigo, usuario.id, ip);
  if (cuentaId === null) return renderGone(contexto);
  await browser.enter(cuentaId);
  return redirectTo('/inicio', { tono: 'exito', texto: `Ya está en la cuenta «${invitacion.cuenta}».` });
});
