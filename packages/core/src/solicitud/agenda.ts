export interface Agenda {
  /** Seconds until the first look at an accepted request. */
  readonly primeraSegundos: number;
  /** Each wait is this times the one before. */
  readonly factor: number;
  readonly maximaSegundos: number;
}

/** Seconds to wait after `consultas` looks: growing, capped, spread by a tenth so that solicitudes do not march in step. */
export function esperaTrasConsulta(
  agenda: Agenda,
  consultas: number,
  random: () => number = Math.random,
): number {
  const base = Math.min(
    agenda.primeraSegundos * agenda.factor ** Math.min(consultas, 64),
    agenda.maximaSegundos,
  );
  return base * (0.9 + 0.2 * random());
}

/** Seconds to wait after `fallos` failures in a row: doubling, from half a minute to half an hour unless the agenda is faster. */
export function esperaTrasFallo(agenda: Agenda, fallos: number, random: () => number = Math.random): number {
  const first = Math.min(30, agenda.primeraSegundos);
  const base = Math.min(first * 2 ** Math.min(fallos, 32), agenda.maximaSegundos);
  return base * (0.8 + 0.4 * random());
}
