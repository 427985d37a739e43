import { MAX_NOMBRE, readNombre } from '@acuse/contract';
import { DIAS_ROTACION } from '@acuse/core';
import { createContribuyentes, type RfcVista } from '@acuse/db';
import { headOf, hrefRfc, Permitido } from '@acuse/page';
import { Aviso, Datos, Estado, Fecha, Tarjeta } from '@acuse/page/blocks';
import { Boton, Campo, Formulario } from '@acuse/page/form';
import { count } from '@acuse/page/formato';
import { type ContextoCliente, rfcRoutes } from '../../paginas.ts';
import { edadEnDias, estadoCer, estadoCiec, estadoLlaveEfirma } from './reglas/estado-credenciales.ts';
import { readIdCif } from './reglas/read-rfc.ts';

export const rfcPage = rfcRoutes('rfcs');

/** An RFC at a glance, and its next step. */
rfcPage.get('', (contexto, rfc) => page(contexto, rfc));

/** Keeps or forgets the idCIF. */
rfcPage.post('', async (contexto, rfc) => {
  const { campos, deps, usuario, redirectTo } = contexto;
  const leido = readIdCif(campos['id_cif'] ?? '');
  if (!leido.valido) return page(contexto, rfc, leido.error);
  const nombre = readNombre(campos['nombre']);
  const rfcs = createContribuyentes(deps.database);
  const suyo = { cuentaId: usuario.cuentaId, rfc: rfc.rfc, ...contexto.autor };
  if (nombre !== rfc.nombre) await rfcs.setNombre({ ...suyo, nombre });
  if (leido.valor !== rfc.idCif) await rfcs.setIdCif({ ...suyo, idCif: leido.valor });
  const dato = leido.valor ? 'El idCIF quedó guardado.' : 'El idCIF quedó borrado.';
  const texto = leido.valor === rfc.idCif ? 'Los datos quedaron guardados.' : dato;
  return redirectTo(hrefRfc(rfc.rfc), { tono: 'exito', texto });
});

function page({ campos, now, pagina }: ContextoCliente, rfc: RfcVista, faltaIdCif?: string): Response {
  return pagina(
    rfc.rfc,
    <>
      <SiguientePaso rfc={rfc} now={now} />
      <div class="rejilla">
        <Llave rfc={rfc} now={now} />
        <Permitido ver="credenciales">
          <Credenciales rfc={rfc} now={now} />
        </Permitido>
        <Permitido ver="accesos">
          <Acceso rfc={rfc} />
        </Permitido>
      </div>
      <Permitido cambiar="rfcs">
        <Tarjeta titulo="Datos del contribuyente">
          <Formulario
            accion={hrefRfc(rfc.rfc)}
            descripcion="Datos del contribuyente"
            valores={{ nombre: rfc.nombre ?? '', id_cif: rfc.idCif ?? '', ...campos }}
            faltas={{ id_cif: faltaIdCif }}
          >
            <Campo
              nombre="nombre"
              label="Nombre"
              ayuda="Para reconocerlo y buscarlo en el panel. Sin él se usa el del certificado."
              maxLargo={MAX_NOMBRE}
            />
            <Campo
              nombre="id_cif"
              label="idCIF de la constancia"
              ayuda="11 dígitos, junto al código QR. Con él, datos-fiscales responde sin CIEC ni e.firma. Vacío lo borra."
              teclado="numeric"
              literal
              maxLargo={20}
              autocompletar="off"
            />
            <Boton variante="secundario">Guardar</Boton>
          </Formulario>
        </Tarjeta>
      </Permitido>
    </>,
    { ...headOf(rfc, ''), status: faltaIdCif ? 422 : 200 },
  );
}

