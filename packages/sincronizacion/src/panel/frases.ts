import { type Frases, text } from '@acuse/page';

/** Changes that the audit log has of sincronizacion. */
export const frases: Frases = {
  'consentir-sincronizacion': [
    'Permiso para mantener al día',
    ({ finalidad, con }) =>
      `Dio permiso para usar la CIEC y mantener al día los CFDI: ${text(finalidad)}.${con === undefined ? '' : ` Lo dio en el panel, con ${text(con)}.`}`,
  ],
  'usar-consentimiento': [
    'Uso del permiso',
    'Se pidió una lectura al SAT con el permiso para mantener al día los CFDI.',
  ],
  'resellar-consentimiento': [
    'Permiso sellado de nuevo',
    ({ llaves }) => `Al rotar los secretos, la copia de la CIEC quedó sellada con las llaves ${text(llaves)}.`,
  ],
  'revocar-consentimiento': ['Permiso retirado', 'Retiró el permiso para mantener al día los CFDI.'],
  'pausar-sincronizacion': ['Lecturas en pausa', 'Puso en pausa las lecturas que mantienen al día los CFDI.'],
  'reanudar-sincronizacion': ['Lecturas reanudadas', 'Reanudó las lecturas que mantienen al día los CFDI.'],
  'borrar-sincronizacion': [
    'Dejó de mantener al día',
    'Dejó de mantener al día los CFDI y borró lo que se sabía de ellos.',
  ],
};
