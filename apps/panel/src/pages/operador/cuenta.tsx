import { type Cuentas, createAuditoria, createCuentas, createLibro, isUuid } from '@acuse/db';
import { avisoOf, NOMBRES_PAPEL } from '@acuse/page';
import { Aviso, CopyButton, Datos, Estado, Fecha, Tabla, Tarjeta } from '@acuse/page/blocks';
import { Boton, Campo, Formulario } from '@acuse/page/form';
import { formatCreditos } from '@acuse/page/formato';
import { type PersonContext, routesOf } from '../../paginas.ts';
import { RenglonesAuditoria } from './auditoria.tsx';
import { SCHEDULED } from './frases-auditoria.ts';

type DetalleCuenta = NonNullable<Awaited<ReturnType<Cuentas['detail']>>>;

/** Rows of each table. */
const MAX_MOSTRADOS = 5;

type Faltas = Readonly<Record<string, string>>;

/** Where the page of an account is, `sub` with its slash. */
const hrefCuenta = (cuentaId: string, sub: '' | `/${string}` = '') => `/operador/cuentas/${cuentaId}${sub}`;

export const accountPage = routesOf<DetalleCuenta, 'operador'>('operador', '/operador/cuentas/:id', ({ deps }, id) =>
  createCuentas(deps.database).detail(id),
);

accountPage.get('', renderCuenta);

async function renderCuenta(
  contexto: PersonContext,
  { cuenta, personas, rfcs, abiertas }: DetalleCuenta,
  faltas: Faltas = {},
): Promise<Response> {
  const { deps, now, pagina } = contexto;
  const formulario = { contexto, cuenta, faltas };
  const auditoria = await createAuditoria(deps.database).list({ cuentaId: cuenta.id, salvo: SCHEDULED, limite: 10 });
  return pagina(
    cuenta.email,
    <>
      <Tarjeta titulo="Cuenta">
        <Datos
          filas={[
            ['Nombre', cuenta.nombre],
            ['Saldo', formatCreditos(cuenta.saldo)],
            [
              'Estado',
              cuenta.suspendidaEn === null ? <Estado value="ACTIVA" /> : <Estado texto="Suspendida" tono="error" />,
            ],
            ['Creada', <Fecha value={cuenta.creadaEn} />],
            ['Identificador', cuenta.id, 'fija'],
          ]}
        />
      </Tarjeta>
      <Tabla
        titulo="Quiénes entran al panel"
        columnas={['Correo', 'Nombre', 'Rol', { titulo: 'Contraseña', oculta: true }]}
        filas={personas.map((persona) => [
          persona.email,
          persona.nombre,
          NOMBRES_PAPEL[persona.papel],
          <Formulario accion={hrefCuenta(cuenta.id, '/codigo')}>
            <input type="hidden" name="usuario" value={persona.usuarioId} />
            <Boton variante="secundario" descripcion={`Dar código para elegir contraseña a ${persona.email}`}>
              Dar código
            </Boton>
          </Formulario>,
        ])}
        vacia={<p class="suave">Nadie entra al panel con esta cuenta.</p>}
      />
      <Abono {...formulario} />
      <Ajuste {...formulario} />
      <Suspension {...formulario} />
      <Tabla
        titulo={rfcs.length > MAX_MOSTRADOS ? `RFC: los primeros ${MAX_MOSTRADOS} de ${rfcs.length}` : 'RFC'}
        columnas={[
          'RFC',
          'Nombre',
          { titulo: 'API key', phone: 'value' },
          'Última llamada',
          { titulo: 'Desde', phone: 'none' },
        ]}
        filas={rfcs
          .slice(0, MAX_MOSTRADOS)
          .map(({ rfc, nombre, creadoEn, apiKeys: [llave] }) => [
            rfc,
            nombre ?? '—',
            llave ? <span class="fija">…{llave.ultimos4}</span> : <Estado texto="Sin API key" />,
            llave?.uso ? <Fecha value={llave.uso.ultimoUsoEn} relativaA={now} /> : 'Nunca',
            <Fecha value={creadoEn} formato="dia" />,
          ])}
        vacia={<p class="suave">Esta cuenta todavía no tiene ningún RFC.</p>}
      />
      <Tabla
        titulo="Solicitudes abiertas"
        columnas={['Solicitud', 'RFC', 'Tipo', 'Estado', 'Siguiente paso', 'Vence']}
        filas={abiertas
          .slice(0, MAX_MOSTRADOS)
          .map((solicitud) => [
            <span class="fija">{solicitud.id}</span>,
            solicitud.rfc,
            solicitud.tipo,
            <Estado value={solicitud.estado} />,
            <Fecha value={solicitud.dueAt} relativaA={now} />,
            <Fecha value={solicitud.deadlineAt} />,
          ])}
        vacia={<p class="suave">No tiene solicitudes abiertas.</p>}
      />
      <RenglonesAuditoria
        titulo="Últimos cambios"
        sinCuenta
        lineas={auditoria}
        vacia={<p class="suave">Nadie ha cambiado nada en esta cuenta.</p>}
      />
      <p>
        <a href={`/operador/auditoria?cuenta=${cuenta.id}`}>Ver todos los cambios de esta cuenta</a>
      </p>
    </>,
    { status: Object.keys(faltas).length > 0 ? 422 : 200 },
  );
}

