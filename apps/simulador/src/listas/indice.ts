import { encode } from '../portal/web/html.ts';
import type { WallTime } from '../world/wall-time.ts';
import { dayInWords } from './csv.ts';

/** The page of open data that links the files; the day of the cut is in its text. */
export function indexPage(corte: WallTime, archivos: readonly { titulo: string; href: string }[]): string {
  const links = archivos.map(({ titulo, href }) => `<li><a href="${encode(href)}">${encode(titulo)}</a></li>`);
  return `<!DOCTYPE html>
<html lang="es">
<head><meta charset="utf-8"><title>Datos abiertos: contribuyentes publicados</title></head>
<body>
<h1>Contribuyentes publicados</h1>
<h2>Artículo 69-B del Código Fiscal de la Federación</h2>
<p>Información actualizada al ${dayInWords(corte)}</p>
<ul>
${links.join('\n')}
</ul>
</body>
</html>
`;
}
