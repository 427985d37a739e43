import * as z from 'zod';

/** Sender of the mails of an installation. */
export interface Remitente {
  readonly nombre: string;
  readonly email: string;
}

const direccion = z.email();
/** True for one bare address. No other check is made of a recipient. */
export const isDireccion = (text: string): boolean => direccion.safeParse(text).success;

const CON_NOMBRE = /^([^<>"\p{C}]{1,100}) <([^<>]+)>$/u;

/** Reads `avisos@empresa.mx` or `Empresa <avisos@empresa.mx>`. Null for any other text. */
export function readSender(text: string): Remitente | null {
  const [, nombre = '', email = text.trim()] = CON_NOMBRE.exec(text.trim()) ?? [];
  return isDireccion(email) ? { nombre: nombre.trim(), email } : null;
}

const remitente = z
  .string()
  .transform((text, context) => {
    const read = readSender(text);
    if (read !== null) return read;
    context.addIssue({
      code: 'custom',
      message: 'debe ser un correo, o un nombre y un correo: Empresa <avisos@empresa.mx>',
    });
    return z.NEVER;
  })
  .meta({
    description:
      'De quién son los correos: avisos@empresa.mx, o Empresa <avisos@empresa.mx>. Sin él la instalación no envía ninguno. El mismo en el panel y en los workers.',
  });

/** For the panel, which asks for mails, and the workers, which send them. */
export const correoFields = { CORREO_DE: remitente.optional() };
