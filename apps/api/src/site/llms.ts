import { LANGUAGES, type Language, type Page } from './pages.ts';

const HEAD = `# Acuse

> Lo que el SAT de México sabe de un contribuyente, por HTTP y JSON: descarga masiva de CFDI, facturas, constancia de situación fiscal, opinión de cumplimiento, declaraciones, buzón tributario, listas 69-B. Con la CIEC o la e.firma del contribuyente, guardadas cifradas.

Todas las operaciones son POST en /api/v1/<operación> con JSON, \`Authorization: Bearer <API_KEY>\` y \`User-Agent\`. \`cfdi_codigo\` 1 es éxito; un error lleva en \`error\` un nombre que no cambia. Una descarga masiva contesta EN_PROCESO al momento y termina minutos o días después: se espera con descarga/verificar o con webhooks, nunca se pide dos veces.

- [OpenAPI 3.1](/openapi.json): todas las operaciones con campos, respuestas, errores y ejemplos.`;

const TITLES: Readonly<Record<Language, string>> = { es: 'Español', en: 'English' };

/** The index of the site for language models (llmstxt.org): every page, as Markdown. */
export function llmsText(pages: readonly Page[]): string {
  const sections = LANGUAGES.map((language) => {
    const own = pages.filter((page) => page.language === language);
    const lines = own.map((page) => `- [${page.title}](${page.asMarkdown}): ${page.summary}`);
    return own.length === 0 ? '' : `## ${TITLES[language]}\n\n${lines.join('\n')}`;
  });
  return `${[HEAD, ...sections.filter(Boolean)].join('\n\n')}\n`;
}