const MAX_CREDITOS = 1_000_000;
export const MAX_MOTIVO = 200;

/** The reason that was typed, or null. */
export function readMotivo(campos: PersonContext['campos']): string | null {
  const motivo = (campos['motivo'] ?? '').trim();
  return motivo === '' || motivo.length > MAX_MOTIVO ? null : motivo;
}

interface FormularioCuentaProps {
  readonly contexto: PersonContext;
  readonly cuenta: DetalleCuenta['cuenta'];
  readonly faltas: Faltas;
}

const isSent = (sub: `/${string}`, { contexto: { c } }: FormularioCuentaProps) => c.req.path.endsWith(sub);

/** Where a form of the page goes, and what it shows again if it is the one that was sent. */
const formOf = (sub: `/${string}`, props: FormularioCuentaProps) => ({
  accion: hrefCuenta(props.cuenta.id, sub),
  ...(isSent(sub, props) ? { valores: props.contexto.campos, faltas: props.faltas } : {}),
});

function Abono(props: FormularioCuentaProps) {
  return (
    <Tarjeta titulo="Abonar créditos" isFolded={!isSent('/abono', props)}>
      <Formulario {...formOf('/abono', props)} descripcion="Abonar créditos">
        <Campo
          nombre="creditos"
          id="abono-creditos"
          label="Créditos"
          tipo="number"
          teclado="numeric"
          requerido
          minimo={1}
          maximo={MAX_CREDITOS}
        />
        <Campo
          nombre="referencia"
          label="Referencia del pago"
          requerido
          maxLargo={100}
          literal
          ayuda="Única: la misma referencia se abona una sola vez, aunque el formulario se envíe dos veces."
        />
        <Campo nombre="detalle" label="Nota para el libro" maxLargo={200} />
        <Boton>Abonar</Boton>
      </Formulario>
    </Tarjeta>
  );
}

function Ajuste(props: FormularioCuentaProps) {
  const form = formOf('/ajuste', props);
  const sent = form.valores?.['ajuste'];
  return (
    <Tarjeta titulo="Ajustar el saldo" isFolded={!isSent('/ajuste', props)}>
      <Formulario {...form} descripcion="Ajustar el saldo">
        <input type="hidden" name="ajuste" value={isUuid(sent) ? sent : props.contexto.deps.newId()} />
        <Campo
          nombre="creditos"
          id="ajuste-creditos"
          label="Créditos que se suman o se restan"
          requerido
          maxLargo={9}
          ayuda="Con signo: 50 suma, −50 resta. El saldo no puede quedar por debajo de cero."
        />
        <Campo
          nombre="motivo"
          id="ajuste-motivo"
          label="Motivo del ajuste"
          requerido
          maxLargo={MAX_MOTIVO}
          ayuda="Queda en el libro del cliente y en la auditoría."
        />
        <Boton variante="secundario">Ajustar</Boton>
      </Formulario>
    </Tarjeta>
  );
}

