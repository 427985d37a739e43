// In the frame of the queues: gives names to what the tool draws without any, for whoever does not see its drawings.
const NOMBRES = {
  'lucide-settings': 'Ajustes',
  'lucide-copy': 'Copiar',
  'lucide-ellipsis-vertical': 'Acciones',
  'lucide-chevron-left': 'Anterior',
  'lucide-chevron-right': 'Siguiente',
};

function name(button) {
  const said = button.textContent.trim();
  const label = button.getAttribute('aria-label');
  // Who speaks to a machine says what stands on the button.
  if (said !== '' && label && !label.includes(said)) button.setAttribute('aria-label', `${said}: ${label}`);
  if (said !== '' || label || button.title) return;
  const drawing = [...(button.querySelector('svg')?.classList ?? [])].find((each) => NOMBRES[each]);
  button.setAttribute('aria-label', NOMBRES[drawing] ?? 'Más opciones');
}

function nameAll() {
  document.querySelector('header')?.setAttribute('aria-label', 'De las colas');
  document.querySelector('main')?.setAttribute('aria-label', 'Trabajos');
  for (const button of document.querySelectorAll('button')) name(button);
  for (const job of document.querySelectorAll('h5')) job.setAttribute('aria-level', '2');
  for (const logo of document.querySelectorAll('header a img')) logo.alt = '';
}

new MutationObserver(nameAll).observe(document.querySelector('#root'), { childList: true, subtree: true });

// Asked without a session the tool gets no data but a page, which it would draw as nothing: the frame shows that page, with its way back in.
const { open } = XMLHttpRequest.prototype;
XMLHttpRequest.prototype.open = function (...parts) {
  this.addEventListener('load', () => this.status === 403 && location.reload());
  return open.apply(this, parts);
};
