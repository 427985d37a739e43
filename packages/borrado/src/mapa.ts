import { QUEDA } from './queda.ts';
import { SE_BORRA } from './se-borra.ts';

/** What a table has to do with one taxpayer, and what becomes of it when everything of that taxpayer is deleted. */
export interface Tratado {
  /** What it holds, for people. */
  readonly dato: string;
  /** `borra`: deletes the rows. `limpia`: clears the columns of `suyo`. `conserva`: keeps the rows. */
  readonly trato: 'borra' | 'limpia' | 'conserva';
  /** Which rows are the taxpayer's: `:c` its id, `:a` its account, `:r` its RFC, `:s` its solicitudes, `:e` its events. */
  readonly donde?: string;
  /** Its rows go in one transaction with the taxpayer's, when nothing is under way any more. */
  readonly isLast?: true;
  /** Columns with the RFC, or with data that are the taxpayer's. */
  readonly suyo?: string;
  /** Columns that stay and may contain the RFC as typed: data of the account, or public ones. */
  readonly libre?: string;
  /** All other columns: ids made at random, times, numbers, names of ours. */
  readonly resto?: string;
  /** Its key, for a table in partitions, where a place (ctid) is of one of them only. */
  readonly llave?: string;
  /** Life of a row without an order to delete it, in English for the documents; `{SETTING}` stands for a setting's default. */
  readonly plazo: string;
  /** Why it stays. */
  readonly por?: string;
  /** Its rows belong to no account; where another account has the RFC too, they serve that one. */
  readonly isShared?: true;
  /** Reason why another taxpayer's rows may name this one after its own are deleted. */
  readonly ajeno?: string;
}

/**
 * Every table and every column, by what a deletion does with it. A column that is not named here fails the tests: nothing
 * new is kept of a taxpayer without a word on how it goes.
 */
export const MAPA: Readonly<Record<string, Tratado>> = { ...SE_BORRA, ...QUEDA };

/** The names of a list of columns. */
export const columnsIn = (list = ''): readonly string[] => list.split(' ').filter((name) => name !== '');
