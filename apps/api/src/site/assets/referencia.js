// Draws the reference with Scalar. Whatever of it would ask another host is off, and the policy of the page allows none.
const here = document.querySelector('#referencia');
const { library, language } = here.dataset;
const dark = matchMedia('(prefers-color-scheme: dark)');

// Without this a library in it tries whether it may compile code, which the policy reports.
globalThis.__zod_globalConfig = { jitless: true };

const configuration = () => ({
  url: '/openapi.json',
  proxyUrl: '',
  telemetry: false,
  withDefaultFonts: false,
  persistAuth: false,
  hideClientButton: true,
  hideDarkModeToggle: true,
  forceDarkModeState: dark.matches ? 'dark' : 'light',
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  documentDownloadType: 'none',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  localization: { locale: language },
});

const script = document.createElement('script');
script.src = library;
script.addEventListener('load', () => {
  here.replaceChildren();
  const reference = globalThis.Scalar.createApiReference(here, configuration());
  dark.addEventListener('change', () => reference.updateConfiguration(configuration()));
});
document.head.append(script);
