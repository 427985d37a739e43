import { mix } from '../taxpayers/mix.ts';
import { FIRST_DAY_OF_40, type Row } from '../taxpayers/row.ts';
import { addUp, centsOf, type Item, itemsOf, money, rateText, type Tax } from './amounts.ts';
import { type Complement, nominaOf, pagosOf, payOf, tercerosOf } from './complements.ts';
import { element, group, type XmlElement } from './element.ts';

/** A seal certificate: its 20 digits, and its DER in base64. */
export type Csd = { numero: string; certificado: string };

const PUBLIC = /^X[AE]XX010101000$/;
const POSTAL_CODES = ['06300', '64000', '44100', '97000', '22000'];
/** Key of the SAT's catalogue, unit, its name, description. */
const PRODUCTS = [
  ['43211503', 'H87', 'Pieza', 'Computadora portátil de 14" & cargador'],
  ['31162800', 'H87', 'Pieza', 'Tornillo <5 mm> para bisagra'],
  ['84111506', 'E48', 'Servicio', 'Servicios de facturación'],
  ['78101802', 'E48', 'Servicio', 'Flete terrestre\nentrega en Ñuu Savi'],
  ['50202306', 'XBX', 'Caja', 'Refrescos'],
  ['82101600', 'E48', 'Servicio', 'Publicidad > 30 segundos'],
] as const;
const SERIES = { I: 'A', E: 'NC', P: 'CP', N: 'N', T: 'T' } as const;
const USES_40 = { I: 'G03', E: 'G02', P: 'CP01', N: 'CN01', T: 'S01' } as const;
const USES_33 = { I: 'G03', E: 'G02', P: 'P01', N: 'P01', T: 'P01' } as const;

type Context = {
  row: Row;
  is40: boolean;
  /** A number that depends on the row and the slot alone. */
  random: (slot: number) => number;
};

/** The Comprobante of a row with an empty Sello and without a stamp: 4.0, or 3.3 for one emitted before 2023. */
export function createComprobante(row: Row, csd: Csd): XmlElement {
  const seed = Number.parseInt(row.uuid.slice(0, 8), 16) ^ Number.parseInt(row.uuid.slice(-8), 16);
  const context: Context = {
    row,
    is40: row.fechaEmision >= FIRST_DAY_OF_40,
    random: (slot) => mix(seed ^ Math.imul(slot + 1, 0x9e3779b1), slot),
  };
  const complements = complementsOf(context);
  const isPlain = row.efecto === 'I' || row.efecto === 'E';
  const items = isPlain ? itemsOf(centsOf(row.monto), context.random) : [];
  const { is40 } = context;
  return {
    name: 'cfdi:Comprobante',
    attributes: [...namespacesOf(is40, complements), ...headOf(context, csd, items).attributes],
    children: [
      is40 ? globalOf(row) : null,
      relatedOf(context),
      ...partiesOf(context),
      group('cfdi:Conceptos', isPlain ? items.map((item, i) => conceptOf(context, item, i)) : [soleConcept(context)]),
      summaryOf(items, is40),
      group(
        'cfdi:Complemento',
        complements.filter(({ prefix }) => prefix !== 'terceros').map((each) => each.element),
      ),
    ].filter((child) => child !== null),
  };
}

function complementsOf({ row, is40, random }: Context): Complement[] {
  const complements: Complement[] = [];
  if (row.efecto === 'P') complements.push(pagosOf(row, { is40, random, uuid: (slot) => uuidOf(random, slot) }));
  if (row.efecto === 'N') complements.push(nominaOf(row, centsOf(row.monto), random));
  if (row.tercero && !is40) complements.push(tercerosOf(row.tercero));
  return complements;
}

function namespacesOf(is40: boolean, complements: readonly Complement[]): (readonly [string, string])[] {
  const cfd = `http://www.sat.gob.mx/cfd/${is40 ? 4 : 3}`;
  const schema = `http://www.sat.gob.mx/sitio_internet/cfd/${is40 ? '4/cfdv40.xsd' : '3/cfdv33.xsd'}`;
  const locations = [cfd, schema, ...complements.flatMap((each) => [each.namespace, each.schema])];
  return [
    ['xmlns:cfdi', cfd],
    ['xmlns:xsi', 'http://www.w3.org/2001/XMLSchema-instance'],
    ...complements.map(({ prefix, namespace }) => [`xmlns:${prefix}`, namespace] as const),
    ['xsi:schemaLocation', locations.join(' ')],
  ];
}

const HEAD =
  'Version Serie Folio Fecha Sello FormaPago NoCertificado Certificado CondicionesDePago SubTotal Descuento Moneda TipoCambio Total TipoDeComprobante Exportacion MetodoPago LugarExpedicion';

