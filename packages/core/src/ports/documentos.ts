/** A document kept in object storage for its retention. */
export interface DocumentoGuardado {
  /** UUIDv7. */
  readonly id: string;
  readonly contribuyenteId: string;
  readonly tipo: 'opinion';
  readonly objectKey: string;
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

/** Notes of documents in object storage, so that they can be deleted when their retention is over. */
export interface Documentos {
  /** Notes a document before it is written: nothing is ever in storage that no row knows of. */
  note(documento: DocumentoGuardado): Promise<void>;
  /** Documents older than the retention that are not marked as deleted yet. */
  old(input: { retentionDays: number; limit: number }): Promise<readonly { id: string; objectKey: string }[]>;
  /** Marks a document whose object is gone. */
  deleted(id: string): Promise<void>;
}
