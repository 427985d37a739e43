import { DIAS_ROTACION, type Modo } from '@acuse/core';
import { createContribuyentes, createLlaves, type LlaveListada, type RfcVista } from '@acuse/db';
import { headOf, hrefRfc } from '@acuse/page';
import { Aviso, CopyButton, Datos, Estado, Fecha, Tabla, Tarjeta } from '@acuse/page/blocks';
import { Boton, Botones, Campo, Formulario, Secret } from '@acuse/page/form';
import { count, formatRelativo } from '@acuse/page/formato';
import { isRecordada } from '@acuse/page/llave-tecleada';
import { type ContextoCliente, rfcRoutes } from '../../paginas.ts';
import { curlOf } from '../sandbox/cuerpo.ts';
import { modoPedido } from './generar-llave.ts';
import { edadEnDias, guardadas } from './reglas/estado-credenciales.ts';

const MAX_ANTERIORES = 10;

export const keyPage = rfcRoutes('llaves');

/** The key of an RFC: its age and use, how to replace it, how to revoke it, and the earlier ones. */
keyPage.get('/llave', renderLlave);

/** The page, with the values of a refused form. */
export async function renderLlave(
  contexto: ContextoCliente,
  rfc: RfcVista,
  faltas: FaltasLlave = {},
): Promise<Response> {
  const { deps, now, pagina, usuario } = contexto;
  const recordada = await isRecordada(contexto, rfc);
  const { llave } = rfc;
  const llaves = await createLlaves(deps.database).list(rfc.id, MAX_ANTERIORES + 1);
  const anteriores = llaves.filter(({ estado }) => estado !== 'ACTIVA').slice(0, MAX_ANTERIORES);
  const { abiertas } = llave
    ? await createContribuyentes(deps.database).abiertas(usuario.cuentaId, llave.id)
    : { abiertas: 0 };
  return pagina(
    `API key de ${rfc.rfc}`,
    <>
      {llave ? <LlaveVigente llave={llave} now={now} /> : null}
      {llave && llave.registradaEn === null ? <Associate rfc={rfc.rfc} apiUrl={deps.settings.apiPublicUrl} /> : null}
      <GenerateLlave
        rfc={rfc}
        abiertas={abiertas}
        now={now}
        faltas={faltas}
        modo={modoPedido(contexto, rfc)}
        isElegible={deps.settings.hayPruebas}
        isRecordada={recordada}
      />
      {llave ? (
        <Tarjeta titulo="Revocar la llave">
          <p>
            Si la llave se filtró y no quiere otra todavía, revóquela: deja de servir en su siguiente llamada y las
            solicitudes en curso terminan con reembolso. Antes de hacerlo verá cuántas son.
          </p>
          <div>
            <Boton variante="peligro" href={hrefRfc(rfc.rfc, '/llave/revocar')}>
              Revocar…
            </Boton>
          </div>
        </Tarjeta>
      ) : null}
      {anteriores.length > 0 ? <Anteriores llaves={anteriores} /> : null}
    </>,
    { ...headOf(rfc, '/llave'), status: faltas.anterior || faltas.perder ? 422 : 200 },
  );
}

function LlaveVigente({ llave, now }: { readonly llave: NonNullable<RfcVista['llave']>; readonly now: Date }) {
  const dias = edadEnDias(llave.creadaEn, now);
  return (
    <>
      {dias >= DIAS_ROTACION ? (
        <Aviso tono="alerta" titulo={`Esta llave tiene ${dias} días`}>
          Se recomienda cambiarla cada {DIAS_ROTACION} días, o de inmediato si alguien más pudo verla. Más abajo puede
          cambiarla sin perder lo guardado.
        </Aviso>
      ) : null}
      <Tarjeta titulo="Llave vigente">
        <Datos
          filas={[
            [
              'Llave',
              <code>
                acuse_{llave.modo}_{llave.id}_…{llave.ultimos4}
              </code>,
            ],
            [
              'Creada',
              <>
                <Fecha value={llave.creadaEn} /> ({count(dias, 'día', 'días')})
              </>,
            ],
            [
              'Último uso',
              llave.ultimoUsoEn ? (
                <>
                  <Fecha value={llave.ultimoUsoEn} /> desde <code>{llave.ultimaIp}</code>
                </>
              ) : (
                'Nunca se ha usado'
              ),
            ],
            [
              'RFC asociado',
              llave.registradaEn ? (
                <>
                  Sí, desde el <Fecha value={llave.registradaEn} />
                </>
              ) : (
                <Estado texto="Todavía no" tono="alerta" />
              ),
            ],
          ]}
        />
      </Tarjeta>
    </>
  );
}

