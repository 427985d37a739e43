// Shows the copy buttons, which do nothing without scripts, and closes the account menu on a click beside it.
function showButtons() {
  if (!navigator.clipboard) return;
  for (const button of document.querySelectorAll('[data-copiar] > button[hidden]')) button.hidden = false;
}
showButtons();
document.addEventListener('acuse:contenido', showButtons);

const SHOWN_MS = 2000;
/** What ends the note of a button: a press begins a new one, which has its own time. */
const ends = new WeakMap();

document.addEventListener('click', async (event) => {
  const button = event.target.closest?.('[data-copiar] > button');
  if (!button) return;
  const [text, , status] = button.parentElement.children;
  try {
    await navigator.clipboard.writeText(text.textContent);
    button.textContent = 'Copiado';
    status.textContent = 'Copiado al portapapeles';
  } catch {
    getSelection().selectAllChildren(text);
    button.textContent = 'Copiar';
    status.textContent = 'Quedó seleccionado: cópielo con el teclado';
  }
  const end = () => {
    button.textContent = 'Copiar';
    status.textContent = '';
  };
  clearTimeout(ends.get(button));
  ends.set(button, setTimeout(end, SHOWN_MS));
});

const menu = document.querySelector('details.menu');
document.addEventListener('click', (event) => {
  if (menu?.open && !menu.contains(event.target)) menu.open = false;
});
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || !menu?.open) return;
  menu.open = false;
  menu.querySelector('summary').focus();
});
