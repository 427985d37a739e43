import type { Row } from '../taxpayers/row.ts';
import { DAY, formatWallTime } from '../wall-time.ts';
import { addUp, type Cents, money, paidWithIva, rateText } from './amounts.ts';
import { element, group, type XmlElement } from './element.ts';

/** A complement with the declaration of its namespace. */
export type Complement = { prefix: string; namespace: string; schema: string; element: XmlElement };

type Random = (slot: number) => number;
type PaidDocument = { id: string; folio: string; paid: Cents; before: Cents; installment: number };

const SITE = 'http://www.sat.gob.mx/sitio_internet/cfd';

/** Payments 2.0 (of CFDI 4.0) or 1.0 (of 3.3): one payment in MXN of one or two invented invoices. */
export function pagosOf(
  row: Row,
  { is40, random, uuid }: { is40: boolean; random: Random; uuid: (slot: number) => string },
): Complement {
  const documents = Array.from({ length: 1 + (random(20) % 2) }, (_, i): PaidDocument => {
    const paid = 10_000 + (random(21 + i) % 2_500_000);
    const left = random(23 + i) % 3 === 0 ? 5_000 + (random(25 + i) % 100_000) : 0;
    const folio = String(1 + (random(27 + i) % 99_999));
    return { id: uuid(30 + i), folio, paid, before: paid + left, installment: 1 + (random(29 + i) % 3) };
  });
  const amount = documents.reduce((sum, { paid }) => sum + paid, 0);
  const date = formatWallTime(row.emision - DAY, 'T');
  const names = 'FechaPago FormaDePagoP MonedaP TipoCambioP Monto NumOperacion';
  const values = [date, '03', 'MXN', is40 ? '1' : undefined, money(amount), String(random(28) % 1_000_000)];
  return is40 ? pagos20(names, values, documents, amount) : pagos10(names, values, documents);
}

function pagos20(names: string, values: (string | undefined)[], documents: PaidDocument[], amount: Cents): Complement {
  const taxed = documents.map(({ paid }) => paidWithIva(paid));
  const sums = addUp(taxed.filter((each) => each !== null));
  const [iva] = sums;
  const tax = (name: string, suffix: string, of: (typeof sums)[number]) =>
    element(name, ['Base', 'Impuesto', 'TipoFactor', 'TasaOCuota', 'Importe'].map((each) => each + suffix).join(' '), [
      money(of.base),
      of.tax.code,
      'Tasa',
      rateText(of.tax),
      money(of.amount),
    ]);
  const totals = element('pago20:Totales', 'TotalTrasladosBaseIVA16 TotalTrasladosImpuestoIVA16 MontoTotalPagos', [
    iva && money(iva.base),
    iva && money(iva.amount),
    money(amount),
  ]);
  const related = documents.map(({ id, folio, paid, before, installment }, i) => {
    const own = taxed[i] ?? null;
    const taxes = own ? addUp([own]).map((sum) => tax('pago20:TrasladoDR', 'DR', sum)) : [];
    return element(
      'pago20:DoctoRelacionado',
      'IdDocumento Serie Folio MonedaDR EquivalenciaDR NumParcialidad ImpSaldoAnt ImpPagado ImpSaldoInsoluto ObjetoImpDR',
      [
        id,
        'A',
        folio,
        'MXN',
        '1',
        String(installment),
        money(before),
        money(paid),
        money(before - paid),
        own ? '02' : '01',
      ],
      [taxes.length > 0 ? element('pago20:ImpuestosDR', '', [], [group('pago20:TrasladosDR', taxes)]) : null],
    );
  });
  const paidTaxes = sums.map((sum) => tax('pago20:TrasladoP', 'P', sum));
  const summary = iva ? element('pago20:ImpuestosP', '', [], [group('pago20:TrasladosP', paidTaxes)]) : null;
  const pago = element('pago20:Pago', names, values, [...related, summary]);
  return {
    prefix: 'pago20',
    namespace: 'http://www.sat.gob.mx/Pagos20',
    schema: `${SITE}/Pagos/Pagos20.xsd`,
    element: element('pago20:Pagos', 'Version', ['2.0'], [totals, pago]),
  };
}

function pagos10(names: string, values: (string | undefined)[], documents: PaidDocument[]): Complement {
  const related = documents.map(({ id, folio, paid, before, installment }) =>
    element(
      'pago10:DoctoRelacionado',
      'IdDocumento Serie Folio MonedaDR MetodoDePagoDR NumParcialidad ImpSaldoAnt ImpPagado ImpSaldoInsoluto',
      [id, 'A', folio, 'MXN', 'PPD', String(installment), money(before), money(paid), money(before - paid)],
    ),
  );
  return {
    prefix: 'pago10',
    namespace: 'http://www.sat.gob.mx/Pagos',
    schema: `${SITE}/Pagos/Pagos10.xsd`,
    element: element('pago10:Pagos', 'Version', ['1.0'], [element('pago10:Pago', names, values, related)]),
  };
}

