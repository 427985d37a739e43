import type { Conexion } from '../db.ts';

/** Receipt of a consent: who, what, until when, how to revoke. `retirar`: the taxpayer's revocation link. */
export function reciboOf(conexion: Conexion, retirar: string) {
  return {
    documento: 'Recibo de consentimiento',
    conexion_id: conexion.id,
    rfc: conexion.rfc,
    solicitante: conexion.solicitante,
    credencial: 'Contraseña del SAT (CIEC)',
    finalidad: conexion.finalidad,
    otorgado_en: conexion.conectadaEn?.toISOString() ?? null,
    hasta: conexion.hasta.toISOString(),
    retirado_en: conexion.terminadaEn?.toISOString() ?? null,
    como_retirar: `Abra ${retirar} y pulse «Retirar el permiso», o cambie su contraseña en el portal del SAT.`,
  };
}

export type Recibo = ReturnType<typeof reciboOf>;

const LABELS: Readonly<Record<keyof Recibo, string>> = {
  documento: 'Documento',
  conexion_id: 'Identificador',
  rfc: 'RFC que da el permiso',
  solicitante: 'A quién se da',
  credencial: 'Qué puede usar, sin verlo',
  finalidad: 'Para qué',
  otorgado_en: 'Desde (hora UTC)',
  hasta: 'Hasta (hora UTC)',
  retirado_en: 'Terminó (hora UTC)',
  como_retirar: 'Cómo retirarlo',
};

const LINE = 80;
/** Pieces of at most {@link LINE} characters, broken at spaces where there are any. */
const wrap = (text: string): string[] => text.match(new RegExp(`.{1,${LINE}}(?:\\s|$)|\\S{${LINE}}`, 'g')) ?? [];

/** The receipt as a PDF of one page (ISO 32000-1), in Helvetica; characters outside of Latin-1 become question marks. */
export function pdfOf(recibo: Recibo): Buffer {
  const fields = Object.entries(recibo).filter(([, value]) => value !== null) as [keyof Recibo, string][];
  const lines = fields.flatMap(([name, value]) =>
    [[`${LABELS[name]}:`], wrap(value).map((line) => `   ${line.trim()}`), ['']].flat(),
  );
  const latin = (text: string) => text.replace(/[^\x20-\x7e\xa1-\xff]/gu, '?').replace(/[\\()]/g, '\\$&');
  const content = `BT /F1 11 Tf 15 TL 56 780 Td\n${lines.map((line) => `(${latin(line)}) Tj T*`).join('\n')}\nET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R /Lang (es-MX) >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 4 0 R >> >> /Contents 5 0 R >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
  ];
  let text = '%PDF-1.4\n';
  const places = objects.map((object, at) => {
    const place = text.length;
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(place).padStart(10, '0')} 00000 n \n`;
  });
  const xref = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join('')}`;
  return Buffer.from(
    `${text}${xref}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`,
    'latin1',
  );
}
