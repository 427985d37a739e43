// Sends the form of the sandbox without leaving the page, so that the API key that was typed need not be typed again. The key stays in its field
// and nowhere else. Without scripts, or when anything goes wrong here, the form is sent as any form.
const result = document.querySelector('#resultado');
const form = document.querySelector('form[action^="/pruebas/"]');
const button = form?.querySelector('button[type="submit"]');

form?.addEventListener('submit', async (event) => {
  event.preventDefault();
  const label = button.textContent;
  button.disabled = true;
  button.textContent = 'Llamando…';
  result.setAttribute('aria-busy', 'true');
  try {
    const data = new FormData(form);
    const body = form.enctype === 'multipart/form-data' ? data : new URLSearchParams(data);
    const response = await fetch(form.action, { method: 'POST', body });
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const next = page.querySelector('#resultado');
    const attempt = page.querySelector('input[name="intento"]');
    if (!response.ok || response.redirected || !next || !attempt) {
      form.submit();
      return;
    }
    result.replaceChildren(...next.childNodes);
    form.elements.namedItem('intento').value = attempt.value;
    document.dispatchEvent(new Event('acuse:contenido'));
    result.scrollIntoView({ block: 'nearest' });
  } catch {
    form.submit();
  } finally {
    button.disabled = false;
    button.textContent = label;
    result.removeAttribute('aria-busy');
  }
});
