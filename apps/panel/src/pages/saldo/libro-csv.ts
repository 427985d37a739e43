import type { MovimientoVista } from '@acuse/db';
import { isoMexico } from '../../fechas/dia-mexico.ts';

const COLUMNAS: readonly { readonly titulo: string; readonly of: (fila: MovimientoVista) => string }[] = [
  { titulo: 'fecha', of: ({ creadoEn }) => isoMexico(creadoEn) },
  { titulo: 'tipo', of: ({ tipo }) => tipo },
  { titulo: 'operacion', of: ({ operacion }) => textCell(operacion) },
  { titulo: 'rfc', of: ({ rfc }) => textCell(rfc) },
  { titulo: 'creditos', of: ({ importe }) => String(importe) },
  { titulo: 'saldo', of: ({ saldo }) => String(saldo) },
  { titulo: 'llamada', of: ({ opId }) => opId },
  { titulo: 'solicitud', of: ({ solicitudId }) => solicitudId ?? '' },
  { titulo: 'pago', of: ({ pagoId }) => textCell(pagoId) },
  { titulo: 'detalle', of: ({ detalle }) => textCell(detalle) },
];

const BOM = '\ufeff';
const END = '\r\n';

/**
 * Text as one field of RFC 4180. What a spreadsheet would read as a formula gets an apostrophe in front (OWASP, CSV
 * Injection): text that begins, also after spaces, with = + - @, a tab or a line break.
 */
export function textCell(texto: string | null): string {
  if (texto === null || texto === '') return '';
  const safe = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/.test(texto) ? `'${texto}` : texto;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/**
 * The ledger as CSV (RFC 4180, UTF-8), one chunk for each lot of rows. A lot is read from the database only when the
 * one before was taken, so a slow reader holds neither memory nor a connection. A failure ends the transfer unfinished,
 * never with a shorter file that looks whole. `withBom` is for spreadsheets that take a file without it for another
 * encoding.
 */
export function streamCsv(
  lots: AsyncGenerator<readonly MovimientoVista[]>,
  { withBom }: { readonly withBom: boolean },
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const head = `${withBom ? BOM : ''}${COLUMNAS.map(({ titulo }) => titulo).join(',')}${END}`;
  const line = (fila: MovimientoVista) => `${COLUMNAS.map(({ of }) => of(fila)).join(',')}${END}`;
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(encoder.encode(head)),
      async pull(controller) {
        const { value, done } = await lots.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(value.map(line).join('')));
      },
      async cancel() {
        await lots.return(undefined);
      },
    },
    { highWaterMark: 1 },
  );
}
