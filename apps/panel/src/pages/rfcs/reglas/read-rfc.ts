/** Fault of a text that is no RFC, with its remedy. */
export function explainRfc(texto: string): string {
  const rfc = texto.trim().normalize('NFC').toUpperCase();
  if (rfc === '') return 'Escriba el RFC.';
  if (/[\s.-]/.test(rfc)) return 'Escríbalo sin espacios, puntos ni guiones.';
  if (rfc.length < 12) return `Faltan caracteres: tiene ${rfc.length} y debe tener 12 o 13, con la homoclave.`;
  if (rfc.length > 13) return `Sobran caracteres: tiene ${rfc.length} y debe tener 12 o 13.`;
  if (!/^[A-ZÑ&]{3,4}\d{6}/.test(rfc))
    return 'Debe empezar con 3 letras (persona moral) o 4 (persona física), y seguir con 6 dígitos de la fecha: año, mes y día.';
  if (!/[A-Z\d]{2}[A\d]$/.test(rfc))
    return 'Los últimos 3 caracteres son la homoclave: letras o dígitos, y al final un dígito o la letra A.';
  return 'Los 6 dígitos no son una fecha real (año, mes y día). Compárelos con la constancia de situación fiscal.';
}

type IdCifLeido =
  | { readonly valido: true; readonly valor: string | null }
  | { readonly valido: false; readonly error: string };

/** Reads an idCIF as a person types it; empty means none. */
export function readIdCif(texto: string): IdCifLeido {
  const digitos = texto.replaceAll(/\s/g, '');
  if (digitos === '') return { valido: true, valor: null };
  return /^\d{11}$/.test(digitos)
    ? { valido: true, valor: digitos }
    : { valido: false, error: `El idCIF tiene 11 dígitos; estos son ${digitos.length} caracteres.` };
}

export const MAX_NOMBRE = 250;

/** A name as a person types it; null for none. */
export const readNombre = (texto: string | undefined): string | null =>
  texto?.trim().normalize('NFC').replaceAll(/\s+/g, ' ').slice(0, MAX_NOMBRE) || null;

/** Values of the characters, by place (Anexo 3 of the SAT's rule for the RFC; public implementation: phpcfdi/rfc). */
const VALORES = '0123456789ABCDEFGHIJKLMN&OPQRSTUVWXYZ Ñ';

/**
 * The last character that an RFC should have. A legal person's has a blank in front, so that both kinds have 13
 * characters. The SAT has issued RFCs that end otherwise: a difference is a hint of a typing mistake, never a reason to
 * refuse.
 */
export function digitoVerificador(rfc: string): string {
  const doce = rfc.slice(0, -1).padStart(12, ' ');
  const suma = [...doce].reduce((total, letra, lugar) => total + VALORES.indexOf(letra) * (13 - lugar), 0);
  const resto = 11 - (suma % 11);
  return resto === 11 ? '0' : resto === 10 ? 'A' : String(resto);
}
