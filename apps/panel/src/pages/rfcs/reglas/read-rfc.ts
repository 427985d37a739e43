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
