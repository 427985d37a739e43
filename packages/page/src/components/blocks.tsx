import type { Child, PropsWithChildren } from 'hono/jsx';
import type { Parte } from '../acceso/permisos.ts';
import { Boton, hrefWith } from './form.tsx';
import { type FormatoFecha, formatFecha, formatRelativo } from './formato.ts';
import { Permitido } from './permitido.tsx';

/** The colour and urgency of a message. */
export type Tono = 'exito' | 'info' | 'alerta' | 'error';

type AvisoProps = PropsWithChildren<{ readonly tono: Tono; readonly titulo?: string }>;

/** A message in the page. One of tone `error` interrupts a screen reader, the others wait for their turn. */
export function Aviso({ tono, titulo, children }: AvisoProps) {
  return (
    <div class={`aviso ${tono}`} role={tono === 'error' ? 'alert' : 'status'}>
      {titulo ? <p class="aviso-titulo">{titulo}</p> : null}
      <div>{children}</div>
    </div>
  );
}

type TarjetaProps = PropsWithChildren<{
  readonly titulo?: string;
  /** Stands at the right of the title. */
  readonly accion?: Child;
  readonly id?: string;
  /** Only its title is in sight until it is pressed. */
  readonly isFolded?: boolean;
}>;

/** A section of a page on a surface of its own. */
export function Tarjeta({ titulo, accion, id, isFolded = false, children }: TarjetaProps) {
  if (isFolded)
    return (
      <section class="tarjeta" id={id} aria-label={titulo}>
        <details>
          <summary>
            <h2>{titulo}</h2>
          </summary>
          <div class="pila">{children}</div>
        </details>
      </section>
    );
  return (
    <section class="tarjeta" id={id} aria-label={titulo}>
      {titulo ? (
        <div class="titular">
          <h2>{titulo}</h2>
          {accion}
        </div>
      ) : null}
      {children}
    </section>
  );
}

type VacioProps = PropsWithChildren<{
  readonly titulo: string;
  /** The next step; with `cambiar`, of those who may change that part of the account. */
  readonly accion?: { readonly href: string; readonly texto: string; readonly cambiar?: Parte };
}>;

/** What stands where there is nothing yet: what would be here, and how to get it. */
export function Vacio({ titulo, accion, children }: VacioProps) {
  return (
    <div class="vacio">
      <strong>{titulo}</strong>
      {children ? <p class="suave">{children}</p> : null}
      {accion ? <Next {...accion} /> : null}
    </div>
  );
}

function Next({ href, texto, cambiar }: NonNullable<VacioProps['accion']>) {
  const boton = <Boton href={href}>{texto}</Boton>;
  return cambiar === undefined ? boton : <Permitido cambiar={cambiar}>{boton}</Permitido>;
}

interface CopyButtonProps {
  readonly value: string;
  /** What it is, said by screen readers: "Llave de API". */
  readonly label: string;
  /** Keeps line breaks, as in a command of several lines. */
  readonly bloque?: boolean;
}

/** Text to be copied. One click selects all of it; with scripts there is a button, which stays hidden without them. */
export function CopyButton({ value, label, bloque = false }: CopyButtonProps) {
  return (
    <div class="copiar" data-copiar>
      {bloque ? <pre>{value}</pre> : <code>{value}</code>}
      <button type="button" class="boton secundario" aria-label={`Copiar: ${label}`} hidden>
        Copiar
      </button>
      <span class="solo-lectores" role="status" />
    </div>
  );
}

const CONOCIDOS = {
  EN_PROCESO: ['En proceso', 'info'],
  ESPERA_EFIRMA: ['Espera la e.firma', 'alerta'],
  TERMINADA: ['Terminada', 'exito'],
  ERROR: ['No se pudo', 'error'],
  RECHAZADA: ['Rechazada por el SAT', 'error'],
  VENCIDA: ['Venció el plazo', 'error'],
  CANCELADA: ['Cancelada', 'neutro'],
  ACTIVA: ['Activa', 'exito'],
  REEMPLAZADA: ['Reemplazada', 'neutro'],
  REVOCADA: ['Revocada', 'error'],
  PENDIENTE: ['Pendiente', 'alerta'],
  ACREDITADO: ['Acreditado', 'exito'],
  RECHAZADO: ['Rechazado', 'error'],
  CANCELADO: ['Cancelado', 'neutro'],
} as const satisfies Readonly<Record<string, readonly [texto: string, tono: Tono | 'neutro']>>;

type Conocido = keyof typeof CONOCIDOS;

const isConocido = (value: string): value is Conocido => Object.hasOwn(CONOCIDOS, value);

/** How a state is called, wherever it is named. */
export function nombreEstado(value: Conocido): string {
  return CONOCIDOS[value][0];
}

