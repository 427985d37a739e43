const LIGHT = `  --fondo: #f6f6f3;
  --superficie: #ffffff;
  --hundido: #efefea;
  --tinta: #1a1e21;
  --tinta-suave: #545b63;
  --borde: #dedcd5;
  --borde-campo: #80868d;
  --acento: #0b6350;
  --acento-fuerte: #084c3d;
  --sobre-acento: #ffffff;
  --acento-suave: #e0f0ea;
  --exito: #17653a;
  --exito-suave: #e2f2e7;
  --alerta: #774a00;
  --alerta-suave: #fbf0d8;
  --error: #a1221e;
  --error-suave: #fbe7e5;
  --info: #1c4e8f;
  --info-suave: #e5eef9;
  --serie-1: #0b6350;
  --serie-2: #b0561c;
  --serie-3: #3e5bb5;
  --serie-4: #6f6a5c;
  --sombra: 0 1px 2px rgb(20 24 20 / 0.05), 0 6px 20px -12px rgb(20 24 20 / 0.18);
  --relleno: clamp(1rem, 2.4vw, 1.5rem);
  --radio: 12px;
  --radio-campo: 8px;
  --e1: 0.25rem;
  --e2: 0.5rem;
  --e3: 0.75rem;
  --e4: 1rem;
  --e5: 1.5rem;
  --e6: 2rem;
  --e7: 3rem;
  --letra: Inter, system-ui, "Segoe UI", Roboto, sans-serif;
  --letra-fija: ui-monospace, Menlo, Consolas, monospace;`;

const DARK = `  --fondo: #111416;
  --superficie: #191d20;
  --hundido: #22272b;
  --tinta: #e9ebed;
  --tinta-suave: #a8b0b8;
  --borde: #31373c;
  --borde-campo: #7b848d;
  --acento: #62d2b0;
  --acento-fuerte: #8ae3c8;
  --sobre-acento: #05231a;
  --acento-suave: #12342b;
  --exito: #84d8a0;
  --exito-suave: #143020;
  --alerta: #f1c362;
  --alerta-suave: #362a0e;
  --error: #ffa19a;
  --error-suave: #3d1a18;
  --info: #94bfff;
  --info-suave: #172b46;
  --serie-1: #62d2b0;
  --serie-2: #f0a26c;
  --serie-3: #9db4ff;
  --serie-4: #b8b2a2;
  --sombra: none;`;

/** The tokens alone, for a page of another style sheet whose class `dark-mode` makes it dark. */
export const TOKENS = `:root {
${LIGHT}
}

.dark-mode {
${DARK}
}
`;

/** The rule for the typeface at `url`. A page that has waited 100 ms for it keeps the typeface of the machine. */
export const fontFace = (url: string): string => `@font-face {
  font-family: Inter;
  font-weight: 100 900;
  font-display: fallback;
  src: url("${url}") format("woff2");
}

`;

/**
 * Tokens, header and footer of everything that people see: panel, documents and status page. Served as `marca.css` by
 * `createAssets`; the style sheet of each place comes after it.
 */
export const MARCA = `/* Colours are named by what they mean; a test computes their contrast (WCAG 2.2, 1.4.3 and 1.4.11). */
:root {
  color-scheme: light dark;
${LIGHT}
}

@media (prefers-color-scheme: dark) {
  :root {
${DARK}
  }
}

*,
*::before,
*::after {
  box-sizing: border-box;
}

html {
  -webkit-text-size-adjust: 100%;
  text-size-adjust: 100%;
}

body {
  margin: 0;
  min-width: 320px;
  background: var(--fondo);
  color: var(--tinta);
  font: 1rem / 1.55 var(--letra);
  overflow-wrap: break-word;
}

h1,
h2,
h3 {
  margin: 0;
  line-height: 1.2;
  letter-spacing: -0.014em;
  font-weight: 650;
  text-wrap: balance;
}

h1 {
  font-size: clamp(1.5rem, 1.25rem + 1.2vw, 2rem);
}

h2 {
  font-size: 1.2rem;
}

summary > h2 {
  display: inline;
}

h3 {
  font-size: 1.02rem;
}

a {
  color: var(--acento);
  text-decoration-thickness: 1px;
  text-underline-offset: 0.18em;
}

a:hover {
  color: var(--acento-fuerte);
}

:focus-visible,
[type="date"]:focus-within {
  outline: 3px solid var(--acento);
  outline-offset: 2px;
}

.saltar {
  position: absolute;
  left: var(--e4);
  top: -6rem;
  z-index: 2;
  padding: var(--e2) var(--e4);
  border-radius: 0 0 var(--radio-campo) var(--radio-campo);
  background: var(--acento);
  color: var(--sobre-acento);
}

.saltar:focus {
  top: 0;
  color: var(--sobre-acento);
}

.encabezado {
  display: flex;
  align-items: center;
  flex-wrap: wrap;
  justify-content: space-between;
  gap: var(--e2) var(--e4);
  padding: var(--e3) clamp(var(--e4), 3vw, var(--e6));
  background: var(--superficie);
  border-bottom: 1px solid var(--borde);
}

.marca {
  display: inline-flex;
  align-items: center;
  gap: var(--e2);
  color: var(--tinta);
  font-size: 1.12rem;
  font-weight: 700;
  letter-spacing: -0.02em;
  text-decoration: none;
}

.marca :is(svg, img) {
  width: 1.7rem;
  height: 1.7rem;
  color: var(--acento);
}

.pie {
  display: flex;
  flex-wrap: wrap;
  gap: var(--e2) var(--e5);
  padding: var(--e4) clamp(var(--e4), 3vw, var(--e6));
  border-top: 1px solid var(--borde);
}
`;
