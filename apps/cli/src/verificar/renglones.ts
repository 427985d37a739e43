const MAX_RECORD = 4_194_304;

/** A CSV is not as the service writes it. */
export class CsvIlegible extends Error {}

/**
 * Reads a CSV of the service (RFC 4180, CRLF) in chunks that end anywhere. `each` gets the fields of each record behind
 * the header by the names of `columnas`; columns that the header lacks are undefined. Bytes are read as Latin-1, since
 * those columns are ASCII.
 */
export function createRenglones<Columna extends string>(
  columnas: readonly Columna[],
  each: (fila: Readonly<Partial<Record<Columna, string>>>) => void,
) {
  let rest = '';
  let records = 0;
  let wanted: (readonly [Columna, number])[] = [];

  function see(fields: readonly string[]): void {
    records += 1;
    if (records === 1) wanted = columnas.map((name) => [name, fields.indexOf(name)]);
    else each(Object.fromEntries(wanted.map(([name, at]) => [name, fields[at]])) as Partial<Record<Columna, string>>);
  }

  return {
    push(chunk: Buffer): void {
      const text = rest + chunk.toString('latin1');
      let from = 0;
      for (let read = readRecord(text, from); read !== null; read = readRecord(text, from)) {
        see(read.fields);
        from = read.end;
      }
      rest = text.slice(from);
      if (rest.length > MAX_RECORD) throw new CsvIlegible(`el renglón ${records + 1} no termina`);
    },
    /** Records behind the header. */
    end(): number {
      if (rest !== '' || records === 0) throw new CsvIlegible(`el renglón ${records + 1} no termina`);
      return records - 1;
    },
  };
}

/** The record at `from`, or null when it is not whole yet. */
function readRecord(text: string, from: number): { readonly fields: string[]; readonly end: number } | null {
  const fields: string[] = [];
  for (let at = from; ; ) {
    let end = at;
    if (text[at] === '"') {
      end = closingQuote(text, at + 1);
      if (end === -1) return null;
      fields.push(text.slice(at + 1, end).replaceAll('""', '"'));
      end += 1;
    } else {
      while (end < text.length && text[end] !== ',' && text[end] !== '\r') end += 1;
      fields.push(text.slice(at, end));
    }
    if (end + 1 >= text.length) return null;
    if (text[end] === '\r' && text[end + 1] === '\n') return { fields, end: end + 2 };
    if (text[end] !== ',') throw new CsvIlegible('un campo no termina donde debe');
    at = end + 1;
  }
}

function closingQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at !== -1; at = text.indexOf('"', at + 2)) {
    if (text[at + 1] !== '"') return at;
  }
  return -1;
}
