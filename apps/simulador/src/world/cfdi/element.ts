import { escapeXml } from '../texts.ts';

/** An element of a CFDI. Attributes and children have the order of the SAT's schema. */
export type XmlElement = {
  name: string;
  attributes: readonly (readonly [name: string, value: string])[];
  children: readonly XmlElement[];
};

/** Makes an element from the names of its attributes, separated by blanks, and their values; undefined leaves one out. */
export function element(
  name: string,
  names: string,
  values: readonly (string | undefined)[],
  children: readonly (XmlElement | null)[] = [],
): XmlElement {
  const attributes: (readonly [string, string])[] = [];
  namesOf(names).forEach((each, i) => {
    const value = values[i];
    if (value !== undefined) attributes.push([each, value]);
  });
  return { name, attributes, children: children.filter((child) => child !== null) };
}

const lists = new Map<string, string[]>();

function namesOf(text: string): string[] {
  let names = lists.get(text);
  if (names === undefined) {
    names = text === '' ? [] : text.split(' ');
    lists.set(text, names);
  }
  return names;
}

/** An element around others; null without any. */
export function group(name: string, children: readonly XmlElement[]): XmlElement | null {
  return children.length === 0 ? null : { name, attributes: [], children };
}

/** Text of an element, without white space between elements. */
export function writeXml({ name, attributes, children }: XmlElement): string {
  let text = `<${name}`;
  for (const [key, value] of attributes) text += ` ${key}="${escapeAttribute(value)}"`;
  if (children.length === 0) return `${text}/>`;
  text += '>';
  for (const child of children) text += writeXml(child);
  return `${text}</${name}>`;
}

/** A parser turns a line feed that is no reference into a blank. */
function escapeAttribute(value: string): string {
  return /[&<>"\n]/.test(value) ? escapeXml(value).replaceAll('\n', '&#10;') : value;
}

const UNSEALED = /^(?:xmlns|xsi:|Sello$|Certificado$)/;
const TOTALS: Readonly<Record<string, string>> = {
  'cfdi:Retenciones': 'TotalImpuestosRetenidos',
  'cfdi:Traslados': 'TotalImpuestosTrasladados',
};

/**
 * The cadena original of a Comprobante (3.3 or 4.0) or of a stamp. The SAT's stylesheets take attributes and children in
 * the order of the schema, with one exception: a total of taxes comes after the taxes that it adds up.
 */
export function cadenaOriginal(root: XmlElement): string {
  const values: string[] = [];
  collect(root, values);
  return `||${values.join('|')}||`;
}

function collect({ name, attributes, children }: XmlElement, values: string[]): void {
  const isTaxes = name === 'cfdi:Impuestos';
  if (!isTaxes) {
    for (const [key, value] of attributes) if (!UNSEALED.test(key)) values.push(normalizeSpace(value));
  }
  for (const child of children) {
    collect(child, values);
    const total = isTaxes ? attributes.find(([key]) => key === TOTALS[child.name]) : undefined;
    if (total) values.push(total[1]);
  }
}

/** As `normalize-space` of XPath. */
function normalizeSpace(text: string): string {
  return /[\n\t\r]| {2}|^ | $/.test(text) ? text.replace(/[ \t\r\n]+/g, ' ').replace(/^ | $/g, '') : text;
}
