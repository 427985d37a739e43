// Optional script of the site: buttons that copy samples.
const WORDS = document.documentElement.lang.startsWith('es')
  ? { copy: 'Copiar', copied: 'Copiado', select: 'Cópielo con el teclado' }
  : { copy: 'Copy', copied: 'Copied', select: 'Copy it with the keyboard' };
const SHOWN_MS = 2000;

for (const sample of navigator.clipboard ? document.querySelectorAll('pre') : []) {
  const box = document.createElement('div');
  box.className = 'muestra';
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = WORDS.copy;
  sample.replaceWith(box);
  box.append(sample, button);
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(sample.textContent);
      button.textContent = WORDS.copied;
    } catch {
      getSelection().selectAllChildren(sample);
      button.textContent = WORDS.select;
    }
    setTimeout(() => {
      button.textContent = WORDS.copy;
    }, SHOWN_MS);
  });
}
