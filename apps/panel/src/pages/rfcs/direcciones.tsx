import { createContribuyentes, type RfcVista } from '@acuse/db';
import { headOf, hrefRfc } from '@acuse/page';
import { Aviso, Tarjeta } from '@acuse/page/blocks';
import { Boton, Campo, Formulario } from '@acuse/page/form';
import { count } from '@acuse/page/formato';
import { type ContextoCliente, rfcRoutes } from '../../paginas.ts';
import { admits, readDirecciones, remarkOf } from './reglas/direcciones.ts';

interface Tecleado {
  /** Text of the list as it is typed now. */
  readonly lista: string;
  readonly reparos?: readonly string[];
  /** The person's own address was put into the list, which is not saved yet. */
  readonly isAgregada?: boolean;
  /** The list would lock the person's own address out; it may be saved all the same. */
  readonly seQuedaFuera?: boolean;
}

export const addressesPage = rfcRoutes('accesos');

/** The addresses that may call for an RFC. */
addressesPage.get('/direcciones', (contexto, rfc) => page(contexto, rfc, { lista: rfc.ips.join('\n') }));

/** Saves the list, or puts the caller's own address into it. One that locks the caller out is asked about once. */
addressesPage.post('/direcciones', async (contexto, rfc) => {
  const { campos, deps, ip, redirectTo, usuario } = contexto;
  const lista = campos['lista'] ?? '';
  const accion = campos['accion'];
  if (accion === 'mia') return page(contexto, rfc, { lista: withOwn(lista, ip), isAgregada: true });
  const { cidrs, reparos } = readDirecciones(lista);
  if (reparos.length > 0) return page(contexto, rfc, { lista, reparos });
  if (!admits(cidrs, ip) && accion !== 'sin-mi') return page(contexto, rfc, { lista, seQuedaFuera: true });
  await createContribuyentes(deps.database).setIps({
    cuentaId: usuario.cuentaId,
    rfc: rfc.rfc,
    cidrs,
    ...contexto.autor,
  });
  const texto =
    cidrs.length === 0
      ? 'La lista quedó vacía: cualquier dirección puede llamar con la API key.'
      : `La lista quedó guardada con ${count(cidrs.length, 'entrada', 'entradas')}. Desde otras direcciones se responde 1003 a partir de la siguiente llamada.`;
  return redirectTo(hrefRfc(rfc.rfc, '/direcciones'), { tono: 'exito', texto });
});

/** The typed list with one's own address, unless a block of it has it already. */
function withOwn(lista: string, ip: string): string {
  const { cidrs } = readDirecciones(lista);
  const typed = lista.trim();
  if (cidrs.length > 0 && admits(cidrs, ip)) return typed;
  return typed === '' ? ip : `${typed}\n${ip}`;
}

function page({ ip, pagina }: ContextoCliente, rfc: RfcVista, tecleado: Tecleado): Response {
  const { lista, reparos = [], isAgregada = false, seQuedaFuera = false } = tecleado;
  const notas = rfc.ips.flatMap((cidr) => {
    const remark = remarkOf(cidr);
    return remark ? [{ cidr, remark }] : [];
  });
  return pagina(
    `Direcciones IP de ${rfc.rfc}`,
    <>
      <p>
        {rfc.ips.length === 0
          ? 'Ahora se puede llamar a la API desde cualquier dirección. Con una lista, las demás reciben 403 con código 1003.'
          : 'Solo estas direcciones pueden llamar con la API key; las demás reciben 403 con código 1003.'}{' '}
        Entrar al panel no depende de esta lista.
      </p>
      {reparos.length > 0 ? (
        <Aviso tono="error" titulo="No se guardó: hay entradas que no se entienden">
          <ul>
            {reparos.map((reparo) => (
              <li>{reparo}</li>
            ))}
          </ul>
        </Aviso>
      ) : null}
      {isAgregada ? <Aviso tono="info">Su dirección está en la lista de abajo. Falta guardarla.</Aviso> : null}
      {seQuedaFuera ? (
        <Aviso tono="alerta" titulo="Se quedaría fuera de la lista">
          Su dirección (<code>{ip}</code>) no está en ella: las llamadas que haga desde este equipo, también las de la
          página Probar, responderían 1003. Agréguela, o guarde así si solo llaman sus servidores.
        </Aviso>
      ) : null}
      <Tarjeta>
        <Formulario accion={hrefRfc(rfc.rfc, '/direcciones')} descripcion="Direcciones que pueden llamar">
          <Campo
            nombre="lista"
            label="Direcciones y bloques"
            filas={8}
            value={lista}
            error={reparos.length > 0 ? 'Corrija las entradas que se nombran arriba.' : undefined}
            ayuda={
              <>
                Una por línea: una dirección (203.0.113.7, 2001:db8::7) o un bloque CIDR (203.0.113.0/24). Vacía, puede
                llamar cualquiera. Su dirección ahora es <code>{ip}</code>.
              </>
            }
            literal
          />
          <div class="fila">
            <Boton nombre="accion" value="guardar">
              Guardar
            </Boton>
            <Boton variante="secundario" nombre="accion" value="mia">
              Agregar mi dirección
            </Boton>
            {seQuedaFuera ? (
              <Boton variante="peligro" nombre="accion" value="sin-mi">
                Guardar sin mi dirección
              </Boton>
            ) : null}
          </div>
        </Formulario>
      </Tarjeta>
      {notas.length > 0 ? (
        <Aviso tono="info" titulo="Sobre lo guardado">
          <ul>
            {notas.map(({ cidr, remark }) => (
              <li>
                <code>{cidr}</code>: {remark}.
              </li>
            ))}
          </ul>
        </Aviso>
      ) : null}
    </>,
    { ...headOf(rfc, '/direcciones'), status: reparos.length > 0 || seQuedaFuera ? 422 : 200 },
  );
}