function headOf(context: Context, { numero, certificado }: Csd, items: readonly Item[]): XmlElement {
  const { row, is40, random } = context;
  const { efecto } = row;
  const isDeferred = efecto === 'I' && random(3) % 3 === 0;
  const isForeign = efecto === 'I' && random(4) % 12 === 0;
  const isPaid = efecto === 'I' || efecto === 'E';
  const forma = isPaid ? (isDeferred ? '99' : '03') : efecto === 'N' && !is40 ? '99' : undefined;
  const metodo = isPaid ? (isDeferred ? 'PPD' : 'PUE') : efecto === 'N' ? 'PUE' : undefined;
  const { subtotal, discount } = sumsOf(row, items);
  const isWithoutMoney = efecto === 'P' || efecto === 'T';
  const moneda = isWithoutMoney ? 'XXX' : isForeign ? 'USD' : 'MXN';
  return element('', HEAD, [
    is40 ? '4.0' : '3.3',
    SERIES[efecto],
    String(1 + (random(5) % 99_999)),
    withT(row.fechaEmision),
    '',
    forma,
    numero,
    certificado,
    isDeferred ? 'Crédito a 30 días' : undefined,
    isWithoutMoney ? '0' : money(subtotal),
    discount > 0 ? money(discount) : undefined,
    moneda,
    isForeign ? `17.${String(random(6) % 10_000).padStart(4, '0')}` : undefined,
    isWithoutMoney ? '0' : money(centsOf(row.monto)),
    efecto,
    is40 ? '01' : undefined,
    metodo,
    postalCodeOf(row.rfcEmisor),
  ]);
}

function sumsOf({ efecto, monto }: Row, items: readonly Item[]) {
  if (efecto === 'N') {
    const { gross, incomeTax, insurance } = payOf(centsOf(monto));
    return { subtotal: gross, discount: incomeTax + insurance };
  }
  return {
    subtotal: items.reduce((sum, { price }) => sum + price, 0),
    discount: items.reduce((sum, item) => sum + item.discount, 0),
  };
}

/** A sale to the general public says its period. */
function globalOf({ efecto, rfcReceptor, fechaEmision }: Row): XmlElement | null {
  if (efecto !== 'I' || rfcReceptor !== 'XAXX010101000') return null;
  const [anio, mes] = fechaEmision.split('-');
  return element('cfdi:InformacionGlobal', 'Periodicidad Meses Año', ['01', mes, anio]);
}

function relatedOf({ row, random }: Context): XmlElement | null {
  const isIncome = row.efecto === 'I' && random(7) % 15 === 0;
  if (row.efecto !== 'E' && !isIncome) return null;
  const relation = isIncome ? '04' : random(8) % 2 === 0 ? '01' : '03';
  return element(
    'cfdi:CfdiRelacionados',
    'TipoRelacion',
    [relation],
    [element('cfdi:CfdiRelacionado', 'UUID', [uuidOf(random, 40)])],
  );
}

function partiesOf({ row, is40 }: Context): XmlElement[] {
  const { efecto, rfcEmisor, rfcReceptor } = row;
  // CFDI 4.0 needs a name; the metadata of some rows has none.
  const nameOf = (nombre: string, rfc: string) => nombre || (is40 ? rfc : undefined);
  const emisor = element('cfdi:Emisor', 'Rfc Nombre RegimenFiscal', [
    rfcEmisor,
    nameOf(row.nombreEmisor, rfcEmisor),
    regimenOf(rfcEmisor),
  ]);
  const isPublic = PUBLIC.test(rfcReceptor);
  const uses = is40 ? USES_40 : USES_33;
  const isSale = efecto === 'I' || efecto === 'E';
  const receptor = element('cfdi:Receptor', 'Rfc Nombre DomicilioFiscalReceptor RegimenFiscalReceptor UsoCFDI', [
    rfcReceptor,
    nameOf(row.nombreReceptor, rfcReceptor),
    is40 ? postalCodeOf(isPublic ? rfcEmisor : rfcReceptor) : undefined,
    is40 ? (efecto === 'N' ? '605' : regimenOf(rfcReceptor)) : undefined,
    isPublic && isSale ? uses.T : uses[efecto],
  ]);
  return [emisor, receptor];
}

/** Key of the tax regime of an RFC. */
export function regimenOf(rfc: string): string {
  if (PUBLIC.test(rfc)) return '616';
  return rfc.length === 12 ? '601' : '612';
}

/** The invented postal code of an RFC. */
export function postalCodeOf(rfc: string): string {
  return POSTAL_CODES[rfc.charCodeAt(rfc.length - 1) % POSTAL_CODES.length] ?? '06300';
}

const CONCEPT =
  'ClaveProdServ NoIdentificacion Cantidad ClaveUnidad Unidad Descripcion ValorUnitario Importe Descuento ObjetoImp';