function SiguientePaso({ rfc, now }: { readonly rfc: RfcVista; readonly now: Date }) {
  const href = (sub: '/llave' | '/credenciales') => hrefRfc(rfc.rfc, sub);
  if (rfc.llave === null)
    return (
      <Aviso tono="info" titulo="Siguiente paso: la API key">
        <Permitido cambiar="llaves" otherwise="Un propietario o un desarrollador de la cuenta tiene que generarla.">
          <a href={href('/llave')}>Genere la API key de este RFC</a> para llamar a la API.
        </Permitido>
      </Aviso>
    );
  if (rfc.ciec === null && rfc.cer === null)
    return (
      <Aviso tono="info" titulo="Siguiente paso: la CIEC o la e.firma">
        Las consultas al SAT se hacen con la credencial del contribuyente.{' '}
        <Permitido cambiar="credenciales" otherwise="La guarda un propietario o un contador de la cuenta.">
          <a href={href('/credenciales')}>Guárdela aquí</a> o con las operaciones vault/… de la API.
        </Permitido>
      </Aviso>
    );
  if (rfc.llave.registradaEn === null)
    return (
      <Aviso tono="alerta" titulo="Falta asociar el RFC con la llave">
        Hasta que se llame a vault/rfc-registrar con esta llave, las consultas responden 1003.{' '}
        <Permitido ver="llaves">
          <a href={href('/llave')}>Vea cómo</a>.
        </Permitido>
      </Aviso>
    );
  const rechazada = rfc.ciec?.rechazadaEn || (rfc.cer?.rechazadaEn && rfc.cer.sirveEn === null);
  const isVencido = rfc.cer?.vigenteHasta != null && rfc.cer.vigenteHasta <= now;
  if (rechazada || isVencido)
    return (
      <Aviso tono="error" titulo="Una credencial ya no sirve">
        {rechazada
          ? 'El SAT la rechazó y no se vuelve a intentar, para no bloquear el acceso del contribuyente.'
          : 'El certificado de la e.firma venció.'}{' '}
        <Permitido cambiar="credenciales" otherwise="La guarda de nuevo un propietario o un contador de la cuenta.">
          <a href={href('/credenciales')}>Guárdela de nuevo</a>.
        </Permitido>
      </Aviso>
    );
  return null;
}

function Llave({ rfc, now }: { readonly rfc: RfcVista; readonly now: Date }) {
  const { llave } = rfc;
  const dias = llave ? edadEnDias(llave.creadaEn, now) : 0;
  return (
    <Tarjeta titulo="API key">
      {llave ? (
        <Datos
          filas={[
            ['Termina en', <code>…{llave.ultimos4}</code>],
            [
              'Creada',
              <>
                <Fecha value={llave.creadaEn} formato="dia" />{' '}
                {dias >= DIAS_ROTACION ? <Estado texto={`${dias} días: conviene cambiarla`} tono="alerta" /> : null}
              </>,
            ],
            [
              'Último uso',
              llave.ultimoUsoEn ? (
                <>
                  <Fecha value={llave.ultimoUsoEn} relativaA={now} /> desde <code>{llave.ultimaIp}</code>
                </>
              ) : (
                'Nunca'
              ),
            ],
          ]}
        />
      ) : (
        <p class="suave">No hay ninguna llave activa.</p>
      )}
      <Permitido ver="llaves">
        <Boton variante="secundario" href={hrefRfc(rfc.rfc, '/llave')}>
          {llave ? 'Cambiar o revocar la llave' : 'Generar la API key'}
        </Boton>
      </Permitido>
    </Tarjeta>
  );
}

function Credenciales({ rfc, now }: { readonly rfc: RfcVista; readonly now: Date }) {
  return (
    <Tarjeta titulo="Credenciales">
      <Datos
        filas={[
          ['CIEC', <Estado {...estadoCiec(rfc)} />],
          [
            'Certificado',
            <>
              <Estado {...estadoCer(rfc, now)} />
              {rfc.cer?.vigenteHasta ? (
                <span class="chica">
                  {' '}
                  hasta el <Fecha value={rfc.cer.vigenteHasta} formato="dia" />
                </span>
              ) : null}
            </>,
          ],
          [
            'Llave privada',
            <>
              <Estado {...estadoLlaveEfirma(rfc)} />
              {rfc.efirmaKey ? (
                <span class="chica">
                  {' '}
                  se borra <Fecha value={rfc.efirmaKey.expiraEn} relativaA={now} />
                </span>
              ) : null}
            </>,
          ],
        ]}
      />
      <Boton variante="secundario" href={hrefRfc(rfc.rfc, '/credenciales')}>
        Guardar credenciales
      </Boton>
    </Tarjeta>
  );
}

function Acceso({ rfc }: { readonly rfc: RfcVista }) {
  const { deshabilitadas, ips } = rfc;
  return (
    <Tarjeta titulo="Acceso">
      <Datos
        filas={[
          [
            'Operaciones',
            <>
              {deshabilitadas.length === 0
                ? 'Todas activas'
                : count(deshabilitadas.length, 'desactivada', 'desactivadas')}{' '}
              <a href={hrefRfc(rfc.rfc, '/operaciones')}>Cambiar operaciones</a>
            </>,
          ],
          [
            'Direcciones IP',
            <>
              {ips.length === 0
                ? 'Cualquiera puede llamar'
                : `Solo las de la lista: ${count(ips.length, 'entrada', 'entradas')}`}{' '}
              <a href={hrefRfc(rfc.rfc, '/direcciones')}>Cambiar direcciones</a>
            </>,
          ],
        ]}
      />
    </Tarjeta>
  );
}
