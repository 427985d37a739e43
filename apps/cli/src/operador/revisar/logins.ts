import type { LoginFacts } from '@acuse/db';
import { type Finding, fine, warning } from './finding.ts';

const REMEDY =
  'Déle a cada proceso un usuario que solo pueda lo suyo: «acuse operador migrar» crea los de DATABASE_URL_API, _PANEL y _WORKER (docs/operar.md, paso 3).';

/** Whether processes log in as somebody who may do more than they do: whoever takes one over may do as much. */
export function reviewLogin(facts: LoginFacts, processes: readonly string[]): Finding {
  const { user, isSuperuser, isOwner } = facts;
  const who = `${processes.join(', ')}: ${processes.length === 1 ? 'entra' : 'entran'} como «${user}»`;
  if (isSuperuser) return warning(`${who}, que puede todo en el servidor (superusuario)`, REMEDY);
  if (isOwner) return warning(`${who}, el dueño de las tablas, que puede cambiarlas y borrarlas`, REMEDY);
  return fine(`${who}, que puede lo suyo y nada más`);
}
