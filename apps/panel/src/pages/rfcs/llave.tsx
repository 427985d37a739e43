import { createContribuyentes, createLlaves, type LlaveListada, type RfcVista } from '@acuse/db';
import { Aviso } from '../../components/aviso.tsx';
import { Boton } from '../../components/boton.tsx';
import { Copiar } from '../../components/copiar.tsx';
import { Estado } from '../../components/estado.tsx';
import { Fecha } from '../../components/fecha.tsx';
import { Tabla } from '../../components/tabla.tsx';
import { Tarjeta } from '../../components/tarjeta.tsx';
import type { ContextoCliente, Pagina } from '../../http/ruta.ts';
import { Encabezado } from './partes/encabezado.tsx';
import { GenerarLlave, type GenerarTecleado } from './partes/generar-llave.tsx';
import { curlRegistrar } from './reglas/curl-registrar.ts';
import { DIAS_ROTACION, edadEnDias } from './reglas/estado-credenciales.ts';
import { isRecordada } from './reglas/llave-tecleada.ts';
import { defineRutaRfc, hrefRfc } from './reglas/ruta-rfc.ts';

const MAX_ANTERIORES = 10;

/** The key of an RFC: its age and use, how to replace it, how to revoke it, and the earlier ones. */
export const verLlave = defineRutaRfc({
  metodo: 'GET',
  sub: '/llave',
  handle: (contexto, rfc) => renderLlave(contexto, rfc),
});

/** The page; with what was typed when a form of it was refused. */
export async function renderLlave(
  contexto: ContextoCliente,
  rfc: RfcVista,
  tecleado: GenerarTecleado = {},
  status: Pagina['status'] = 200,
): Promise<Response> {
  const { csrf, deps, now, pagina, usuario } = contexto;
  const recordada = await isRecordada(contexto, rfc);
  const { llave } = rfc;
  const llaves = await createLlaves(deps.database).list(rfc.id);
  const anteriores = llaves.filter(({ estado }) => estado !== 'ACTIVA').slice(0, MAX_ANTERIORES);
  const { abiertas } = llave
    ? await createContribuyentes(deps.database).abiertas(usuario.cuentaId, llave.id)
    : { abiertas: 0 };
  return pagina({
    titulo: `API key de ${rfc.rfc}`,
    status,
    contenido: (
      <>
        <Encabezado rfc={rfc} parte="/llave" titulo={`API key de ${rfc.rfc}`} />
        {llave ? <LlaveVigente llave={llave} now={now} /> : null}
        {llave && llave.registradaEn === null ? <Asociar rfc={rfc.rfc} apiUrl={deps.settings.apiPublicUrl} /> : null}
        <GenerarLlave
          rfc={rfc}
          abiertas={abiertas}
          csrf={csrf}
          now={now}
          tecleado={tecleado}
          modo={deps.settings.modoLlave}
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
      </>
    ),
  });
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
        <dl class="datos">
          <dt>Llave</dt>
          <dd>
            <code>
              acuse_{llave.modo}_{llave.id}_…{llave.ultimos4}
            </code>
          </dd>
          <dt>Creada</dt>
          <dd>
            <Fecha valor={llave.creadaEn} /> ({dias === 1 ? '1 día' : `${dias} días`})
          </dd>
          <dt>Último uso</dt>
          <dd>
            {llave.ultimoUsoEn ? (
              <>
                <Fecha valor={llave.ultimoUsoEn} /> desde <code>{llave.ultimaIp}</code>
              </>
            ) : (
              'Nunca se ha usado'
            )}
          </dd>
          <dt>RFC asociado</dt>
          <dd>
            {llave.registradaEn ? (
              <>
                Sí, desde el <Fecha valor={llave.registradaEn} />
              </>
            ) : (
              <Estado texto="Todavía no" tono="alerta" />
            )}
          </dd>
        </dl>
      </Tarjeta>
    </>
  );
}

/** How to associate the RFC with the key, which the API demands before any query. */
function Asociar({ rfc, apiUrl }: { readonly rfc: string; readonly apiUrl: string }) {
  return (
    <Tarjeta titulo="Falta un paso: asociar el RFC con la llave">
      <p>
        Llame una vez a <code>vault/rfc-registrar</code> con la llave; hasta entonces las consultas responden 1003.
        Guardar una credencial desde el panel también la asocia.
      </p>
      <Copiar etiqueta="Comando para asociar el RFC" bloque valor={curlRegistrar(apiUrl, rfc)} />
    </Tarjeta>
  );
}

function Anteriores({ llaves }: { readonly llaves: readonly LlaveListada[] }) {
  return (
    <Tarjeta titulo="Llaves anteriores">
      <Tabla
        titulo="Llaves que ya no sirven, la última primero"
        columnas={[{ titulo: 'Llave' }, { titulo: 'Estado' }, { titulo: 'Creada' }, { titulo: 'Terminó' }]}
        filas={llaves.map((llave) => [
          <code>
            {llave.id}_…{llave.ultimos4}
          </code>,
          <Estado valor={llave.estado} />,
          <Fecha valor={llave.creadaEn} />,
          <Fecha valor={llave.terminadaEn} />,
        ])}
      />
    </Tarjeta>
  );
}
