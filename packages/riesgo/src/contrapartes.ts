import type { RowObserver, TipoDescarga } from '@acuse/core';
import { AMOUNT_DIGITS, Amount, CsvRow, EFECTO, efectoOf, MONTO, rfcColumnOf } from '@acuse/storage';
import type { ContraparteVista, RfcsListados, SumaCfdi } from './riesgo.ts';

/** Counterparties kept for one package, the first ones met. No known taxpayer has had so many on a list. */
export const MAX_CONTRAPARTES = 10_000;
/** Characters of a name, as in a store: longer ones than any that a CFDI may have (Anexo 20: 300). */
const MAX_NOMBRE = 600;

const UNITS = 10n ** BigInt(AMOUNT_DIGITS.fraction);

/** How many CFDI, and their pesos in units of the last place that an amount may have. */
class Suma {
  #cfdi = 0;
  #monto = 0n;

  add(monto: bigint): void {
    this.#cfdi++;
    this.#monto += monto;
  }

  get total(): SumaCfdi {
    const whole = this.#monto < 0n ? -this.#monto : this.#monto;
    const fraction = String(whole % UNITS).padStart(AMOUNT_DIGITS.fraction, '0');
    const monto = `${whole / UNITS}.${fraction.replace(/0{1,4}$/, '')}`;
    return { cfdi: this.#cfdi, monto: this.#monto < 0n ? `-${monto}` : monto };
  }
}

interface Listada {
  /** The bytes of its name as they stood in CSV last. */
  nombre: Buffer;
  isDoubled: boolean;
  readonly ingresos: Suma;
  readonly egresos: Suma;
}

/**
 * Keeps the counterparties of a package that may stand on a published list, with their CFDI in force: of ingreso and of
 * egreso. An RFC is compared as it stands. Allocates nothing for a row whose counterparty is not found.
 */
export class Contrapartes implements RowObserver {
  readonly name = 'contrapartes';
  readonly #rfcColumn: number;
  readonly #listados: RfcsListados;
  readonly #listed = new Map<string, Listada>();
  readonly #row = new CsvRow();
  readonly #amount = new Amount();

  constructor(tipo: TipoDescarga, listados: RfcsListados) {
    this.#rfcColumn = rfcColumnOf(tipo);
    this.#listados = listados;
  }

  see(out: Buffer, row: number, rfc: number, rfcEnd: number): void {
    if (this.#listados.has(out, rfc, rfcEnd)) this.#keep(out, row, rfc, rfcEnd);
  }

  get observed(): readonly ContraparteVista[] {
    return Array.from(this.#listed, ([rfc, { nombre, isDoubled, ingresos, egresos }]) => {
      const text = nombre.toString('utf8');
      return {
        rfc,
        nombre: asText(isDoubled ? text.replaceAll('""', '"') : text),
        ingresos: ingresos.total,
        egresos: egresos.total,
      };
    });
  }

  #keep(out: Buffer, row: number, start: number, end: number): void {
    const rfc = asText(out.toString('utf8', start, end));
    let listada = this.#listed.get(rfc);
    if (listada === undefined) {
      if (this.#listed.size === MAX_CONTRAPARTES) return;
      listada = { nombre: Buffer.alloc(0), isDoubled: false, ingresos: new Suma(), egresos: new Suma() };
      this.#listed.set(rfc, listada);
    }
    const fields = this.#row;
    fields.read(out, row);
    const nombre = this.#rfcColumn + 1;
    const [from, to] = [fields.starts[nombre] as number, fields.ends[nombre] as number];
    if (out.compare(listada.nombre, 0, listada.nombre.length, from, to) !== 0) {
      listada.nombre = Buffer.from(out.subarray(from, to));
      listada.isDoubled = fields.doubled[nombre] === 1;
    }
    if (!fields.isVigente(out)) return;
    const efecto = efectoOf(out[fields.starts[EFECTO] as number] as number);
    if (efecto === 'I') listada.ingresos.add(this.#montoOf(out));
    else if (efecto === 'E') listada.egresos.add(this.#montoOf(out));
  }

  /** Zero for a text that is not an amount: its CFDI counts all the same. */
  #montoOf(out: Buffer): bigint {
    const { starts, ends } = this.#row;
    const isAmount = this.#amount.read(out, starts[MONTO] as number, ends[MONTO] as number);
    return isAmount ? this.#amount.scaled(out) : 0n;
  }
}

/** What PostgreSQL takes as a text: without the character 0, and no longer than an index of it may be. */
function asText(text: string): string {
  return Array.from(text.replaceAll('\0', '')).slice(0, MAX_NOMBRE).join('');
}
