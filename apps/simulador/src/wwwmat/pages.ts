import { escapeMarkup } from '../sp/jsf.ts';

/** A page of the site with one application in its frame. Clients look for the frame's id (phpcfdi/csf-sat-scraper). */
export function framePage(titulo: string, src: string): string {
  return sitePage(
    titulo,
    `<nav class="migas"><a href="/">Inicio</a> &gt; ${titulo}</nav>
<main>
  <iframe id="iframetoload" class="child-div" src="${escapeMarkup(src)}" width="100%" height="800"></iframe>
</main>`,
  );
}

/** The first page of the mailbox, with the ways to its parts. */
export function buzonPage(rfc: string, links: readonly { texto: string; href: string }[]): string {
  const items = links.map(({ texto, href }) => `    <li><a href="${escapeMarkup(href)}">${texto}</a></li>`);
  return sitePage(
    'Buzón Tributario',
    `<p class="contribuyente">${escapeMarkup(rfc)}</p>
<h1>Mis expedientes</h1>
<ul>
${items.join('\n')}
</ul>`,
  );
}

function sitePage(titulo: string, contenido: string): string {
  return `<!DOCTYPE html>
<html lang="es">
<head><meta charset="UTF-8"><title>${titulo} - SAT</title></head>
<body>
${contenido}
</body>
</html>
`;
}
