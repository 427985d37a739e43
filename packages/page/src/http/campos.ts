import type { Context } from 'hono';

/** Bytes of a form without files. */
export const MAX_FORM_BYTES = 65_536;
/** Bytes of a form with files: a certificate and a key have some thousands each. */
export const MAX_UPLOAD_BYTES = 262_144;
const MAX_FIELDS = 200;

const FORMAS = /^(application\/x-www-form-urlencoded|multipart\/form-data)(;|$)/i;

/** A form that no browser sends by itself: unreadable, too many fields, one twice, or U+0000 (in no text of SQL). */
export class FormularioIlegible extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(`the form cannot be read: ${reason}`, options);
    this.name = 'FormularioIlegible';
  }
}

export interface Formulario {
  readonly campos: Readonly<Record<string, string>>;
  readonly archivos: Readonly<Record<string, File>>;
}

export const EMPTY_FORM: Formulario = { campos: {}, archivos: {} };

/** Whether the body may be larger because it may have files. */
export function isUpload(c: Context): boolean {
  return /^multipart\/form-data/i.test(c.req.header('content-type') ?? '');
}

/** Reads a posted form, each field once, without file inputs left empty. Throws {@link FormularioIlegible}. */
export async function readForm(c: Context): Promise<Formulario> {
  const type = c.req.header('content-type') ?? '';
  if (!FORMAS.test(type)) {
    if (Number(c.req.header('content-length') ?? 0) === 0) return EMPTY_FORM;
    throw new FormularioIlegible('no form');
  }
  const data = await c.req.formData().catch((cause: unknown) => {
    throw new FormularioIlegible('syntax', { cause });
  });
  const campos: Record<string, string> = Object.create(null);
  const archivos: Record<string, File> = Object.create(null);
  let count = 0;
  for (const [name, value] of data) {
    count += 1;
    if (count > MAX_FIELDS) throw new FormularioIlegible('too many fields');
    if (name in campos || name in archivos) throw new FormularioIlegible('a field twice');
    if (typeof value === 'string' && value.includes('\0')) throw new FormularioIlegible('U+0000');
    if (typeof value === 'string') campos[name] = value;
    else if (value.size > 0 || value.name !== '') archivos[name] = value;
  }
  return { campos, archivos };
}
