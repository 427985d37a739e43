import type { Autor } from '../auditoria.ts';

/** A captcha that waits for a person. */
export interface CaptchaPendiente {
  readonly id: string;
  /** As the SAT sent it, PNG or JPEG. */
  readonly imagen: Buffer;
  readonly creadoEn: Date;
  /** Afterwards nobody waits for the answer any more. */
  readonly venceEn: Date;
}

/** Captchas on their way from the process that logs in to a person and back. */
export interface Captchas {
  /** Puts a captcha up for `plazoMs` milliseconds; gives its id. */
  ask(imagen: Buffer, plazoMs: number): Promise<string>;
  /** What a person wrote; null while nobody has. */
  respuesta(id: string): Promise<string | null>;
  /** Takes a captcha down, answered or not. */
  drop(id: string): Promise<void>;

  /** Those that wait for an answer, oldest first. */
  pendientes(): Promise<readonly CaptchaPendiente[]>;
  /** Answers one; false when it is not there any more, is over or was answered by somebody else. */
  answer(id: string, texto: string, autor: Autor): Promise<boolean>;
  /** Deletes those that are over, left by processes that died. Gives their number. */
  tidy(): Promise<number>;
}
