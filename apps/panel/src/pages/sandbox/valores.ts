import { diaDe } from '../../fechas/dia-mexico.ts';
import type { CampoOperacion, SandboxOperation } from './catalogo.ts';

/** What the fields of a form show, by the operation's own names; never a secret or a file. */
export type Valores = Readonly<Record<string, string>>;

const MAX_LARGO = 200;

const isShown = ({ secreto, tipo }: CampoOperacion) => !secreto && tipo !== 'archivo';

/**
 * Fills a form with an example that works: the account's own RFC, the month before this one, the year before this one.
 * What `given` names goes first, as when a page links here with the id of a solicitud.
 */
export function exampleValores(
  { campos }: Pick<SandboxOperation, 'campos'>,
  { rfc, now, given }: { readonly rfc?: string | undefined; readonly now: Date; readonly given: Valores },
): Valores {
  const own: Valores = {
    ...periodoAnterior(now),
    ...(rfc ? { rfc, rfc_receptor: rfc } : {}),
  };
  return Object.fromEntries(
    campos.filter(isShown).map((campo) => {
      const example = campo.requerido ? (own[campo.nombre] ?? campo.ejemplo) : '';
      return [campo.nombre, given[campo.nombre]?.slice(0, MAX_LARGO) ?? example];
    }),
  );
}

/** What was typed, as it goes back into the form. */
export function typedValores(
  { campos }: Pick<SandboxOperation, 'campos'>,
  typed: (campo: CampoOperacion) => string | undefined,
): Valores {
  return Object.fromEntries(campos.filter(isShown).map((campo) => [campo.nombre, typed(campo) ?? '']));
}

/** First and last day of the month before, and the year before, on the calendar of central Mexico. */
function periodoAnterior(now: Date): Valores {
  const [year = 0, month = 1] = diaDe(now).split('-').map(Number);
  const day = (date: number) => new Date(date).toISOString().slice(0, 10);
  return {
    desde: day(Date.UTC(year, month - 2, 1)),
    hasta: day(Date.UTC(year, month - 1, 0)),
    ejercicio: String(year - 1),
  };
}
