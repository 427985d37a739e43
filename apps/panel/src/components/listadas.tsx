import type { LugarListado, SumasCfdi, SupuestoListado } from '@acuse/core';
import { Estado } from './blocks.tsx';
import { count, formatNumero } from './formato.ts';

/** After whom a page of counterparties on lists goes on, as its address says it. */
export const placeOf = ({ rfc, lista }: LugarListado) => `${rfc} ${lista}`;

export function lugarOf(text: string): LugarListado | null {
  const [rfc = '', ...lista] = text.split(' ');
  return rfc === '' ? null : { rfc, lista: lista.join(' ') };
}

/** Which words speak against whoever stands there. */
export const QUE_ES_ADVERSO =
  'Presunto y Definitivo, un sello sin efectos, los créditos firmes, exigibles o cancelados por insolvencia, no ser localizado y las sentencias hablan en su contra; Desvirtuado y Sentencia Favorable aclaran, y lo demás solo informa.';

/** On which list, and under which word. */
export function Supuesto({ lista, supuesto, isAdverso }: Pick<SupuestoListado, 'lista' | 'supuesto' | 'isAdverso'>) {
  return (
    <span class="fila">
      {lista} <Estado texto={supuesto} tono={isAdverso ? 'error' : lista === '69' ? 'neutro' : 'exito'} />
    </span>
  );
}

/** Pesos as the SAT gives them, with separators. */
const pesos = (monto: string) => {
  const [enteros = '0', centavos = ''] = monto.split('.');
  return `$${formatNumero(BigInt(enteros))}.${centavos.slice(0, 2).padEnd(2, '0')}`;
};

/** CFDI in force, of income and of expense, with their pesos. */
export function Sumas({ ingresos, egresos }: SumasCfdi) {
  if (ingresos.cfdi + egresos.cfdi === 0) return <>—</>;
  return (
    <>
      {ingresos.cfdi === 0 ? null : (
        <div>
          {pesos(ingresos.monto)} <span class="suave">en {count(ingresos.cfdi, 'ingreso', 'ingresos')}</span>
        </div>
      )}
      {egresos.cfdi === 0 ? null : (
        <div>
          {pesos(egresos.monto)} <span class="suave">en {count(egresos.cfdi, 'egreso', 'egresos')}</span>
        </div>
      )}
    </>
  );
}
