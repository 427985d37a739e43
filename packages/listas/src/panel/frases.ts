import { count, type Frases, text } from '@acuse/page';
import { formatNumero } from '@acuse/page/formato';

/** Changes that the audit log has of listas. */
export const frases: Frases = {
  'pedir-lista-69b': [
    'Lista 69-B pedida',
    ({ forzar }) => (forzar === true ? 'Pidió la lista 69-B, aunque pareciera incompleta.' : 'Pidió la lista 69-B.'),
  ],
  'pedir-lista': [
    'Lista pedida',
    ({ lista, forzar }) => `Pidió la lista ${text(lista)}${forzar === true ? ', aunque pareciera incompleta' : ''}.`,
  ],
  'importar-lista': [
    'Lista importada',
    ({ lista, filas, fuente }) =>
      `Importó la lista ${text(lista)} de ${text(fuente)}, con ${formatNumero(count(filas))} renglones.`,
  ],
  'importar-edos': [
    'Lista de EDOS importada',
    ({ fuente, rfcs }) =>
      `Importó la lista de EDOS${fuente ? ` de ${text(fuente)}` : ''}${rfcs === undefined ? '' : `, con ${formatNumero(count(rfcs))} RFC`}.`,
  ],
  'borrar-edos': ['Lista de EDOS borrada', 'Borró la lista de EDOS.'],
};
