import type { SentidoOpinion } from '../world/magia.ts';
import { keyOf, mix, word } from '../world/taxpayers/mix.ts';
import type { Opinion } from '../world/taxpayers/perfil.ts';
import { type WallTime, wallTimeOf } from '../world/wall-time.ts';
import type { World } from '../world/world.ts';

/** An opinion as it is issued at one moment. */
export type OpinionEmitida = Omit<Opinion, 'autorizaPublicacion'> & {
  rfc: string;
  nombre: string;
  /** `26NL1324942`: year, two letters, seven digits. */
  folio: string;
  emision: WallTime;
};

/**
 * How the document words each sense, and the letter that stands for it in its original string. P and N are the SAT's,
 * the others ours.
 */
export const SENTIDO_IMPRESO: Readonly<Record<SentidoOpinion, readonly [palabra: string, letra: string]>> = {
  POSITIVO: ['POSITIVO', 'P'],
  NEGATIVO: ['NEGATIVO', 'N'],
  EN_SUSPENSION: ['EN SUSPENSIÓN DE ACTIVIDADES', 'S'],
  INSCRITO_SIN_OBLIGACIONES: ['INSCRITO SIN OBLIGACIONES', 'I'],
  NO_INSCRITO: ['NO INSCRITO', 'X'],
};

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** Issues the opinion of a taxpayer now. Its folio follows from the RFC and the second. */
export function issueOpinion({ taxpayers, clock, settings }: World, rfc: string): OpinionEmitida {
  const emision = wallTimeOf(clock.now());
  const { autorizaPublicacion: _, ...opinion } = taxpayers.profile(rfc).opinion;
  const key = keyOf(settings.semilla, rfc, 'folio 32-D', emision);
  const letter = (slot: number) => LETTERS.charAt(mix(word(key, slot), slot) % LETTERS.length);
  const year = String(new Date(emision * 1000).getUTCFullYear() % 100).padStart(2, '0');
  const number = String(mix(word(key, 2), 2) % 10_000_000).padStart(7, '0');
  return {
    ...opinion,
    rfc,
    nombre: taxpayers.taxpayer(rfc).nombre,
    folio: `${year}${letter(0)}${letter(1)}${number}`,
    emision,
  };
}