/** How to associate the RFC with the key, which the API demands before any query. */
function Associate({ rfc, apiUrl }: { readonly rfc: string; readonly apiUrl: string }) {
  return (
    <Tarjeta titulo="Falta un paso: asociar el RFC con la llave">
      <p>
        Llame una vez a <code>vault/rfc-registrar</code> con la llave; hasta entonces las consultas responden 1003.
        Guardar una credencial desde el panel también la asocia.
      </p>
      <CopyButton label="Comando para asociar el RFC" bloque value={curlOf(apiUrl, 'vault/rfc-registrar', { rfc })} />
    </Tarjeta>
  );
}

function Anteriores({ llaves }: { readonly llaves: readonly LlaveListada[] }) {
  return (
    <Tarjeta titulo="Llaves anteriores">
      <Tabla
        titulo="Llaves que ya no sirven, la última primero"
        columnas={['Llave', 'Estado', 'Creada', 'Terminó']}
        filas={llaves.map((llave) => [
          <code>
            {llave.id}_…{llave.ultimos4}
          </code>,
          <Estado value={llave.estado} />,
          <Fecha value={llave.creadaEn} />,
          <Fecha value={llave.terminadaEn} />,
        ])}
      />
    </Tarjeta>
  );
}

/** Faults of a refused form; its secrets are not sent back. */
type FaltasLlave = Readonly<Partial<Record<'anterior' | 'perder', string>>>;

interface GenerateProps {
  readonly rfc: RfcVista;
  /** Open solicitudes of the active key. */
  readonly abiertas: number;
  readonly now: Date;
  readonly faltas: FaltasLlave;
  /** Of the keys that are issued here. */
  readonly modo: Modo;
  /** Whether a key may be of either mode. */
  readonly isElegible: boolean;
  /** True when the session remembers the active key, so that credentials can be resealed without typing it. */
  readonly isRecordada: boolean;
}

const MODOS = [
  ['live', 'De producción: acuse_live_'],
  ['test', 'De pruebas: acuse_test_'],
] as const;

const PREFIJO = {
  live: 'La llave empieza con acuse_live_: lo que se pide con ella se pide al SAT.',
  test: 'La llave empieza con acuse_test_: esta instalación consulta un simulador del SAT, y las acuse_live_ existen solo donde se consulta al SAT.',
};

/** The form that makes a key, with its effects on stored credentials before the click. */
function GenerateLlave({ rfc, abiertas, now, faltas, modo, isElegible, isRecordada }: GenerateProps) {
  const { llave } = rfc;
  const titulo = llave ? 'Cambiar la llave' : 'Generar la API key';
  const cosas = llave ? guardadas(rfc) : [];
  return (
    <Tarjeta titulo={titulo}>
      {llave ? (
        <Consecuencias rfc={rfc} cosas={cosas} abiertas={abiertas} now={now} />
      ) : (
        <p>
          La llave se muestra una sola vez. Tenga a la mano dónde guardarla: un gestor de secretos o las variables de
          entorno de su sistema, nunca el código ni un correo.
        </p>
      )}
      <Formulario accion={hrefRfc(rfc.rfc, '/llave')} descripcion={titulo} faltas={faltas}>
        <input type="hidden" name="vigente" value={llave?.id ?? ''} />
        {llave ? <Resguardo hayGuardadas={cosas.length > 0} isRecordada={isRecordada} /> : null}
        {isElegible ? (
          <Campo
            nombre="modo"
            label="Para qué es"
            value={modo}
            opciones={MODOS}
            requerido
            ayuda="Con una de pruebas se pregunta a un simulador: no cuesta nada y nada llega al SAT. Lo guardado y lo pedido con una no existe para la otra; un RFC tiene una sola llave a la vez."
          />
        ) : (
          <p class="ayuda">{PREFIJO[modo]}</p>
        )}
        <div>
          <Boton>{llave ? 'Cambiar la llave' : 'Generar API key'}</Boton>
        </div>
      </Formulario>
    </Tarjeta>
  );
}

interface ConsecuenciasProps extends Pick<GenerateProps, 'rfc' | 'abiertas' | 'now'> {
  readonly cosas: readonly string[];
}

