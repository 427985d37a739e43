/**
 * A stored or sealed credential could not be opened. Deliberately says nothing more: a wrong key, a wrong context, a
 * destroyed key and a changed byte look the same to the caller, to a log and to an attacker who can write to the
 * database.
 */
export class CredencialIlegible extends Error {
  constructor() {
    super('The credential cannot be opened');
    this.name = 'CredencialIlegible';
  }
}
