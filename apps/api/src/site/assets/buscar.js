// Searches in the browser, while the reader types and on the page of results. Fetched when the field is first used.
const form = document.querySelector('search > form');
const field = form.elements.q;
const box = document.createElement('div');
box.className = 'hallazgos';
box.hidden = true;
const count = document.createElement('p');
count.setAttribute('role', 'status');
const list = document.createElement('ul');
box.append(count, list);
form.append(box);

const SHOWN = 8;
const ON_PAGE = 20;

let loading;
const load = () => {
  const { library, terms, index } = form.dataset;
  loading ??= Promise.all([import(library), import(terms), fetch(index).then((answer) => answer.text())])
    .then(([{ default: MiniSearch }, { OPTIONS, find }, json]) => {
      const sections = MiniSearch.loadJSON(json, OPTIONS);
      return (question) => find(sections, question);
    })
    .catch(() => {
      // The next letter tries again.
      loading = undefined;
      return null;
    });
  return loading;
};

/** A section that was found, as an item of a list. */
function itemOf({ title, page, href }) {
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.href = href;
  link.textContent = page === '' ? title : `${title} · ${page}`;
  item.append(link);
  return item;
}

async function showFound() {
  const question = field.value.trim();
  const ask = question === '' ? null : await load();
  if (question !== field.value.trim()) return;
  const found = ask?.(question) ?? [];
  box.hidden = ask === null;
  count.textContent = found.length === 0 ? form.dataset.none : '';
  list.replaceChildren(...found.slice(0, SHOWN).map(itemOf));
}

async function showResults(results) {
  const question = (new URLSearchParams(location.search).get('q') ?? '').trim().slice(0, field.maxLength);
  field.value = question;
  const ask = question === '' ? null : await load();
  if (ask === null) return;
  const found = ask(question).slice(0, ON_PAGE);
  document.getElementById('pregunta').textContent = found.length === 0 ? form.dataset.none : '';
  results.replaceChildren(
    ...found.map((each) => {
      const item = itemOf(each);
      const excerpt = document.createElement('p');
      excerpt.textContent = each.excerpt;
      item.append(excerpt);
      return item;
    }),
  );
}

const results = document.getElementById('resultados');
if (results) showResults(results);
field.addEventListener('focus', load, { once: true });
field.addEventListener('input', showFound);
const close = () => {
  box.hidden = true;
};
form.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || box.hidden) return;
  event.preventDefault();
  close();
  field.focus();
});
document.addEventListener('click', (event) => {
  if (!form.contains(event.target) || event.target.closest('.hallazgos a')) close();
});
form.addEventListener('focusout', ({ relatedTarget }) => {
  if (relatedTarget && !form.contains(relatedTarget)) close();
});
