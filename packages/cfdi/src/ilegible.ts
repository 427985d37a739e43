/** Reasons for which a document is not read, each with its text for people. */
const TEXTS = [
  ['NO_ES_XML', 'El archivo no es XML bien formado.'],
  ['TRUNCADO', 'El XML está incompleto: termina antes de cerrar el comprobante.'],
  ['CODIFICACION', 'El XML no está en UTF-8 ni en ISO-8859-1.'],
  ['CON_DTD', 'El XML trae un DOCTYPE, que un CFDI no lleva.'],
  ['DEMASIADO_HONDO', 'El XML tiene más de 64 niveles.'],
  ['DEMASIADO_GRANDE', 'El XML, una etiqueta o un atributo pasa del tamaño que se lee.'],
  ['NO_ES_CFDI', 'El XML no es un comprobante del SAT.'],
  ['VERSION_DESCONOCIDA', 'La versión del comprobante no es 3.2, 3.3 ni 4.0.'],
  ['FALTAN_DATOS', 'Al comprobante le falta la fecha, el tipo o un RFC.'],
  ['SIN_TIMBRE', 'El comprobante no tiene timbre fiscal.'],
  ['VARIOS_TIMBRES', 'El comprobante tiene más de un timbre fiscal.'],
  ['UUID_INVALIDO', 'El folio fiscal del timbre no es un UUID.'],
] as const;

export type Motivo = (typeof TEXTS)[number][0];
export const MOTIVOS: ReadonlyMap<Motivo, string> = new Map(TEXTS);

/** A document that is not read. Its message is Spanish and quotes nothing of the document. */
export class XmlIlegible extends Error {
  readonly motivo: Motivo;

  constructor(motivo: Motivo) {
    super(MOTIVOS.get(motivo));
    this.name = 'XmlIlegible';
    this.motivo = motivo;
  }
}
