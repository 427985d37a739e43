// Files dropped on a `[data-soltar]` go to the file inputs inside of it, each to the first whose `accept` names its ending. The form is sent
// by its own button, as without scripts. What was chosen, or not taken, is said in the `[data-soltar-aviso]` inside of it.
for (const zone of document.querySelectorAll('[data-soltar]')) {
  const inputs = [...zone.querySelectorAll('input[type="file"]')];
  const notice = zone.querySelector('[data-soltar-aviso]');
  const endings = (input) =>
    input.accept
      .toLowerCase()
      .split(',')
      .map((each) => each.trim());
  const takes = (input, file) =>
    input.accept === '' || endings(input).some((ending) => file.name.toLowerCase().endsWith(ending));

  const say = (refused) => {
    if (!notice) return;
    const chosen = inputs.flatMap((input) => [...input.files].map((file) => file.name));
    notice.textContent = [
      chosen.length > 0 ? `Listo: ${chosen.join(', ')}.` : '',
      refused.length > 0 ? `Aquí no va: ${refused.join(', ')}.` : '',
    ]
      .join(' ')
      .trim();
  };

  zone.classList.add('soltar');
  zone.addEventListener('dragover', (event) => {
    event.preventDefault();
    zone.classList.add('encima');
  });
  zone.addEventListener('dragleave', (event) => {
    if (!zone.contains(event.relatedTarget)) zone.classList.remove('encima');
  });
  zone.addEventListener('drop', (event) => {
    event.preventDefault();
    zone.classList.remove('encima');
    const refused = [];
    for (const file of event.dataTransfer.files) {
      const input = inputs.find((each) => takes(each, file));
      if (!input) {
        refused.push(file.name);
        continue;
      }
      const transfer = new DataTransfer();
      transfer.items.add(file);
      input.files = transfer.files;
      input.dispatchEvent(new Event('change', { bubbles: true }));
    }
    say(refused);
  });
  zone.addEventListener('change', () => say([]));
}

// Files that miss their place would be opened by the browser instead of the page, with all that was typed in it.
for (const name of ['dragover', 'drop'])
  addEventListener(name, (event) => {
    if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
  });
