import { type Frases, text } from '@acuse/page';

/** Changes that the audit log has of riesgo. */
export const frases: Frases = {
  'anotar-aviso-49bis': [
    'Publicación del artículo 49 Bis anotada',
    ({ proveedor, publicado_en }) => `Anotó que el SAT publicó a ${text(proveedor)} el ${text(publicado_en)}.`,
  ],
  'borrar-aviso-49bis': [
    'Publicación del artículo 49 Bis quitada',
    ({ proveedor }) => `Quitó lo anotado de la publicación de ${text(proveedor)}.`,
  ],
  'retirar-aviso-49bis': [
    'Publicación del artículo 49 Bis retirada',
    ({ proveedor, publicado_en }) =>
      `Se retiró la función; estaba anotado que el SAT publicó a ${text(proveedor)} el ${text(publicado_en)}.`,
  ],
  'retirar-aviso-49bis-dicho': [
    'Recordatorio del artículo 49 Bis retirado',
    ({ proveedor, quedan }) =>
      `Se retiró la función; se había avisado de ${text(proveedor)} a ${text(quedan)} días del fin.`,
  ],
};