interface EstadoProps {
  /** A word of the contract, such as `EN_PROCESO`; its text and colour are known. */
  readonly value?: string;
  /** Text and colour of one's own, or in place of the known ones. */
  readonly texto?: string;
  readonly tono?: Tono | 'neutro';
}

/** A pill that names a state; the colour only repeats what the text says. */
export function Estado({ value = '', texto, tono }: EstadoProps) {
  const conocido = isConocido(value) ? CONOCIDOS[value] : undefined;
  const color = tono ?? conocido?.[1] ?? 'neutro';
  return <span class={color === 'neutro' ? 'estado' : `estado ${color}`}>{texto ?? conocido?.[0] ?? value}</span>;
}

interface ConNotaProps {
  /** Null leaves it out. */
  readonly nota: Child;
  /** The note is an identifier. */
  readonly literal?: boolean;
}

/** What a cell of a table says, with something smaller under it. */
export function ConNota({ nota, literal = false, children }: PropsWithChildren<ConNotaProps>) {
  return (
    <>
      {children}
      {nota === null ? null : <div class={literal ? 'bajo suave chica fija' : 'bajo suave chica'}>{nota}</div>}
    </>
  );
}

interface FechaProps {
  /** Null shows a dash. */
  readonly value: Date | null;
  readonly formato?: FormatoFecha;
  /** Shows the distance from this moment ("hace 5 minutos") and keeps the full date as the title. */
  readonly relativaA?: Date;
}

/** A moment in the time of central Mexico, with the exact one in `datetime`. */
export function Fecha({ value, formato = 'diaHora', relativaA }: FechaProps) {
  if (value === null) return <span class="suave">—</span>;
  const exacta = value.toISOString();
  if (relativaA)
    return (
      <time datetime={exacta} title={`${formatFecha(value)}, centro de México`}>
        {formatRelativo(value, relativaA)}
      </time>
    );
  return <time datetime={formato === 'calendario' ? exacta.slice(0, 10) : exacta}>{formatFecha(value, formato)}</time>;
}

interface DatosProps {
  /** Name, value, and the class of the value where it has one; null leaves a row out. */
  readonly filas: readonly (readonly [titulo: string, value: Child, clase?: string] | null)[];
}

/** Names and their values, one below the other. */
export function Datos({ filas }: DatosProps) {
  return (
    <dl class="datos">
      {filas.map((fila) =>
        fila === null ? null : (
          <>
            <dt>{fila[0]}</dt>
            <dd class={fila[2]}>{fila[1]}</dd>
          </>
        ),
      )}
    </dl>
  );
}

interface Columna {
  readonly titulo: string;
  /** Aligned to the right with digits of one width. */
  readonly numerica?: boolean;
  /** The heading is for screen readers only, as over a column of buttons. */
  readonly oculta?: boolean;
  /** Place in the two lines of a row on a phone: end of the first, end of the second, a third of its own, or left out. */
  readonly phone?: 'value' | 'end' | 'line' | 'none' | undefined;
  /** Its title stands before its cells on a phone, as before one of several numbers. */
  readonly isNamed?: boolean;
  /** Link that turns the order of the list, where its rows stand in that of this column. */
  readonly orden?: Orden | undefined;
}

interface Orden {
  readonly href: string;
  readonly sorted: 'ascending' | 'descending';
}

/** A column of numbers. */
export const numeric = (titulo: string, more: Omit<Columna, 'titulo' | 'numerica'> = {}): Columna => ({
  titulo,
  numerica: true,
  ...more,
});

export interface TablaProps {
  /** Says what the rows are. */
  readonly titulo: string;
  readonly tituloOculto?: boolean;
  /** A title alone is a column of text. */
  readonly columnas: readonly (Columna | string)[];
  /** One list of cells a row; the first cell names the row. */
  readonly filas: readonly (readonly Child[])[];
  /** Shown instead of the table when there is no row; use `Vacio`. */
  readonly vacia?: Child;
}

/** More columns than two lines hold: each cell has a line of its own on a phone. */
const TWO_LINES = 7;
/** Rows from which the head stays in sight. */
const STICKY = 10;

