// Fills the days of a form from a named period, so that what else was typed stays. Without scripts the period is a link to the form with its days.
const partsOf = (form) => ({
  links: document.querySelectorAll(`[data-periodos="${form.id}"] a`),
  fields: ['desde', 'hasta'].map((name) => form.querySelector(`input[name="${name}"], input[name="c.${name}"]`)),
});

function mark(form) {
  const { links, fields } = partsOf(form);
  for (const link of links) {
    if (link.dataset.desde === fields[0]?.value && link.dataset.hasta === fields[1]?.value)
      link.setAttribute('aria-current', 'true');
    else link.removeAttribute('aria-current');
  }
}

document.addEventListener('click', (event) => {
  const link = event.target.closest('[data-periodos] a');
  const form = link && document.getElementById(link.closest('[data-periodos]').dataset.periodos);
  const { fields } = form ? partsOf(form) : { fields: [null] };
  if (fields.includes(null) || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  [fields[0].value, fields[1].value] = [link.dataset.desde, link.dataset.hasta];
  mark(form);
});
document.addEventListener('input', ({ target }) => target.form && mark(target.form));
