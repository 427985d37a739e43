// Files dropped on a `[data-soltar]` go to the file inputs inside of it, each to the first whose `accept` names its ending. Its form is sent without
// leaving the page, so that chosen files and typed secrets stay where they are when it is refused. Without scripts the form is sent as any form, and
// the page names the files to choose again. `[data-soltar-aviso]` names the chosen and the refused files.
const inputsOf = (zone) => [...zone.querySelectorAll('input[type="file"]')];
const zoneOf = (event) => event.target.closest?.('[data-soltar]');

function takes(input, file) {
  const endings = input.accept.toLowerCase().split(',');
  return input.accept === '' || endings.some((ending) => file.name.toLowerCase().endsWith(ending.trim()));
}

function say(zone, refused = []) {
  const chosen = inputsOf(zone).flatMap((input) => [...input.files].map((file) => file.name));
  const texts = [
    chosen.length > 0 ? `Listo: ${chosen.join(', ')}.` : '',
    refused.length > 0 ? `Aquí no va: ${refused.join(', ')}.` : '',
  ];
  zone.querySelector('[data-soltar-aviso]').textContent = texts.join(' ').trim();
}

// Files that miss their place would be opened by the browser instead of the page, with all that was typed in it.
document.addEventListener('dragover', (event) => {
  if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
  zoneOf(event)?.classList.add('encima');
});
document.addEventListener('dragleave', (event) => {
  const zone = zoneOf(event);
  if (!zone?.contains(event.relatedTarget)) zone?.classList.remove('encima');
});
document.addEventListener('drop', (event) => {
  if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
  const zone = zoneOf(event);
  if (!zone) return;
  zone.classList.remove('encima');
  const refused = [];
  for (const file of event.dataTransfer.files) {
    const input = inputsOf(zone).find((each) => takes(each, file));
    if (!input) {
      refused.push(file.name);
      continue;
    }
    const transfer = new DataTransfer();
    transfer.items.add(file);
    input.files = transfer.files;
    input.dispatchEvent(new Event('change', { bubbles: true }));
  }
  say(zone, refused);
});
document.addEventListener('change', (event) => {
  const zone = zoneOf(event);
  if (zone) say(zone);
});

document.addEventListener('submit', async (event) => {
  const form = event.target;
  if (!form.querySelector('[data-soltar]')) return;
  event.preventDefault();
  const button = form.querySelector('button[type="submit"]');
  button.disabled = true;
  form.setAttribute('aria-busy', 'true');
  try {
    const response = await fetch(form.action, { method: 'POST', body: new FormData(form) });
    const { pathname } = new URL(response.url);
    // The session ended: its page says so.
    if (pathname === '/entrar') return location.assign(response.url);
    show(new DOMParser().parseFromString(await response.text(), 'text/html'), form);
    if (response.redirected) history.pushState(null, '', response.url);
  } catch {
    const note = form.querySelector('[data-soltar-aviso]');
    note.textContent = 'No llegó la respuesta. Sus archivos siguen aquí: envíe otra vez el formulario.';
    button.disabled = false;
    form.removeAttribute('aria-busy');
  }
});

/** Puts the answer in the place of the page; files and texts of the sent form stay if the form is there again. */
function show(page, form) {
  const next = [...page.forms].find(({ action }) => action === form.action);
  const isRefused = page.querySelector('[aria-invalid="true"]') !== null;
  for (const now of isRefused && next ? form.querySelectorAll('input[type="file"], input[type="password"]') : []) {
    const then = [...next.elements].find(({ id }) => id !== '' && id === now.id);
    if (then?.type === 'file') then.files = now.files;
    else if (then && !then.hasAttribute('aria-invalid')) then.value = now.value;
  }
  document.title = page.title;
  document.querySelector('main').replaceChildren(...page.querySelector('main').childNodes);
  const zone = isRefused && document.querySelector('[data-soltar]');
  if (zone) say(zone);
  const place = document.querySelector('main [aria-invalid="true"]') ?? document.querySelector('main');
  place.focus();
  document.dispatchEvent(new Event('acuse:contenido'));
}
