// Fills the days of a form from a named period, so that what else was typed stays. Without scripts the period is a link to the form with its days.
for (const periods of document.querySelectorAll('[data-periodos]')) {
  const form = document.getElementById(periods.dataset.periodos);
  const fields = ['desde', 'hasta'].map((name) =>
    form?.querySelector(`input[name="${name}"], input[name="c.${name}"]`),
  );
  if (fields.some((field) => !field)) continue;
  const mark = () => {
    for (const link of periods.querySelectorAll('a')) {
      if (link.dataset.desde === fields[0].value && link.dataset.hasta === fields[1].value)
        link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
    }
  };
  periods.addEventListener('click', (event) => {
    const link = event.target.closest('a');
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    [fields[0].value, fields[1].value] = [link.dataset.desde, link.dataset.hasta];
    mark();
  });
  form.addEventListener('input', mark);
}
