import {
  createAuditoria,
  DIAS_INVITACION,
  type InvitacionVista,
  isUuid,
  type LineaAuditoria,
  type LlaveDeAusente,
  MAX_PERSONAS,
  PAPELES,
  type Papel,
} from '@acuse/db';
import { demasiados, type Falta, hrefRfc, NOMBRES_PAPEL, REVISE } from '@acuse/page';
import {
  Aviso,
  ConNota,
  CopyButton,
  Estado,
  Fecha,
  Paginacion,
  pageOf,
  Tabla,
  Tarjeta,
  Vacio,
} from '@acuse/page/blocks';
import { Boton, Campo, Formulario } from '@acuse/page/form';
import { confirmPassword, limiteInvitaciones } from '../../acceso/comprobar.ts';
import { parseEmail } from '../../acceso/reglas.ts';
import { type ContextoCliente, routesFor } from '../../paginas.ts';
import { describeCambio, nombreAccion, SCHEDULED } from '../operador/frases-auditoria.ts';

const PATH = '/equipo';
const POR_PAGINA = 25;
/** Keys of people who left that are shown at once. */
const MAX_LLAVES = 100;

export const OPCIONES_PAPEL = PAPELES.map((papel) => [papel, NOMBRES_PAPEL[papel]] as const);

export const isPapel = (text: string | undefined): text is Papel => PAPELES.some((papel) => papel === text);

export const hrefPersona = (usuarioId: string, sub: '' | `/${string}` = '') => `${PATH}/personas/${usuarioId}${sub}`;

type Faltas = Partial<Record<'email' | 'papel' | 'password', string>>;

export const teamPage = routesFor('equipo');

teamPage.get(PATH, (contexto) => renderTeam(contexto));

async function renderTeam(contexto: ContextoCliente, faltas: Faltas = {}, falta?: Falta): Promise<Response> {
  const { campos, deps, now, usuario, pagina } = contexto;
  const { cuentaId } = usuario;
  const [personas, invitaciones, llaves] = await Promise.all([
    deps.equipo.list(cuentaId),
    deps.invitaciones.list(cuentaId),
    deps.equipo.llavesDeAusentes(cuentaId, MAX_LLAVES),
  ]);
  return pagina(
    'Equipo',
    <>
      <LlavesDeAusentes llaves={llaves} />
      <Tabla
        titulo={`Personas de ${usuario.cuenta}`}
        columnas={[
          'Persona',
          'Rol',
          { titulo: 'Dos pasos', isNamed: true },
          'Desde',
          { titulo: 'Cambiar', oculta: true },
        ]}
        filas={personas.map((persona) => [
          <ConNota nota={persona.email}>{persona.nombre || persona.email}</ConNota>,
          NOMBRES_PAPEL[persona.papel],
          <Estado {...(persona.tieneSegundoFactor ? SI : NO)} />,
          <Fecha value={persona.desde} formato="dia" />,
          persona.usuarioId === usuario.id ? (
            <Estado texto="Usted" tono="info" />
          ) : (
            <a href={hrefPersona(persona.usuarioId)} aria-label={`Cambiar o quitar a ${persona.email}`}>
              Cambiar
            </a>
          ),
        ])}
      />
      <Invitaciones invitaciones={invitaciones} now={now} />
      <Tarjeta titulo="Invitar a una persona" id="invitar">
        <p>
          Quien es <strong>contador</strong> ve y pide solicitudes, baja los ZIP y guarda credenciales. Quien es{' '}
          <strong>desarrollador</strong> tiene las API keys, los webhooks y las pruebas; no ve credenciales ni lo que
          traen los ZIP, aunque con una API key de producción puede llamar a la API. Quien es{' '}
          <strong>propietario</strong> puede todo.
        </p>
        <Formulario accion={`${PATH}/invitar`} descripcion="Invitar a una persona" valores={campos} faltas={faltas}>
          <Campo
            nombre="email"
            label="Correo de la persona"
            tipo="email"
            requerido
            maxLargo={254}
            autocompletar="off"
          />
          <Campo nombre="papel" label="Rol" requerido opciones={[['', 'Elija uno'], ...OPCIONES_PAPEL]} />
          <SuPassword id="invitar-password" />
          <Boton>Invitar</Boton>
        </Formulario>
      </Tarjeta>
      <p>
        <a href={`${PATH}/cambios`}>Quién hizo qué en la cuenta</a> ·{' '}
        <a href="/cuentas">Sus cuentas, y cómo dejarlas</a>
      </p>
    </>,
    { ...falta, error: falta?.texto },
  );
}

