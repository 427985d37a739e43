import { CODIGOS_SAT, EXPLICACIONES } from '@acuse/core';
import { GENERATED } from './errors.ts';

const INTRO = `# Códigos del SAT

El servicio web de descarga masiva del SAT contesta con códigos. Acuse los atiende por sí mismo: usted ve una sola solicitud, con su avance y, si no
termina bien, un \`motivo\`. Esta página dice qué significa cada uno y qué hace Acuse con él, para quien los encuentra en el historial del panel o viene de
hablar con el SAT directamente.

## CodEstatus

Lo que contesta cada llamada al servicio web.`;

const ESTADOS = `## EstadoSolicitud

En qué va una solicitud dentro del SAT, según su \`VerificaSolicitudDescarga\`.

| estado | el SAT | Acuse |
| --- | --- | --- |
| 1 | la aceptó | \`EN_PROCESO\`: pregunta otra vez, con pausas que crecen |
| 2 | la está preparando | lo mismo |
| 3 | la terminó | baja los paquetes y arma el ZIP: \`TERMINADA\` |
| 4 | tuvo un error | la pide de nuevo; después, \`SAT_ERROR\` |
| 5 | la rechazó | según su código: 5004 es un periodo sin CFDI, 5003 uno con demasiados; otro, la pide de nuevo y después \`SAT_RECHAZADA\` |
| 6 | la dejó vencer, a las 72 horas | la pide de nuevo; después, \`SAT_VENCIDA\` |`;

const MOTIVOS = `## Motivos

Por qué una solicitud de Acuse terminó sin paquete o está en espera: el campo \`motivo\` de \`descarga/verificar\` y de los
[avisos](webhooks.md). El crédito ya se devolvió, salvo donde la solicitud solo espera.`;

/** The page about the SAT's codes and the reasons of a solicitud, of what the service itself goes by. */
export function satCodesText(): string {
  const codigos = Object.entries(CODIGOS_SAT).map(
    ([codigo, { significado, hace }]) => `| ${codigo} | ${significado} | ${withNames(hace)} |`,
  );
  const motivos = Object.entries(EXPLICACIONES).map(([motivo, { causa, remedio }]) =>
    [`### ${motivo}`, causa, `**Qué hacer.** ${remedio}`].join('\n\n'),
  );
  return [
    INTRO,
    ['| código | el SAT | Acuse |', '| --- | --- | --- |', ...codigos].join('\n'),
    ESTADOS,
    MOTIVOS,
    ...motivos,
    `${GENERATED}\n`,
  ].join('\n\n');
}

/** The names of reasons in a text, as links to what is said of them. */
const withNames = (text: string) => text.replace(/\b[A-Z]+(?:_[A-Z]+)+\b/g, (name) => `[${name}](#${name})`);
