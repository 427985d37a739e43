/** How one thing that was looked at stands. */
export type Mark = 'bien' | 'aviso' | 'falla' | 'omitida';

/** An observation in Spanish, with the operator's remedy. */
export interface Finding {
  readonly mark: Mark;
  /** The observation; for a fault also its consequence. */
  readonly seen: string;
  /** What to do; null where nothing has to be done. */
  readonly remedy: string | null;
}

export const fine = (seen: string): Finding => ({ mark: 'bien', seen, remedy: null });
export const warning = (seen: string, remedy: string): Finding => ({ mark: 'aviso', seen, remedy });
export const fault = (seen: string, remedy: string): Finding => ({ mark: 'falla', seen, remedy });
export const skipped = (seen: string): Finding => ({ mark: 'omitida', seen, remedy: null });

/** The findings, or one that reports no fault. */
export const orFine = (findings: readonly Finding[], seen: string): readonly Finding[] =>
  findings.length === 0 ? [fine(seen)] : findings;

/** Check of a feature in `acuse operador revisar`. `Settings`: those that it reads, each absent where unset. */
export interface FeatureCheck<Settings> {
  /** Name in the report. */
  readonly check: string;
  /** Process whose settings it judges, and the text where another process is reviewed. */
  readonly process: 'api' | 'worker' | 'panel';
  readonly elsewhere: string;
  /** `timeoutMs`: milliseconds for each question to a server. */
  review(settings: Settings, timeoutMs: number): Promise<readonly Finding[]>;
}