const SI = { texto: 'Sí', tono: 'exito' } as const;
const NO = { texto: 'No', tono: 'alerta' } as const;

/** Who changes the people of an account types the own password: a session that was left open is not enough. */
export function SuPassword({ id }: { readonly id: string }) {
  return (
    <Campo
      nombre="password"
      id={id}
      label="Su contraseña"
      tipo="password"
      requerido
      autocompletar="current-password"
      ayuda="Se pide para cambiar el equipo: una sesión que quedó abierta no basta."
    />
  );
}

function LlavesDeAusentes({ llaves }: { readonly llaves: readonly LlaveDeAusente[] }) {
  if (llaves.length === 0) return null;
  return (
    <Aviso tono="alerta" titulo="Hay API keys que hizo alguien que ya no está">
      <p>Siguen sirviendo, y quien las hizo las vio. Cámbielas; antes, avise a quien las usa en su sistema.</p>
      <ul>
        {llaves.map(({ rfc, ultimos4, creadaEn, persona }) => (
          <li>
            <code>…{ultimos4}</code> de {rfc}, que hizo {persona} el <Fecha value={creadaEn} formato="dia" />:{' '}
            <a href={hrefRfc(rfc, '/llave')}>cambiar la de {rfc}</a>
          </li>
        ))}
      </ul>
    </Aviso>
  );
}

interface InvitacionesProps {
  readonly invitaciones: readonly InvitacionVista[];
  readonly now: Date;
}

function Invitaciones({ invitaciones, now }: InvitacionesProps) {
  if (invitaciones.length === 0) return null;
  return (
    <Tabla
      titulo="Invitaciones sin aceptar"
      columnas={['Correo', 'Rol', 'Invitó', 'Vence', { titulo: 'Revocar', oculta: true }]}
      filas={invitaciones.map(({ id, email, papel, persona, venceEn }) => [
        email,
        NOMBRES_PAPEL[papel],
        persona,
        venceEn <= now ? <Estado texto="Venció" /> : <Fecha value={venceEn} relativaA={now} />,
        <Formulario accion={`${PATH}/invitaciones/${id}/revocar`} enLinea>
          <Boton variante="discreto" descripcion={`Revocar la invitación a ${email}`}>
            Revocar
          </Boton>
        </Formulario>,
      ])}
    />
  );
}

/** Invites an address, known or not, and shows the link once. */
teamPage.post(`${PATH}/invitar`, async (contexto) => {
  const { campos, deps, usuario, autor } = contexto;
  const { cuentaId } = usuario;
  const email = parseEmail(campos['email'] ?? '');
  const papel = campos['papel'];
  if (email === null || !isPapel(papel))
    return renderTeam(
      contexto,
      {
        ...(email === null ? { email: 'Escriba un correo completo, como nombre@empresa.mx.' } : {}),
        ...(isPapel(papel) ? {} : { papel: 'Elija qué podrá hacer.' }),
      },
      REVISE,
    );
  const falta = await confirmPassword(contexto, campos['password'] ?? '');
  if (falta) return renderTeam(contexto, { password: falta.texto }, falta);
  const permiso = await deps.intentos.take([limiteInvitaciones(cuentaId)]);
  if (!permiso.permitido) return renderTeam(contexto, {}, demasiados(permiso.esperar));
  const invitada = await deps.invitaciones.invite({
    cuentaId,
    usuarioId: usuario.id,
    email,
    papel,
    porCorreo: deps.settings.correo !== null,
    ...autor,
  });
  if (invitada === 'YA_ESTA') return renderTeam(contexto, { email: 'Ya es parte de la cuenta.' }, REVISE);
  if (invitada === 'DEMASIADAS')
    return renderTeam(
      contexto,
      { email: `La cuenta tiene ya ${MAX_PERSONAS} personas e invitaciones, el máximo. Revoque o quite alguna.` },
      REVISE,
    );
  return renderInvitada(contexto, { email, papel, ...invitada });
});

