import { CfdiError } from '@acuse/contract';
import type { Constancia } from '@acuse/core';
import type { Contexto } from '@acuse/operation';
import type { ContextoBase, CoreDeps } from '../operation.ts';
import { askSat } from './ask-sat.ts';
import { consultar, type Obtenida } from './consultar.ts';

const ID_CIF_AJENO =
  'El SAT no tiene una constancia con el idCIF registrado y este RFC. Registre el correcto con rfc-registrar: mientras haya uno, no se usan la CIEC ni la e.firma.';

/**
 * The taxpayer's constancia: from its public page when the idCIF is known, else the document itself with the stored
 * credential.
 */
export async function constanciaDe(
  contexto: Contexto<CoreDeps, 'ciec-o-efirma-o-id-cif'>,
  rfc: string,
): Promise<Obtenida<Constancia>> {
  const { idCif } = contexto.access;
  if (idCif === null) {
    const { respuesta, camino } = await consultar(contexto, { consulta: 'descargar-constancia', rfc });
    return { respuesta: await named(contexto, respuesta.constancia), camino };
  }
  const respuesta = await askSat(contexto, { consulta: 'consultar-constancia-qr', rfc, idCif }, null);
  if (respuesta.resultado === 'ENCONTRADA')
    return { respuesta: await named(contexto, respuesta.constancia), camino: { canal: 'publico', credencial: null } };
  throw new CfdiError('CIEC_NO_GUARDADA', { motivo: ID_CIF_AJENO });
}

/** Returns the same constancia; stores its name for a taxpayer without one. A failed write does not fail the query. */
export async function named(
  { deps, access, ip, opId }: Pick<ContextoBase, 'deps' | 'access' | 'ip' | 'opId'>,
  constancia: Constancia,
): Promise<Constancia> {
  const { contribuyenteId, apiKey } = access;
  const { nombre } = constancia;
  await deps.boveda
    .nameContribuyente({ apiKeyId: apiKey.id, contribuyenteId, nombre, ip })
    .catch((err: unknown) => deps.log.warn({ err, opId }, 'taxpayer_name_not_stored'));
  return constancia;
}

/** The periodicities by their own words, in the text of a constancia. */
const NOMBRES: readonly (readonly [RegExp, string])[] = [
  [/bimestr/, 'Bimestral'],
  [/cuatrimestr/, 'Cuatrimestral'],
  [/(?<!cua)trimestr/, 'Trimestral'],
  [/semestr/, 'Semestral'],
  [/\banual/, 'Anual'],
  [/mensual/, 'Mensual'],
  [/quincen/, 'Quincenal'],
  [/seman/, 'Semanal'],
];

/** What a due date says of the periodicity without naming it; the first that fits counts. */
const INDICIOS: readonly (readonly [RegExp, string])[] = [
  [/segundo mes siguiente/, 'Bimestral'],
  [/ejercicio|del ano|cada ano|\bde (?:febrero|marzo|abril)\b/, 'Anual'],
  [/mes inmediato|mes siguiente|cada mes|del mes|dia 17/, 'Mensual'],
];

const plain = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

/** The periodicity that a text names first. */
function nombrada(text: string): string | undefined {
  const found = NOMBRES.map(([pattern, name]) => ({ at: text.search(pattern), name }));
  return found.filter(({ at }) => at >= 0).sort((a, b) => a.at - b.at)[0]?.name;
}

const hinted = (text: string) => INDICIOS.find(([pattern]) => pattern.test(text))?.[1];

/**
 * How often an obligation recurs. The constancia has no such column: it says when the obligation is due ("A más tardar
 * el día 17 del mes inmediato posterior al periodo que corresponda") and often names the periodicity in its
 * description. `Sin periodo fijo` when neither tells.
 */
export function periodicidadDe(obligacion: { readonly descripcion: string; readonly vencimiento: string }): string {
  const [descripcion, vencimiento] = [plain(obligacion.descripcion), plain(obligacion.vencimiento)];
  return (
    nombrada(descripcion) ?? hinted(descripcion) ?? nombrada(vencimiento) ?? hinted(vencimiento) ?? 'Sin periodo fijo'
  );
}
