/** A CFDI as a row of `metadata.csv` tells it. */
export interface FilaCfdi {
  readonly uuid: string;
  readonly emisor: readonly [rfc: string, nombre: string];
  readonly receptor: readonly [rfc: string, nombre: string];
  readonly pac?: string;
  readonly emitida: string;
  readonly monto: string;
  readonly efecto?: string;
  readonly cancelada?: string | null;
  readonly tercero?: readonly [rfc: string, nombre: string];
}

const HEADER =
  'uuid,rfc_emisor,nombre_emisor,rfc_receptor,nombre_receptor,rfc_pac,fecha_emision,fecha_certificacion_sat,monto,efecto_comprobante,estatus,fecha_cancelacion,rfc_a_cuenta_terceros,nombre_a_cuenta_terceros';

const field = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** `metadata.csv` with these rows, in chunks that end anywhere. */
export async function* csvOf(filas: Iterable<FilaCfdi>, chunk = 4_096): AsyncGenerator<Buffer> {
  let text = `${HEADER}\r\n`;
  for (const f of filas) {
    const { uuid, emisor, receptor, pac = 'SAT970701NN3', emitida, monto, efecto = 'I', cancelada = null, tercero } = f;
    const estatus = cancelada === null ? 'VIGENTE' : 'CANCELADO';
    const values = [uuid, ...emisor, ...receptor, pac, emitida, emitida, monto, efecto, estatus, cancelada ?? ''];
    text += `${[...values, ...(tercero ?? ['', ''])].map(field).join(',')}\r\n`;
    while (text.length > chunk) {
      yield Buffer.from(text.slice(0, chunk));
      text = text.slice(chunk);
    }
  }
  yield Buffer.from(text);
}