function Consecuencias({ rfc, cosas, abiertas, now }: ConsecuenciasProps) {
  const { llave, efirmaKey } = rfc;
  return (
    <ul>
      <li>
        La llave que termina en <code>…{llave?.ultimos4}</code> <strong>deja de servir de inmediato</strong>: su
        siguiente llamada responde 1002.
      </li>
      <li>
        {cosas.length === 0
          ? 'No hay credenciales guardadas con ella.'
          : `Lo que se guardó con ella (${cosas.join(', ')}) está cifrado con esa llave. Si la escribe abajo, se vuelve a cifrar con la nueva y nada se pierde; si no, se borra y hay que guardarlo otra vez.`}
        {efirmaKey && cosas.length > 0
          ? ` La llave privada de la e.firma conserva su hora: se borra ${formatRelativo(efirmaKey.expiraEn, now)}.`
          : ''}
      </li>
      <li>
        {abiertas === 0
          ? 'No hay solicitudes en curso.'
          : `${count(abiertas, 'solicitud en curso sigue', 'solicitudes en curso siguen')} hasta terminar y se consultan con la llave nueva.`}
      </li>
    </ul>
  );
}

function Resguardo({ hayGuardadas, isRecordada }: { readonly hayGuardadas: boolean; readonly isRecordada: boolean }) {
  return (
    <>
      <Secret
        nombre="anterior"
        label="Llave actual"
        ayuda={
          isRecordada
            ? 'Se usa la que esta sesión ya tiene: lo guardado se conserva, salvo que abajo marque lo contrario.'
            : hayGuardadas
              ? 'Con ella se conserva lo guardado y la asociación con el RFC. No se almacena.'
              : 'Con ella la nueva queda asociada con el RFC sin llamar otra vez a vault/rfc-registrar. No se almacena.'
        }
        maxLargo={100}
      />
      {hayGuardadas ? (
        <Campo nombre="perder" label="No tengo la llave actual: borrar lo guardado" tipo="checkbox" />
      ) : null}
    </>
  );
}

const YA_NO = { tono: 'info', texto: 'Esa llave ya no estaba vigente: no se revocó nada.' } as const;

/** What revoking would end, before it is done. */
keyPage.get(
  '/llave/revocar',
  async ({ deps, pagina, redirectTo, usuario }, rfc) => {
    const { llave } = rfc;
    if (llave === null) return redirectTo(hrefRfc(rfc.rfc, '/llave'), YA_NO);
    const { abiertas } = await createContribuyentes(deps.database).abiertas(usuario.cuentaId, llave.id);
    const cosas = guardadas(rfc);
    return pagina(
      `Revocar la API key de ${rfc.rfc}`,
      <>
        <Aviso tono="alerta" titulo="No se puede deshacer">
          <ul>
            <li>
              La llave que termina en <code>…{llave.ultimos4}</code> responde 1002 desde su siguiente llamada.
            </li>
            <li>
              {abiertas === 0
                ? 'Ninguna solicitud está en curso con ella.'
                : `${count(abiertas, 'solicitud en curso termina', 'solicitudes en curso terminan')} sin paquete y sus créditos se devuelven al saldo.`}
            </li>
            <li>
              {cosas.length === 0
                ? 'No hay credenciales guardadas con ella.'
                : `Se borra lo guardado con ella: ${cosas.join(', ')}.`}
            </li>
            <li>Los paquetes ya terminados se conservan y se pueden bajar desde el panel o con otra llave.</li>
          </ul>
        </Aviso>
        <Tarjeta>
          <p>
            Si lo que quiere es cambiarla, <a href={hrefRfc(rfc.rfc, '/llave')}>genere otra</a>: lo que está en curso
            sigue.
          </p>
          <Formulario accion={hrefRfc(rfc.rfc, '/llave/revocar')} descripcion="Revocar la llave">
            <input type="hidden" name="llave" value={llave.id} />
            <Botones cancelar={hrefRfc(rfc.rfc, '/llave')} variante="peligro">
              Revocar la llave
            </Botones>
          </Formulario>
        </Tarjeta>
      </>,
      headOf(rfc, '/llave'),
    );
  },
  { cambia: true },
);

/** Revokes the active key, if it is still the one that the page told about. */
keyPage.post('/llave/revocar', async (contexto, rfc) => {
  const { campos, deps, redirectTo } = contexto;
  const href = hrefRfc(rfc.rfc, '/llave');
  if (rfc.llave === null || rfc.llave.id !== campos['llave']) return redirectTo(href, YA_NO);
  const llave = { apiKeyId: rfc.llave.id, ...contexto.autor };
  const terminadas = await createLlaves(deps.database).revoke(llave);
  const final =
    terminadas === 0
      ? 'No había solicitudes en curso.'
      : `${count(terminadas, 'solicitud terminó', 'solicitudes terminaron')} con reembolso.`;
  return redirectTo(href, { tono: 'exito', texto: `La llave quedó revocada. ${final}` });
});