/** A table. On a phone a row has two lines: its name and its value, then the rest, small. */
export function Tabla({ titulo, tituloOculto = false, columnas: given, filas, vacia }: TablaProps) {
  if (filas.length === 0 && vacia !== undefined) return <>{vacia}</>;
  const columnas = given.map((each) => (typeof each === 'string' ? { titulo: each } : each));
  const isStacked = columnas.length > TWO_LINES;
  const places = placesOf(columnas);
  const several = columnas.filter(({ numerica }) => numerica).length > 1;
  return (
    // Where it is wider than its place, it is scrolled by keyboard too. A group: as a landmark it would repeat the card
    // that it stands in.
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is of a form.
    <div
      class={['tabla', isStacked ? 'apilada' : 'plana', filas.length > STICKY ? 'alta' : ''].join(' ').trim()}
      role="group"
      aria-label={titulo}
      tabindex={0}
    >
      <table>
        <caption class={tituloOculto ? 'solo-lectores' : undefined}>{titulo}</caption>
        <thead>
          <tr>
            {columnas.map(({ titulo: name, numerica, oculta, orden }) => (
              <th scope="col" class={numerica ? 'numerica' : undefined} aria-sort={orden?.sorted}>
                {oculta ? <span class="solo-lectores">{name}</span> : orden ? <a href={orden.href}>{name}</a> : name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {filas.map((celdas) => (
            <tr>
              {celdas.map((celda, at) => {
                const {
                  titulo: name,
                  oculta,
                  numerica,
                  isNamed = several && numerica,
                } = columnas[at] ?? { titulo: '' };
                const [Celda, scope] = at === 0 ? (['th', 'row'] as const) : (['td'] as const);
                return (
                  <Celda
                    scope={scope}
                    data-titulo={(isStacked && !oculta) || (isNamed && at > 0) ? name : undefined}
                    class={[numerica ? 'numerica' : '', places[at]].filter(Boolean).join(' ') || undefined}
                  >
                    <div>{celda}</div>
                  </Celda>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Classes of the cells of a row on a phone, in the order of the columns. */
function placesOf(columnas: readonly Columna[]): readonly string[] {
  const asked = (place: Columna['phone']) => columnas.findIndex(({ phone }) => phone === place);
  const isFree = ({ phone }: Columna, at: number) => at > 0 && phone === undefined;
  const numbers = columnas.flatMap((each, at) => (each.numerica && isFree(each, at) ? [at] : []));
  const free = columnas.flatMap((each, at) => (isFree(each, at) ? [at] : []));
  const value = asked('value') > 0 ? asked('value') : (numbers.at(-1) ?? (asked('end') > 0 ? -1 : (free.at(-1) ?? -1)));
  const notes = free.filter((at) => at !== value);
  const end = asked('end') > 0 ? asked('end') : notes.length > 1 ? (notes.at(-1) ?? -1) : -1;
  return columnas.map(({ phone }, at) => {
    if (at === 0) return value < 0 ? 'sola' : '';
    return at === value
      ? 'valor'
      : at === end
        ? 'fin'
        : phone === 'none'
          ? 'fuera'
          : phone === 'line'
            ? 'linea'
            : 'nota';
  });
}

/** Value of `orden` in the address of a list that is read from its far end, by how its first page is sorted. */
const FAR_END = { ascending: 'z-a', descending: 'antiguas' } as const;

/**
 * How a list is sorted that a key of the database holds in one order, `first`, and that is read from either end: whether
 * from the far one, and the link of the column. `query`: the address without the place of its page.
 */
export function sortOf(path: string, query: Paging<never>['query'], first: Orden['sorted']) {
  const isReversed = query['orden'] === FAR_END[first];
  const other = first === 'ascending' ? 'descending' : 'ascending';
  const href = hrefWith(path, { ...query, orden: isReversed ? undefined : FAR_END[first] });
  return { isReversed, orden: { href, sorted: isReversed ? other : first } satisfies Orden };
}

/** How a list is read: what its address has, and the name there of the row that a page begins after. */
interface Paging<T> {
  readonly path: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly after: string;
  readonly placeOf: (fila: T) => string;
}

/**
 * A page of a list and the addresses of its neighbours: the first page, and the page after its last row. `read` has one
 * row more than `size` when there is a next page.
 */
export function pageOf<T>(read: readonly T[], size: number, { path, query, after, placeOf }: Paging<T>) {
  const { [after]: place, ...kept } = query;
  const filas = read.slice(0, size);
  const last = read.length > size ? filas.at(-1) : undefined;
  return {
    filas,
    anterior: place ? hrefWith(path, kept) : null,
    siguiente: last ? hrefWith(path, { ...kept, [after]: placeOf(last) }) : null,
  };
}

interface PaginacionProps {
  /** Addresses of the neighbours; null at an end. */
  readonly anterior: string | null;
  readonly siguiente: string | null;
  /** Range of the page, such as "51 a 100 de 1,204". */
  readonly resumen?: string;
  /** Name of the list, on a page with several. */
  readonly de?: string;
}

/** The way to the pages before and after; nothing when all fits on one. */
export function Paginacion({ anterior, siguiente, resumen, de }: PaginacionProps) {
  if (anterior === null && siguiente === null) return null;
  return (
    <nav class="paginacion" aria-label={de === undefined ? 'Páginas' : `Páginas de ${de}`}>
      {anterior === null ? (
        <span />
      ) : (
        <Boton variante="secundario" href={anterior}>
          ← Anteriores
        </Boton>
      )}
      {resumen ? <span class="suave numero">{resumen}</span> : null}
      {siguiente === null ? (
        <span />
      ) : (
        <Boton variante="secundario" href={siguiente}>
          Siguientes →
        </Boton>
      )}
    </nav>
  );
}
