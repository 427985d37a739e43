import type { Badges, PageDeps } from '@acuse/page';
import { ConNota, Estado, Fecha } from '@acuse/page/blocks';
import { count, formatNumero } from '@acuse/page/formato';
import { createRiesgo } from '../db/index.ts';
import type { LugarListado, SumasCfdi, SupuestoListado } from '../index.ts';

/** After whom a page of counterparties on lists goes on, as its address says it. */
export const placeOf = ({ rfc, lista }: LugarListado) => `${rfc} ${lista}`;

export function lugarOf(text: string): LugarListado | null {
  const [rfc = '', ...lista] = text.split(' ');
  return rfc === '' ? null : { rfc, lista: lista.join(' ') };
}

/** Explains adverse words of the lists. */
export const QUE_ES_ADVERSO =
  'Presunto y Definitivo, un sello sin efectos, los créditos firmes, exigibles o cancelados por insolvencia, no ser localizado y las sentencias hablan en su contra; Desvirtuado y Sentencia Favorable aclaran, y lo demás solo informa.';

/** The day of a publication, as the SAT gives it. */
export const Publicado = ({ dia }: { readonly dia: string }) => (
  <>
    publicado el <Fecha value={new Date(dia)} formato="calendario" />
  </>
);

/** Badges of taxpayers that stand on a list today under an adverse word, as `69-B Definitivo`. */
export const readBadges = async ({ database }: Pick<PageDeps, 'database'>, rfcs: readonly string[]): Promise<Badges> =>
  new Map(
    (await createRiesgo(database).adverse(rfcs)).map(({ rfc, lista, supuesto }) => [
      rfc,
      <Estado texto={`${lista} ${supuesto}`} tono="error" />,
    ]),
  );

/** On which list, under which word, and since when. */
export function Supuesto({ lista, supuesto, isAdverso, publicada }: Omit<SupuestoListado, 'rfc'>) {
  return (
    <ConNota nota={publicada === null ? null : <Publicado dia={publicada} />}>
      <span class="fila">
        {lista} <Estado texto={supuesto} tono={isAdverso ? 'error' : lista === '69' ? 'neutro' : 'exito'} />
      </span>
    </ConNota>
  );
}

/** Pesos as the SAT gives them, with separators. */
const pesos = (monto: string) => {
  const [enteros = '0', centavos = ''] = monto.split('.');
  return `$${formatNumero(BigInt(enteros))}.${centavos.slice(0, 2).padEnd(2, '0')}`;
};

/** CFDI in force, of income and of expense, with their pesos. */
export function Sumas({ ingresos, egresos }: SumasCfdi) {
  const shown = [
    { ...ingresos, cuantos: count(ingresos.cfdi, 'factura', 'facturas') },
    { ...egresos, cuantos: count(egresos.cfdi, 'nota de crédito', 'notas de crédito') },
  ].filter(({ cfdi }) => cfdi > 0);
  if (shown.length === 0) return <>—</>;
  return (
    <>
      {shown.map(({ monto, cuantos }) => (
        <div>
          <ConNota nota={`en ${cuantos}`}>{pesos(monto)}</ConNota>
        </div>
      ))}
    </>
  );
}