/** Amounts of a payroll that leave this net pay. */
export function payOf(net: Cents): { gross: Cents; incomeTax: Cents; insurance: Cents } {
  const incomeTax = Math.floor(net / 10) + 1;
  const insurance = Math.floor(net / 50) + 1;
  return { gross: net + incomeTax + insurance, incomeTax, insurance };
}

/** The SAT's CURP of a person without one. */
const CURP = 'XEXX010101HNEXXXA4';
const FORTNIGHT = 14 * DAY;

/** Payroll 1.2: one fortnight's salary less ISR and IMSS; the employee's data are invented. */
export function nominaOf(row: Row, net: Cents, random: Random): Complement {
  const { gross, incomeTax, insurance } = payOf(net);
  const day = row.fechaEmision.slice(0, 10);
  const first = formatWallTime(row.emision - FORTNIGHT).slice(0, 10);
  const daily = money(Math.ceil(gross / 15));
  const issuer = element('nomina12:Emisor', 'Curp RegistroPatronal', [
    row.rfcEmisor.length === 13 ? CURP : undefined,
    'B5510768108',
  ]);
  const employee = element(
    'nomina12:Receptor',
    'Curp NumSeguridadSocial FechaInicioRelLaboral Antigüedad TipoContrato Sindicalizado TipoJornada TipoRegimen NumEmpleado Departamento Puesto RiesgoPuesto PeriodicidadPago SalarioBaseCotApor SalarioDiarioIntegrado ClaveEntFed',
    [
      CURP,
      String(10_000_000_000 + random(20)),
      first,
      'P2W',
      '01',
      'No',
      '01',
      '02',
      String(1 + (random(21) % 999)),
    ].concat(['VENTAS & COMPRAS', 'AUXILIAR', '1', '04', daily, daily, 'CMX']),
  );
  const earned = element(
    'nomina12:Percepciones',
    'TotalSueldos TotalGravado TotalExento',
    [money(gross), money(gross), '0.00'],
    [
      element('nomina12:Percepcion', 'TipoPercepcion Clave Concepto ImporteGravado ImporteExento', [
        ...['001', '001', 'Sueldo', money(gross), '0.00'],
      ]),
    ],
  );
  const deduction = (type: string, text: string, amount: Cents) =>
    element('nomina12:Deduccion', 'TipoDeduccion Clave Concepto Importe', [type, type, text, money(amount)]);
  const deducted = element(
    'nomina12:Deducciones',
    'TotalOtrasDeducciones TotalImpuestosRetenidos',
    [money(insurance), money(incomeTax)],
    [deduction('001', 'Seguridad social', insurance), deduction('002', 'ISR', incomeTax)],
  );
  const subsidy = element('nomina12:SubsidioAlEmpleo', 'SubsidioCausado', ['0.00']);
  const other = element(
    'nomina12:OtroPago',
    'TipoOtroPago Clave Concepto Importe',
    ['002', '002', 'Subsidio', '0.00'],
    [subsidy],
  );
  return {
    prefix: 'nomina12',
    namespace: 'http://www.sat.gob.mx/nomina12',
    schema: `${SITE}/nomina/nomina12.xsd`,
    element: element(
      'nomina12:Nomina',
      'Version TipoNomina FechaPago FechaInicialPago FechaFinalPago NumDiasPagados TotalPercepciones TotalDeducciones TotalOtrosPagos',
      ['1.2', 'O', day, first, day, '15.000', money(gross), money(incomeTax + insurance), '0.00'],
      [issuer, employee, earned, deducted, group('nomina12:OtrosPagos', [other])],
    ),
  };
}

/** On behalf of a third party in a CFDI 3.3, as a complement of the concept; 4.0 has an element of its own. */
export function tercerosOf({ rfc, nombre }: { rfc: string; nombre: string }): Complement {
  return {
    prefix: 'terceros',
    namespace: 'http://www.sat.gob.mx/terceros',
    schema: `${SITE}/terceros/terceros11.xsd`,
    element: element(
      'terceros:PorCuentadeTerceros',
      'version rfc nombre',
      ['1.1', rfc, nombre],
      [element('terceros:Impuestos', '', [])],
    ),
  };
}
