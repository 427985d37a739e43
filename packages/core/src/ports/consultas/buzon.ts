import type { Credencial } from '../../credencial.ts';

/** Entries of `CatalogoConsultas` about the mailbox. */
export interface ConsultasBuzon {
  'listar-comunicados': {
    consulta: ListarComunicados;
    respuesta: RespuestaListarComunicados;
    credencial: Credencial;
  };
  'listar-notificaciones': {
    consulta: ListarNotificaciones;
    respuesta: RespuestaListarNotificaciones;
    credencial: Credencial;
  };
}

/** Lists the communiqués of the taxpayer's mailbox, read and unread. Idempotent; marks nothing as read. */
export interface ListarComunicados {
  readonly consulta: 'listar-comunicados';
  readonly rfc: string;
  /** First and last day, `yyyy-MM-dd`, both included. */
  readonly desde: string;
  readonly hasta: string;
}

export interface RespuestaListarComunicados {
  /** Newest first. */
  readonly comunicados: readonly Comunicado[];
}

export interface Comunicado {
  /** The same communiqué has the same id in every answer. */
  readonly id: string;
  readonly asunto: string;
  /** `yyyy-MM-dd`, central Mexico. */
  readonly fecha: string;
  readonly leido: boolean;
}

/**
 * Lists the electronic notifications that wait in the mailbox. Only lists: opening one is a legal act that makes the
 * taxpayer count as notified, and nothing here may ever do it.
 */
export interface ListarNotificaciones {
  readonly consulta: 'listar-notificaciones';
  readonly rfc: string;
}

export interface RespuestaListarNotificaciones {
  /** Newest first. */
  readonly notificaciones: readonly Notificacion[];
}

export interface Notificacion {
  readonly folio: string;
  readonly autoridad: string;
  /** The administrative act. */
  readonly asunto: string;
  /** Date of the notice, `yyyy-MM-dd`, central Mexico. */
  readonly fecha: string;
}