function Suspension(props: FormularioCuentaProps) {
  const { cuenta } = props;
  if (cuenta.suspendidaEn !== null)
    return (
      <Tarjeta titulo="Cuenta suspendida">
        <Aviso tono="error">
          Desde <Fecha value={cuenta.suspendidaEn} /> sus llaves responden 403 con código 1003. Motivo:{' '}
          {cuenta.suspensionMotivo}
        </Aviso>
        <Formulario accion={hrefCuenta(cuenta.id, '/reapertura')} descripcion="Reabrir la cuenta">
          <Boton>Reabrir la cuenta</Boton>
        </Formulario>
      </Tarjeta>
    );
  return (
    <Tarjeta titulo="Suspender la cuenta" isFolded={!isSent('/suspension', props)}>
      <p class="suave">
        Sus llaves responden 403 con código 1003 desde su siguiente llamada, y a sus webhooks no se les envía nada: lo
        pendiente sale al reabrirla. Lo que está en curso termina, pues ya se pagó; en el panel, el cliente ve el motivo
        y puede bajar lo terminado.
      </p>
      <Formulario {...formOf('/suspension', props)} descripcion="Suspender la cuenta">
        <Campo nombre="motivo" id="suspension-motivo" label="Motivo de la suspensión" requerido maxLargo={MAX_MOTIVO} />
        <Boton variante="peligro">Suspender</Boton>
      </Formulario>
    </Tarjeta>
  );
}

/** Gives credits that were paid for outside of the panel, once per reference. */
accountPage.post('/abono', async (contexto, found) => {
  const { campos, deps, redirectTo } = contexto;
  const cuentaId = found.cuenta.id;
  const creditos = Number(campos['creditos']);
  const referencia = (campos['referencia'] ?? '').trim();
  const detalle = (campos['detalle'] ?? '').trim() || 'abono del operador';
  const faltas: Record<string, string> = {};
  if (!/^\d+$/.test(campos['creditos'] ?? '') || creditos < 1 || creditos > MAX_CREDITOS)
    faltas['creditos'] = 'Escriba un número entero de 1 a 1,000,000.';
  if (referencia === '' || referencia.length > 100)
    faltas['referencia'] = 'Escriba la referencia del pago, de hasta 100 caracteres.';
  if (Object.keys(faltas).length > 0) return renderCuenta(contexto, found, faltas);

  const abono = await createLibro(deps.database).credit({
    cuentaId,
    creditos,
    referencia,
    detalle: detalle.slice(0, 200),
    ...contexto.autor,
  });
  if (!('saldo' in abono))
    return renderCuenta(contexto, found, {
      referencia: 'Esa referencia ya se abonó, a otra cuenta o por otra cantidad. Revise el pago.',
    });
  const saldo = `El saldo es de ${formatCreditos(abono.saldo)}.`;
  const done = `Se abonaron ${formatCreditos(creditos)}. ${saldo}`;
  const already = `Esa referencia ya estaba abonada: no se repitió. ${saldo}`;
  return redirectTo(hrefCuenta(cuentaId), avisoOf(abono.resultado === 'ABONADO', done, already));
});

