import { CODIGOS_SAT, EXPLICACIONES } from '@acuse/core';
import type { Language } from '../site/pages.ts';
import { GENERATED } from './errors.ts';

/** What the page of each language says beside the codes and reasons. */
const WORDS = {
  es: {
    intro: `# Códigos del SAT

El servicio web de descarga masiva del SAT contesta con códigos. Acuse los atiende por sí mismo: usted ve una sola solicitud, con su avance y, si no
termina bien, un \`motivo\`. Esta página dice qué significa cada uno y qué hace Acuse con él, para quien los encuentra en el historial del panel o viene de
hablar con el SAT directamente.

## CodEstatus

Lo que contesta cada llamada al servicio web.`,
    head: ['| código | el SAT | Acuse |', '| --- | --- | --- |'],
    states: `## EstadoSolicitud

En qué va una solicitud dentro del SAT, según su \`VerificaSolicitudDescarga\`.

| estado | el SAT | Acuse |
| --- | --- | --- |
| 1 | la aceptó | \`EN_PROCESO\`: pregunta otra vez, con pausas que crecen |
| 2 | la está preparando | lo mismo |
| 3 | la terminó | baja los paquetes y arma el ZIP: \`TERMINADA\` |
| 4 | tuvo un error | la pide de nuevo; después, \`SAT_ERROR\` |
| 5 | la rechazó | según su código: 5004 es un periodo sin CFDI, 5003 uno con demasiados; otro, la pide de nuevo y después \`SAT_RECHAZADA\` |
| 6 | la dejó vencer, a las 72 horas | la pide de nuevo; después, \`SAT_VENCIDA\` |`,
    reasons: `## Motivos

Por qué una solicitud de Acuse terminó sin paquete o está en espera: el campo \`motivo\` de \`descarga/verificar\` y de los
[avisos](webhooks.md). El crédito ya se devolvió, salvo donde la solicitud solo espera.`,
    remedy: 'Qué hacer',
  },
  en: {
    intro: `# The SAT's codes

The SAT’s web service for bulk download answers with codes. Acuse deals with them by itself: you see one request, how far it is and, if it does not end well, a
\`motivo\`. This page tells what each means and what Acuse does about it, for those who find them in the history of the panel or come from talking to the SAT
themselves.

## CodEstatus

What each call of the web service answers.`,
    head: ['| code | the SAT | Acuse |', '| --- | --- | --- |'],
    states: `## EstadoSolicitud

How far a request is inside the SAT, by its \`VerificaSolicitudDescarga\`.

| state | the SAT | Acuse |
| --- | --- | --- |
| 1 | accepted it | \`EN_PROCESO\`: asks again, in growing pauses |
| 2 | is preparing it | the same |
| 3 | has finished it | fetches the packages and assembles the ZIP: \`TERMINADA\` |
| 4 | failed | asks for it anew; after that, \`SAT_ERROR\` |
| 5 | refused it | by its code: 5004 is a period without CFDI, 5003 one with too many; with any other, asks for it anew and after that \`SAT_RECHAZADA\` |
| 6 | let it lapse, after 72 hours | asks for it anew; after that, \`SAT_VENCIDA\` |`,
    reasons: `## Reasons

Why a request of Acuse ended without a package, or waits: the field \`motivo\` of \`descarga/verificar\` and of
[webhooks](webhooks.md). The credit has been given back, but where the request only waits.`,
    remedy: 'What to do',
  },
} as const satisfies Record<Language, unknown>;

/** The page about the SAT's codes and the reasons of a solicitud, of what the service itself goes by. */
export function satCodesText(language: Language): string {
  const { intro, head, states, reasons, remedy } = WORDS[language];
  const codigos = Object.entries(CODIGOS_SAT).map(([codigo, { significado, hace, english }]) => {
    const [meaning, action] = language === 'es' ? [significado, hace] : [english.meaning, english.action];
    return `| ${codigo} | ${meaning} | ${withNames(action)} |`;
  });
  const motivos = Object.entries(EXPLICACIONES).map(([motivo, { causa, remedio, english }]) => {
    const [cause, help] = language === 'es' ? [causa, remedio] : [english.cause, english.remedy];
    return [`### ${motivo}`, cause, `**${remedy}.** ${help}`].join('\n\n');
  });
  return [intro, [...head, ...codigos].join('\n'), states, reasons, ...motivos, `${GENERATED}\n`].join('\n\n');
}

/** Turns the names of reasons in a text into links to their sections. */
const withNames = (text: string) => text.replace(/\b[A-Z]+(?:_[A-Z]+)+\b/g, (name) => `[${name}](#${name})`);
