import type { LoginFacts } from '@acuse/db';
import { type Finding, fault, fine, warning } from '@acuse/roles/finding';
import type { ProcessName } from './environment.ts';

const REMEDY =
  'Déle a cada proceso un usuario que solo pueda lo suyo: «acuse operador migrar» crea los de DATABASE_URL_API, _PANEL y _WORKER (docs/operators/operate.md, paso 3).';

/** Whether the user that processes log in as may do what they do, and no more: an intruder in one of them may do as much. */
export function reviewLogin(facts: LoginFacts, processes: readonly ProcessName[]): Finding {
  const { user, isSuperuser, isOwner, roles } = facts;
  const who = `${processes.join(', ')}: ${processes.length === 1 ? 'entra' : 'entran'} como «${user}»`;
  if (isSuperuser) return warning(`${who}, que puede todo en el servidor (superusuario)`, REMEDY);
  if (isOwner) return warning(`${who}, el dueño de las tablas, que puede cambiarlas y borrarlas`, REMEDY);
  const missing = processes.filter((process) => !roles.includes(process));
  if (missing.length > 0) return fault(`${who}, que no tiene los permisos de ${missing.join(', ')}`, REMEDY);
  return fine(`${who}, que puede lo suyo y nada más`);
}