/** Corrects a balance, up or down, with a reason. The id in the form makes the same form sent twice one adjustment. */
accountPage.post('/ajuste', async (contexto, found) => {
  const { campos, deps, redirectTo } = contexto;
  const cuentaId = found.cuenta.id;
  const opId = campos['ajuste'] ?? '';
  // People write the minus that formatted amounts show, too.
  const texto = (campos['creditos'] ?? '').trim().replace('−', '-');
  const creditos = Number(texto);
  const motivo = readMotivo(campos);
  const faltas: Record<string, string> = {};
  if (!/^[+-]?\d+$/.test(texto) || creditos === 0 || Math.abs(creditos) > MAX_CREDITOS)
    faltas['creditos'] = 'Escriba un número entero distinto de 0, de −1,000,000 a 1,000,000.';
  if (motivo === null)
    faltas['motivo'] = `Escriba por qué, en hasta ${MAX_MOTIVO} caracteres: el cliente lo lee en su libro.`;
  if (!isUuid(opId)) faltas['creditos'] ??= 'No se ajustó: la página llegó incompleta. Envíelo de nuevo.';
  if (Object.keys(faltas).length > 0 || motivo === null || !isUuid(opId)) return renderCuenta(contexto, found, faltas);

  const ajuste = await createLibro(deps.database).adjust({ cuentaId, opId, creditos, motivo, ...contexto.autor });
  if (!('saldo' in ajuste))
    return renderCuenta(contexto, found, {
      creditos: `El saldo es de ${formatCreditos(found.cuenta.saldo)} y no puede quedar por debajo de cero.`,
    });
  const saldo = formatCreditos(ajuste.saldo);
  const already = `Ese ajuste ya estaba hecho: no se repitió. El saldo es de ${saldo}.`;
  return redirectTo(
    hrefCuenta(cuentaId),
    avisoOf(ajuste.resultado === 'AJUSTADO', `El saldo quedó en ${saldo}.`, already),
  );
});

accountPage.post('/suspension', async (contexto, found) => {
  const { campos, deps, redirectTo } = contexto;
  const motivo = readMotivo(campos);
  if (motivo === null)
    return renderCuenta(contexto, found, {
      motivo: `Escriba por qué, en hasta ${MAX_MOTIVO} caracteres: el cliente lo lee en su panel.`,
    });
  const cuentaId = found.cuenta.id;
  const isDone = await createCuentas(deps.database).suspend({ cuentaId, motivo, ...contexto.autor });
  const done = 'La cuenta quedó suspendida: sus llaves responden 1003 desde su siguiente llamada.';
  return redirectTo(hrefCuenta(cuentaId), avisoOf(isDone, done, 'La cuenta ya estaba suspendida.'));
});

accountPage.post('/reapertura', async (contexto, { cuenta }) => {
  const isDone = await createCuentas(contexto.deps.database).reopen({ cuentaId: cuenta.id, ...contexto.autor });
  const done = 'La cuenta quedó abierta: sus llaves responden desde su siguiente llamada.';
  return contexto.redirectTo(hrefCuenta(cuenta.id), avisoOf(isDone, done, 'La cuenta ya estaba abierta.'));
});

/** How long the code is good: long enough to be told by telephone and used at once. */
const MINUTOS = 60;

/** Makes the code with which a person of the account chooses a new password, shown once; an earlier one is over. */
accountPage.post('/codigo', async (contexto, { cuenta, personas }) => {
  const { campos, deps, pagina } = contexto;
  const persona = personas.find(({ usuarioId }) => usuarioId === campos['usuario']);
  if (persona === undefined) return contexto.noEncontrada();
  const codigo = await deps.usuarios.offerCodigo({ id: persona.usuarioId }, MINUTOS * 60, contexto.autor);
  const titulo = `Código para ${persona.email}`;
  return pagina(
    titulo,
    <>
      <Aviso tono="alerta" titulo="Se muestra una sola vez">
        Sirve una vez, durante {MINUTOS} minutos; el que se haya dado antes ya no sirve. Aquí solo se guarda su huella.
      </Aviso>
      <Tarjeta titulo="Cómo se usa">
        <p>
          Compruebe que habla con la persona y dele la dirección o el código. Al usarlo elige otra contraseña y terminan
          sus sesiones. La verificación en dos pasos, si la tiene, se le sigue pidiendo.
        </p>
        <CopyButton
          label="Dirección para elegir contraseña"
          value={`${deps.settings.publicUrl}/restablecer?codigo=${codigo}`}
        />
        <p class="suave">
          O bien, en <span class="fija">{deps.settings.publicUrl}/restablecer</span>, este código:
        </p>
        <CopyButton label="Código" value={codigo} />
      </Tarjeta>
      <p>
        <a href={hrefCuenta(cuenta.id)}>Volver a la cuenta</a>
      </p>
    </>,
  );
});
