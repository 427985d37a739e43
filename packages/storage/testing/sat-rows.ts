import { createHash } from 'node:crypto';

/** One CFDI as the SAT's metadata has it; every value as text, before any qualifier. */
export interface SatRow {
  uuid: string;
  rfcEmisor: string;
  nombreEmisor: string;
  rfcReceptor: string;
  nombreReceptor: string;
  rfcPac: string;
  fechaEmision: string;
  fechaCertificacion: string;
  monto: string;
  efecto: string;
  estatus: string;
  fechaCancelacion: string;
}

export const SAT_HEADER =
  'Uuid~RfcEmisor~NombreEmisor~RfcReceptor~NombreReceptor~RfcPac~FechaEmision~FechaCertificacionSat~Monto~EfectoComprobante~Estatus~FechaCancelacion';

export const TERCEROS_HEADER = 'Uuid~RfcACuentaTerceros~NombreACuentaTerceros';

/** A row that looks like a real one and follows from its number alone. */
export function satRow(index: number, overrides: Partial<SatRow> = {}): SatRow {
  const hex = createHash('md5').update(`cfdi ${index}`).digest('hex');
  const two = (value: number) => String(value).padStart(2, '0');
  const day = two(1 + (index % 28));
  const time = `${two(index % 24)}:${two(index % 60)}:${two((index * 7) % 60)}`;
  const isCancelled = index % 10 === 9;
  return {
    uuid: `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`.toUpperCase(),
    rfcEmisor: `AAA0101${two(index % 31)}${hex.slice(0, 3).toUpperCase()}`,
    nombreEmisor: `PROVEEDORA NÚMERO ${index % 977} SA DE CV`,
    rfcReceptor: 'EKU9003173C9',
    nombreReceptor: 'ESCUELA KEMPER URGATE',
    rfcPac: 'SPR190613I52',
    fechaEmision: `2024-01-${day} ${time}`,
    fechaCertificacion: `2024-01-${day} ${time}`,
    monto: `${(index * 37) % 90_000}.${two(index % 100)}`,
    efecto: 'IENTP'[index % 5] ?? 'I',
    estatus: isCancelled ? '0' : '1',
    fechaCancelacion: isCancelled ? `2024-02-${day} 12:00:00` : '',
    ...overrides,
  };
}

/** A field between `|` where the SAT's format needs it: it holds a separator, or begins with the qualifier. */
export function qualify(value: string): string {
  return value.includes('~') || value.startsWith('|') ? `|${value}|` : value;
}

export function satLine(row: SatRow): string {
  return Object.values(row)
    .map((value) => qualify(value as string))
    .join('~');
}

export function satText(rows: readonly SatRow[], lineEnd = '\r\n'): string {
  return [SAT_HEADER, ...rows.map(satLine)].map((line) => line + lineEnd).join('');
}

/** What `metadata.csv` has to say of the row. */
export function expectedCsv(row: SatRow, tercero: readonly [string, string] = ['', '']): string[] {
  const instant = (value: string) => value.replace(' ', 'T');
  return [
    row.uuid.toUpperCase(),
    row.rfcEmisor,
    row.nombreEmisor,
    row.rfcReceptor,
    row.nombreReceptor,
    row.rfcPac,
    instant(row.fechaEmision),
    instant(row.fechaCertificacion),
    row.monto,
    row.efecto,
    row.estatus === '1' ? 'VIGENTE' : 'CANCELADO',
    instant(row.fechaCancelacion),
    ...tercero,
  ];
}