/** The only place where the code of an invitation is shown; its mail has a link of its own. */
function renderInvitada(
  { deps, pagina }: ContextoCliente,
  {
    email,
    papel,
    codigo,
    isMailed,
  }: { readonly email: string; readonly papel: Papel; readonly codigo: string; readonly isMailed: boolean },
): Response {
  return pagina(
    `Invitación para ${email}`,
    <>
      <Aviso tono="alerta" titulo="Se muestra una sola vez">
        Sirve una vez, durante {DIAS_INVITACION} días, y solo para quien entre con {email}. La que se haya hecho antes
        para ese correo ya no sirve.
      </Aviso>
      <Tarjeta titulo="Cómo se usa">
        <p>
          {isMailed ? `Le enviamos un correo con su enlace. Si no le llega, dele este.` : 'Dele este enlace.'} Quien lo
          abra entra con su contraseña, o elige una si es nuevo, y queda en la cuenta como {NOMBRES_PAPEL[papel]}.
        </p>
        <CopyButton label="Enlace de la invitación" value={`${deps.settings.publicUrl}/invitacion?codigo=${codigo}`} />
      </Tarjeta>
      <p>
        <a href={PATH}>Volver al equipo</a>
      </p>
    </>,
  );
}

teamPage.post(`${PATH}/invitaciones/:id/revocar`, async ({ c, deps, usuario, autor, redirectTo, noEncontrada }) => {
  const id = c.req.param('id') ?? '';
  if (!isUuid(id) || !(await deps.invitaciones.revoke(usuario.cuentaId, id, autor))) return noEncontrada();
  return redirectTo(PATH, { tono: 'exito', texto: 'La invitación quedó revocada: su enlace ya no sirve.' });
});

/** Who did what in the account, newest first. */
teamPage.get(`${PATH}/cambios`, async ({ c, deps, usuario, pagina }) => {
  const { antes = '' } = c.req.query();
  const found = await createAuditoria(deps.database).list({
    cuentaId: usuario.cuentaId,
    salvo: SCHEDULED,
    limite: POR_PAGINA + 1,
    ...(/^\d{1,18}$/.test(antes) ? { antes } : {}),
  });
  const paging = { path: `${PATH}/cambios`, query: { antes }, after: 'antes', placeOf: ({ id }: LineaAuditoria) => id };
  const { filas, ...links } = pageOf(found, POR_PAGINA, paging);
  return pagina(
    'Quién hizo qué',
    <>
      <Tabla
        titulo="Cambios en la cuenta, los nuevos primero"
        tituloOculto
        columnas={['Cuándo', 'Qué', { titulo: 'Quién', phone: 'line' }, 'RFC']}
        filas={filas.map((linea) => [
          <Fecha value={linea.en} />,
          <ConNota nota={nombreAccion(linea.accion)}>
            <span class="larga">{describeCambio(linea.accion, linea.detalle)}</span>
          </ConNota>,
          <ConNota nota={linea.ip && `desde ${linea.ip}`}>{quienDe(linea)}</ConNota>,
          linea.rfc ?? '—',
        ])}
        vacia={<Vacio titulo="Todavía no hay cambios">Aquí se ve lo que cada persona hace en la cuenta.</Vacio>}
      />
      <Paginacion {...links} />
    </>,
    {
      camino: (
        <p class="suave">
          <a href={PATH}>Equipo</a> / Quién hizo qué
        </p>
      ),
    },
  );
});

/** Author of a line: hides an operator's name; shows a key's id. */
function quienDe({ actor, persona }: LineaAuditoria): string {
  if (actor.startsWith('usuario:')) return persona ?? 'Una persona';
  return actor.startsWith('api_key:') ? `API key ${actor.slice(8)}` : 'El servicio';
}
