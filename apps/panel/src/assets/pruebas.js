// Sends the form of the sandbox without leaving the page, so that the API key that was typed need not be typed again. The key stays in its field
// and nowhere else. A call is sent once, whatever comes back: sending it again could charge it again. Without scripts the form is sent as any form.
document.addEventListener('submit', async (event) => {
  const form = event.target;
  const result = document.querySelector('#resultado');
  if (!form.matches('form[action^="/pruebas/"]') || !result) return;
  event.preventDefault();
  const button = form.querySelector('button[type="submit"]');
  const label = button.textContent;
  button.disabled = true;
  button.textContent = 'Llamando…';
  result.setAttribute('aria-busy', 'true');
  try {
    const data = new FormData(form);
    const body = form.enctype === 'multipart/form-data' ? data : new URLSearchParams(data);
    await show(await fetch(form.action, { method: 'POST', body }), form, result);
  } catch {
    const note = document.createElement('p');
    note.className = 'aviso alerta';
    note.setAttribute('role', 'alert');
    note.textContent =
      'No llegó la respuesta. Puede que la llamada se haya hecho: revise su saldo y sus solicitudes antes de repetirla.';
    result.replaceChildren(note);
  } finally {
    button.disabled = false;
    button.textContent = label;
    result.removeAttribute('aria-busy');
  }
});

async function show(response, form, result) {
  // The session ended: its page says so.
  if (response.redirected) return location.assign(response.url);
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  const next = page.querySelector('#resultado');
  const attempt = page.querySelector('input[name="intento"]');
  if (response.ok && next && attempt) {
    result.replaceChildren(...next.childNodes);
    form.elements.namedItem('intento').value = attempt.value;
    result.scrollIntoView({ block: 'nearest' });
  } else {
    // Refused before it was called: the page that says why, with the form as it was but for its secrets.
    document.querySelector('main').replaceChildren(...page.querySelector('main').childNodes);
  }
  document.dispatchEvent(new Event('acuse:contenido'));
}
