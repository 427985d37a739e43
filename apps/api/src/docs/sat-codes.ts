import { CODIGOS_SAT, EXPLICACIONES, REQUEST_AGAIN } from '@acuse/core';
import type { Language } from '../site/pages.ts';
import { GENERATED } from './errors.ts';

/** What the page of each language says beside the codes and reasons. */
const WORDS = {
  es: {
    intro: `# Códigos del SAT

Qué significa cada código de la descarga masiva del SAT, que el historial del panel muestra, y qué hace Acuse solo con él. Usted ve una sola solicitud y, si no
termina bien, un \`motivo\`.

## CodEstatus

La respuesta del SAT a cada llamada.`,
    head: ['| código | el SAT | Acuse |', '| --- | --- | --- |'],
    same: 'Como',
    states: `## EstadoSolicitud

El avance de una solicitud dentro del SAT (\`VerificaSolicitudDescarga\`).

| estado | el SAT | Acuse |
| --- | --- | --- |
| 1 | la aceptó | \`EN_PROCESO\`: pregunta otra vez, con pausas que crecen |
| 2 | la está preparando | lo mismo |
| 3 | la terminó | baja los paquetes y arma el ZIP: \`TERMINADA\` |
| 4 | tuvo un error | la pide de nuevo; después, \`SAT_ERROR\` |
| 5 | la rechazó | 5004 es un periodo sin CFDI y 5003 uno con demasiados; con otro código la pide de nuevo y después \`SAT_RECHAZADA\` |
| 6 | la dejó vencer, a las 72 horas | la pide de nuevo; después, \`SAT_VENCIDA\` |`,
    reasons: `## Motivos

Por qué una solicitud de Acuse terminó sin paquete o está en espera: el campo \`motivo\` de \`descarga/verificar\` y de los [avisos](webhooks.md). Si terminó, su
crédito ya se devolvió y puede pedirla otra vez.`,
  },
  en: {
    intro: `# The SAT's codes

Meaning of each code of the SAT's bulk download, as the history of the panel shows it, and the automatic reaction of Acuse. You see a single request and, if it does
not end well, a \`motivo\`.

## CodEstatus

The SAT's answer to each call.`,
    head: ['| code | the SAT | Acuse |', '| --- | --- | --- |'],
    same: 'As',
    states: `## EstadoSolicitud

The progress of a request inside the SAT (\`VerificaSolicitudDescarga\`).

| state | the SAT | Acuse |
| --- | --- | --- |
| 1 | accepted it | \`EN_PROCESO\`: asks again, in growing pauses |
| 2 | is preparing it | the same |
| 3 | has finished it | fetches the packages and assembles the ZIP: \`TERMINADA\` |
| 4 | failed | requests it again; after that, \`SAT_ERROR\` |
| 5 | refused it | 5004 is a period without CFDI and 5003 one with too many; with another code it requests again, and after that \`SAT_RECHAZADA\` |
| 6 | let it lapse, after 72 hours | requests it again; after that, \`SAT_VENCIDA\` |`,
    reasons: `## Reasons

Why a request of Acuse ended without a package, or waits: the field \`motivo\` of \`descarga/verificar\` and of [webhooks](webhooks.md). If it ended, its credit
was refunded and you may request it again.`,
  },
} as const satisfies Record<Language, unknown>;

/** The page about the SAT's codes and the reasons of a solicitud, of what the service itself goes by. */
export function satCodesText(language: Language): string {
  const { intro, head, states, reasons } = WORDS[language];
  const motivos = Object.entries(EXPLICACIONES).map(([motivo, { causa, remedio, english }]) => {
    const [cause, help] = language === 'es' ? [causa, remedio] : [english.cause, english.remedy];
    const own = help.replace(REQUEST_AGAIN[language], '').replace(/ {2,}/g, ' ');
    return `### ${motivo}\n\n${`${cause} ${own}`.trim()}`;
  });
  return [intro, [...head, ...codeRows(language)].join('\n'), states, reasons, ...motivos, `${GENERATED}\n`].join(
    '\n\n',
  );
}

/** A row for each code. A reaction that an earlier code has too is a reference to that code. */
function codeRows(language: Language): readonly string[] {
  const first = new Map<string, string>();
  return Object.entries(CODIGOS_SAT).map(([codigo, { significado, hace, english }]) => {
    const [meaning, action] = language === 'es' ? [significado, hace] : [english.meaning, english.action];
    const earlier = first.get(action);
    first.set(action, earlier ?? codigo);
    return `| ${codigo} | ${meaning} | ${earlier === undefined ? withNames(action) : `${WORDS[language].same} ${earlier}.`} |`;
  });
}

/** Turns the names of reasons in a text into links to their sections. */
const withNames = (text: string) => text.replace(/\b[A-Z]+(?:_[A-Z]+)+\b/g, (name) => `[${name}](#${name})`);
