type Tipo = 'string' | 'number' | 'integer' | 'array' | 'boolean';

/** What the interface promises of one operation. */
export interface Fila {
  readonly path: string;
  readonly cost: 0 | 1;
  readonly credencial: 'API key' | 'API key + CIEC' | 'API key + e.firma' | 'API key + CIEC o e.firma';
  /** Whose RFC the body carries. */
  readonly rfc: 'propio' | 'propio, sin registrar' | 'cualquiera' | 'ninguno';
  readonly campos: Readonly<Record<string, { tipo: Tipo; requerido: boolean }>>;
  /** What fields hold in a good body, where that is not what they hold in others; undefined leaves one out. */
  readonly valores?: Readonly<Record<string, unknown>>;
  readonly data: readonly string[] | null;
  /** Further data fields that we answer. */
  readonly ours?: readonly string[];
  /** JSON types of the element fields that the specification or our decisions name. */
  readonly elementos?: Readonly<Record<string, 'string' | 'number' | 'integer' | 'boolean' | 'date'>>;
  /** HTTP status / cfdi_codigo. */
  readonly errores: readonly string[];
}

/** Names of a text in their order. */
const names = (text: string) => text.split(' ').filter(Boolean);

/** `name:type` of a text; a string without a type. */
const typed = (text: string) => names(text).map((word) => word.split(':') as [string, string?]);

/** A row whose fields are texts of names: `limite?:integer` is optional and an integer, without a type it is a string. */
export function row(
  path: string,
  cost: Fila['cost'],
  credencial: Fila['credencial'],
  rfc: Fila['rfc'],
  rest: Pick<Fila, 'valores'> & {
    campos: string;
    data: string | null;
    ours?: string;
    errores: string;
    elementos?: string;
  },
): Fila {
  const { campos, data, ours, errores, elementos, valores } = rest;
  const fields = typed(campos).map(([name, tipo = 'string']) => [
    name.replace('?', ''),
    { tipo: tipo as Tipo, requerido: !name.endsWith('?') },
  ]);
  const types = typed(elementos ?? '').map(([name, tipo = 'string']) => [name, tipo]);
  return {
    path,
    cost,
    credencial,
    rfc,
    campos: Object.fromEntries(fields),
    data: data === null ? null : names(data),
    errores: names(errores),
    ...(ours === undefined ? {} : { ours: names(ours) }),
    ...(elementos === undefined ? {} : { elementos: Object.fromEntries(types) }),
    ...(valores === undefined ? {} : { valores }),
  };
}

const VALORES: Readonly<Record<string, unknown>> = {
  rfc_emisor: 'ACU200101DB1',
  rfc_receptor: 'XIQB891116QE4',
  uuid: '5C8F2B1E-9D34-4A7B-8C60-1F2E3D4C5B6A',
  total: 1160.5,
  tipo: 'emitidos',
  desde: '2026-01-01',
  hasta: '2026-01-31',
  formato: 'parquet',
  estado_comprobante: 'vigente',
  tipo_comprobante: 'I',
  rfc_contraparte: ['EKU9003173C9'],
  complemento: 'pagos20',
  cursor: '01936f5e-7c3a-7b1e-8f00-2a4b6c8d0e1f',
  ejercicio: 2025,
  solicitud_id: '01936f5e-7c3a-7b1e-8f00-2a4b6c8d0e1f',
  id_cif: '15020034567',
  cer: 'AAAA',
  key: 'AAAA',
  password: '12345678a',
  ciec: 'Cíec-De-Prueba-1',
  webhook_id: '01936f5e-7c3a-7b1e-8f00-2a4b6c8d0e1f',
  entrega_id: '01936f5e-7c3a-7b1e-8f00-2a4b6c8d0e1f',
  url: 'https://erp.example/acuse',
  eventos: ['saldo.bajo'],
  descripcion: 'ERP',
  estado: 'ACTIVO',
  vigencia_horas: 24,
  limite: 25,
  frecuencia: 'SEMANAL',
  meses: 12,
  finalidad: 'Conciliación',
  solicitante: 'Contadores del Norte',
  conexion_id: '01936f5e-7c3a-7b1e-8f00-2a4b6c8d0e1f',
  vence_minutos: 60,
  dias: 90,
  regreso: 'https://erp.example.com/sat',
  logo: 'data:image/png;base64,iVBORw0KGgo=',
  color: '#0b5394',
};

/** A body that passes every check of its fields. */
export function cuerpoValido({ campos, valores = {} }: Fila, own: string): Record<string, unknown> {
  const all = { ...VALORES, ...valores, rfc: own };
  return Object.fromEntries(Object.entries(all).filter(([campo, valor]) => campo in campos && valor !== undefined));
}

/** Values of the wrong JSON type for a field. */
export function valoresDeOtroTipo(tipo: Tipo): readonly unknown[] {
  const never = [null, true, [], {}, ['x'], { a: 1 }];
  if (tipo === 'array') return [null, true, {}, { a: 1 }, 1, 'x'];
  if (tipo === 'boolean') return [null, [], {}, 1, 'x', 'true'];
  if (tipo === 'string') return [...never, 1, 0.5];
  return [...never, '1', 'x', ...(tipo === 'integer' ? [20.25, 1e21] : [])];
}
