import { parseRfc } from '@acuse/contract';
import { createCobros, createContribuyentes, createLlaves, type RfcVista } from '@acuse/db';
import { parseApiKey, wipeApiKey } from '@acuse/vault';
import { createLlaveRecordada } from '../../acceso/llave-recordada.ts';
import { type ContextoCliente, defineRuta } from '../../http/ruta.ts';
import { readLlaveTecleada } from '../rfcs/reglas/llave-tecleada.ts';
import type { SandboxOperation } from './catalogo.ts';
import { curlOf, fieldName, maskCuerpo, maskText, readCuerpo, secretsOf } from './cuerpo.ts';
import { idempotencyKeyOf } from './intento.ts';
import { isTokenText, type SandboxResult } from './llamar-api.ts';
import { renderOperacion, renderSinApi } from './pagina.tsx';
import { Resultado } from './resultado.tsx';
import { sandboxOf } from './sandbox.ts';
import { exampleValores, typedValores } from './valores.ts';

const PATH = '/pruebas/:grupo/:operacion';

/** The form of an operation, filled with an example; non-secret fields may be given in the address. */
export const verOperacion = defineRuta({
  metodo: 'GET',
  path: PATH,
  acceso: 'cliente',
  async handle(contexto) {
    const { c, deps, usuario, now } = contexto;
    const found = await findOperacion(contexto);
    if (found instanceof Response) return found;
    const rfcs = await createContribuyentes(deps.database).names(usuario.cuentaId, 1);
    return renderOperacion(contexto, {
      operacion: found,
      valores: exampleValores(found, { rfc: rfcs[0]?.rfc, now, given: c.req.query() }),
    });
  },
});

/** Calls the API as the form says and shows what it answered. */
export const probarOperacion = defineRuta({
  metodo: 'POST',
  path: PATH,
  acceso: 'cliente',
  async handle(contexto) {
    const found = await findOperacion(contexto);
    if (found instanceof Response) return found;
    const { campos, archivos, deps, usuario, ip } = contexto;
    const valores = typedValores(found, (campo) => campos[fieldName(campo)]);
    const tecleada = (campos['llave'] ?? '').trim();
    const recordada = createLlaveRecordada(contexto);
    const own = await ownRfc(contexto, valores['rfc']);
    const apiKey = tecleada || ((own && (await recordada.recall(own))) ?? '');
    if (!isTokenText(apiKey))
      return renderOperacion(contexto, {
        operacion: found,
        valores,
        status: 422,
        faltaLlave: 'Pegue aquí la llave completa, como se mostró al generarla: acuse_test_… o acuse_live_…',
      });

    const cuerpo = await readCuerpo(found, campos, archivos);
    const idempotencyKey = found.esIdempotente ? idempotencyKeyOf(campos['intento'], cuerpo) : null;
    const isOwn = await isOwnKey(contexto, apiKey);
    const { api, withSlot } = sandboxOf(deps);
    const cobros = createCobros(deps.database);
    const marca = isOwn ? await cobros.mark(usuario.cuentaId) : null;
    const resultado = await withSlot(usuario.id, () =>
      api.call({ nombre: found.nombre, cuerpo, apiKey, ip, idempotencyKey }),
    );
    if (resultado === null)
      return renderOperacion(contexto, {
        operacion: found,
        valores,
        status: 429,
        faltaLlave: 'Ya tiene tres llamadas en curso desde esta página. Espere a que termine una y repita esta.',
      });
    if (own?.llave && tecleada && resultado.tipo === 'respuesta' && resultado.status === 200)
      await keepOwn(contexto, tecleada, own);
    return renderOperacion(contexto, {
      operacion: found,
      valores,
      resultado: (
        <Resultado
          id="respuesta"
          resultado={maskResultado(resultado, secretsOf(found, cuerpo, apiKey))}
          curl={curlOf(deps.settings.apiPublicUrl, found.nombre, maskCuerpo(found, cuerpo))}
          cobro={marca && (await cobros.since(usuario.cuentaId, found.nombre, marca))}
        />
      ),
    });
  },
});

/** The taxpayer of the account that the form names, or null. */
async function ownRfc({ deps, usuario }: ContextoCliente, text: string | undefined) {
  const rfc = parseRfc(text);
  return rfc === null ? null : createContribuyentes(deps.database).find(usuario.cuentaId, rfc);
}

/** Keeps a key that the API has just taken, if it is the one of this taxpayer. */
async function keepOwn(contexto: ContextoCliente, texto: string, own: RfcVista): Promise<void> {
  const tecleada = await readLlaveTecleada(texto, own, contexto);
  if (typeof tecleada !== 'string') wipeApiKey(tecleada.apiKey);
}

/** The operation that the address names, or the page that says why there is none. */
async function findOperacion(contexto: ContextoCliente): Promise<SandboxOperation | Response> {
  const { c, deps } = contexto;
  const nombre = `${c.req.param('grupo')}/${c.req.param('operacion')}`;
  const operaciones = await sandboxOf(deps).catalogo();
  if (operaciones === null) return renderSinApi(contexto);
  return operaciones.find((operacion) => operacion.nombre === nombre) ?? contexto.noEncontrada();
}

/** Whether a call with this key is paid by the person's account: only then its balance says what the call cost. */
async function isOwnKey({ deps, usuario }: ContextoCliente, text: string): Promise<boolean> {
  const apiKey = parseApiKey(text);
  if (apiKey === null) return false;
  wipeApiKey(apiKey);
  return createLlaves(deps.database).isOf(usuario.cuentaId, apiKey.keyId);
}

function maskResultado(resultado: SandboxResult, secretos: readonly string[]): SandboxResult {
  if (resultado.tipo === 'sin-respuesta') return resultado;
  return { ...resultado, texto: maskText(resultado.texto, secretos) };
}
