import { describe, expect, it } from 'vitest';
import { createLector, FILAS_VISTA, MAX_FILAS } from './leer-paquete.ts';

const HEADER = `uuid,rfc_emisor,nombre_emisor,rfc_receptor,nombre_receptor,rfc_pac,fecha_emision,fecha_certificacion_sat,monto,efecto_comprobante,estatus,fecha_cancelacion,rfc_a_cuenta_terceros,nombre_a_cuenta_terceros\r\n`;
const row = (rfc: string, nombre: string, monto: string, efecto = 'I', estatus = 'VIGENTE') =>
  `U-${monto},${rfc},${nombre},YO,Yo,PAC,2026-01-05T10:00:00,,${monto},${efecto},${estatus},,,\r\n`;

/** A lector over one CSV, given in chunks of `size` bytes, and how often it was asked for. */
function lectorOf(csv: string, size = 7) {
  const bytes = Buffer.from(csv);
  let reads = 0;
  const leer = createLector({
    async *readCsv() {
      reads += 1;
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    },
  });
  return { leer, reads: () => reads };
}
const solicitud = { objectKey: 'k', formato: 'csv', registros: 1, tipo: 'recibidos' } as const;

describe('the rows of a package', () => {
  it('give pesos by kind and the largest suppliers, whatever the chunks and the names', async () => {
    const csv =
      HEADER +
      row('AAA', '"Ñandú, ""El"" \r\nGrande"', '100.10') +
      row('AAA', 'A', '0.20', 'I', 'CANCELADO') +
      row('BBB', 'B', '1000.5') +
      row('BBB', 'B', '7', 'P') +
      row('CCC', 'C', '', 'x');
    for (const size of [1, 7, 1_000]) {
      const { leer, reads } = lectorOf(csv, size);
      const leido = await leer(solicitud);
      expect(leido?.vista[0]).toMatchObject({ rfc: 'AAA', nombre: 'Ñandú, "El" \r\nGrande', monto: '100.10' });
      expect(leido?.sumas).toEqual({
        porEfecto: {
          I: { vigentes: 110_060, cancelados: 20 },
          P: { vigentes: 700, cancelados: 0 },
          otro: { vigentes: 0, cancelados: 0 },
        },
        contrapartes: [
          { rfc: 'BBB', nombre: 'B', cfdi: 2, centavos: 100_050 },
          { rfc: 'AAA', nombre: 'Ñandú, "El" \r\nGrande', cfdi: 2, centavos: 10_010 },
          { rfc: 'CCC', nombre: 'C', cfdi: 1, centavos: 0 },
        ],
        otras: 0,
      });
      await leer(solicitud);
      expect(reads()).toBe(1);
    }
  });

  it('are read no further than the preview in a package too large to sum', async () => {
    const csv = HEADER + row('AAA', 'A', '1').repeat(FILAS_VISTA * 3);
    const leido = await lectorOf(csv).leer({ ...solicitud, registros: MAX_FILAS + 1 });
    expect([leido?.vista.length, leido?.sumas]).toEqual([FILAS_VISTA, null]);
  });

  it('are not there for another format, and are read again after storage failed', async () => {
    expect(await lectorOf(HEADER).leer({ ...solicitud, formato: 'xlsx' })).toBeNull();
    let isAway = true;
    const leer = createLector({
      async *readCsv() {
        if (isAway) throw new Error('away');
        yield Buffer.from(HEADER + row('AAA', 'A', '1'));
      },
    });
    expect(await leer(solicitud)).toBeNull();
    isAway = false;
    expect((await leer(solicitud))?.vista).toHaveLength(1);
  });
});
