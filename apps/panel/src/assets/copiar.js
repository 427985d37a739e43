// Shows the copy buttons, which do nothing without scripts, and closes the account menu on a click beside it.
for (const box of document.querySelectorAll('[data-copiar]')) {
  const [text, button, status] = box.children;
  if (!button || !navigator.clipboard) continue;
  button.hidden = false;
  button.addEventListener('click', async () => {
    const label = button.textContent;
    try {
      await navigator.clipboard.writeText(text.textContent);
      button.textContent = 'Copiado';
      status.textContent = 'Copiado al portapapeles';
    } catch {
      getSelection().selectAllChildren(text);
      status.textContent = 'Quedó seleccionado: cópielo con el teclado';
    }
    setTimeout(() => {
      button.textContent = label;
      status.textContent = '';
    }, 2000);
  });
}

const menu = document.querySelector('details.menu');
document.addEventListener('click', (event) => {
  if (menu?.open && !menu.contains(event.target)) menu.open = false;
});
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || !menu?.open) return;
  menu.open = false;
  menu.querySelector('summary').focus();
});