function conceptOf({ row, is40, random }: Context, { price, discount, base, taxes }: Item, at: number): XmlElement {
  const [key, unit, unitName, text] = PRODUCTS[random(50 + at) % PRODUCTS.length] ?? PRODUCTS[0];
  const quantity = [10, 6, 5, 4, 3, 2].filter((each) => price % each === 0)[random(60 + at) % 3] ?? 1;
  const values = [
    ...[key, at === 0 ? `SKU-${random(9) % 1000}` : undefined, String(quantity), unit, unitName, text],
    ...[money(price / quantity), money(price), discount > 0 ? money(discount) : undefined],
    is40 ? (taxes.length > 0 ? '02' : '01') : undefined,
  ];
  const sums = addUp([{ base, taxes }]);
  const listed = (isWithheld: boolean, name: string) =>
    sums
      .filter(({ tax }) => tax.isWithheld === isWithheld)
      .map(({ tax, base: taxed, amount }) => taxElement(name, tax, taxed, amount));
  const lists = [
    group('cfdi:Traslados', listed(false, 'cfdi:Traslado')),
    group('cfdi:Retenciones', listed(true, 'cfdi:Retencion')),
  ].filter((list) => list !== null);
  const third = at === 0 ? terceroOf(row, is40) : null;
  return element('cfdi:Concepto', CONCEPT, values, [group('cfdi:Impuestos', lists), third]);
}

function taxElement(name: string, tax: Tax, base: number, amount: number): XmlElement {
  const rate = rateText(tax);
  return element(name, 'Base Impuesto TipoFactor TasaOCuota Importe', [
    money(base),
    tax.code,
    rate === undefined ? 'Exento' : 'Tasa',
    rate,
    rate && money(amount),
  ]);
}

function terceroOf({ tercero, rfcEmisor }: Row, is40: boolean): XmlElement | null {
  if (!tercero) return null;
  if (!is40) return group('cfdi:ComplementoConcepto', [tercerosOf(tercero).element]);
  return element(
    'cfdi:ACuentaTerceros',
    'RfcACuentaTerceros NombreACuentaTerceros RegimenFiscalACuentaTerceros DomicilioFiscalACuentaTerceros',
    [tercero.rfc, tercero.nombre, regimenOf(tercero.rfc), postalCodeOf(rfcEmisor)],
  );
}

/** The one concept of a payment, a payroll or a transfer. */
function soleConcept({ row, is40 }: Context): XmlElement {
  const { efecto, monto } = row;
  const [key, unit, text] =
    efecto === 'N'
      ? ['84111505', 'ACT', 'Pago de nómina']
      : efecto === 'P'
        ? ['84111506', 'ACT', 'Pago']
        : ['43211503', 'H87', 'Computadora portátil'];
  const pay = efecto === 'N' ? payOf(centsOf(monto)) : null;
  const price = pay ? money(pay.gross) : '0';
  const discount = pay ? money(pay.incomeTax + pay.insurance) : undefined;
  const values = [key, undefined, '1', unit, undefined, text, price, price, discount, is40 ? '01' : undefined];
  return element('cfdi:Concepto', CONCEPT, values, [terceroOf(row, is40)]);
}

/** The summary of taxes. An exempt tax has no total, and 3.3 leaves it out. */
function summaryOf(items: readonly Item[], is40: boolean): XmlElement | null {
  const sums = addUp(items);
  const withheld = sums.filter(({ tax }) => tax.isWithheld);
  const charged = sums.filter(({ tax }) => !tax.isWithheld && (is40 || tax.rate !== null));
  if (withheld.length + charged.length === 0) return null;
  const total = (some: typeof sums) =>
    some.some(({ tax }) => tax.rate !== null) ? money(some.reduce((sum, { amount }) => sum + amount, 0)) : undefined;
  const withheldTaxes = withheld.map(({ tax, amount }) =>
    element('cfdi:Retencion', 'Impuesto Importe', [tax.code, money(amount)]),
  );
  const chargedTaxes = charged.map(({ tax, base, amount }) => {
    const { name, attributes, children } = taxElement('cfdi:Traslado', tax, base, amount);
    return { name, attributes: is40 ? attributes : attributes.slice(1), children };
  });
  return element(
    'cfdi:Impuestos',
    'TotalImpuestosRetenidos TotalImpuestosTrasladados',
    [total(withheld), total(charged)],
    [group('cfdi:Retenciones', withheldTaxes), group('cfdi:Traslados', chargedTaxes)],
  );
}

function uuidOf(random: Context['random'], slot: number): string {
  const digits = [0, 1, 2, 3]
    .map((i) =>
      random(slot * 8 + i)
        .toString(16)
        .toUpperCase()
        .padStart(8, '0'),
    )
    .join('');
  return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-A$4-$5');
}

/** `yyyy-MM-dd HH:mm:ss` as the schema has it. */
export function withT(date: string): string {
  return date.replace(' ', 'T');
}
