import { type PageFeature, text } from '@acuse/page';

/** Sentences of the audit log. */
export const conexionPanel: PageFeature = {
  rutas: [],
  frases: {
    'crear-conexion': [
      'Enlace de conexión',
      ({ solicitante }) => `Hizo un enlace para que el contribuyente entregue su CIEC a ${text(solicitante)}.`,
    ],
    'conectar-conexion': [
      'CIEC entregada',
      ({ solicitante }) => `El contribuyente entregó su CIEC a ${text(solicitante)} por un enlace, y el SAT la aceptó.`,
    ],
    'revocar-conexion': ['Permiso retirado', 'Se retiró el permiso dado por un enlace de conexión y se borró la CIEC.'],
  },
};
