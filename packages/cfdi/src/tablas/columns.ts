export type Table = 'conceptos' | 'impuestos' | 'pagos' | 'relacionados';

/** Kind of a value, the same in every format. */
export type ColumnType = 'texto' | 'fecha_hora' | 'decimal' | 'entero';

/** A column of a table, with the names on the wire that the columns of the metadata have. */
export interface Column {
  readonly nombre: string;
  readonly tipo: ColumnType;
  readonly significado: string;
  /** When there is no value; null when there always is one. */
  readonly vacio: string | null;
  /** Attribute of the CFDI that has the value; null for one that the reader counts or names. */
  readonly attribute: string | null;
  /** Places of a decimal that is no amount; absent in all others. */
  readonly places?: number;
}

const ABSENT = 'si el CFDI no lo da';

const column =
  (tipo: ColumnType) =>
  (nombre: string, attribute: string | null, significado: string, vacio: string | null = ABSENT): Column => ({
    nombre,
    tipo,
    significado,
    vacio,
    attribute,
  });
const texto = column('texto');
const decimal = column('decimal');
const entero = column('entero');
const fecha = column('fecha_hora');

const uuid = texto('uuid', null, 'Folio fiscal del CFDI, en mayúsculas y con guiones.', null);
const NO_DOCUMENT = 'si el pago no tiene documentos o el documento no lo da';

/** Attributes of a Pago, which each of its rows repeats. */
export const PAGO: readonly Column[] = [
  fecha('fecha_pago', 'FechaPago', 'Cuándo se recibió el pago, sin zona.'),
  texto('forma_de_pago', 'FormaDePagoP', 'Clave de la forma de pago, del catálogo del SAT.'),
  texto('moneda', 'MonedaP', 'Moneda del pago.'),
  decimal('tipo_cambio', 'TipoCambioP', 'Pesos por unidad de la moneda del pago.'),
  decimal('monto', 'Monto', 'Importe del pago en su moneda.'),
];

/** Attributes of a DoctoRelacionado. Pagos 1.0 calls EquivalenciaDR TipoCambioDR. */
export const DOCUMENTO: readonly Column[] = [
  texto('id_documento', 'IdDocumento', 'Folio fiscal del documento pagado, en mayúsculas.', NO_DOCUMENT),
  texto('serie', 'Serie', 'Serie del documento.', NO_DOCUMENT),
  texto('folio', 'Folio', 'Folio interno del documento.', NO_DOCUMENT),
  texto('moneda_dr', 'MonedaDR', 'Moneda del documento.', NO_DOCUMENT),
  {
    ...decimal(
      'equivalencia_dr',
      'EquivalenciaDR',
      'Unidades de la moneda del documento por una de la del pago.',
      NO_DOCUMENT,
    ),
    places: 10,
  },
  entero('num_parcialidad', 'NumParcialidad', 'Número de la parcialidad.', NO_DOCUMENT),
  decimal('imp_saldo_ant', 'ImpSaldoAnt', 'Saldo anterior, en la moneda del documento.', NO_DOCUMENT),
  decimal('imp_pagado', 'ImpPagado', 'Importe pagado, en la moneda del documento.', NO_DOCUMENT),
  decimal('imp_saldo_insoluto', 'ImpSaldoInsoluto', 'Saldo que queda, en la moneda del documento.', NO_DOCUMENT),
  texto('objeto_imp_dr', 'ObjetoImpDR', 'Si el documento es objeto de impuesto; Pagos 1.0 no lo da.', NO_DOCUMENT),
];

/** Attributes of a tax; those of a payment end in P, those of a document paid in DR. */
export const IMPUESTO: readonly Column[] = [
  decimal('base', 'Base', 'Base del impuesto.'),
  texto('impuesto', 'Impuesto', 'Clave del impuesto: 001 ISR, 002 IVA, 003 IEPS.'),
  texto('tipo_factor', 'TipoFactor', 'Tasa, Cuota o Exento.'),
  decimal('tasa_o_cuota', 'TasaOCuota', 'Tasa o cuota, como fracción.'),
  decimal('importe', 'Importe', 'Importe del impuesto.'),
];

/** Attributes of a Concepto. */
export const CONCEPTO: readonly Column[] = [
  texto('clave_prod_serv', 'ClaveProdServ', 'Clave del producto o servicio, del catálogo del SAT.'),
  texto('no_identificacion', 'NoIdentificacion', 'Clave que el emisor da al producto o servicio.'),
  decimal('cantidad', 'Cantidad', 'Cantidad.'),
  texto('clave_unidad', 'ClaveUnidad', 'Clave de la unidad de medida, del catálogo del SAT.'),
  texto('unidad', 'Unidad', 'Unidad de medida, con las palabras del emisor.'),
  texto('descripcion', 'Descripcion', 'Descripción.'),
  decimal('valor_unitario', 'ValorUnitario', 'Precio por unidad.'),
  decimal('importe', 'Importe', 'Cantidad por precio.'),
  decimal('descuento', 'Descuento', 'Descuento.'),
  texto('objeto_imp', 'ObjetoImp', 'Si es objeto de impuesto; la versión 3.3 no lo da.'),
];

/** The columns of each table in their order. Amounts are decimals in text, as the CFDI has them. */
export const TABLES: ReadonlyMap<Table, readonly Column[]> = new Map<Table, readonly Column[]>([
  [
    'conceptos',
    [uuid, entero('numero', null, 'Lugar del concepto dentro del CFDI; el primero es 1.', null), ...CONCEPTO],
  ],
  [
    'impuestos',
    [
      uuid,
      texto('ambito', null, 'De qué es el impuesto: comprobante, concepto, pago o documento.', null),
      entero('numero', null, 'Lugar del concepto o del pago dentro del CFDI.', 'si es del comprobante'),
      entero('numero_documento', null, 'Lugar del documento dentro del pago.', 'si no es de un documento'),
      texto('tipo', null, 'traslado o retencion.', null),
      ...IMPUESTO,
    ],
  ],
  [
    'pagos',
    [
      uuid,
      entero('numero', null, 'Lugar del pago dentro del CFDI; el primero es 1.', null),
      ...PAGO,
      entero('numero_documento', null, 'Lugar del documento dentro del pago.', 'si el pago no tiene documentos'),
      ...DOCUMENTO,
    ],
  ],
  [
    'relacionados',
    [
      uuid,
      texto('tipo_relacion', 'TipoRelacion', 'Clave de la relación, del catálogo del SAT.'),
      texto('uuid_relacionado', 'UUID', 'Folio fiscal del CFDI relacionado, en mayúsculas.'),
    ],
  ],
]);
