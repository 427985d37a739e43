import { Datos, Tabla } from '@acuse/page/blocks';
import { formatNumero } from '@acuse/page/formato';

/** Rows of a list that are shown as a table; all of them stand in the text of the answer. */
const MAX_FILAS = 50;
const MAX_COLUMNAS = 8;

/** A field of what may be an object. */
export function field(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isPlain = (value: unknown) => value === null || typeof value !== 'object';

/** `rfc_receptor` as `Rfc receptor`. */
const nameOf = (key: string) => key.charAt(0).toUpperCase() + key.slice(1).replaceAll('_', ' ');

function textOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return '—';
  if (typeof value === 'boolean') return value ? 'Sí' : 'No';
  if (typeof value === 'number') return formatNumero(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const MOMENTO = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}:\d{2}))?$/;

/** A value in a column: a day stays whole, and so does an RFC; a longer word is given places where it may be broken. */
function Celda({ value }: { readonly value: unknown }) {
  const text = textOf(value);
  const [, dia, hora] = MOMENTO.exec(text) ?? [];
  if (dia !== undefined)
    return (
      <>
        <time>{dia}</time> {hora === undefined ? null : <time>{hora}</time>}
      </>
    );
  return text.split(/(\S{14,})/).map((part, at) =>
    at % 2 === 0
      ? part
      : part.match(/.{1,6}/gsu)?.map((each) => (
          <>
            {each}
            <wbr />
          </>
        )),
  );
}

/** What an answer says, for people: what happened, its single values, and its lists as tables. */
export function Legible({ json }: { readonly json: unknown }) {
  const data = field(json, 'data');
  const said = field(json, 'cfdi_texto');
  const entries = isObject(data) ? Object.entries(data) : [];
  const plain = entries.filter(([, value]) => isPlain(value));
  const lists = entries.flatMap(([name, value]) =>
    Array.isArray(value) && value.length > 0 ? [[name, value] as const] : [],
  );
  return (
    <>
      {typeof said === 'string' && said !== 'OK' ? <p>{said}</p> : null}
      {plain.length === 0 ? null : <Datos filas={plain.map(([name, value]) => [nameOf(name), textOf(value)])} />}
      {lists.map(([name, items]) => (
        <Lista name={name} items={items} />
      ))}
    </>
  );
}

function Lista({ name, items }: { readonly name: string; readonly items: readonly unknown[] }) {
  const shown = items.slice(0, MAX_FILAS);
  const rows = shown.map((item) => (isObject(item) ? item : { valor: item }));
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))].slice(0, MAX_COLUMNAS);
  const of = items.length > shown.length ? `los primeros ${shown.length} de ` : '';
  return (
    <Tabla
      titulo={`${nameOf(name)}: ${of}${formatNumero(items.length)}`}
      columnas={columns.map((key) => ({
        titulo: nameOf(key),
        numerica: rows.every((row) => typeof field(row, key) === 'number'),
      }))}
      filas={rows.map((row) => columns.map((key) => <Celda value={field(row, key)} />))}
    />
  );
}
