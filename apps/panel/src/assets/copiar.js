// Shows the copy buttons, which do nothing without scripts, and closes the account menu on a click beside it.
function showButtons() {
  if (!navigator.clipboard) return;
  for (const button of document.querySelectorAll('[data-copiar] > button[hidden]')) button.hidden = false;
}
showButtons();
document.addEventListener('acuse:contenido', showButtons);

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
    status.textContent = 'Quedó seleccionado: cópielo con el teclado';
  }
  setTimeout(() => {
    button.textContent = 'Copiar';
    status.textContent = '';
  }, 2000);
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
